"""Which caveats a gate calls for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.inference.diagnostics import (
    few_for_ranks,
    prepared,
    single_runs,
    spread_caveat,
    too_few_shuffles,
    uneven_blocks,
    welch_with_few_runs,
)
from curvewise.questions.gate.caveats import (
    AssumesNormal,
    EveryStepIsStrict,
    GateOutOfReach,
    SpreadMatters,
)
from curvewise.questions.gate.numbers import EVERY_STEP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.inference.caveats import Caveat
    from curvewise.inference.sampling import Sampling
    from curvewise.questions.gate.choosing import Asked
    from curvewise.questions.gate.deciding import Design

__all__ = ["gate_caveats"]


def gate_caveats(
    asked: Asked, sampling: Sampling, enough: Design | None
) -> Iterator[Caveat]:
    """Say what to know before acting on a gate; ``enough`` runs could decide, if these cannot."""
    curves, numbers, options = asked.curves, asked.numbers, asked.options
    if sampling.smallest_by_runs > options.alpha:
        in_blocks = enough is not None and enough.n_blocks is not None
        yield GateOutOfReach(
            numbers.n_runs,
            None if enough is None or in_blocks else (enough.candidate, enough.baseline),
            sampling.smallest_by_runs,
            float(options.alpha),
            enough.n_blocks if enough is not None else None,
        )
    if not sampling.exact and asked.test in {"shuffle", "log-rank"}:
        yield from too_few_shuffles(sampling.n_shuffles, options.alpha)
    yield from prepared(curves)
    yield from single_runs(curves)
    if asked.test == "normal":
        yield AssumesNormal()
    if asked.test == "Welch":
        yield from welch_with_few_runs(curves)
    elif asked.times is not None:
        yield from asked.times.found.caveats()
    elif numbers.n_runs[0] != numbers.n_runs[1]:
        yield from _spread_matters(asked)
    yield from few_for_ranks(curves, options.center)
    yield from uneven_blocks(curves)
    if options.on == EVERY_STEP and curves.n_steps > 1:
        yield EveryStepIsStrict(curves.n_steps)


def _spread_matters(asked: Asked) -> Iterator[Caveat]:
    """Warn where spreads differ, as far as can be told, and so do the numbers of runs."""
    found = spread_caveat(asked.numbers.curves)
    if found is None:
        return
    can_allow = asked.options.center == "mean" and asked.options.on != EVERY_STEP
    remedy = can_allow and asked.test == "shuffle" and asked.curves.blocks is None
    yield SpreadMatters(found.wide, found.narrow, found.ratio, found.n_runs, remedy)
