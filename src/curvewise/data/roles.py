"""Two sets of runs, each of one algorithm, as the curves of a baseline and a candidate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from curvewise.data.alignment import Unaligned, curves_of
from curvewise.data.frames import WideTable
from curvewise.data.selection import Columns, Selection
from curvewise.errors import CurvesError
from curvewise.text import argument, in_python, listed

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.data.display import Display
    from curvewise.data.run_log import RunLog

__all__ = ["BASELINE", "CANDIDATE", "side_by_side", "unaligned"]

BASELINE, CANDIDATE = "baseline", "candidate"
MAX_NAMED = 6  # algorithms that a message lists
UNNAMED = ["score"]  # the metric of tables, whatever their column is called


def side_by_side(baseline: Unaligned, candidate: Unaligned) -> Curves:
    """Return the runs of both at common steps, named by their roles.

    All runs are aligned together, as `align` does it with the options of the baseline, so that
    nothing depends on which side a run is on.

    Raises
    ------
    CurvesError
        If a side holds several algorithms, if the metrics or their directions differ, or if the
        runs cannot be brought to common steps.
    """
    sides = {BASELINE: baseline, CANDIDATE: candidate}
    logs = {role: _logs(role, side) for role, side in sides.items()}
    metrics = {role: sorted({log.metric for log in own}) for role, own in logs.items()}
    if UNNAMED not in metrics.values() and metrics[BASELINE] != metrics[CANDIDATE]:
        msg = (
            f"The baseline holds the metric {listed(metrics[BASELINE], MAX_NAMED)}, the "
            f"candidate {listed(metrics[CANDIDATE], MAX_NAMED)}. Choose one that both have, as "
            f"in {argument('metric', metrics[BASELINE][0])}."
        )
        raise CurvesError(msg)
    better = baseline.selection.higher_is_better
    if better != candidate.selection.higher_is_better:
        higher, lower = (BASELINE, CANDIDATE) if better else (CANDIDATE, BASELINE)
        msg = (
            f"Higher is better for the {higher}, lower for the {lower}. Say which is right, as "
            f"in {argument('higher_is_better', better)}."
        )
        raise CurvesError(msg)
    every = [log for own in logs.values() for log in own]
    return curves_of(every, baseline.selection, _source(sides), _display(baseline))


def _display(baseline: Unaligned) -> Display:
    """Return what the baseline calls its steps and scores; both are called by their roles."""
    return replace(baseline.display, everyone=(BASELINE, CANDIDATE))


def _source(sides: dict[str, Unaligned]) -> str:
    """Say where both sides come from; what is the same of both, once."""
    parts = {role: side.source.partition(": ") for role, side in sides.items()}
    told = {text for _, _, text in parts.values()}
    if len(told) > 1:
        return "; ".join(f"{role}: {side.source}" for role, side in sides.items())
    places = " and ".join(f"{role} {place}" for role, (place, _, _) in parts.items())
    return ", each: ".join(filter(None, [places, *told]))


def _logs(role: str, side: Unaligned) -> list[RunLog]:
    """Return the runs of a side, as those of an algorithm that is called by its role."""
    logs = side.logs()
    names = list(dict.fromkeys(log.algorithm for log in logs))
    if len(names) > 1:
        # In Python both are read by the fixture of tests only.
        in_tests = in_python(f"names={{{role!r}: {names[0]!r}}}")
        msg = (
            f"The {role} must be one algorithm, and there are {len(names)}: "
            f"{listed(names, MAX_NAMED)}. Choose one, as in "
            f"{in_tests or argument(role, names[0])}."
        )
        raise CurvesError(msg)
    return [replace(log, algorithm=role) for log in logs]


def unaligned(curves: Curves) -> Unaligned:
    """Return curves as runs that may be aligned with others."""
    table = WideTable(
        curves.scores,
        curves.labels.tolist(),
        curves.steps,
        curves.runs.tolist(),
        None if curves.blocks is None else curves.blocks.tolist(),
        curves.precision,
    )
    selection = Selection(Columns(), higher_is_better=curves.higher_is_better)
    return Unaligned(table, selection, curves.source, curves.display)
