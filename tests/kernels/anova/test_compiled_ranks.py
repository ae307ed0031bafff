from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.anova.compiled_ranks import label_ranked
from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.engines import ranks_counter
from curvewise.kernels.anova.thresholds import rounding
from curvewise.kernels.relabelling.enumeration import Enumeration
from curvewise.kernels.relabelling.streams import BATCH
from tests.simulation import NULLS

DESIGNS = [
    ([3, 3, 3], None),
    ([2, 3, 4], None),
    ([2, 2, 1, 1, 2], None),
    ([4, 4], [0, 0, 1, 1, 0, 0, 1, 1]),
    ([3, 3, 3], [0, 1, 2] * 3),
    ([3, 2, 4], [0, 0, 1, 1, 0, 0, 1, 1, 1]),
]


def enumeration(sizes: list[int], blocks: list[int] | None) -> Enumeration:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    of_run = np.zeros_like(labels) if blocks is None else np.array(blocks)
    order = np.argsort(of_run, kind="stable")
    return Enumeration(labels[order], of_run[order])


@pytest.mark.parametrize(("sizes", "blocks"), DESIGNS)
def test_relabellings_are_those_of_the_enumeration(
    sizes: list[int], blocks: list[int] | None
) -> None:
    every = enumeration(sizes, blocks)
    n_runs = len(every.labels)
    ways = np.array(
        [[_binomial(n, k) for k in range(n_runs + 1)] for n in range(n_runs + 1)]
    )
    room = [np.empty(n_runs, dtype=np.int64) for _ in range(4)]
    ranks = np.unique(np.linspace(0, every.count - 1, 60).astype(int))
    expected = every.ranked(ranks)
    for rank, labels in zip(ranks.tolist(), expected, strict=True):
        label_ranked(rank, *every.draw_arrays, ways, *room)
        assert room[3].tolist() == labels.tolist()


def _binomial(n: int, k: int) -> int:
    return 1 if k == 0 else _binomial(n - 1, k - 1) * n // k if n else 0


@pytest.mark.parametrize("kind", ["random walk", "integer-tied"])
@pytest.mark.parametrize(("sizes", "blocks"), DESIGNS)
def test_counts_are_those_of_numpy(
    sizes: list[int], blocks: list[int] | None, kind: str
) -> None:
    every = enumeration(sizes, blocks)
    scores = NULLS[kind](np.random.default_rng(1), len(every.labels), 5)
    noise = rounding(scores, 2.2e-16)
    design = Design.from_scores(scores, every.labels, every.blocks, noise)
    n_batches = -(-every.count // BATCH)
    expected = sum(
        design.extreme_rule.n_extreme(design.between(every.batch(number)))
        for number in range(n_batches)
    )
    count = ranks_counter(every, design)
    np.testing.assert_array_equal(count(0, n_batches), expected)
    np.testing.assert_array_equal(count(0, 1) + count(1, n_batches), expected)
