"""Runs that were logged at steps of their own are brought to common steps: `align`.

What a rule does to a run may depend on how often it was logged, hence on the algorithm, even if
the rule never looks at labels. Linear interpolation at the steps of the run that was logged least
often keeps the false-alarm rate where schedules differ (docs/alignment.md); others do not, and are
refused there.

Dropping a run that failed is a choice made by its score. What is right depends on why runs fail,
which data do not tell, so that it is asked for; whatever is chosen is done to all runs alike,
before any label is used.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import numpy as np

from curvewise.data.checks import as_names, as_steps, check_choice, check_names
from curvewise.data.curves import Curves, Display, Unaligned, better_higher
from curvewise.data.points import RunLog, cut
from curvewise.data.tables import AlignmentOptions, Selection, check_algorithms, natural_order
from curvewise.errors import refuse
from curvewise.kernels.survival import failure_pvalue
from curvewise.records import Record, told
from curvewise.text import (
    about_step,
    argument,
    capitalised,
    listed,
    number_text,
    p_text,
    plural,
    printable,
    shown_value,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from curvewise.data.tables import How, Policy
    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.records import As, Count, Probability

    Runs = Sequence["UsableRun"]
    Window = tuple[float, float]


# A run that ends before this share of the longest run's range is short.
MIN_SHARE = 0.9
# Ends and spacings of runs that differ by so many times are asked about.
MIN_UNITS_APART, MIN_SPACINGS_APART = 100, 10
# How a run ended that did not end by itself.
BROKEN = frozenset({"failed", "killed", "pruned"})


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

    It diverges at its first score that is not finite, unless that is a single NaN between two
    finite scores, or before any finite score: evaluations that gave nothing, which are left out.
    """
    bad = ~np.isfinite(log.scores)
    if not bad.any():
        return UsableRun(log, log.steps, log.scores, None, 0)
    if bad.all():
        return UsableRun(log, log.steps[:0], log.scores[:0], None, 0)
    is_hole = bad.copy()
    first = int(np.argmin(bad))
    is_hole[first:] &= ~np.isinf(log.scores[first:]) & ~np.append(bad[first + 1 :], True)
    is_hole[first + 1 :] &= ~bad[first:-1]
    diverged = np.flatnonzero(bad & ~is_hole)
    stop = int(diverged[0]) if diverged.size else len(bad)
    keep = ~bad
    keep[stop:] = False
    diverged_at = float(log.steps[stop]) if diverged.size else None
    n_holes = int(is_hole[:stop].sum())
    return UsableRun(log, log.steps[keep], log.scores[keep], diverged_at, n_holes)


def find_short(runs: Runs, window: Window, *, on_clock: bool = False) -> None:
    """Mark the runs that are short in the window, and note where each ends.

    Short is a run that ends before nine tenths of the range from the earliest first step to the
    latest last one while a further point of its own schedule was due; that diverges; that has no
    finite score; or that failed, was killed or pruned and ends before those that were not.
    On a clock all ends differ, and none is early. Labels play no part.

    Raises
    ------
    CurvesError
        If no run has a finite score.
    """
    filled = [run for run in runs if len(run.steps)]
    if not filled:
        refuse(
            f"No run of {len(runs)} has a finite score: there is nothing to "
            "compare. Check which metric, or which column, is the score."
        )
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
        early &= not on_clock
        run.is_short = bool(not len(run.steps) or early or diverged or broken)


def check_units(runs: Runs, axis: str) -> None:
    """Raise if steps seem to be counted in different units: far ends, and far spacings."""
    scored = [run for run in runs if run.spacing and run.end > 0]
    ends = [run.end for run in scored]
    if not scored or max(ends) < MIN_UNITS_APART * min(ends):
        return
    few, many = scored[int(np.argmin(ends))], scored[int(np.argmax(ends))]
    if (many.spacing or 0.0) < MIN_SPACINGS_APART * (few.spacing or 0.0):
        return
    unit = "steps" if axis == "step" else axis
    given = {"short": "prefix", "n_steps": len(few.steps), "min_steps": len(few.steps)}
    so = f"compare up to there: {' '.join(map(argument, given, given.values()))}"
    if max(run.steps[0] for run in scored) >= few.end:
        so = "no range of them is common to all runs"
    refuse(
        f"The {unit} of {many.where} end at {step_text(many.end)}, those of {few.where} at "
        f"{step_text(few.end)}: are they counted in the same unit? If not, bring them to one "
        f"unit. If so, {so}."
    )


def kept_runs(runs: Runs, policy: Policy) -> Runs:
    """Return the runs that are compared; raise where the policy does not allow it."""
    short = [run for run in runs if run.is_short]
    if not short:
        return runs
    if policy == "refuse":
        _refuse(runs)
    empty = [run for run in short if not len(run.steps)]
    if empty and policy in {"prefix", "carry"}:
        nothing = "cut" if policy == "prefix" else "carry on"
        refuse(
            f"{capitalised(empty[0].where)} {empty[0].ending()}, so there is nothing to "
            f"{nothing}. Use {argument('short', 'worst')} if that is the algorithm's doing, or "
            f"{argument('short', 'drop')} with {argument('reason')} if it has nothing to do "
            "with the scores."
        )
    if policy != "drop":
        return runs
    kept = [run for run in runs if not run.is_short]
    left = {run.log.algorithm for run in kept}
    for run in short:
        if run.log.algorithm not in left:
            refuse(
                f"All runs of {run.log.algorithm!r} are short, and dropping them would leave "
                f"none. Use {argument('short', 'prefix')} or {argument('short', 'worst')}."
            )
    return kept


def counts_text(n_short: Sequence[int], n_runs: Sequence[int], names: Sequence[str]) -> str:
    """Say how many runs of each algorithm are short.

    >>> counts_text([2, 0], [5, 5], ["A", "B"])
    '2 of 5 runs of A and 0 of 5 of B'
    """
    parts = [
        f"{k} of {n if place else plural(n, 'run')} of {printable(name)}"
        for place, (k, n, name) in enumerate(zip(n_short, n_runs, names, strict=True))
    ]
    return listed(parts, 8)


def _refuse(runs: Runs) -> NoReturn:
    """Raise for runs that are short: who they are, and what can be done."""
    short = [run for run in runs if run.is_short]
    n_short, n_runs, names = short_counts(algorithm_logs(runs))
    whose = []
    for name in names:
        own = [f"run {run.log.run!r} {run.ending()}" for run in short if run.log.algorithm == name]
        if own:
            whose.append(f"{printable(name)}: {listed(own, 4)}")
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
        if not float(typical).is_integer():
            typical = float(about_step(typical))
        advice += (
            f" Most runs end by step {step_text(typical)}: if the others were trained for longer "
            f"than planned, compare up to there with {argument('stop', typical)}."
        )
    refuse(
        f"{counts_text(n_short, n_runs, names)} end early, diverge or are empty{tested}; the "
        f"longest run ends at step {step_text(last)}. {'; '.join(whose)}.{advice} Which of these "
        f"is right depends on why, and is for you to say:\n{_policies(runs)}"
    )


def _policies(runs: Runs) -> str:
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


# How many points of the run with fewest are averaged in a bin, unless bins are asked for.
MIN_POINTS_PER_BIN = 5
# By how much the number of bins shrinks until none is empty.
SHRINK = 0.95
# 0.1 + 0.2 is a step of 0.3.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Range:
    """The steps that all runs reach, and which runs bound them."""

    low: float
    high: float
    begins_with: UsableRun
    ends_with: UsableRun


@dataclass(frozen=True, eq=False)
class Grid:
    """Common steps, and where they come from.

    Attributes
    ----------
    steps : array, (n_steps,)
        Of bins, their middles.
    kind : "common", "run", "even" or "bins"
    run : UsableRun or None
        The run whose steps they are.
    edges : array, (n_steps + 1,)
        The ends of the bins, where there are any.
    """

    steps: Floats
    kind: Literal["common", "run", "even", "bins"]
    run: UsableRun | None = None
    edges: Floats = field(default_factory=lambda: np.zeros(0))

    def beyond(self, end: float) -> Booleans:
        """Mark the steps, or bins, that a run does not reach which ends at ``end``."""
        begins = self.edges[:-1] if self.kind == "bins" else self.steps
        return ~(begins <= end + SLACK * abs(end))  # NaN is the end of an empty run

    def between(self, run: UsableRun) -> Floats:
        """Return the steps, up to its end, at which a run was not logged; none of bins."""
        is_between = ~np.isin(self.steps, run.steps) & ~self.beyond(run.end)
        return self.steps[is_between & (self.kind != "bins")]


def common_range(runs: Runs, unfilled: Runs, window: Window) -> Range:
    """Return the range from the latest first step to the earliest last one, in the window.

    ``runs`` are all that have scores; ``unfilled`` are those whose end counts, since the others
    are filled up.

    Raises
    ------
    CurvesError
        If one run begins after another has ended.
    """
    latest = max(runs, key=lambda run: run.steps[0])
    earliest = min(unfilled, key=lambda run: run.end)
    low = max(float(latest.steps[0]), window[0])
    high = min(earliest.end, window[1])
    if low > high:
        refuse(
            f"{capitalised(latest.where)} begins at step {step_text(latest.steps[0])}, but "
            f"{earliest.where} ends at step {step_text(earliest.end)}: no range of steps is "
            "common to all runs. Check that the same column counts their steps, or compare "
            "runs that were trained over the same range."
        )
    return Range(low, high, latest, earliest)


def common_grid(runs: Runs, within: Range, selection: Selection, *, on_clock: bool = False) -> Grid:
    """Return the common steps of ``runs``, none of which is filled up.

    By default the steps of the run with fewest in the range; of several such runs, those that
    come first as numbers. Where runs were logged on that schedule but for gaps, all steps of the
    schedule. Runs of episodes, and on a clock, get as many evenly spaced steps instead. If all
    runs have the same steps, these.

    Raises
    ------
    CurvesError
        If there are fewer than two, unless all runs have the same single step.
    """
    how, n_steps = selection.alignment.how, selection.alignment.n_steps
    if how == "bins":
        return _bins(runs, within, n_steps)
    if n_steps is not None:
        _check_range(within)
        return Grid(np.linspace(within.low, within.high, n_steps), "even")
    asked = [run.steps[inside(run.steps, *selection.window)] for run in runs]
    # A run that is filled up may still begin late.
    if len(asked[0]) and asked[0][0] >= within.low and _are_equal(asked):
        return Grid(asked[0], "common")
    _check_range(within)
    shared = [run.steps[inside(run.steps, within.low, within.high)] for run in runs]
    if _are_equal(shared) and len(shared[0]) > 1:
        return Grid(shared[0], "common")
    fewest = min(map(len, shared))
    if on_clock:
        return Grid(np.linspace(within.low, within.high, max(fewest, 2)), "even")
    place = min(
        (place for place, own in enumerate(shared) if len(own) == fewest),
        key=lambda place: shared[place].tolist(),
    )
    if fewest < 2:
        have = "has no step" if fewest == 0 else "has a single step"
        refuse(
            f"{capitalised(runs[place].where)} {have} in the range that all runs share, "
            f"{step_text(within.low)} to {step_text(within.high)}, and curves need two or more. "
            f"Ask for evenly spaced steps with {argument('n_steps')}, or choose another policy for "
            f"runs that end early with {argument('short')}."
        )
    if any(run.log.of_episodes for run in runs):
        return Grid(np.linspace(within.low, within.high, fewest), "even")
    schedule = _without_gaps(shared)
    if not np.array_equal(schedule, shared[place]):
        return Grid(schedule, "common")
    return Grid(shared[place], "run", runs[place])


def _without_gaps(steps: Sequence[Floats]) -> Floats:
    """Return the schedule of the run with fewest steps: those of half the runs on it or more."""
    alike = Counter(own.tobytes() for own in steps)
    distinct = {own.tobytes(): own for own in steps}
    sparsest, *others = sorted(distinct, key=lambda key: (len(key), distinct[key].tolist()))
    found, on_it = distinct[sparsest], [distinct[sparsest]] * alike[sparsest]
    for key in others:
        if _differ_by_gaps(found, distinct[key], len(on_it) == 1 and len(steps) > 2):
            found = np.union1d(found, distinct[key])
            on_it += [distinct[key]] * alike[key]
    found, n_logged = np.unique(np.concatenate(on_it), return_counts=True)
    return found[2 * n_logged >= len(on_it)]


def _differ_by_gaps(fewer: Floats, more: Floats, is_alone: bool) -> bool:  # noqa: FBT001
    """Tell whether steps are of one schedule but for gaps, not of one that is thinner by design.

    What a single run of several lacks are gaps, if it has a third of the steps, and others have
    most of its own. What several lack alike are, if both share most of the steps and each was
    mostly logged at neighbours: of a schedule half as dense no two steps are neighbours.
    """
    both = np.union1d(fewer, more)
    n_shared = len(fewer) + len(more) - len(both)
    if is_alone:
        return 4 * n_shared >= 3 * len(fewer) and 3 * n_shared >= len(both)
    distances = (np.diff(np.searchsorted(both, own)) for own in (fewer, more))
    return 2 * n_shared > len(both) and all(np.mean(own == 1) >= 0.5 for own in distances)


def _are_equal(steps: Sequence[Floats]) -> bool:
    return all(np.array_equal(steps[0], other) for other in steps[1:])


def inside(steps: Floats, low: float, high: float) -> Booleans:
    """Mark the steps from low to high, both included; either may be infinite."""
    slack = SLACK * float(np.abs(steps).max(initial=0.0))
    return (steps >= low - slack) & (steps <= high + slack)


def _check_range(within: Range) -> None:
    """Raise if the range is a single step."""
    if within.low < within.high:
        return
    first, last = within.begins_with, within.ends_with
    if len(last.steps) == 1:
        reason = f"{last.where} has a single point there"
    else:
        reason = f"{first.where} begins and {last.where} ends there"
    refuse(
        f"All runs share step {step_text(within.low)} only, since {reason}; curves need two "
        "common steps or more. Compare runs that were trained over the same range, or choose "
        f"another policy for runs that end early with {argument('short')}."
    )


def _bins(runs: Runs, within: Range, n_bins: int | None) -> Grid:
    """Return equal bins; by default about as many as leave a point of every run in each."""
    _check_range(within)
    if n_bins is not None:
        return _equal_bins(within, n_bins)
    fewest = min(int(inside(run.steps, within.low, within.high).sum()) for run in runs)
    grid = _equal_bins(within, max(2, fewest // MIN_POINTS_PER_BIN))
    while (n := len(grid.steps)) > 2 and not all(
        _points_per_bin(run, grid)[1].all() for run in runs
    ):
        grid = _equal_bins(within, max(2, min(n - 1, int(SHRINK * n))))
    return grid


def _equal_bins(within: Range, n_bins: int) -> Grid:
    edges = np.linspace(within.low, within.high, n_bins + 1)
    return Grid((edges[1:] + edges[:-1]) / 2, "bins", edges=edges)


def _points_per_bin(run: UsableRun, grid: Grid) -> tuple[Floats, Integers]:
    """Return the sums of the scores in each bin, and how many there are."""
    n_bins = len(grid.steps)
    kept = inside(run.steps, grid.edges[0], grid.edges[-1])
    places = np.searchsorted(grid.edges, run.steps[kept], side="right") - 1
    places = np.clip(places, 0, n_bins - 1)  # the last bin holds its end
    sums = np.bincount(places, weights=run.scores[kept], minlength=n_bins)
    return np.asarray(sums, dtype=np.float64), np.bincount(places, minlength=n_bins)


def scores_at(grid: Grid, run: UsableRun, how: How) -> Floats:
    """Return the scores of a run at common steps, up to its end; NaN beyond.

    Raises
    ------
    CurvesError
        If a bin before its end holds no point of the run.
    """
    if not len(run.steps):
        return np.full(len(grid.steps), np.nan)
    if how == "bins":
        sums, counts = _points_per_bin(run, grid)
        empty = np.flatnonzero((counts == 0) & ~grid.beyond(run.end))
        if empty.size:
            place = int(empty[0])
            refuse(
                f"{capitalised(run.where)} has no point in bin {place + 1} of "
                f"{plural(len(grid.steps), 'bin')}, from step "
                f"{step_text(grid.edges[place])} to {step_text(grid.edges[place + 1])}. Use "
                f"fewer bins ({argument('n_steps')}), or {argument('align', 'linear')}."
            )
        scores = sums / np.maximum(counts, 1)
    elif how == "previous":
        places = np.searchsorted(run.steps, grid.steps, side="right") - 1
        scores = run.scores[np.maximum(places, 0)]
    else:
        scores = np.interp(grid.steps, run.steps, run.scores)
    return np.where(grid.beyond(run.end), np.nan, scores)


# Spacings of algorithms that differ by less are the same, but for jitter.
MIN_SPACING_RATIO = 1.1
# Spacings that differ by more make other rules than linear interpolation cry wolf.
MAX_SPACING_RATIO = 1.5
# A range that covers less of the longest run is worth a warning.
MIN_COVERAGE, MIN_CLOCK_COVERAGE = 0.9, 0.5
BETWEEN = {"linear": "by linear interpolation", "previous": "by the last value logged before"}


@dataclass(frozen=True)
class AlgorithmLogs:
    """The runs of one algorithm as they were logged.

    ``spacing`` is the median distance of their steps; None where every run has one step.
    """

    name: str
    n_runs: Count
    n_short: Count
    spacing: float | None


@dataclass(frozen=True)
class RunExtent:
    """One run as it was logged: from where to where, in how many points, with which gap.

    The steps are None for a run without a finite score, the gap with fewer than two points.
    """

    algorithm: str
    run: str
    first: float | None
    last: float | None
    n_points: Count
    largest_gap: float | None
    short: bool


@dataclass(frozen=True)
class Preparation(Record):
    """How runs were brought to common steps, and what became of short ones.

    Attributes
    ----------
    how : str
        "linear", "previous" or "bins"; "" if all runs had the same steps.
    grid : str
        Where the steps come from: "common" to all runs, those of one "run", evenly spaced
        ("even") or the middles of "bins".
    grid_run : str
        The run whose steps they are, as algorithm/run, where they are those of one.
    n_steps : int
    first, last : float
        The range of the steps.
    n_runs, n_points : int
        The runs that were kept, and how many points they were logged in.
    n_interpolated : int
        Runs with values between their logged steps.
    n_scores_interpolated : int
        How many values these are, of runs times steps.
    n_unused_before, n_unused_between, n_unused_after : int
        Scores at steps at which several runs were logged, and which are not compared as not all
        runs have them: before the common steps, between them, after them. Those that the options
        leave out do not count.
    n_cut, n_filled, n_dropped : int
        Runs with points outside the common range; runs filled up; runs left out.
    coverage : float
        The share of the range of all runs that is compared.
    begins_with, ends_with : str
        The runs that bound the common range, as algorithm/run.
    algorithms : tuple of AlgorithmLogs
        For each algorithm: runs, short ones, spacing of steps.
    short : str
        What was done with short runs: "prefix", "worst", "carry" or "drop"; "" without any.
    fill : float or None
        The worst score of all, where short runs were filled with it.
    reason : str
        Why short runs were dropped.
    failure_pvalue : float or None
        Exact p of the test whether algorithms differ in how many runs are short; None without
        short runs, or with one algorithm.
    runs : tuple of RunExtent
        Each run as it was logged, those left out too.
    notes : tuple of str
        What else was left out or mended, in a sentence each.
    clock : str
        The name of the axis where it is a time, on which all ends differ; "" where it counts steps.
    depends_on_fill : tuple of str or None
        Keys of a result whose values mean little, as they depend on the fill; None without one.
    """

    how: Annotated[str, As(Literal["linear", "previous", "bins", ""])]
    grid: str
    grid_run: str
    n_steps: Count
    first: float
    last: float
    n_runs: Count
    n_points: Count
    n_interpolated: Count
    n_cut: Count
    n_filled: Count
    n_dropped: Count
    coverage: float
    begins_with: str
    ends_with: str
    algorithms: tuple[AlgorithmLogs, ...]
    short: Annotated[str, As(Literal["prefix", "worst", "carry", "drop", ""])] = ""
    fill: float | None = None
    reason: str = ""
    failure_pvalue: Probability | None = None
    n_scores_interpolated: Count = 0
    n_unused_before: Count = 0
    n_unused_between: Count = 0
    n_unused_after: Count = 0
    runs: tuple[RunExtent, ...] = ()
    notes: tuple[str, ...] = ()
    clock: str = ""
    depends_on_fill: tuple[str, ...] | None = field(
        default=None, repr=False, metadata={"unless": None}
    )

    @property
    def covers_less(self) -> bool:
        """Whether the range is much shorter than that of the longest run."""
        return self.coverage < (MIN_CLOCK_COVERAGE if self.clock else MIN_COVERAGE)

    @property
    def quotes_scores(self) -> bool:
        """Whether sizes in units of the score mean something: not if they depend on a fill."""
        return self.fill is None

    @told(after="clock")
    def sentence(self) -> str:
        """Say in one line how runs were aligned, and how many were short; "" if neither."""
        return " ".join(filter(None, (self._aligned(), self._short())))

    def _aligned(self) -> str:
        if not self.how:
            return ""
        steps = self._steps(" from ")
        if self.how == "bins":
            parts = [f"means over equal bins, whose middles are {steps}"]
        else:
            of = {
                "run": f"{steps}, those of {printable(self.grid_run)} (logged least often)",
                "even": f"{steps}, evenly spaced",
            }
            every = "all runs were logged"
            if self.n_interpolated:
                every = "runs were logged, with gaps"
            parts = [of.get(self.grid, f"{steps}, at which {every}")]
            if self.n_interpolated:
                parts.append(
                    f"{self.n_interpolated} of {plural(self.n_runs, 'run')} "
                    f"{BETWEEN[self.how]} ({self._interpolated()})"
                )
        if self.clock and not self.short:
            end = f"{about_step(self.last)} ({printable(self.clock)})"
            parts.append(f"compared up to {end}, where the first run ends")
        elif _spacing_ratio(self.algorithms) > MIN_SPACING_RATIO:
            parts.append(spacings_text(self.algorithms))
        return f"Aligned: {'; '.join(parts)}."

    def _steps(self, joint: str) -> str:
        shown = about_step if self.clock else step_text
        count = plural(self.n_steps, "point" if self.clock else "step")
        return f"{count}{joint}{shown(self.first)} to {shown(self.last)}"

    def _interpolated(self) -> str:
        return f"{self.n_scores_interpolated} of {plural(self.n_runs * self.n_steps, 'score')}"

    def _short(self) -> str:
        if not self.short:
            return ""
        what = {
            "prefix": (
                f"all runs are compared up to step {step_text(self.last)}, as far as the "
                "shortest goes"
            ),
            "worst": (
                "from their end on they count as the worst score of all, so that nothing is "
                "quoted in units of the score"
            ),
            "carry": "their last score is carried on",
            "drop": "they were left out",
        }
        why = f"; reason: {printable(self.reason)}" if self.reason else ""
        p = self.failure_pvalue
        tested = "" if p is None else f"; exact p of these counts = {p_text(p)}"
        return (
            f"{self.counts()} ended early, diverged or were empty; "
            f"{what[self.short]} ({argument('short', self.short)}{why}){tested}."
        )

    def counts(self) -> str:
        """Say how many runs of each algorithm are short."""
        return counts_text(*short_counts(self.algorithms))

    def in_short(self) -> str:
        """Return the few words that a source carries."""
        parts = []
        if self.how:
            between = ""
            if self.n_scores_interpolated:
                between = f"; {self._interpolated()} interpolated"
            axis = self.clock and f" of {printable(self.clock)}"
            parts.append(f"aligned ({self.how}, {self._steps(', ')}{axis}{between})")
        if self.short:
            n_short = sum(own.n_short for own in self.algorithms)
            filled = "" if self.fill is None else f", {number_text(self.fill)}"
            parts.append(f"{plural(n_short, 'short run')} ({self.short}{filled})")
        return "; ".join(parts)


def schedules_differ(algorithms: Sequence[AlgorithmLogs]) -> bool:
    """Tell whether some algorithm was logged more than 1.5 times as often as another."""
    return _spacing_ratio(algorithms) > MAX_SPACING_RATIO


def _spacing_ratio(algorithms: Sequence[AlgorithmLogs]) -> float:
    found = [own.spacing for own in algorithms if own.spacing is not None]
    return max(found) / min(found) if found else 1.0


def spacings_text(algorithms: Sequence[AlgorithmLogs]) -> str:
    """Say how often each algorithm was logged.

    >>> logs = [AlgorithmLogs("A", 5, 0, 1_000.0), AlgorithmLogs("B", 5, 0, 10_000.0)]
    >>> spacings_text(logs)
    'A logs every 1000 steps, B every 10k'
    """
    spacings = {own.name: own.spacing for own in algorithms if own.spacing is not None}
    parts: list[str] = []
    for name, spacing in list(spacings.items())[:6]:
        every = number_text(spacing) if spacing % 1 else step_text(spacing)
        first = not parts
        unit = f" step{'' if spacing == 1 else 's'}" if first else ""
        parts.append(f"{printable(name)} {'logs ' if first else ''}every {every}{unit}")
    more = len(spacings) - len(parts)
    return ", ".join(parts) + (f" and {more} more" if more else "")


# A step in a gap of more than so many times the median spacing of the run is reported.
MAX_GAP = 3.0


def algorithm_logs(runs: Runs) -> tuple[AlgorithmLogs, ...]:
    """Return how many runs each algorithm has, how many are short, and how often they log."""
    groups: dict[str, list[UsableRun]] = {}
    for run in runs:
        groups.setdefault(run.log.algorithm, []).append(run)
    found = []
    for name, own in groups.items():
        spacings = [run.spacing for run in own if run.spacing is not None]
        median = float(np.median(spacings)) if spacings else None
        n_short = sum(run.is_short for run in own)
        found.append(AlgorithmLogs(name, len(own), n_short, median))
    return tuple(found)


def short_counts(logs: Sequence[AlgorithmLogs]) -> tuple[list[int], list[int], list[str]]:
    """Return how many runs of each algorithm are short, how many it has, and its name."""
    n_short, n_runs = [own.n_short for own in logs], [own.n_runs for own in logs]
    return n_short, n_runs, [own.name for own in logs]


def recorded(
    runs: Runs,
    kept: Runs,
    grid: Grid,
    within: Range,
    asked: Selection,
    worst: float | None,
    clock: str,
) -> Preparation | None:
    """Record what was done; None if all runs had the same steps, and nothing was."""
    options, window = asked.alignment, asked.window
    short = [run for run in runs if run.is_short]
    scored = [run for run in kept if len(run.steps)]
    shown = [run.steps[inside(run.steps, *window)] for run in scored]
    n_cut = sum(
        bool(own.min() < within.low or own.max() > within.high) for own in shown if len(own)
    )
    notes = tuple(_notes(runs, kept, grid))
    between = [len(grid.between(run)) for run in scored]
    is_common = grid.kind == "common" and not n_cut and not any(between)
    if is_common and not short and not notes:
        return None
    logs = algorithm_logs(runs)
    pvalue = failure_pvalue(*short_counts(logs)[:2]) if short and len(logs) > 1 else None
    unused = [0, 0, 0]
    if not options.asks_for_steps:
        until = within.high if short and options.short == "prefix" else window[1]
        unused = _unused(scored, grid, window[0], until).tolist()
    first = max(window[0], min(float(run.steps[0]) for run in scored))
    last = max(run.end for run in scored)
    return Preparation(
        how="" if is_common else options.how,
        grid=grid.kind,
        grid_run="" if grid.run is None else _name(grid.run),
        n_steps=len(grid.steps),
        first=float(grid.steps[0]),
        last=float(grid.steps[-1]),
        n_runs=len(kept),
        n_points=sum(map(len, shown)),
        n_interpolated=sum(map(bool, between)),
        n_scores_interpolated=sum(between),
        n_cut=n_cut,
        n_filled=len(short) if options.short in {"worst", "carry"} else 0,
        n_dropped=len(runs) - len(kept),
        coverage=(within.high - within.low) / (last - first) if last > first else 1.0,
        begins_with=_name(within.begins_with),
        ends_with=_name(within.ends_with),
        algorithms=logs,
        short=options.short if short else "",
        fill=worst,
        reason=options.reason or "" if short else "",
        failure_pvalue=pvalue,
        n_unused_before=unused[0],
        n_unused_between=unused[1],
        n_unused_after=unused[2],
        runs=tuple(_extent(run) for run in runs),
        notes=notes,
        clock=clock,
    )


def _name(run: UsableRun) -> str:
    return f"{run.log.algorithm}/{run.log.run}"


def _unused(runs: Runs, grid: Grid, low: float, high: float) -> Integers:
    """Count scores from low to high that are not used at all.

    Those before the common steps, between them, and after them. Where runs have steps of their
    own, so that they are interpolated, only steps that several of them share count.
    """
    logged = np.concatenate([run.steps[inside(run.steps, low, high)] for run in runs])
    steps, n_logged = np.unique(logged, return_counts=True)
    found, least = [], 1
    for run in runs:
        after = np.searchsorted(run.steps, grid.steps).clip(max=len(run.steps) - 1)
        is_between = run.steps[after] != grid.steps
        used = np.append(after, np.maximum(after[is_between] - 1, 0))
        found.append(np.delete(run.steps, used))
        if grid.kind != "common" and is_between.any():
            least = 2
    unused = np.concatenate(found)
    unused = unused[np.isin(unused, steps[n_logged >= least])]
    where = np.searchsorted([grid.steps[0], grid.steps[-1]], unused)
    return np.bincount(where, minlength=3)


def _extent(run: UsableRun) -> RunExtent:
    n_points = len(run.steps)
    first, last = run.steps[[0, -1]].tolist() if n_points else (None, None)
    gap = float(np.diff(run.steps).max()) if n_points > 1 else None
    return RunExtent(run.log.algorithm, run.log.run, first, last, n_points, gap, run.is_short)


def _notes(runs: Runs, kept: Runs, grid: Grid) -> Iterator[str]:
    """Say what was left out or mended when runs were read, and where steps lie in gaps."""
    for run in runs:
        for note in run.log.notes:
            yield f"{run.where}: {note}"
        if run.n_holes:
            are = "was" if run.n_holes == 1 else "were"
            yield (f"{run.where}: {plural(run.n_holes, 'score')} that {are} not finite left out")
    yield from _gap_note(kept, grid)


def _gap_note(kept: Runs, grid: Grid) -> Iterator[str]:
    """Say once how many runs have common steps in gaps of their logs, and where the widest is."""
    found = []
    for run in kept:
        spacing = run.spacing
        if spacing is None:
            continue
        between = grid.between(run)
        after = np.clip(np.searchsorted(run.steps, between), 1, len(run.steps) - 1)
        gaps = run.steps[after] - run.steps[after - 1]
        n_inside = int(np.sum(gaps > MAX_GAP * spacing))
        if n_inside:
            found.append((float(gaps.max()), n_inside, run, int(after[np.argmax(gaps)])))
    if not found:
        return
    _, n_inside, run, after_gap = max(found, key=lambda each: each[0])
    widest = (
        f"the widest from step {step_text(run.steps[after_gap - 1])} to "
        f"{step_text(run.steps[after_gap])}"
    )
    if len(found) == 1:
        lie = "lies" if n_inside == 1 else "lie"
        yield f"{run.where}: {plural(n_inside, 'common step')} {lie} in gaps of its log, {widest}"
    else:
        yield (
            f"common steps of {plural(len(found), 'run')} lie in gaps of their logs, {widest} "
            f"({run.where})"
        )


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
    higher_is_better: bool | None = None,
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
        How many evenly spaced steps, or bins. By default those of the run with the fewest.
    short : "refuse", "prefix", "worst", "carry" or "drop"
        What is done with runs that end early or fail: refuse; prefix compares all up to where
        the first one ends; worst gives them the worst score from there on; carry holds their
        last one; drop leaves them out, with a reason. They end before nine tenths of the longest
        run's range, diverge (turn NaN or infinite) or are empty. Refuse names them. Prefix is
        valid whatever made a run end. Worst, with the worst score of all, is right where
        failing is the algorithm's doing.
    reason : str, optional
        Why runs are dropped; told with the verdict.
    min_steps : int, optional
        How many steps ``short="prefix"`` must leave. By default half.
    start, stop : float, optional
        The first and the last step to keep.
    only : sequence of str, optional
        The algorithms to keep.
    higher_is_better : bool, optional
        By default True, unless the name of the metric is that of a loss or an error.
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
    check_names(source=source)
    try:
        logs = list(run_logs)
    except TypeError:
        refuse(f"Give a list of RunLog to align, not {shown_value(run_logs)}.")
    kept = _checked(logs, as_names("only", only))
    metric = kept[0].metric
    everyone = natural_order({log.algorithm for log in logs})
    better = better_higher(higher_is_better, metric)
    selection = Selection(start=start, stop=stop, higher_is_better=better, alignment=options)
    display = Display(score_name=metric or "score", everyone=tuple(everyone))
    return Unaligned(kept, selection, source, display).curves()


def _checked(logs: Sequence[RunLog], only: Sequence[str] | None) -> Sequence[RunLog]:
    """Return the logs to keep; raise unless they are runs of one metric and one task."""
    others = [type(log).__name__ for log in logs if not isinstance(log, RunLog)]
    if others:
        refuse(f"align() takes RunLogs, not a {others[0]}.")
    if only is not None:
        check_algorithms(only, list(dict.fromkeys(log.algorithm for log in logs)))
        logs = [log for log in logs if log.algorithm in set(only)]
    if not logs:
        refuse("There are no runs to align.")
    for what in ("metric", "task"):
        found = list(dict.fromkeys(str(getattr(log, what)) for log in logs))
        if len(found) > 1:
            refuse(
                f"These runs are of {len(found)} {what}s: {listed(found, 6)}. Align the runs "
                f"of one {what} at a time."
            )
    return logs


def aligned(logs: Sequence[RunLog], selection: Selection, source: str, display: Display) -> Curves:
    """Bring runs to common steps, as `align` does it."""
    options, window = selection.alignment, selection.window
    runs = [usable_part(log) for log in _in_natural_order(logs)]
    steps = [run.steps for run in runs if len(run.steps)]
    if steps:
        selection.keeps_steps(np.concatenate(steps))
    find_short(runs, window, on_clock=display.is_clock)
    if options.short == "refuse":
        check_units(runs, display.step_name)
    if options.short in {"refuse", "prefix"}:
        # Where runs share nothing, that is what to say, not which of them end early.
        scored = [run for run in runs if len(run.steps)]
        common_range(scored, scored, window)
    kept = kept_runs(runs, options.short)
    scored = [run for run in kept if len(run.steps)]
    fills = options.short in {"worst", "carry"}
    reaching = [run for run in kept if not (fills and run.is_short)]
    within = common_range(scored, reaching, window)
    grid = common_grid(reaching, within, selection, on_clock=display.is_clock)
    _check_schedules(kept, grid, options.how)
    if options.short == "prefix":
        _check_prefix(kept, grid, within, selection)
    worst = None
    if options.short == "worst" and len(reaching) < len(kept):
        seen = np.concatenate([run.scores[inside(run.steps, *window)] for run in scored])
        worst = float(seen.min() if selection.higher_is_better else seen.max())
    rows = []
    for run in kept:
        row = scores_at(grid, run, options.how)
        if fills and run.is_short:
            row[grid.beyond(run.end)] = run.scores[-1] if worst is None else worst
        rows.append(row)
    clock = display.step_name if display.is_clock else ""
    preparation = recorded(runs, kept, grid, within, selection, worst, clock)
    described = "" if preparation is None else preparation.in_short()
    return Curves(
        np.vstack(rows),
        [run.log.algorithm for run in kept],
        as_steps(grid.steps),
        [run.log.run for run in kept],
        _blocks(kept),
        selection.higher_is_better,
        source="; ".join(part for part in (source, described) if part),
        precision=max(run.log.precision for run in kept),
        preparation=preparation,
        # Where nothing had to be done, the scores are the logs.
        logs=None
        if preparation is None
        else tuple(cut(run.steps, run.scores, *window) for run in kept),
        display=display,
    )


def _in_natural_order(logs: Sequence[RunLog]) -> list[RunLog]:
    """Sort by algorithm, then by run, ``run 2`` before ``run 10``."""
    algorithms = natural_order({log.algorithm for log in logs})
    runs = natural_order({log.run for log in logs})
    ranks = [{name: rank for rank, name in enumerate(names)} for names in (algorithms, runs)]
    return sorted(logs, key=lambda log: (ranks[0][log.algorithm], ranks[1][log.run]))


def _blocks(runs: Runs) -> list[str] | None:
    """Return the block of each run, or None without blocks; raise if only some have one."""
    blocks = [run.log.block for run in runs if run.log.block is not None]
    if not blocks:
        return None
    if len(blocks) < len(runs):
        lacking = next(run for run in runs if run.log.block is None)
        refuse(
            f"{capitalised(lacking.where)} has no block, but others have one. Give every run a "
            "block, or none."
        )
    return blocks


def _check_schedules(runs: Runs, grid: Grid, how: How) -> None:
    """Raise where a rule would take how often runs were logged for how they learn."""
    scored = [run for run in runs if len(run.steps)]
    at_own_steps = not any(len(grid.between(run)) for run in scored)
    if how == "linear" or (grid.kind == "common" and at_own_steps):
        return
    logs = algorithm_logs(runs)
    if not schedules_differ(logs):
        return
    rule = "the last value logged before" if how == "previous" else "means over bins"
    refuse(
        f"{spacings_text(logs)}: with {rule} that alone makes curves differ (false alarms in up "
        "to 45 of 100 comparisons, where 5 were promised, when one algorithm was logged twenty "
        f"times as often as the other). Use {argument('align', 'linear')}."
    )


def _check_prefix(runs: Runs, grid: Grid, within: Range, selection: Selection) -> None:
    """Raise where too little is left of the curves when all are cut to a prefix."""
    whole = [run for run in runs if not run.is_short]
    if len(whole) == len(runs):
        return
    n_kept = len(grid.steps)
    ends = f"{within.ends_with.where} {within.ends_with.ending()}"
    least = selection.alignment.min_steps
    if least is not None:
        if n_kept < least:
            refuse(
                f"The prefix that all runs share has {plural(n_kept, 'step')}, fewer than "
                f"{argument('min_steps', least)}: {ends}."
            )
        return
    unshortened = common_grid(whole, common_range(whole, whole, selection.window), selection)
    n_before = int((unshortened.steps <= within.high).sum())
    if n_before < MIN_PREFIX * len(unshortened.steps):
        refuse(
            f"The prefix that all runs share has {n_before} of the "
            f"{plural(len(unshortened.steps), 'step')} that the others have, less than half: "
            f"{ends}. To compare so little of training, say how many steps are enough with "
            f"{argument('min_steps')}; or choose another policy with {argument('short')}."
        )
