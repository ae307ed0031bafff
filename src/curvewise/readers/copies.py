"""Runs that are logged twice in different places, such as in logs and in a table made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.data.run_log import RunLog
    from curvewise.readers.naming.identity import Who

__all__ = ["copies", "copies_note"]

# How far the scores of a copy may be off: event files keep seven digits, exports often fewer.
MAX_RELATIVE_ERROR = 1e-5
MIN_SHARED_STEPS = 2


def copies(whos: Sequence[Who], logs: Sequence[Sequence[RunLog]]) -> set[int]:
    """Return which runs are all or a part of another one with the same name.

    A run is if it has the algorithm, task and name of another, a metric in common with it, no
    steps that the other lacks, and the same scores at all steps they share, of which there are
    two or more. Counted as runs of their own they would make differences look surer than they
    are. Of equal runs the first one is not counted as a copy.
    """
    metrics = [{log.metric: log for log in each if log.n_points} for each in logs]
    n_points = [sum(log.n_points for log in each.values()) for each in metrics]
    known: dict[tuple[str | None, str, str], list[dict[str, RunLog]]] = {}
    found = set()
    for row in sorted(range(len(whos)), key=lambda row: -n_points[row]):
        who = whos[row]
        same_name = known.setdefault((who.task, who.algorithm, who.first_name), [])
        if any(_are_the_same(metrics[row], other) for other in same_name):
            found.add(row)
        else:
            same_name.append(metrics[row])
    return found


def copies_note(n_copies: int) -> str:
    """Say how many runs were left out."""
    are, count = ("is", "counts") if n_copies == 1 else ("are", "count")
    return (
        f"{plural(n_copies, 'run')} {are} there twice, with the same name and the same scores, "
        f"and {count} once"
    )


def _are_the_same(own: dict[str, RunLog], other: dict[str, RunLog]) -> bool:
    """Whether a run is all or a part of another one, in each metric that both have."""
    shared = own.keys() & other.keys()
    return bool(shared) and all(_is_part(own[name], other[name]) for name in shared)


def _is_part(own: RunLog, other: RunLog) -> bool:
    if own.n_points < MIN_SHARED_STEPS or not np.isin(own.steps, other.steps).all():
        return False
    scores = other.scores[np.searchsorted(other.steps, own.steps)]
    return np.allclose(
        own.scores, scores, rtol=MAX_RELATIVE_ERROR, atol=0, equal_nan=True
    )
