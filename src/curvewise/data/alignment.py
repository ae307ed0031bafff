"""Runs that were logged at steps of their own are brought to common steps: `align`.

What a rule does to a run may depend on how often it was logged, hence on the algorithm, even if
the rule never looks at labels. Linear interpolation at the steps of the run that was logged least
often keeps the false-alarm rate where schedules differ (docs/alignment.md); others do not, and are
refused there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.alignment_options import AlignmentOptions
from curvewise.data.alignment_record import algorithm_logs, is_interpolated, recorded
from curvewise.data.choices import check_choice
from curvewise.data.curves import Curves
from curvewise.data.display import Display
from curvewise.data.frames import WideTable
from curvewise.data.grids import common_grid, common_range, inside, scores_at
from curvewise.data.names import natural_order
from curvewise.data.preparation import schedules_differ, spacings_text
from curvewise.data.run_log import RunLog
from curvewise.data.selection import check_algorithms
from curvewise.data.short_runs import find_short, kept_runs, usable_part
from curvewise.data.steps import as_steps, in_window
from curvewise.errors import CurvesError
from curvewise.text import argument, capitalised, listed, plural, shown_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.data.alignment_options import How, Policy
    from curvewise.data.grids import Grid, Range
    from curvewise.data.selection import Selection
    from curvewise.data.short_runs import UsableRun

__all__ = ["Unaligned", "align", "curves_of"]

# A prefix shorter than this share of the steps is compared only on request.
MIN_PREFIX = 0.5


def align(
    run_logs: Iterable[RunLog],
    how: How = "linear",
    *,
    n_steps: int | None = None,
    short: Policy = "refuse",
    reason: str | None = None,
    min_steps: int | None = None,
    start: float | None = None,
    stop: float | None = None,
    only: Sequence[str] | None = None,
    higher_is_better: bool = True,
    source: str = "",
) -> Curves:
    """Bring runs that were logged at steps of their own to common steps.

    Runs that all have the same steps are taken as they are. Otherwise they are compared from the
    latest first step to the earliest last one, and no run is prolonged beyond what was logged.
    Labels play no part in it; ``Curves.preparation`` says what was done.

    Parameters
    ----------
    run_logs : iterable of RunLog
        Of one metric and one task.
    how : "linear", "previous" or "bins"
        Linear, the default, interpolates at the steps of the run that was logged least often;
        where points are episodes, at as many evenly spaced steps. Previous takes the last value
        logged before, which suits scores that change in steps, such as "best so far". Bins
        takes means over equal bins, each of which must hold a point of every run. Both are
        refused where one algorithm was logged more than 1.5 times as often as another: they
        would take that for a difference between curves.
    n_steps : int, optional
        How many evenly spaced steps, or bins.
    short : "refuse", "prefix", "worst", "carry" or "drop"
        What is done if runs end before nine tenths of the longest run's range, diverge (turn
        NaN or infinite) or are empty. Refuse, the default, names them. Prefix compares all runs
        up to where the first one ends, which is valid whatever made it end. Worst gives them the
        worst score of all from their end on, which is right where failing is the algorithm's
        doing. Carry holds their last score. Drop leaves them out, and needs a reason.
    reason : str, optional
        Why short runs may be dropped; it is quoted with the verdict.
    min_steps : int, optional
        How many steps are enough for a prefix; by default half of them must remain.
    start, stop : float, optional
        The first and the last step to keep.
    only : sequence of str, optional
        The algorithms to keep.
    higher_is_better : bool
        Whether a higher score is a better one.
    source : str
        Where the runs came from, to be shown with the curves.

    Returns
    -------
    Curves
        Algorithms and runs in natural order, whatever the order of ``run_logs``.

    Raises
    ------
    CurvesError
        If the runs have no common steps, or some are short and nothing was said about them.
    OptionError
        If an argument has a value that cannot be used.

    Examples
    --------
    >>> logs = [
    ...     RunLog("A", "1", "return", [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]),
    ...     RunLog("B", "1", "return", [0, 2, 4], [1, 2, 5]),
    ... ]
    >>> align(logs).scores
    array([[0., 2., 4.],
           [1., 2., 5.]])
    """
    check_choice("how", how, ("linear", "previous", "bins"))
    options = AlignmentOptions(how, n_steps, short, reason, min_steps)
    given: object = run_logs
    if not isinstance(given, Iterable):
        msg = f"Give a list of RunLog to align, not {shown_value(run_logs)}."
        raise CurvesError(msg)
    logs = list(run_logs)
    kept = _checked(logs, only)
    everyone = natural_order({log.algorithm for log in logs})
    return _aligned(
        kept,
        options,
        start=start,
        stop=stop,
        higher_is_better=higher_is_better,
        source=source,
        display=Display(score_name=kept[0].metric or "score", everyone=tuple(everyone)),
    )


def _checked(logs: Sequence[RunLog], only: Sequence[str] | None) -> Sequence[RunLog]:
    """Return the logs to keep; raise unless they are runs of one metric and one task."""
    others = [type(log).__name__ for log in logs if not isinstance(log, RunLog)]
    if others:
        msg = f"align() takes RunLogs, not a {others[0]}."
        raise CurvesError(msg)
    if only is not None:
        check_algorithms(only, list(dict.fromkeys(log.algorithm for log in logs)))
        logs = [log for log in logs if log.algorithm in set(only)]
    if not logs:
        msg = "There are no runs to align."
        raise CurvesError(msg)
    for what in ("metric", "task"):
        found = list(dict.fromkeys(str(getattr(log, what)) for log in logs))
        if len(found) > 1:
            msg = (
                f"These runs are of {len(found)} {what}s: {listed(found, 6)}. Align the runs "
                f"of one {what} at a time."
            )
            raise CurvesError(msg)
    return logs


@dataclass(frozen=True, eq=False)
class Unaligned:
    """What was read, before it is brought to common steps.

    Attributes
    ----------
    table : WideTable or sequence of RunLog
        Of the algorithms that are kept.
    selection : Selection
        What was asked for.
    source : str
        Where it came from, to be shown with the curves.
    display : Display
        What its steps and scores are called, and who is in it.
    """

    table: WideTable | Sequence[RunLog]
    selection: Selection
    source: str
    display: Display

    def curves(self) -> Curves:
        """Build the curves, aligning the runs if need be."""
        return curves_of(self.table, self.selection, self.source, self.display)

    def logs(self) -> Sequence[RunLog]:
        """Return a log per run."""
        return self.table.logs() if isinstance(self.table, WideTable) else self.table


def curves_of(
    table: WideTable | Sequence[RunLog],
    selection: Selection,
    source: str,
    display: Display,
) -> Curves:
    """Build the curves of a table, aligning its runs if need be.

    Of runs × steps, a score that is NaN was written as such. Algorithms were selected before.
    """
    options = selection.alignment
    if isinstance(table, WideTable):
        is_finite = np.isfinite(table.scores.min()) and np.isfinite(table.scores.max())
        if is_finite and not options.asks_for_steps:
            return Curves.from_wide_table(
                table,
                higher_is_better=selection.higher_is_better,
                source=source,
                display=display,
            )
        table = table.logs()
    return _aligned(
        table,
        options,
        start=selection.start,
        stop=selection.stop,
        higher_is_better=selection.higher_is_better,
        source=source,
        display=display,
    )


def _aligned(
    logs: Sequence[RunLog],
    options: AlignmentOptions,
    *,
    start: float | None,
    stop: float | None,
    higher_is_better: bool,
    source: str,
    display: Display,
) -> Curves:
    """Align as `align` does, with options that were checked."""
    runs = [usable_part(log) for log in _in_natural_order(logs)]
    steps = [run.steps for run in runs if len(run.steps)]
    if steps:
        in_window(np.concatenate(steps), start, stop)
    window = (
        -np.inf if start is None else float(start),
        np.inf if stop is None else float(stop),
    )
    find_short(runs, window)
    if options.short in {"refuse", "prefix"}:
        # Where runs share nothing, that is what to say, not which of them end early.
        scored = [run for run in runs if len(run.steps)]
        common_range(scored, scored, window)
    kept = kept_runs(runs, options.short)
    scored = [run for run in kept if len(run.steps)]
    fills = options.short in {"worst", "carry"}
    reaching = [run for run in kept if not (fills and run.is_short)]
    within = common_range(scored, reaching, window)
    grid = common_grid(reaching, within, options, window)
    _check_schedules(kept, grid, options.how)
    if options.short == "prefix":
        _check_prefix(kept, grid, within, options, window)
    worst = None
    if options.short == "worst" and len(reaching) < len(kept):
        seen = np.concatenate([run.scores[inside(run.steps, *window)] for run in scored])
        worst = float(seen.min() if higher_is_better else seen.max())
    rows = []
    for run in kept:
        row = scores_at(grid, run, options.how)
        if fills and run.is_short:
            row[grid.beyond(run.end)] = run.scores[-1] if worst is None else worst
        rows.append(row)
    preparation = recorded(runs, kept, grid, within, options, worst, window)
    described = "" if preparation is None else preparation.in_short()
    return Curves(
        np.vstack(rows),
        [run.log.algorithm for run in kept],
        as_steps(grid.steps),
        [run.log.run for run in kept],
        _blocks(kept),
        higher_is_better,
        source="; ".join(part for part in (source, described) if part),
        precision=max(run.log.precision for run in kept),
        preparation=preparation,
        display=display,
    )


def _in_natural_order(logs: Sequence[RunLog]) -> list[RunLog]:
    """Sort by algorithm, then by run, ``run 2`` before ``run 10``."""
    algorithms = natural_order({log.algorithm for log in logs})
    runs = natural_order({log.run for log in logs})
    ranks = [
        {name: rank for rank, name in enumerate(names)} for names in (algorithms, runs)
    ]
    return sorted(logs, key=lambda log: (ranks[0][log.algorithm], ranks[1][log.run]))


def _blocks(runs: Sequence[UsableRun]) -> list[str] | None:
    """Return the block of each run, or None without blocks; raise if only some have one."""
    blocks = [run.log.block for run in runs if run.log.block is not None]
    if not blocks:
        return None
    if len(blocks) < len(runs):
        lacking = next(run for run in runs if run.log.block is None)
        msg = (
            f"{capitalised(lacking.where)} has no block, but others have one. Give every run a "
            "block, or none."
        )
        raise CurvesError(msg)
    return blocks


def _check_schedules(runs: Sequence[UsableRun], grid: Grid, how: How) -> None:
    """Raise where a rule would take how often runs were logged for how they learn."""
    scored = [run for run in runs if len(run.steps)]
    at_own_steps = not any(is_interpolated(grid, run) for run in scored)
    if how == "linear" or (grid.kind == "common" and at_own_steps):
        return
    logs = algorithm_logs(runs)
    if not schedules_differ(logs):
        return
    rule = "the last value logged before" if how == "previous" else "means over bins"
    msg = (
        f"{spacings_text(logs)}: with {rule} that alone makes curves differ (false alarms in up "
        "to 45 of 100 comparisons, where 5 were promised, when one algorithm was logged twenty "
        f"times as often as the other). Use {argument('align', 'linear')}."
    )
    raise CurvesError(msg)


def _check_prefix(
    runs: Sequence[UsableRun],
    grid: Grid,
    within: Range,
    options: AlignmentOptions,
    window: tuple[float, float],
) -> None:
    """Raise where too little is left of the curves when all are cut to a prefix."""
    whole = [run for run in runs if not run.is_short]
    if len(whole) == len(runs):
        return
    n_kept = len(grid.steps)
    ends = f"{within.ends_with.where} {within.ends_with.ending()}"
    if options.min_steps is not None:
        if n_kept < options.min_steps:
            msg = (
                f"The prefix that all runs share has {plural(n_kept, 'step')}, fewer than "
                f"{argument('min_steps', options.min_steps)}: {ends}."
            )
            raise CurvesError(msg)
        return
    unshortened = common_grid(whole, common_range(whole, whole, window), options, window)
    n_before = int((unshortened.steps <= within.high).sum())
    if n_before < MIN_PREFIX * len(unshortened.steps):
        msg = (
            f"The prefix that all runs share has {n_before} of the "
            f"{plural(len(unshortened.steps), 'step')} that the others have, less than half: "
            f"{ends}. To compare so little of training, say how many steps are enough with "
            f"{argument('min_steps')}; or choose another policy with {argument('short')}."
        )
        raise CurvesError(msg)
