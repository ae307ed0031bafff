"""What a reader must know before believing a comparison."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.caveats import Caveat
from curvewise.inference.diagnostics import (
    coarse_scores,
    different_spread,
    few_for_ranks,
    prepared,
    single_runs_and_steps,
    stray_runs,
    too_few,
    uneven_blocks,
    welch_with_few_runs,
)
from curvewise.inference.effects import PARTS
from curvewise.inference.families import ADJUSTMENTS
from curvewise.kernels.centers import n_alike
from curvewise.text import argument, p_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.effects import Effect, EffectName, ErrorTerm, Spread
    from curvewise.inference.sampling import Sampling
    from curvewise.shuffling.layout import Layout

__all__ = ["TooManyTables", "comparison_caveats"]


@dataclass(frozen=True)
class TooManyTables(Caveat):
    """No adjusted p of a table can be as small as alpha, though its own p could."""

    n_tables: int
    smallest_pvalue: float
    alpha: float
    adjust: str

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        return (
            f"The smallest p possible, adjusted for {self.n_tables} tables by "
            f"{ADJUSTMENTS[self.adjust].label}, is {p_text(self.smallest_pvalue)}, which is "
            f"above alpha = {self.alpha:g}: no table can be named. Use more runs, or "
            f"{argument('adjust', 'bh')}."
        )


def comparison_caveats(
    curves: Curves,
    layout: Layout,
    effects: Mapping[ErrorTerm, Mapping[str, Effect]],
    sampling: Sampling,
    *,
    error: ErrorTerm,
    spread: Spread,
) -> tuple[Caveat, ...]:
    """Collect every caveat that applies, the gravest first."""
    alpha = effects[error]["overall"].alpha
    equal = spread == "equal"
    return (
        *too_few(curves, sampling, alpha),
        *prepared(curves),
        *single_runs_and_steps(curves),
        *_without_error(effects[error]),
        *_pooled_error_misleads(effects, error),
        *(different_spread(curves, layout) if equal else welch_with_few_runs(curves)),
        *uneven_blocks(curves),
        *coarse_scores(curves),
        *_of_center(curves, effects["split"]["algorithm"], sampling, equal=equal),
    )


def _of_center(
    curves: Curves, height: Effect, sampling: Sampling, *, equal: bool
) -> Iterator[Caveat]:
    """Warn of what goes with the centre that was asked for, or could be asked for.

    Other centres than the mean take the spreads to be equal.
    """
    if height.center == "mean" and equal:
        yield from stray_runs(curves)
    yield from few_for_ranks(curves, height.center)
    if height.center == "trimmed" and len(curves.algorithms) == 2:
        smallest = n_alike(np.array(curves.sizes)) / sampling.n_relabellings
        if sampling.smallest_by_runs <= height.alpha < smallest:
            from curvewise.inference.caveats import TooFewForTypicalRuns

            yield TooFewForTypicalRuns(curves.sizes, smallest, height.alpha)


def _without_error(effects: Mapping[str, Effect]) -> Iterator[Caveat]:
    for name in PARTS:
        if name in effects and math.isinf(effects[name].statistic):
            from curvewise.inference.caveats import InfiniteF

            yield InfiniteF(name)


def _pooled_error_misleads(
    effects: Mapping[ErrorTerm, Mapping[str, Effect]], error: ErrorTerm
) -> Iterator[Caveat]:
    """Warn where the pooled error term lets one effect pass for the other."""
    if error != "pooled" or "interaction" not in effects["split"]:
        return
    pairs: tuple[tuple[EffectName, EffectName], ...] = (
        ("interaction", "algorithm"),
        ("algorithm", "interaction"),
    )
    for name, other in pairs:
        own, pooled = effects["split"][name], effects["pooled"][name]
        other_differs = effects["split"][other].significant
        if pooled.significant and (other_differs or not own.significant):
            from curvewise.inference.caveats import PooledErrorMisleads

            yield PooledErrorMisleads(
                name, other, other_differs, pooled.pvalue, own.pvalue
            )
