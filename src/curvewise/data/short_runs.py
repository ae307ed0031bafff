"""Runs that end early, diverge or are empty: who they are, and what can be done with them.

Dropping a run that failed is a choice made by its score. What is right depends on why runs fail,
which data do not tell, so that it is asked for; whatever is chosen is done to all runs alike,
before any label is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from curvewise.data.steps import as_steps
from curvewise.errors import CurvesError
from curvewise.kernels.failures import failure_pvalue
from curvewise.text import (
    argument,
    capitalised,
    listed,
    p_text,
    plural,
    printable,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.data.alignment_options import Policy
    from curvewise.data.run_log import RunLog
    from curvewise.kernels import Floats

__all__ = ["UsableRun", "counts_text", "find_short", "kept_runs", "usable_part"]

# A run that ends before this share of the longest run's range is short.
MIN_SHARE = 0.9
# How a run ended that did not end by itself.
BROKEN = frozenset({"failed", "killed", "pruned"})
MAX_NAMED = 4  # runs that a message lists, of each algorithm


@dataclass(eq=False)
class UsableRun:
    """A run up to where it diverges, without the holes before that.

    Attributes
    ----------
    log : RunLog
    steps, scores : array, (n_points,)
        All scores are finite.
    diverged_at : float or None
        The step from which on scores are not finite.
    n_holes : int
        Scores left out that were not finite: those before the first finite one, and single
        ones between finite ones.
    is_short : bool
    end : float
        The last step that counts, at most the end of the window; NaN for an empty run.
    """

    log: RunLog
    steps: Floats
    scores: Floats
    diverged_at: float | None
    n_holes: int
    is_short: bool = False
    end: float = np.nan

    @property
    def where(self) -> str:
        """The run in words, for messages."""
        return self.log.where

    @property
    def spacing(self) -> float | None:
        """The median distance of its steps; None with a single one."""
        return float(np.median(np.diff(self.steps))) if len(self.steps) > 1 else None

    def ending(self) -> str:
        """Say how it ends, after its name."""
        if not self.log.n_points:
            return "is empty"
        if not len(self.steps):
            return "has no finite score"
        status = f" ({self.log.status})" if self.log.status else ""
        if self.diverged_at is not None:
            return f"diverges at step {step_text(self.diverged_at)}{status}"
        return f"ends at step {step_text(self.end)}{status}"


def usable_part(log: RunLog) -> UsableRun:
    """Return a run up to where it diverges.

    It diverges at its first score that is not finite, unless that is a single hole between two
    finite scores, or before any finite score: evaluations that gave nothing, which are left out.
    """
    bad = ~np.isfinite(log.scores)
    if not bad.any():
        return UsableRun(log, log.steps, log.scores, None, 0)
    if bad.all():
        return UsableRun(log, log.steps[:0], log.scores[:0], None, 0)
    is_hole = bad.copy()
    first = int(np.argmin(bad))
    is_hole[first:] &= ~np.append(bad[first + 1 :], True)
    is_hole[first + 1 :] &= ~bad[first:-1]
    diverged = np.flatnonzero(bad & ~is_hole)
    stop = int(diverged[0]) if diverged.size else len(bad)
    keep = ~bad
    keep[stop:] = False
    return UsableRun(
        log,
        log.steps[keep],
        log.scores[keep],
        float(log.steps[stop]) if diverged.size else None,
        int(is_hole[:stop].sum()),
    )


def find_short(runs: Sequence[UsableRun], window: tuple[float, float]) -> None:
    """Mark the runs that are short in the window, and note where each ends.

    Short is a run that ends before nine tenths of the range from the earliest first step to the
    latest last one while a further point of its own schedule was due; that diverges; that has no
    finite score; or that failed, was killed or pruned and ends before those that were not.
    Labels play no part.

    Raises
    ------
    CurvesError
        If no run has a finite score.
    """
    filled = [run for run in runs if len(run.steps)]
    if not filled:
        msg = (
            f"No run of {len(runs)} has a finite score: there is nothing to "
            "compare. Check which metric, or which column, is the score."
        )
        raise CurvesError(msg)
    earliest, latest = window
    for run in filled:
        run.end = min(float(run.steps[-1]), latest)
    first = max(earliest, min(float(run.steps[0]) for run in filled))
    last = max(run.end for run in filled)
    limit = first + MIN_SHARE * (last - first)
    unbroken = [run.end for run in filled if run.log.status not in BROKEN]
    others_end = min(unbroken, default=last)
    for run in runs:
        broken = run.log.status in BROKEN and run.end < others_end
        diverged = run.diverged_at is not None and run.diverged_at <= latest
        # A run that is logged every 300 steps and ends at 1,800 of 2,000 is whole.
        early = run.end < limit and run.end + (run.spacing or 0.0) <= last
        run.is_short = bool(not len(run.steps) or early or diverged or broken)


def kept_runs(runs: Sequence[UsableRun], policy: Policy) -> Sequence[UsableRun]:
    """Return the runs that are compared; raise where the policy does not allow it."""
    short = [run for run in runs if run.is_short]
    if not short:
        return runs
    if policy == "refuse":
        _refuse(runs)
    empty = [run for run in short if not len(run.steps)]
    if empty and policy in {"prefix", "carry"}:
        nothing = "cut" if policy == "prefix" else "carry on"
        msg = (
            f"{capitalised(empty[0].where)} {empty[0].ending()}, so there is nothing to "
            f"{nothing}. Use {argument('short', 'worst')} if that is the algorithm's doing, or "
            f"{argument('short', 'drop')} with {argument('reason')} if it has nothing to do "
            "with the scores."
        )
        raise CurvesError(msg)
    if policy != "drop":
        return runs
    kept = [run for run in runs if not run.is_short]
    left = {run.log.algorithm for run in kept}
    for run in short:
        if run.log.algorithm not in left:
            msg = (
                f"All runs of {run.log.algorithm!r} are short, and dropping them would leave "
                f"none. Use {argument('short', 'prefix')} or {argument('short', 'worst')}."
            )
            raise CurvesError(msg)
    return kept


def counts_text(
    n_short: Sequence[int], n_runs: Sequence[int], names: Sequence[str]
) -> str:
    """Say how many runs of each algorithm are short.

    >>> counts_text([2, 0], [5, 5], ["A", "B"])
    '2 of 5 runs of A and 0 of 5 of B'
    """
    parts = [
        f"{k} of {n if place else plural(n, 'run')} of {printable(name)}"
        for place, (k, n, name) in enumerate(zip(n_short, n_runs, names, strict=True))
    ]
    return listed(parts, 8)


def _refuse(runs: Sequence[UsableRun]) -> NoReturn:
    """Raise for runs that are short: who they are, and what can be done."""
    short = [run for run in runs if run.is_short]
    names = list(dict.fromkeys(run.log.algorithm for run in runs))
    n_runs = [sum(run.log.algorithm == name for run in runs) for name in names]
    n_short = [sum(run.log.algorithm == name for run in short) for name in names]
    whose = []
    for name in names:
        own = [
            f"run {run.log.run!r} {run.ending()}"
            for run in short
            if run.log.algorithm == name
        ]
        if own:
            whose.append(f"{printable(name)}: {listed(own, MAX_NAMED)}")
    last = max(run.end for run in runs if len(run.steps))
    tested = ""
    if len(names) > 1:
        p = p_text(failure_pvalue(n_short, n_runs))
        tested = f" (exact p of such counts, if failing is chance: {p})"
    running = [run for run in short if run.log.status == "running"]
    advice = ""
    if running:
        are = "is" if len(running) == 1 else "are"
        advice = (
            f" {len(running)} of them {are} still running, for which "
            f"{argument('short', 'prefix')} is right."
        )
    ends = sorted(run.end for run in short if len(run.steps))
    if len(ends) > len(runs) / 2:
        typical = as_steps(np.array(ends))[len(ends) // 2].item()
        advice += (
            f" Most runs end by step {step_text(typical)}: if the others were trained for longer "
            f"than planned, compare up to there with {argument('stop', typical)}."
        )
    msg = (
        f"{counts_text(n_short, n_runs, names)} end early, diverge or are empty{tested}; the "
        f"longest run ends at step {step_text(last)}. {'; '.join(whose)}.{advice} Which of these "
        f"is right depends on why, and is for you to say:\n{_policies(runs)}"
    )
    raise CurvesError(msg)


def _policies(runs: Sequence[UsableRun]) -> str:
    """Return what can be done with short runs, a line each, and what cannot."""
    until, unless, uncut = "", " Not possible here, as a run has no score.", ""
    if all(len(run.steps) for run in runs):
        end = min(run.end for run in runs)
        until, unless = f" (step {step_text(end)})", ""
        if end <= max(run.steps[0] for run in runs):
            uncut = " Not possible here: it leaves no two steps that all runs share."
    lines = {
        argument("short", "prefix"): (
            f"compare all runs up to where the first one ends{until}. Valid whatever made them "
            f"end; right for runs that are still training.{unless}{uncut}"
        ),
        argument("short", "worst"): (
            "from their end on they score the worst score of all. Right where failing is the "
            "algorithm's own doing: divergence, out of memory, pruned for its scores."
        ),
        argument("short", "carry"): (
            "their last score is carried on. Right where curves had levelled off; it rewards "
            f"ending at the top.{unless}"
        ),
        argument("short", "drop"): (
            f"leave them out, with {argument('reason')}. Right only where failing had nothing "
            "to do with the scores, such as a machine that broke; otherwise it makes an "
            "algorithm look better than it is."
        ),
    }
    return "\n".join(f"  {option}: {text}" for option, text in lines.items())
