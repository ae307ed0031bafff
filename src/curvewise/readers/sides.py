"""Two paths in, the curves of a baseline and a candidate out."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from curvewise.data.roles import BASELINE, CANDIDATE, side_by_side
from curvewise.errors import CurvesError
from curvewise.readers import runs_by_task
from curvewise.readers.request import Request, RunsByTask
from curvewise.text import listed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from curvewise.data.alignment import Unaligned
    from curvewise.data.curves import Curves
    from curvewise.readers.request import Options, PathLike

__all__ = ["read_sides"]

MAX_NAMED = 6  # tasks that a message lists


def read_sides(
    baseline: PathLike | Unaligned,
    candidate: PathLike | Unaligned,
    *,
    names: Mapping[str, str | None] | None = None,
    task: str | None = None,
    **options: Unpack[Options],
) -> dict[str | None, Curves]:
    """Read the runs of a baseline and of a candidate, each from a place of its own.

    Parameters
    ----------
    baseline, candidate : path or Unaligned
        A table or training logs, as `read` takes them, or runs that were read before.
    names : mapping from role to algorithm, optional
        The algorithm that is the "baseline", and the "candidate", where a path holds several.
    task, **options
        As in `read`; the same for both. All runs are aligned together.

    Returns
    -------
    dict from task to Curves
        Of the algorithms "baseline" and "candidate"; None is the task where nothing tells any.

    Raises
    ------
    CurvesError, OptionError
        As in `read`, and if a path holds several algorithms, or not the tasks of the other.
    """
    request = Request(task=task, **options)
    found = {
        role: _tasks(side, _request_of(role, request, names))
        for role, side in ((BASELINE, baseline), (CANDIDATE, candidate))
    }
    if all(len(tasks) == 1 for tasks in found.values()):
        # Where nothing tells the task of one, it is that of the other.
        known = next((name for own in found.values() for name in own if name), None)
        for role, tasks in found.items():
            if None in tasks:
                found[role] = RunsByTask({known: tasks[None]})
    for role, other in ((BASELINE, CANDIDATE), (CANDIDATE, BASELINE)):
        missing = [str(name) for name in found[role] if name not in found[other]]
        if missing:
            msg = (
                f"The {role} has runs of {listed(missing, MAX_NAMED)}, and the {other} has none. "
                "Compare tasks that both were trained on."
            )
            raise CurvesError(msg)
    curves = {
        name: side_by_side(runs(), found[CANDIDATE][name]())
        for name, runs in found[BASELINE].items()
    }
    _check_apart(baseline, candidate, names or {})
    return curves


def _check_apart(
    baseline: PathLike | Unaligned,
    candidate: PathLike | Unaligned,
    names: Mapping[str, str | None],
) -> None:
    """Raise where both sides are the same algorithm of the same place."""
    places = [
        os.path.realpath(side) if isinstance(side, str | os.PathLike) else None
        for side in (baseline, candidate)
    ]
    same = places[0] is not None and places[0] == places[1]
    if same and names.get(BASELINE) == names.get(CANDIDATE):
        msg = (
            f"Baseline and candidate are the same runs, those of {str(baseline)!r}. Name another "
            "place for one of them."
        )
        raise CurvesError(msg)


def _request_of(
    role: str, request: Request, names: Mapping[str, str | None] | None
) -> Request:
    name = (names or {}).get(role)
    return request if name is None else replace(request, only=[name])


def _tasks(side: PathLike | Unaligned, request: Request) -> RunsByTask:
    from curvewise.data.alignment import Unaligned

    if isinstance(side, Unaligned):
        return RunsByTask({None: lambda: side})
    return runs_by_task(side, request)
