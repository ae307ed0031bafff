"""Every relabelling of two algorithms is counted as NumPy counts it, to the last one."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from curvewise.kernels.anova import thirds
from curvewise.kernels.anova.compiled_signs import LANES
from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.subset_sums import MAX_SUBSET_RUNS, count_heights
from curvewise.kernels.anova.thirds import n_thirds, thirds_counter, thirds_seconds
from curvewise.kernels.anova.thresholds import rounding
from curvewise.kernels.relabelling.enumeration import Enumeration
from tests.kernels.anova.test_engines import counted_by_numpy, scaled, table
from tests.simulation import NULLS


@pytest.mark.parametrize("kind", ["random walk", "integer-tied"])
@pytest.mark.parametrize("n_steps", [1, 4, 40])
@pytest.mark.parametrize("sizes", [(2, 1), (3, 3), (5, 9), (3, 12), (8, 8), (1, 13)])
def test_exact_counts_are_those_of_enumeration(
    sizes: tuple[int, int], n_steps: int, kind: str
) -> None:
    labels, blocks, design = table(sizes, n_steps, kind)
    expected = counted_by_numpy(Enumeration(labels, blocks), design)
    n_firsts = n_thirds(len(labels))
    count = thirds_counter(labels, design)
    np.testing.assert_array_equal(count(0, n_firsts), expected)
    cut = n_firsts // 3
    np.testing.assert_array_equal(count(0, cut) + count(cut, n_firsts), expected)
    heights = design.factor[0, 0] * design.coordinates[:, 0]
    by_halves = count_heights(heights, sizes[0], float(design.extreme_rule.bounds[1]))
    assert by_halves == expected[1] * (2 if sizes[0] == sizes[1] else 1)


@pytest.mark.slow
def test_two_engines_agree_on_a_hundred_million_relabellings() -> None:
    """2 × 15 runs: thirds, halves, and the complement symmetry that both must keep."""
    labels, _, design = table((15, 15), 6, "integer-tied")
    count = thirds_counter(labels, design)(0, n_thirds(30))
    heights = design.factor[0, 0] * design.coordinates[:, 0]
    bound = float(design.extreme_rule.bounds[1])
    assert 2 * count[1] == count_heights(heights, 15, bound)
    assert count_heights(-heights, 15, bound) == 2 * count[1]
    assert 0 < count[0] <= math.comb(30, 15) // 2


@pytest.mark.parametrize("n_runs", [2, 3, 10, 24, 31, 60])
def test_parts_of_an_enumeration_share_out_the_runs(n_runs: int) -> None:
    first, second = thirds._cuts(n_runs)
    assert 0 <= first < second < n_runs
    assert second - first <= thirds.N_MIDDLE
    assert n_runs - second <= thirds.N_LAST
    assert n_thirds(n_runs) == 2**first


def test_subsets_of_a_number_of_runs_begin_with_a_vector() -> None:
    masks, starts = thirds._by_number(6)
    for n_runs, (begin, end) in enumerate(itertools.pairwise(starts)):
        assert begin % LANES == 0
        own = masks[begin:end]
        n_own = math.comb(6, n_runs)
        assert np.all(own[n_own:] == -1)
        assert len(set(own[:n_own].tolist())) == n_own
        assert np.all(np.bitwise_count(own[:n_own]) == n_runs)


def test_integers_are_within_the_margin_of_the_statistics() -> None:
    labels, _, design = table((7, 6), 5, "random walk")
    rows = [0, 1, 2, 3, 4]
    forms, low, width = thirds._forms(design, 7, rows)
    slopes, bounds = design.extreme_rule
    units = slopes @ np.array(design.totals) / thirds.MAX_UNITS
    rng = np.random.default_rng(0)
    for _ in range(30):
        chosen = rng.permutation(labels == 0)
        relabelled = np.where(chosen, 0, 1)[None]
        exact = (slopes @ design.between(relabelled)[:, 0] - bounds) / units
        found = np.triu(forms[:, chosen][:, :, chosen]).sum(axis=(1, 2)) - low
        # A statistic at its bound is in the middle of those that are near.
        assert np.all(np.abs(found - exact - width / 2) < width / 2 - 1)


@pytest.mark.parametrize("row", [0, 2, 3, 4])
def test_relabellings_near_a_bound_are_counted_as_in_numpy(row: int) -> None:
    """A bound that misses the value of a relabelling by less than integers are exact to."""
    labels, blocks, design = table((7, 7), 4, "random walk")
    every = Enumeration(labels, blocks)
    slopes, bounds = design.extreme_rule
    values = np.sort(slopes[row] @ design.between(every.batch(0)))
    for apart in (-1e-10, 1e-10):
        moved = bounds.copy()
        moved[row] = values[500] * (1 + apart)
        near = replace(design, extreme_rule=design.extreme_rule._replace(bounds=moved))
        found = thirds_counter(labels, near)(0, n_thirds(14))
        assert found.tolist() == counted_by_numpy(every, near).tolist()


@pytest.mark.parametrize(
    "kind",
    [
        *("single precision", "offset", "duplicates", "tiny shapes", "uneven steps"),
        *("two values", "one decimal", "equal heights", "equal shapes"),
    ],
)
def test_awkward_data_are_counted_as_in_numpy(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    scores, precision = NULLS["random walk"](rng, 13, 7), 2.2e-16
    means = scores.mean(axis=1, keepdims=True)
    if kind == "equal heights":
        scores = scores - means
    elif kind == "equal shapes":
        scores = means + np.zeros(7)
    else:
        scores, precision = scaled(scores, kind, rng)
    labels = np.repeat([0, 1], [7, 6])
    blocks = np.zeros_like(labels)
    design = Design.from_scores(scores, labels, blocks, rounding(scores, precision))
    found = thirds_counter(labels, design)(0, n_thirds(13))
    expected = counted_by_numpy(Enumeration(labels, blocks), design)
    assert found.tolist() == expected.tolist()


def test_more_runs_than_heights_are_counted_for_take_forever() -> None:
    assert thirds_seconds(MAX_SUBSET_RUNS, 10**9) < 3600
    assert thirds_seconds(MAX_SUBSET_RUNS + 1, 1) == math.inf
