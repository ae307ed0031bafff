"""Rules that bring runs to common steps: those that curvewise offers, and others in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import curvewise as cw

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from studies.alignment.simulated_logs import Floats

__all__ = ["RULES"]

N_EVEN = 20
WINDOW = 10  # rows of a moving average


def _aligned(logs: Sequence[cw.RunLog], n_steps: int | None = None) -> cw.Curves:
    return cw.align(logs, n_steps=n_steps, short="prefix", min_steps=2)


def _curves(logs: Sequence[cw.RunLog], rows: Sequence[Floats]) -> cw.Curves:
    return cw.Curves(np.vstack(rows), [log.algorithm for log in logs])


def _even(logs: Sequence[cw.RunLog]) -> cw.Curves:
    return _aligned(logs, N_EVEN)


def _ends_held(logs: Sequence[cw.RunLog]) -> cw.Curves:
    """Interpolate over the range of all runs, as np.interp does it beyond a run's ends."""
    first = min(log.steps[0] for log in logs)
    grid = np.linspace(first, max(log.steps[-1] for log in logs), N_EVEN)
    return _curves(logs, [np.interp(grid, log.steps, log.scores) for log in logs])


def _previous(logs: Sequence[cw.RunLog]) -> cw.Curves:
    grid = _even(logs).steps
    rows = [log.scores[np.searchsorted(log.steps, grid, side="right") - 1] for log in logs]
    return _curves(logs, rows)


def _bins(logs: Sequence[cw.RunLog]) -> cw.Curves:
    """Take means over bins as wide as the largest gap, so that none is empty."""
    high = min(log.steps[-1] for log in logs)
    width = max(float(np.diff(log.steps, prepend=0).max()) for log in logs)
    edges = np.linspace(0, high, max(2, int(high / width + 1e-9)) + 1)
    rows = []
    for log in logs:
        inside = log.steps <= high
        places = np.searchsorted(edges, log.steps[inside], side="left") - 1
        places = np.clip(places, 0, len(edges) - 2)
        counts = np.bincount(places, minlength=len(edges) - 1)
        sums = np.bincount(places, log.scores[inside], len(edges) - 1)
        rows.append(sums / np.maximum(counts, 1))
    return _curves(logs, rows)


def _rows(logs: Sequence[cw.RunLog]) -> cw.Curves:
    n_rows = min(len(log.scores) for log in logs)
    return _curves(logs, [log.scores[:n_rows] for log in logs])


def _stretched(logs: Sequence[cw.RunLog]) -> cw.Curves:
    rows = [
        np.interp(np.linspace(log.steps[0], log.steps[-1], N_EVEN), log.steps, log.scores)
        for log in logs
    ]
    return _curves(logs, rows)


def _smoothed(logs: Sequence[cw.RunLog]) -> cw.Curves:
    smooth = []
    for log in logs:
        sums = np.cumsum(np.append(0.0, log.scores))
        ends = np.arange(1, len(log.scores) + 1)
        begins = np.maximum(0, ends - WINDOW)
        means = (sums[ends] - sums[begins]) / (ends - begins)
        smooth.append(cw.RunLog(log.algorithm, log.run, log.metric, log.steps, means))
    return _even(smooth)


RULES: dict[str, Callable[[Sequence[cw.RunLog]], cw.Curves]] = {
    "**linear, at the steps of the run logged least often** (the default)": _aligned,
    f"linear, {N_EVEN} evenly spaced steps": _even,
    "linear, ends held": _ends_held,
    f"the last value logged before, {N_EVEN} evenly spaced steps": _previous,
    "means over bins": _bins,
    "row number instead of step": _rows,
    "each run stretched over its own range": _stretched,
    f"moving average of {WINDOW} rows, then evenly spaced steps": _smoothed,
}
