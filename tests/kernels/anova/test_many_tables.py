"""Many tables at once give the counts that each of them has by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import curvewise as cw
from curvewise.inference.work import random_keys
from curvewise.kernels.anova import EPSILON, group_squares, rounding, step_rounding
from curvewise.kernels.anova import Design as AnovaDesign
from curvewise.kernels.combined import CombinedDesign, Scales
from curvewise.kernels.many_tables import Tables
from curvewise.kernels.relabel import BATCH, WithinBlocks
from curvewise.shuffling import visit as layout_module
from tests.crossing import crossed
from tests.simulation import NULLS

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

DESIGNS: dict[str, tuple[list[int], Integers | None]] = {
    "4 + 4": ([0] * 4 + [1] * 4, None),
    "3 + 5": ([0] * 3 + [1] * 5, None),
    "2 + 2 + 3": ([0] * 2 + [1] * 2 + [2] * 3, None),
    "6 pairs": ([0, 1] * 6, np.repeat(np.arange(6), 2)),
    "uneven blocks": ([0, 1, 0, 1, 1, 0, 1, 0, 0], np.repeat([0, 1, 2], [2, 3, 4])),
    "12 + 12": ([0] * 12 + [1] * 12, None),
    "8 + 8 + 9": ([0] * 8 + [1] * 8 + [2] * 9, None),
    "9 blocks of 2 + 2": ([0, 0, 1, 1] * 9, np.repeat(np.arange(9), 4)),
}
PROCESSES = [*NULLS, "constant at first", "one step", "offset", "no shape"]


def simulated(process: str, n_runs: int, n_tables: int = 6) -> Floats:
    rng = np.random.default_rng(len(process))
    if process in NULLS:
        return np.stack([NULLS[process](rng, n_runs, 7) for _ in range(n_tables)])
    scores = np.stack([NULLS["AR(1)"](rng, n_runs, 30) for _ in range(n_tables)])
    if process == "one step":
        return scores[:, :, :1]
    if process == "constant at first":
        scores[:, :, :10] = 3.0
    if process == "offset":
        scores = np.round(scores, 2) + 1e6
    if process == "no shape":
        scores = scores[:, :, :1] + np.arange(5.0)
    return scores


def relabellings_of(restriction: WithinBlocks, key: int, n_shuffles: int) -> Integers:
    drawn = (
        restriction.every() if restriction.count <= 400_000 else restriction.drawn(n_shuffles, key)
    )
    return np.concatenate([drawn.batch(number) for number in range(-(-drawn.count // BATCH))])


@crossed(2, design=DESIGNS, process=PROCESSES, overall=["combined", "F"])
def test_counts_are_those_of_compare(
    design: str, process: str, overall: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = np.array(DESIGNS[design][0], dtype=np.int64)
    given = DESIGNS[design][1]
    blocks = np.zeros_like(labels) if given is None else given
    n_shuffles, key = 1_500, random_keys(3, 1)[0]
    # Runs stay in the order they have, so that all tables are shuffled alike.
    order = (np.arange(len(labels)), blocks)
    monkeypatch.setattr(layout_module, "_canonical_order", lambda _: order)
    restriction = WithinBlocks(labels, blocks)
    relabellings = relabellings_of(restriction, key, n_shuffles)
    scaling = None
    if restriction.count > 400_000:
        scaling = restriction.drawn(BATCH, seed=0).batch(0)
    scores = simulated(process, len(labels))
    found = Tables.of(scores, labels, blocks).n_extreme(
        relabellings,
        exact=restriction.count <= 400_000,
        combined=overall == "combined" and scores.shape[2] > 1,
        scaling=scaling,
    )
    for number, table in enumerate(scores):
        curves = cw.Curves(
            table, [f"A{label}" for label in labels], blocks=None if given is None else blocks
        )
        compared = cw.compare(
            curves,
            overall=overall,  # type: ignore[arg-type]
            n_shuffles=n_shuffles,
            exact=None if restriction.count <= 400_000 else False,
            rng=3,
        )
        for name in ("overall", "algorithm", "interaction"):
            effect = getattr(compared, name, None)
            if effect is not None:
                assert getattr(found, name)[number] == effect.n_extreme, (name, number)


@pytest.mark.parametrize("process", ["AR(1)", "integer-tied", "one step", "offset"])
@pytest.mark.parametrize("design", ["4 + 4", "6 pairs", "uneven blocks"])
def test_statistics_of_every_relabelling_order_as_those_of_one_table(
    design: str, process: str
) -> None:
    codes, blocks = DESIGNS[design]
    labels = np.array(codes)
    block_codes = np.zeros_like(labels) if blocks is None else blocks
    scores = simulated(process, len(labels), n_tables=3)
    relabelled = relabellings_of(WithinBlocks(labels, block_codes), 0, 99)[:200]
    found = Tables.of(scores, labels, block_codes).statistics(relabelled)
    assert found.shape == (3, 3, len(relabelled))
    for table, own in enumerate(scores):
        noises = rounding(own, EPSILON), step_rounding(own, EPSILON)
        one = AnovaDesign.from_scores(own, labels, block_codes, noises[0])
        squares = group_squares(relabelled, one.coordinates, one.factor)
        np.testing.assert_allclose(found[1:, table] ** 2, squares, rtol=1e-6, atol=1e-9)
        combined = CombinedDesign.of(one, own, block_codes, noises)
        values = combined.values(relabelled)
        expected = Scales.of(values).statistic(values)
        np.testing.assert_allclose(found[0, table], expected, rtol=1e-5, atol=1e-6)


def test_shares_that_are_nothing_but_rounding_are_ties() -> None:
    # 1/3 + 2/3 + 0 is half of all: some relabellings have no difference at all.
    scores = np.array([0.0, 1, 2, 0, 1, 2])[None, :, None] / 3 + 0.1
    labels, blocks = np.array([0, 0, 0, 1, 1, 1]), np.zeros(6, dtype=np.int64)
    every = relabellings_of(WithinBlocks(labels, blocks), 0, 0)
    statistics = Tables.of(scores, labels, blocks).statistics(every)[0, 0]
    sums = np.abs((every == 0) @ scores[0, :, 0] - scores.sum() / 2)
    none = statistics[sums < 1e-9]
    assert len(none) > 1
    assert np.ptp(none) == 0
