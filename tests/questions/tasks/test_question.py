"""compare_tasks: brute force on small designs, invariances, rates, refusals."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import curvewise as cw
from tests.kernels.tasks.test_shares import brute_share
from tests.questions.tasks.simulated import some_tasks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.kernels import Floats

SAMPLED: dict[str, Any] = {"n_shuffles": 299, "rng": 0}


def pvalues(found: cw.TaskComparison) -> dict[str, float]:
    """Every p, whatever the order of tasks and algorithms."""
    assert found.anywhere_in_curves is not None
    return {
        "whole": found.on_the_whole.pvalue,
        "height": found.anywhere.pvalue,
        "curves": found.anywhere_in_curves.pvalue,
        **{f"{task} {name}": getattr(own, name) for task, own in found.per_task.items()
           for name in ("pvalue", "pvalue_adjusted", "pvalue_height")},
    }  # fmt: skip


def brute(tasks: Mapping[str, cw.Curves]) -> dict[str, float]:
    """V and both sums of shares over every relabelling of all tasks together."""
    per_task = []
    for curves in tasks.values():
        means, n_runs = curves.scores.mean(axis=1), curves.n_runs
        ranks = np.array([np.mean([(m > o) + (m == o) / 2 for o in means]) for m in means])
        ranks = n_runs * ranks + 0.5
        n_first = int(np.sum(curves.codes == 0))
        rows = []
        observed = tuple(np.flatnonzero(curves.codes == 0).tolist())
        for chosen in [observed, *itertools.combinations(range(n_runs), n_first)]:
            first = np.isin(np.arange(n_runs), chosen)
            lead = ranks[first].sum() - n_first * (n_runs + 1) / 2
            rows.append((lead / (n_runs + 1), *brute_share(curves.scores, first)))
        per_task.append(np.array(rows).T)
    first = np.sum([own[:, 0] for own in per_task], axis=0)
    totals = np.zeros((3, 1))
    for own in per_task:
        totals = (totals[:, :, None] + own[:, None, 1:]).reshape(3, -1)
    extreme = np.abs(totals) >= np.abs(first[:, None]) - 1e-9
    return dict(zip(("whole", "height", "curves"), extreme.mean(axis=1), strict=True))


@pytest.mark.parametrize(
    ("sizes", "tied"), [((3, 3), False), ((2, 3), False), ((3, 3), True), ((1, 4), False)]
)
def test_small_designs_agree_with_brute_force(sizes: tuple[int, int], tied: bool) -> None:
    tasks = some_tasks(2, (1.0, -0.5, 2.0), sizes, n_steps=4)
    if tied:
        tasks = {
            name: cw.Curves(np.round(own.scores / own.scores.std()), own.labels)
            for name, own in tasks.items()
        }
    found = cw.compare_tasks(tasks, a="A", b="B")
    assert found.on_the_whole.exact
    assert found.anywhere.exact
    expected = brute(tasks)
    assert {name: pvalues(found)[name] for name in expected} == pytest.approx(expected)


def test_one_task_gives_what_compare_gives() -> None:
    tasks = some_tasks(3, (1.5,), (5, 4))
    found = cw.compare_tasks(tasks, a="A", b="B", rng=0)
    alone = cw.compare(tasks["task 0"])
    own = found.per_task["task 0"]
    assert (own.pvalue, own.pvalue_height) == (alone.overall.pvalue, alone.algorithm.pvalue)
    assert own.pvalue_adjusted == own.pvalue
    # The share of heights orders relabellings as F does.
    assert found.anywhere.pvalue == pytest.approx(alone.algorithm.pvalue)
    assert alone.difference is not None
    assert own.difference == alone.difference.value
    assert own.interval == alone.difference.interval
    assert own.probability == pytest.approx(alone.difference.probability_of_superiority)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([(5, 5), (3, 5), (2, 2)]), st.permutations(range(4)))
def test_neither_order_nor_scale_matters(
    seed: int, sizes: tuple[int, int], order: list[int]
) -> None:
    rng = np.random.default_rng(seed)
    tasks = some_tasks(seed, (1.0, 0.0, -1.0, 2.0), sizes)
    found = cw.compare_tasks(tasks, a="A", b="B", **SAMPLED)
    names = list(tasks)
    shuffled = {}
    for place in order:
        own = tasks[names[place]]
        rows = rng.permutation(own.n_runs)
        scores = own.scores[rows] * (0.25, 8.0, 1.0, 2.0)[place] - 16.0 * place
        shuffled[names[place]] = cw.Curves(scores, own.labels[rows])
    other = cw.compare_tasks(shuffled, a="A", b="B", **SAMPLED)
    assert pvalues(other) == pytest.approx(pvalues(found), abs=1e-12)
    assert list(other.per_task) == [names[place] for place in order]
    assert other.on_the_whole.interval == pytest.approx(found.on_the_whole.interval)
    turned = cw.compare_tasks(tasks, a="B", b="A", **SAMPLED)
    assert pvalues(turned) == pytest.approx(pvalues(found), abs=1e-12)
    assert turned.at_least.a_better == found.at_least.b_better
    assert turned.reversed().on_the_whole.interval == pytest.approx(found.on_the_whole.interval)
    lower = {
        name: cw.Curves(-own.scores, own.labels, higher_is_better=False)
        for name, own in tasks.items()
    }
    mirrored = cw.compare_tasks(lower, a="A", b="B", **SAMPLED)
    assert pvalues(mirrored) == pytest.approx(pvalues(found), abs=1e-12)
    assert mirrored.on_the_whole.probability == pytest.approx(found.on_the_whole.probability)
    assert mirrored.at_least == found.at_least
    assert [own.better for own in mirrored.per_task.values()] == [
        own.better for own in found.per_task.values()
    ]


def test_on_the_whole_depends_on_the_order_of_curve_means_only() -> None:
    tasks = some_tasks(8, (1.0, 0.5, 0.0), n_steps=3)
    found = cw.compare_tasks(tasks, a="A", b="B", **SAMPLED).on_the_whole
    bent = {}
    for name, own in tasks.items():
        means = own.scores.mean(axis=1, keepdims=True)
        bent[name] = cw.Curves(own.scores - means + np.exp(means), own.labels)
    assert cw.compare_tasks(bent, a="A", b="B", **SAMPLED).on_the_whole == found


@pytest.mark.parametrize("sizes", [(5, 5), (9, 10)])
def test_sampled_agrees_with_exact(sizes: tuple[int, int]) -> None:
    tasks = some_tasks(9, (1.0, 0.5), sizes, n_steps=3)
    exact = cw.compare_tasks(tasks, a="A", b="B", rng=0)
    sampled = cw.compare_tasks(tasks, a="A", b="B", exact=False, rng=0, n_shuffles=20_000)
    for name, p in pvalues(exact).items():
        error = max(np.sqrt(p * (1 - p) / 20_000), 1e-4)
        assert pvalues(sampled)[name] == pytest.approx(p, abs=5 * error), name
    assert not sampled.on_the_whole.exact
    assert sampled.on_the_whole.n_shuffles == 20_000
    for task, own in exact.per_task.items():
        other = sampled.per_task[task]
        assert other.pvalue_a_better == pytest.approx(own.pvalue_a_better, abs=0.02)


def test_a_pair_asked_by_itself_is_the_same_as_among_all() -> None:
    tasks = some_tasks(10, (1.0, 2.0, 0.0), (4, 4, 4))
    everyone = cw.compare_tasks(tasks, **SAMPLED)
    assert isinstance(everyone, cw.TaskComparisons)
    assert list(everyone) == [("A", "B"), ("A", "C"), ("B", "C")]
    alone = cw.compare_tasks(tasks, a="A", b="C", **SAMPLED)
    assert pvalues(alone) == pvalues(everyone["A", "C"])
    of_one = cw.compare_tasks(tasks, a="C", **SAMPLED)
    assert isinstance(of_one, cw.TaskComparisons)
    assert list(of_one) == [("C", "A"), ("C", "B")]
    to_one = cw.compare_tasks(tasks, b="C", **SAMPLED)
    assert list(to_one) == [("A", "C"), ("B", "C")]


def test_pairs_are_adjusted_by_holm_for_each_question() -> None:
    tasks = some_tasks(11, (1.0, 1.5, 0.0, 1.0), (4, 4, 4))
    found = cw.compare_tasks(tasks, **SAMPLED)
    assert isinstance(found, cw.TaskComparisons)
    for of in ("on_the_whole", "anywhere", "anywhere_in_curves"):
        plain = sorted(getattr(own, of).pvalue for own in found.values())
        stepped = np.maximum.accumulate(np.minimum(np.array([3, 2, 1]) * plain, 1))
        adjusted = sorted(getattr(own, of).pvalue_adjusted for own in found.values())
        assert adjusted == pytest.approx(stepped.tolist())


def test_two_algorithms_need_not_be_named() -> None:
    found = cw.compare_tasks(some_tasks(12, (1.0, 1.0)), **SAMPLED)
    assert isinstance(found, cw.TaskComparison)
    assert (found.a, found.b) == ("A", "B")


def test_tasks_on_which_all_runs_are_the_same_are_draws() -> None:
    tasks = some_tasks(13, (2.0, 2.0, 2.0))
    flat = cw.Curves(np.zeros((10, 6)), list("AAAAABBBBB"))
    found = cw.compare_tasks({**tasks, "pitfall": flat}, a="A", b="B", **SAMPLED)
    own = found.per_task["pitfall"]
    assert (own.pvalue, own.probability, own.difference) == (1.0, 0.5, 0.0)
    assert own.winner is None
    without = cw.compare_tasks(tasks, a="A", b="B", **SAMPLED)
    assert found.on_the_whole.pvalue == pytest.approx(without.on_the_whole.pvalue)
    assert any("it counts as a draw" in warning for warning in found.warnings)
    assert own.interval == (0, 0)
    pair = cw.Curves(np.ones((4, 1)), list("AABB"))
    few = {"a": pair, **some_tasks(13, (2.0,), (2, 2))}
    undecided = cw.compare_tasks(few, **SAMPLED).per_task["a"]
    assert undecided.interval == (-np.inf, np.inf), "no difference could be rejected"
    with pytest.raises(cw.CurvesError, match="On each of 2 tasks all scores are the same"):
        cw.compare_tasks({"x": flat, "y": flat})


def test_the_same_curve_in_all_runs_is_a_draw_and_told() -> None:
    same = cw.Curves(np.tile(np.arange(6.0), (10, 1)), list("AAAAABBBBB"))
    found = cw.compare_tasks({**some_tasks(13, (2.0,)), "copied": same}, **SAMPLED)
    kinds = [caveat.kind for caveat in found.caveats]
    assert "silent tasks" in kinds
    assert "identical runs" in kinds


def test_ties_everywhere_are_no_difference() -> None:
    scores = np.tile([[0.0, 1], [1, 0]], (4, 1))
    tasks = {name: cw.Curves(scores, list("AABBAABB")) for name in ("x", "y")}
    found = cw.compare_tasks(tasks, a="A", b="B", **SAMPLED)
    assert found.on_the_whole.pvalue == 1.0
    assert found.on_the_whole.probability == 0.5
    assert found.anywhere.pvalue == 1.0


def test_single_runs_in_blocks_are_compared_inside_them() -> None:
    blocks = list(range(6)) * 2
    tasks = some_tasks(14, (1.0, 1.0, 1.0), (6, 6), blocks=blocks)
    found = cw.compare_tasks(tasks, a="B", b="A", **SAMPLED)
    wins = [
        np.mean(own.scores[6:].mean(axis=1) > own.scores[:6].mean(axis=1)) for own in tasks.values()
    ]
    assert found.on_the_whole.probability == pytest.approx(np.mean(wins))
    from scipy.stats import binomtest

    sign = binomtest(round(18 * np.mean(wins)), 18).pvalue
    assert found.on_the_whole.pvalue == pytest.approx(sign)


def test_one_run_of_an_algorithm_is_enough_if_the_other_has_more() -> None:
    found = cw.compare_tasks(some_tasks(15, (9.0, 9.0), (1, 6)), a="B", b="A", **SAMPLED)
    assert found.on_the_whole.probability == 1.0
    assert found.on_the_whole.pvalue == pytest.approx(2 / 49)


def test_unequal_counts_weigh_as_in_v_and_the_plain_mean_is_kept() -> None:
    tasks = {**some_tasks(16, (3.0,), (8, 8)), "small": some_tasks(17, (0.0,), (3, 3))["task 0"]}
    whole = cw.compare_tasks(tasks, a="A", b="B", **SAMPLED).on_the_whole
    own = [cw.compare(curves).difference for curves in tasks.values()]
    shares = [each.probability_of_superiority for each in own if each is not None]
    assert whole.mean_probability == pytest.approx(np.mean(shares))
    weights = np.array([64 / 17, 9 / 7])
    assert whole.probability == pytest.approx(weights @ shares / weights.sum())


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(st.sampled_from([-4.0, -1.0, 0.0, 1.0, 4.0]), min_size=1, max_size=8),
    st.sampled_from([(2, 2), (3, 3), (5, 5), (3, 6)]),
)
def test_two_outputs_never_contradict_each_other(
    seed: int, shifts: list[float], sizes: tuple[int, int]
) -> None:
    found = cw.compare_tasks(some_tasks(seed, shifts, sizes), a="A", b="B", **SAMPLED)
    whole, counts = found.on_the_whole, found.at_least
    low, high = whole.interval
    assert low <= whole.probability <= high
    assert (low > 0.5 or high < 0.5) == (whole.pvalue <= found.alpha)
    assert np.sign(whole.statistic) == np.sign(round(whole.probability - 0.5, 12))
    assert counts.a_better + counts.b_better <= counts.differ <= counts.n_tasks
    assert counts.a_better + len(found.won_by("B")) <= counts.n_tasks
    assert counts.b_better + len(found.won_by("A")) <= counts.n_tasks
    assert set(found.won_by("A")) | set(found.won_by("B")) <= set(found.different)
    for own in found.per_task.values():
        assert own.pvalue >= own.smallest_pvalue - 1e-12
        one_sided = min(own.pvalue_a_better, own.pvalue_b_better)
        assert one_sided <= own.pvalue_height + 1e-12
        if own.winner is not None:
            assert own.pvalue_height <= found.alpha
        if own.standardised is not None and own.hedges_g is not None:
            assert own.standardised.low <= own.hedges_g <= own.standardised.high
    assert found.smallest_pvalue <= whole.pvalue + 1e-12


def rates(shifts: Floats, n_sets: int) -> dict[str, float]:
    """How often each claim is made, over data sets."""
    n_up, n_down = int(np.sum(shifts > 0)), int(np.sum(shifts < 0))
    counts = dict.fromkeys(("whole", "height", "curves", "differ", "a", "b"), 0)
    for seed in range(n_sets):
        found = cw.compare_tasks(
            some_tasks(1_000 + seed, shifts.tolist(), (4, 4), n_steps=3),
            a="B",
            b="A",
            n_shuffles=199,
            rng=seed,
        )
        assert found.anywhere_in_curves is not None
        counts["whole"] += found.on_the_whole.significant
        counts["height"] += found.anywhere.significant
        counts["curves"] += found.anywhere_in_curves.significant
        counts["differ"] += found.at_least.differ > n_up + n_down
        counts["a"] += found.at_least.a_better > n_up
        counts["b"] += found.at_least.b_better > n_down
    return {name: count / n_sets for name, count in counts.items()}


@pytest.mark.parametrize("n_sets", [30, pytest.param(600, marks=pytest.mark.slow)])
def test_false_alarms_stay_at_alpha(n_sets: int) -> None:
    most = 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_sets)
    assert max(rates(np.zeros(6), n_sets).values()) <= most


def test_curves_that_cross_are_found_in_whole_curves_not_in_height() -> None:
    n_sets, found = 16, {"height": 0, "curves": 0}
    crossing = np.linspace(-1.5, 1.5, 5)
    for seed in range(n_sets):
        tasks = {
            name: cw.Curves(
                own.scores / own.scores.std() + crossing * own.codes[:, None], own.labels
            )
            for name, own in some_tasks(seed, (0.0,) * 5, (4, 4), n_steps=5).items()
        }
        own = cw.compare_tasks(tasks, a="A", b="B", n_shuffles=199, rng=seed)
        assert own.anywhere_in_curves is not None
        found["height"] += own.anywhere.significant
        found["curves"] += own.anywhere_in_curves.significant
    assert found["curves"] > 0.8 * n_sets
    assert found["height"] <= 0.05 * n_sets + 3 * np.sqrt(0.05 * 0.95 * n_sets)


def test_halves_that_differ_in_opposite_ways_are_found_but_no_winner() -> None:
    found = rates(np.array([3.0, -3.0] * 3), 15)
    assert found["height"] > 0.9
    assert found["whole"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 15)
    assert found["differ"] == 0
    assert max(found["a"], found["b"]) <= 0.025 + 3 * np.sqrt(0.025 / 15)
