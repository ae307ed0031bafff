"""What a reader must know before believing a comparison."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.inference.diagnostics import (
    different_spread,
    single_runs_and_steps,
    too_few,
    uneven_blocks,
    welch_with_few_runs,
)
from curvewise.inference.effects import PARTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Effect, EffectName, ErrorTerm, Spread
    from curvewise.inference.sampling import Sampling

__all__ = ["comparison_caveats"]


def comparison_caveats(
    curves: Curves,
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
        *single_runs_and_steps(curves),
        *_without_error(effects[error]),
        *_pooled_error_misleads(effects, error),
        *(different_spread(curves) if equal else welch_with_few_runs(curves)),
        *uneven_blocks(curves),
    )


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
