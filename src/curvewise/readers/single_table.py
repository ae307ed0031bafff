"""A single file that holds all runs, and says whose they are: a table, or arrays."""

from __future__ import annotations

import glob
import os
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.readers.columns import (
    is_long_over_metrics,
    recognised,
    step_columns,
    task_column,
)
from curvewise.readers.finding import find_homes
from curvewise.readers.folders import walk
from curvewise.readers.formats import format_by_name, format_of
from curvewise.readers.metric_choice import lower_is_better
from curvewise.readers.table import columns_of, read_table, read_table_of_tasks
from curvewise.text import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.data.curves import Curves
    from curvewise.data.selection import Columns
    from curvewise.readers.request import Request

__all__ = ["is_single_table", "read_single_table"]


def is_single_table(path: Path, request: Request) -> bool:
    """Whether a path is a file that holds all runs and says whose they are.

    That is a table with a column for the algorithm and one for the score, or with a column for
    each step; or an archive of arrays that is no log. A file that is empty, missing or
    unreadable is refused here, as a table.
    """
    found = format_by_name(path)
    if found is None or os.path.isdir(path):  # noqa: PTH112 (it never raises)
        return False
    if glob.has_magic(str(path)) and not os.path.lexists(path):
        return False
    format_of(path)  # raises if the file cannot be read
    if not found.is_table:
        return not find_homes(walk([path]))
    available = list(columns_of(path, found))
    try:
        columns = recognised(request.columns, available)
    except CurvesError:
        # What is wrong with columns that were named, reading the table will tell.
        return any((request.algorithm, request.run, request.step, request.score))
    if columns.algorithm is None:
        return False
    if request.score is None and is_long_over_metrics(columns, available):
        return False
    return columns.score is not None or bool(_wide_steps(columns, available))


def _wide_steps(columns: Columns, available: list[str]) -> dict[str, float]:
    return step_columns([name for name in available if name not in set(columns)])


def read_single_table(path: Path, request: Request) -> dict[str | None, Curves]:
    """Read the curves of a table for each task; None is the task where nothing tells any.

    Raises
    ------
    CurvesError
        If it cannot be told what is what, or if runs do not fit together.
    """
    found = format_of(path)
    if not found.is_table:
        if request.task is not None:
            msg = (
                f"{path.name} has no column of tasks: a file in the format {found.name} "
                "holds one task."
            )
            raise CurvesError(msg)
        selection = request.selection(
            request.columns, higher_is_better=request.higher_is_better is not False
        )
        return {None: found.module.read(path, selection)}
    available = list(columns_of(path, found))
    task = request.task if request.task in available else None
    others = [name for name in available if name != task]
    columns = recognised(request.columns, others)
    better = request.higher_is_better
    if better is None:
        better = not lower_is_better(columns.score or "")
    selection = request.selection(request.columns, higher_is_better=better)
    task = task or task_column([name for name in available if name not in set(columns)])
    if task is None:
        if request.task is not None:
            msg = f"No column is called {request.task!r}; {did_you_mean(request.task, available)}"
            raise CurvesError(msg)
        return {None: read_table(path, found, selection)}
    tasks = read_table_of_tasks(path, found, selection, task)
    if request.task is None or request.task == task:
        return {name: curves for name, curves in tasks.items()}  # noqa: C416 (a wider type)
    if request.task not in tasks:
        msg = f"No task is called {request.task!r}; {did_you_mean(request.task, tasks)}"
        raise CurvesError(msg)
    return {request.task: tasks[request.task]}
