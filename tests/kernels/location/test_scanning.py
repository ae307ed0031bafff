from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.kernels.steps import (
    Bars,
    StepCounts,
    cluster_masses,
    f_ratios,
    nested_maxima,
    scan_steps,
)
from tests.kernels.location.test_compiled_scan import design_of, drawn

if TYPE_CHECKING:
    from curvewise.kernels.steps import StepDesign


def test_scanning_portions_adds_up_to_scanning_all() -> None:
    design = design_of("random walk", (4, 5), 7)
    labels = drawn(design, 40)
    bars = bars_of(design, labels[0])
    whole, parts = StepCounts.none(7), StepCounts.none(7)
    largest = scan_steps(design, labels, bars, whole, compiled=False)
    in_parts = [
        scan_steps(design, part, bars, parts, compiled=False) for part in (labels[:16], labels[16:])
    ]
    np.testing.assert_array_equal(np.stack(parts), np.stack(whole))
    np.testing.assert_allclose(np.concatenate(in_parts, axis=-1), largest)


@pytest.mark.parametrize("row", [0, 1])
def test_counts_and_maxima_by_definition(row: int) -> None:
    design = design_of("random walk", (3, 3, 4), 6)
    labels = drawn(design, 30)
    bars = bars_of(design, labels[0])
    counts = StepCounts.none(6)
    largest, masses = scan_steps(design, labels, bars, counts, compiled=False)
    plain = design.roots(design.profiles(design.sums(labels)))[row]
    roots = plain + design.slack[row][:, None]
    np.testing.assert_array_equal(largest[row], roots.max(axis=0))
    clusters = cluster_masses(f_ratios(plain**2, design.df), bars.threshold)
    np.testing.assert_array_equal(masses[row], clusters.max(axis=0))
    for step in range(6):
        bar = bars.steps[row, step]
        assert counts.step[row, step] == np.sum(roots[step] >= bar)
        rank = int(np.flatnonzero(bars.order[row] == step)[0])
        others = roots[bars.order[row, rank:]].max(axis=0)
        assert counts.stepdown[row, step] == np.sum(others >= bar)
    if row == 0:
        nested = nested_maxima(roots) >= bars.nested[:, :, None]
        np.testing.assert_array_equal(counts.nested, nested.sum(axis=-1))


def bars_of(design: StepDesign, labels: np.ndarray) -> Bars:
    """What a relabelling reaches is what the others are held against."""
    roots = design.roots(design.profiles(design.sums(labels[None, :])))[:, :, 0]
    order = np.argsort(-roots, axis=1, kind="stable")
    return Bars(roots, nested_maxima(roots[0][:, None])[:, :, 0], order, 1.5)
