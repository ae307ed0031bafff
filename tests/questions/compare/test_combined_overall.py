"""The combined overall test: exact p by brute force, ties, blocks, limits, what it reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import Curves, compare
from curvewise.kernels.anova import Design
from curvewise.questions.compare import method as module
from curvewise.questions.compare.method import (
    COMBINED_ROW,
    Overall,
    combined_design,
    label_blind_scales,
    least_to_count,
)
from curvewise.shuffling.visit import Layout
from tests.simulation import NULLS, some_curves
from tests.textbook import all_relabellings, combined_shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Floats, Integers


def brute_force(curves: Curves, relabellings: list[Integers]) -> float:
    """The share of relabellings with a combined statistic as large, by definition."""
    layout = Layout.of(curves)

    def roots(labels: Integers) -> Floats:
        shares = combined_shares(layout.scores, labels, layout.blocks)
        # Shares that do not vary but for rounding are made equal; so are ties.
        shares = np.minimum(np.nan_to_num(np.round(shares, 10)), 1 - 1e-12)
        return np.asarray((shares / np.sqrt(1 - shares)) ** 0.25)

    of_all = np.array([roots(labels) for labels in relabellings])
    scales = of_all.std(axis=0)
    used = scales > 1e-6

    def combined(labels: Integers) -> float:
        z = (roots(labels) - of_all.mean(axis=0))[used] / scales[used]
        return float(np.log(np.exp(2 * z).sum()))

    least = combined(layout.labels) - 1e-7
    return float(np.mean([combined(labels) >= least for labels in relabellings]))


@pytest.mark.parametrize("kind", NULLS)
@pytest.mark.parametrize("sizes", [(3, 3), (3, 4), (2, 2, 3), (5, 2)])
def test_exact_p_is_that_of_visiting_every_relabelling(kind: str, sizes: Sequence[int]) -> None:
    scores = NULLS[kind](np.random.default_rng(sum(sizes)), sum(sizes), 5)
    curves = Curves(scores, np.repeat(list("ABC"[: len(sizes)]), sizes))
    found = compare(curves)
    assert found.overall.exact
    every = list(all_relabellings(sizes))
    assert found.overall.pvalue == pytest.approx(brute_force(curves, every))


@pytest.mark.parametrize("kind", ["AR(1)", "integer-tied"])
def test_exact_p_within_blocks(kind: str) -> None:
    scores = NULLS[kind](np.random.default_rng(3), 8, 4)
    blocks = ["p", "q"] * 4
    curves = Curves(scores, list("AAAABBBB"), blocks=blocks)
    layout = Layout.of(curves)
    counts = {b: np.bincount(layout.labels[layout.blocks == b]) for b in (0, 1)}
    every = [
        labels
        for labels in all_relabellings((4, 4))
        if all(
            (np.bincount(labels[layout.blocks == b], minlength=2) == counts[b]).all()
            for b in (0, 1)
        )
    ]
    assert compare(curves).overall.pvalue == pytest.approx(brute_force(curves, every))


def test_a_single_step_is_tested_by_f() -> None:
    found = compare(some_curves(0, (4, 5), n_steps=1))
    assert found.overall.symbol == "F"
    assert found.overall.pvalue == found.algorithm.pvalue


@pytest.mark.parametrize("options", [{"overall": "F"}, {"error": "pooled"}, {"spread": "unequal"}])
def test_f_is_used_where_asked_for_and_where_combining_makes_no_sense(
    options: dict[str, str],
) -> None:
    found = compare(some_curves(1), **options)  # type: ignore[arg-type]
    assert found.overall.symbol == "F"
    assert found.overall.components is None
    assert found.most_striking is None
    assert "components" not in found.to_dict()["overall"]


def test_height_and_shape_do_not_depend_on_the_overall_test() -> None:
    curves = some_curves(2, (5, 6))
    combined, plain = compare(curves), compare(curves, overall="F")
    for one, other in zip(
        (combined.algorithm, combined.interaction),
        (plain.algorithm, plain.interaction),
        strict=True,
    ):
        assert one is not None
        assert other is not None
        assert one.to_dict() == other.to_dict()
    assert combined.overall.f == plain.overall.statistic
    assert combined.overall.effect_size == plain.overall.effect_size
    assert combined.overall.pvalue_parametric == plain.overall.pvalue_parametric
    assert combined.overall.df == plain.overall.df


def test_components_say_which_look_found_it() -> None:
    curves = some_curves(2, (6, 6), n_steps=30)
    scores = curves.scores.copy()
    # A difference at one step, where all runs are quiet.
    scores[:, 17] = (scores[:, 17] / 10 + (curves.codes == 0)) / 5
    found = compare(Curves(scores, curves.labels, steps=np.arange(30) * 10))
    components = found.to_dict()["overall"]["components"]
    assert max(components, key=components.__getitem__) == "one step"
    assert found.overall.significant
    assert list(found.most_striking or ()) == [170, 170]
    assert found.to_dict()["most_striking"] == [170, 170]
    assert "found mainly at single steps, around step 170." in found.describe()
    assert not compare(Curves(scores, curves.labels), overall="F").overall.significant


def test_p_is_the_share_of_the_null_distribution() -> None:
    for kind in ("AR(1)", "integer-tied"):
        scores = NULLS[kind](np.random.default_rng(5), 10, 6)
        overall = compare(Curves(scores, list("AAAAABBBBB"))).overall
        assert np.mean(overall.null_distribution >= overall.statistic) == overall.pvalue
        assert overall.significant == (overall.statistic > overall.critical_value)


@pytest.mark.parametrize("move", [lambda x: 3 * x - 7, lambda x: -x, lambda x: x / 1024])
def test_units_and_signs_do_not_matter(move: object) -> None:
    assert callable(move)
    curves = some_curves(4, (5, 5))
    moved = Curves(move(curves.scores), curves.labels)
    assert compare(moved).overall.pvalue == compare(curves).overall.pvalue


def test_order_of_runs_names_and_steps_do_not_matter() -> None:
    curves = some_curves(5, (5, 6))
    order = np.random.default_rng(0).permutation(11)
    renamed = np.where(curves.labels == "A", "Z", "B")[order]
    other = Curves(curves.scores[order][:, ::-1], renamed)
    assert compare(other).overall.pvalue == compare(curves).overall.pvalue
    jobs = [compare(curves, exact=False, n_shuffles=20_000, rng=1, n_jobs=n) for n in (1, 2)]
    assert jobs[0].overall.to_dict() == jobs[1].overall.to_dict()


def test_beyond_what_can_be_visited_a_sample_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = some_curves(6, (6, 6))
    monkeypatch.setattr(module, "MAX_EXACT_STEPS_TIMES_RELABELLINGS", 1_000)
    found = compare(curves, exact=True, n_shuffles=999, rng=3)
    assert found.exact
    assert found.algorithm.exact
    assert not found.overall.exact
    assert found.overall.n_shuffles == 999
    assert found.seed == 3
    assert "all 462 relabellings; split error term; combined overall test (999 shuffles)" in (
        found.describe()
    )


def test_a_sample_is_no_larger_than_can_be_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from curvewise.shuffling.visit import Limits

    monkeypatch.setattr(module, "COMBINED_LIMITS", Limits(shuffles=2_048))
    found = compare(some_curves(7, (9, 9)), exact=False, n_shuffles=5_000, rng=0)
    assert (found.overall.n_shuffles, found.n_shuffles) == (2_048, 5_000)


def test_the_observed_labelling_counts_itself() -> None:
    layout = Layout.of(some_curves(8, (4, 5)))
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    combined = combined_design(design, layout)
    scales = label_blind_scales(combined, layout)
    least = least_to_count(combined, scales, layout.labels)
    counting = Overall(design, (COMBINED_ROW,), combined, scales, least)
    counts, kept = counting.measure(layout.labels[None, :], keep=False)
    assert counts[0].tolist() == [1] * 6
    assert counting.deciding(counts).tolist() == [1]
    assert kept == ()
    # Without scales, the looks are kept and not counted.
    learning = Overall(design, (), combined)
    counts, kept = learning.measure(layout.labels[None, :], keep=True)
    assert counts[0].tolist() == [1] * 5
    assert scales.statistic(kept[-1])[0] >= least


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(5, 5), (4, 7), (4, 4, 4)])
def test_false_alarms_keep_to_alpha(sizes: Sequence[int]) -> None:
    n_sets = 600
    rejected = 0
    for seed in range(n_sets):
        curves = some_curves(seed, sizes, n_steps=20)
        rejected += compare(curves, n_shuffles=199, rng=seed).overall.significant
    # Four standard errors above .05.
    assert rejected <= n_sets * 0.05 + 4 * np.sqrt(n_sets * 0.05 * 0.95)
    assert rejected > 0
