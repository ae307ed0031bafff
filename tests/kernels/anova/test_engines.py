"""Compiled code counts what NumPy counts, to the last relabelling."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.engines import compiled_counter, n_thirds, thirds_counter
from curvewise.kernels.anova.subset_sums import count_heights
from curvewise.kernels.anova.thresholds import rounding
from curvewise.kernels.relabelling.enumeration import Enumeration
from curvewise.kernels.relabelling.shuffles import Shuffles
from curvewise.kernels.relabelling.streams import BATCH
from curvewise.shuffling.visiting import _visit_batches
from tests.simulation import NULLS

if TYPE_CHECKING:
    from curvewise.kernels import Integers


def table(
    sizes: tuple[int, ...], n_steps: int, kind: str, blocks: list[int] | None = None
) -> tuple[Integers, Integers, Design]:
    scores = NULLS[kind](np.random.default_rng(1), sum(sizes), n_steps)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    of_run = np.zeros_like(labels) if blocks is None else np.array(blocks)
    order = np.argsort(of_run, kind="stable")
    scores, labels, of_run = scores[order], labels[order], of_run[order]
    noise = rounding(scores, 2.2e-16)
    return labels, of_run, Design.from_scores(scores, labels, of_run, noise)


def assert_same_counts(labels: Integers, blocks: Integers, design: Design) -> None:
    shuffles = Shuffles(labels, blocks, 3 * BATCH, 2**63 + 5)
    expected, _, _ = _visit_batches(shuffles, design, range(3), keep=False)
    np.testing.assert_array_equal(compiled_counter(shuffles, design)(0, 3), expected)


@pytest.mark.parametrize("kind", ["random walk", "integer-tied", "heavy-tailed"])
@pytest.mark.parametrize("n_steps", [1, 2, 8, 70])
@pytest.mark.parametrize(
    "sizes",
    [(10, 10), (5, 12), (20, 20), (28, 28), (2, 20), (40, 30), (5, 5, 5), (4, 6, 8, 3)],
)
def test_sampled_counts_are_those_of_numpy(
    sizes: tuple[int, ...], n_steps: int, kind: str
) -> None:
    assert_same_counts(*table(sizes, n_steps, kind))


@pytest.mark.parametrize("kind", ["random walk", "integer-tied"])
def test_many_runs_in_single_precision_count_as_in_numpy(kind: str) -> None:
    assert_same_counts(*table((70, 70, 70), 90, kind))


@pytest.mark.parametrize("kind", ["random walk", "integer-tied"])
@pytest.mark.parametrize(
    "blocks",
    [
        [0, 1, 2, 3] * 3,
        [0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1],
        [0, 1, 4, 5, 0, 1, 2, 3, 2, 3, 4, 5],
    ],
)
def test_sampled_counts_in_blocks_are_those_of_numpy(
    blocks: list[int], kind: str
) -> None:
    assert_same_counts(*table((4, 4, 4), 5, kind, blocks))
    assert_same_counts(*table((6, 6), 5, kind, blocks))


@pytest.mark.parametrize("kind", ["random walk", "integer-tied"])
@pytest.mark.parametrize("n_steps", [1, 4, 40])
@pytest.mark.parametrize("sizes", [(2, 1), (3, 3), (5, 9), (3, 12), (8, 8), (1, 13)])
def test_exact_counts_are_those_of_enumeration(
    sizes: tuple[int, int], n_steps: int, kind: str
) -> None:
    labels, blocks, design = table(sizes, n_steps, kind)
    every = Enumeration(labels, blocks)
    batches = range(-(-every.count // BATCH))
    expected, _, _ = _visit_batches(every, design, batches, keep=False)
    n_firsts = n_thirds(len(labels))
    count = thirds_counter(labels, design)
    np.testing.assert_array_equal(count(0, n_firsts), expected)
    cut = n_firsts // 3
    np.testing.assert_array_equal(count(0, cut) + count(cut, n_firsts), expected)
    heights = design.factor[0, 0] * design.coordinates[:, 0]
    by_halves = count_heights(heights, sizes[0], float(design.extreme_rule.bounds[1]))
    assert by_halves == expected[1] * (2 if sizes[0] == sizes[1] else 1)


def test_three_engines_agree_on_a_hundred_million_relabellings() -> None:
    """2 × 15 runs: thirds, halves, and the complement symmetry that both must keep."""
    labels, _, design = table((15, 15), 6, "integer-tied")
    count = thirds_counter(labels, design)(0, n_thirds(30))
    heights = design.factor[0, 0] * design.coordinates[:, 0]
    bound = float(design.extreme_rule.bounds[1])
    assert 2 * count[1] == count_heights(heights, 15, bound)
    assert count_heights(-heights, 15, bound) == 2 * count[1]
    assert 0 < count[0] <= math.comb(30, 15) // 2


def test_halves_by_brute_force() -> None:
    heights = np.random.default_rng(0).normal(size=9)
    heights -= heights.mean()
    for bound in (0.0, 0.5, 4.0, 1e9):
        expected = sum(
            sum(heights[list(chosen)]) ** 2 >= bound
            for chosen in combinations(range(9), 4)
        )
        assert count_heights(heights, 4, bound) == expected


def test_compiled_code_needs_no_place_to_be_kept() -> None:
    """A read-only home and package folder cost compiling again, and nothing else."""
    code = (
        "import numba\n"
        "real = numba.njit\n"
        "def njit(*args, cache=False, **options):\n"
        "    if cache:\n"
        "        raise RuntimeError('cannot cache function: no locator available')\n"
        "    return real(*args, **options)\n"
        "numba.njit = njit\n"
        "import numpy as np\n"
        "import curvewise as cw\n"
        "scores = np.random.default_rng(0).normal(size=(12, 3))\n"
        "found = cw.compare(cw.Curves(scores, np.repeat(['A', 'B'], 6)), exact=False,\n"
        "                   n_shuffles=5_000_000, rng=0)\n"
        "print(found.engine, found.n_shuffles)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "compiled shuffles 5000000\n"
