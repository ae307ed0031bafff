from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from curvewise import Curves, best
from curvewise.questions.best.ask import Ranking, _ranked
from tests.simulation import some_curves


def test_the_largest_comes_first() -> None:
    assert _ranked(np.array([1.0, 3.0, 2.0]), 0.0) == (1, 2, 0)
    assert _ranked(np.array([5.0]), 0.0) == (0,)


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_what_rounding_sets_apart_keeps_its_order(order: tuple[int, ...]) -> None:
    """Whatever the last bits are, which differ between libraries for linear algebra."""
    noise = 1e-9
    jitter = 1e-12 * np.array(order)
    assert _ranked(np.full(4, 7.0) + jitter, noise) == (0, 1, 2, 3)
    two_groups = np.array([1.0, 2.0, 1.0, 2.0]) + jitter
    assert _ranked(two_groups, noise) == (1, 3, 0, 2)
    # Ten times as far apart as rounding can set them, they are ranked.
    apart = np.array([0.0, 1.0, 2.0, 3.0]) * 10 * noise + jitter
    assert _ranked(apart, noise) == (3, 2, 1, 0)


def test_sums_in_another_order_change_neither_leader_nor_ranks() -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 to a computer."""
    run = np.array([0.1, 0.2, 0.3])
    assert run.sum() != run[::-1].sum()
    for steps in permutations(range(3)):
        scores = np.vstack([run + 1, run + 2, (run + 1)[list(steps)], (run + 2)[::-1]])
        for names in (list("AABB"), list("BBAA")):
            curves = Curves(np.tile(scores, (2, 1)), names * 2)
            assert Ranking.of(curves).order == (0, 1)
            # Of equals the first by name leads, whichever row came first.
            assert best(curves).contenders == ("A", "B")


def test_lower_may_be_better() -> None:
    curves = some_curves(0, (3, 3, 3))
    scores = curves.scores + 10.0 * curves.codes[:, None]
    higher = Ranking.of(Curves(scores, curves.labels))
    lower = Ranking.of(Curves(scores, curves.labels, higher_is_better=False))
    assert higher.order == (2, 1, 0)
    assert lower.order == (0, 1, 2)
    assert higher.signed_unit == -lower.signed_unit > 0
    assert higher.means() == lower.means()


def test_means_are_those_of_the_runs() -> None:
    curves = some_curves(0, (3, 5, 2))
    for name, mean in Ranking.of(curves).means().items():
        assert mean == pytest.approx(curves.select(name).scores.mean())
    even = Curves(curves.scores, curves.labels, blocks=[0] * 10)
    assert Ranking.of(even).means() == Ranking.of(curves).means()


def test_in_uneven_blocks_means_are_adjusted() -> None:
    """B ran mostly in the easier block, and is the worse in each."""
    labels, blocks = list("AAAABABBBB"), np.repeat([0, 1], 5)
    scores = 10.0 * blocks[:, None] + (np.array(labels) == "A")[:, None] * np.ones(3)
    curves = Curves(scores, labels, blocks=blocks)
    ranking = Ranking.of(curves)
    assert curves.algorithms[ranking.order[0]] == "A"
    means = ranking.means()
    assert means["A"] - means["B"] == pytest.approx(1)
    # Their mean over all runs is that of the scores.
    assert (5 * means["A"] + 5 * means["B"]) / 10 == pytest.approx(scores.mean())


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_typical_runs_are_led_by_another_than_the_mean(higher_is_better: bool) -> None:
    sign = 1 if higher_is_better else -1
    runs = {"A": [8, 8, 9, 9, -90], "B": [4, 5, 5, 6, 7], "C": [1, 1, 2, 2, 3]}
    scores = np.array([[sign * run] for own in runs.values() for run in own], dtype=float)
    curves = Curves(scores, np.repeat(list(runs), 5), higher_is_better=higher_is_better)
    assert [curves.algorithms[code] for code in Ranking.of(curves).order] == list("BCA")
    trimmed = Ranking.of(curves, "trimmed")
    assert trimmed.order == (0, 1, 2)
    assert trimmed.means() == pytest.approx(
        {"A": sign * 25 / 3, "B": sign * 16 / 3, "C": sign * 5 / 3}
    )
    ranks = Ranking.of(curves, "ranks")
    assert ranks.order == (0, 1, 2)
    expected = {"A": 11.0, "B": 9.0, "C": 4.0}
    if not higher_is_better:
        expected = {name: 16 - rank for name, rank in expected.items()}
    assert ranks.means() == pytest.approx(expected)
