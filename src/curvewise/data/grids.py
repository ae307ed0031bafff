"""Common steps of runs with steps of their own, and the scores of a run at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.errors import CurvesError
from curvewise.text import argument, capitalised, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from curvewise.data.alignment_options import AlignmentOptions, How
    from curvewise.data.short_runs import UsableRun
    from curvewise.kernels import Floats

__all__ = ["Grid", "Range", "common_grid", "common_range", "inside", "scores_at"]

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
    edges : array, (n_steps + 1,), or None
        The ends of the bins.
    """

    steps: Floats
    kind: Literal["common", "run", "even", "bins"]
    run: UsableRun | None = None
    edges: Floats | None = None

    def beyond(self, end: float) -> npt.NDArray[np.bool_]:
        """Mark the steps, or bins, that a run does not reach which ends at ``end``."""
        begins = self.steps if self.edges is None else self.edges[:-1]
        return ~(begins <= end + SLACK * abs(end))  # NaN is the end of an empty run


def common_range(
    runs: Sequence[UsableRun],
    unfilled: Sequence[UsableRun],
    window: tuple[float, float],
) -> Range:
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
        msg = (
            f"{capitalised(latest.where)} begins at step {step_text(latest.steps[0])}, but "
            f"{earliest.where} ends at step {step_text(earliest.end)}: no range of steps is "
            "common to all runs. Check that the same column counts their steps, or compare "
            "runs that were trained over the same range."
        )
        raise CurvesError(msg)
    return Range(low, high, latest, earliest)


def common_grid(
    runs: Sequence[UsableRun],
    within: Range,
    options: AlignmentOptions,
    window: tuple[float, float],
) -> Grid:
    """Return the common steps of ``runs``, none of which is filled up.

    By default the steps of the run with fewest in the range; of several such runs, those that
    come first as numbers. Runs of episodes get as many evenly spaced steps instead. If all runs
    have the same steps, these.

    Raises
    ------
    CurvesError
        If there are fewer than two, unless all runs have the same single step.
    """
    if options.how == "bins":
        return _bins(runs, within, options.n_steps)
    if options.n_steps is not None:
        _check_range(within)
        return Grid(np.linspace(within.low, within.high, options.n_steps), "even")
    asked = [run.steps[inside(run.steps, *window)] for run in runs]
    # A run that is filled up may still begin late.
    if len(asked[0]) and asked[0][0] >= within.low and _are_equal(asked):
        return Grid(asked[0], "common")
    _check_range(within)
    shared = [run.steps[inside(run.steps, within.low, within.high)] for run in runs]
    if _are_equal(shared) and len(shared[0]) > 1:
        return Grid(shared[0], "common")
    fewest = min(map(len, shared))
    place = min(
        (place for place, own in enumerate(shared) if len(own) == fewest),
        key=lambda place: shared[place].tolist(),
    )
    if fewest < 2:
        have = "has no step" if fewest == 0 else "has a single step"
        msg = (
            f"{capitalised(runs[place].where)} {have} in the range that all runs share, "
            f"{step_text(within.low)} to {step_text(within.high)}, and curves need two or more. "
            f"Ask for evenly spaced steps with {argument('n_steps')}, or choose another policy for "
            f"runs that end early with {argument('short')}."
        )
        raise CurvesError(msg)
    if any(run.log.of_episodes for run in runs):
        return Grid(np.linspace(within.low, within.high, fewest), "even")
    return Grid(shared[place], "run", runs[place])


def _are_equal(steps: Sequence[Floats]) -> bool:
    return all(np.array_equal(steps[0], other) for other in steps[1:])


def inside(steps: Floats, low: float, high: float) -> npt.NDArray[np.bool_]:
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
    msg = (
        f"All runs share step {step_text(within.low)} only, since {reason}; curves need two "
        "common steps or more. Compare runs that were trained over the same range, or choose "
        f"another policy for runs that end early with {argument('short')}."
    )
    raise CurvesError(msg)


def _bins(runs: Sequence[UsableRun], within: Range, n_bins: int | None) -> Grid:
    """Return equal bins; by default about as many as leave a point of every run in each."""
    _check_range(within)
    if n_bins is not None:
        return _equal_bins(within, n_bins)
    fewest = min(int(inside(run.steps, within.low, within.high).sum()) for run in runs)
    n_bins = max(2, fewest // MIN_POINTS_PER_BIN)
    while n_bins > 2:
        grid = _equal_bins(within, n_bins)
        if all(_points_per_bin(run, grid)[1].all() for run in runs):
            break
        n_bins = min(n_bins - 1, int(SHRINK * n_bins))
    n_bins = max(2, n_bins)
    return _equal_bins(within, n_bins)


def _equal_bins(within: Range, n_bins: int) -> Grid:
    edges = np.linspace(within.low, within.high, n_bins + 1)
    return Grid((edges[1:] + edges[:-1]) / 2, "bins", edges=edges)


def _points_per_bin(run: UsableRun, grid: Grid) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return the sums of the scores in each bin, and how many there are."""
    assert grid.edges is not None  # noqa: S101 (a grid of bins has edges)
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
            assert grid.edges is not None  # noqa: S101 (a grid of bins has edges)
            place = int(empty[0])
            msg = (
                f"{capitalised(run.where)} has no point in bin {place + 1} of "
                f"{plural(len(grid.steps), 'bin')}, from step "
                f"{step_text(grid.edges[place])} to {step_text(grid.edges[place + 1])}. Use "
                f"fewer bins ({argument('n_steps')}), or {argument('align', 'linear')}."
            )
            raise CurvesError(msg)
        scores = sums / np.maximum(counts, 1)
    elif how == "previous":
        places = np.searchsorted(run.steps, grid.steps, side="right") - 1
        scores = run.scores[np.maximum(places, 0)]
    else:
        scores = np.interp(grid.steps, run.steps, run.scores)
    return np.where(grid.beyond(run.end), np.nan, scores)
