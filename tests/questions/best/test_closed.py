from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, best, compare
from curvewise.kernels.relabel import SideBySide
from curvewise.questions.best.method import LeadsInSets, Ranking, RivalSet
from curvewise.shuffling.visit import FIRST_LOOK, Limits, Plan, visit
from tests.questions.slow_contrasts import LeastSquares, n_at_least
from tests.simulation import integer_tied, some_curves

if TYPE_CHECKING:
    from curvewise import Best
    from curvewise.kernels import Floats, Integers

KEY = 5


def _tied() -> Curves:
    scores = integer_tied(np.random.default_rng(1), 12, 3)
    return Curves(scores + np.repeat([0, 0, 1], 4)[:, None], np.repeat(list("ABC"), 4))


CURVES: dict[str, Curves] = {
    "without blocks": some_curves(3, (5, 6, 4)),
    "with blocks": some_curves(4, (4, 4, 4), blocks=[0, 1, 2, 3] * 3),
    "lower is better": some_curves(5, (4, 4, 4), higher_is_better=False),
    "ties": _tied(),
}


def leader_of(curves: Curves) -> str:
    return curves.algorithms[Ranking.of(curves).order[0]]


def welch_t(a: Floats, b: Floats) -> float:
    error = a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)
    lead = float(a.mean() - b.mean())
    if error > 1e-20:
        return lead / float(np.sqrt(error))
    return 0.0 if abs(lead) < 1e-9 else float(np.copysign(np.inf, lead))


def slow_counts(curves: Curves, leader: str, n_shuffles: int) -> tuple[Any, int]:
    """Count leads over each of the others, and heights apart, by least squares."""
    own = RivalSet.of(Ranking.of(curves), curves.algorithms, leader)
    layout, names = own.layout, sorted(curves.algorithms)
    heights = layout.scores.mean(axis=1, keepdims=True)
    heights = heights if curves.higher_is_better else -heights

    def leads(labels: Integers, over: str) -> dict[str, float]:
        """By the error of all in blocks, else by the variances of the two."""
        fit, unit = LeastSquares(heights, labels, layout.blocks), np.eye(len(names))
        groups = [heights[labels == place, 0] for place in range(len(names))]
        code = names.index(over)
        found = {}
        for place, name in enumerate(names):
            if name == over:
                continue
            found[name] = fit.t(unit[place] - unit[code])
            if curves.blocks is None:
                found[name] = welch_t(groups[place], groups[code])
        return found

    def squares(labels: Integers) -> float:
        blocks = np.array([layout.blocks == block for block in set(layout.blocks)]).T
        both = np.hstack([blocks, labels[:, None] == np.arange(len(names))])
        left = [
            np.sum((heights - x @ np.linalg.lstsq(x, heights, rcond=None)[0]) ** 2)
            for x in (blocks.astype(float), both.astype(float))
        ]
        return float(left[0] - left[1])

    drawn = SideBySide((layout.restriction,), (own.tag,)).drawn(n_shuffles, KEY)
    every = drawn.batch(0)
    counts = [
        n_at_least(
            [max(leads(labels, name).values()) for labels in every],
            leads(layout.labels, name)[leader],
        )
        for name in names
        if name != leader
    ]
    spread = n_at_least([squares(labels) for labels in every], squares(layout.labels))
    return counts, spread


@pytest.mark.parametrize("name", CURVES)
def test_leads_and_heights_are_counted_as_by_brute_force(name: str) -> None:
    curves = CURVES[name]
    leader = leader_of(curves)
    own = RivalSet.of(Ranking.of(curves), curves.algorithms, leader)
    statistic = LeadsInSets((own,), np.array([[1, 0]]), np.array([True, True]))
    plan = Plan(statistic.restriction, exact=False, n_shuffles=600, key=KEY)
    found = visit(plan, statistic)
    counts, spread = slow_counts(curves, leader, 600)
    assert found.counts[0][0].tolist() == counts[::-1]
    assert found.counts[1].tolist() == [spread]
    assert found.counts[2].tolist() == [600]
    assert found.kept[0].shape == (2, 600)


def test_a_single_run_is_measured_against_the_error_of_all() -> None:
    curves = some_curves(3, (5, 1, 4))
    rivals = RivalSet.of(Ranking.of(curves), "ABC", leader_of(curves))
    assert not rivals.own_spread
    assert np.all(np.isfinite(rivals.measured(rivals.layout.labels[None, :])[0]))


def adjusted(found: Best) -> dict[str, float | None]:
    return {row.name: row.pvalue_adjusted for row in found.rows[1:]}


def test_the_larger_p_of_all_sets_counts_by_leads_or_by_heights() -> None:
    """Put together from each set by itself, with the shuffles that it has in any company."""
    curves = some_curves(8, (5, 5, 5, 5))
    curves = Curves(curves.scores + 0.3 * curves.codes[:, None], curves.labels)
    found = best(curves, n_shuffles=999, rng=1)
    leader, *others = (row.name for row in found.rows)
    own = {name: compare(curves.select(leader, name)).algorithm.pvalue for name in others}
    by_lead, by_height = dict(own), dict(own)
    key = int(np.random.default_rng(1).integers(2**63))
    for size in (2, 3):
        for group in combinations(others, size):
            rivals = RivalSet.of(Ranking.of(curves), (leader, *group), leader)
            place = np.arange(size)[None, :]
            statistic = LeadsInSets((rivals,), place, np.ones(size, dtype=np.bool_))
            plan = Plan(statistic.restriction, exact=False, n_shuffles=999, key=key)
            counts = visit(plan, statistic).counts
            for number, name in enumerate(sorted(group)):
                lead = (1 + int(counts[0][0, number])) / 1_000
                by_lead[name] = max(by_lead[name], lead)
                by_height[name] = max(by_height[name], (1 + int(counts[1][0])) / 1_000)
    expected = {name: min(by_lead[name], by_height[name]) for name in others}
    assert adjusted(found) == pytest.approx(expected)
    assert any(expected[name] > own[name] for name in others)


def test_neither_order_nor_unit_of_the_algorithms_matters() -> None:
    curves = some_curves(7, (4, 5, 3, 4))
    options: dict[str, Any] = {"n_shuffles": 999, "rng": 5}
    found = adjusted(best(curves, **options))
    assert adjusted(best(curves.select("C", "A", "D", "B"), **options)) == found
    scaled = Curves(curves.scores * 1024 + 4096, curves.labels)
    assert adjusted(best(scaled, **options)) == pytest.approx(found)


def test_who_is_behind_in_a_pair_alone_is_not_ruled_out() -> None:
    """Blocks hold different algorithms, so that two alone may be in another order."""
    rng = np.random.default_rng(0)
    labels = list("AB" * 6 + "AC" * 6 + "BC" * 6)
    blocks = [0] * 12 + [1] * 12 + [2] * 12
    lift = {(0, "B"): 1.0, (1, "A"): 9.0, (2, "C"): 9.0}
    scores = np.array([[lift.get(key, 0.0)] for key in zip(blocks, labels, strict=True)])
    scores = scores + 0.1 * rng.normal(size=(36, 2))
    curves = Curves(scores, labels, blocks=blocks)
    found = best(curves, rng=0)
    assert found.leader == "A"
    (row,) = (row for row in found.rows if row.name == "B")
    assert row.pvalue is not None
    assert row.pvalue < 0.01
    assert row.difference is not None
    assert row.difference > 0
    assert row.pvalue_adjusted == 1
    assert row.contends


def test_what_is_settled_by_the_two_alone_decides_nothing() -> None:
    curves = some_curves(3, (5, 6, 4))
    rivals = RivalSet.of(Ranking.of(curves), curves.algorithms, leader_of(curves))
    counts = np.array([[7, 9]]), np.array([3]), np.array([100])

    def deciding(*is_open: bool) -> list[int]:
        statistic = LeadsInSets((rivals,), np.array([[0, 1]]), np.array(is_open))
        return statistic.deciding(counts).tolist()

    assert deciding(True, True) == [7, 9, 3, 3]
    assert deciding(False, True) == [9, 3]
    assert deciding(False, False) == [100]


def test_auto_goes_on_where_an_algorithm_is_not_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curvewise.questions.best.method.LIMITS", Limits(shuffles=2 * FIRST_LOOK))
    curves = some_curves(5, (6, 6, 6))
    curves = Curves(curves.scores + 0.3 * curves.codes[:, None], curves.labels)
    found = best(curves, n_shuffles=2 * FIRST_LOOK, rng=3)
    many = adjusted(found)
    # A p at alpha, which no number of shuffles settles.
    (alpha,) = (
        row.pvalue_adjusted
        for row in found.rows[1:]
        if row.pvalue and row.pvalue_adjusted and row.pvalue_adjusted > row.pvalue
    )
    few = adjusted(best(curves, n_shuffles=FIRST_LOOK, alpha=alpha, rng=3))
    assert adjusted(best(curves, n_shuffles="auto", alpha=alpha, rng=3)) == many != few
    assert adjusted(best(curves, n_shuffles="auto", alpha=1e-3, rng=3)) == few
