"""A single file that holds all runs, and says whose they are: a table, or arrays."""

from __future__ import annotations

import glob
import os
from functools import partial
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.readers.naming.metric_choice import lower_is_better
from curvewise.readers.request import Naming, RunsByTask
from curvewise.readers.tables.columns import (
    is_long_over_metrics,
    recognised,
    step_columns,
    task_column,
    unknown_column_error,
    usual_column,
    worded,
)
from curvewise.readers.tables.formats import format_by_name, format_of
from curvewise.readers.tables.table import columns_of, read_table, read_table_of_tasks

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.request import Request
    from curvewise.readers.tables.formats import Format

__all__ = ["is_single_table", "read_single_table"]


def is_single_table(path: Path, request: Request) -> bool:
    """Whether a path is a file that holds all runs and says whose they are.

    That is an archive of arrays, or a table with a column for the algorithm and one for the
    score or for each step. A file of such a format that is no log either counts as well, so
    that what it lacks is said. One that is empty, missing or unreadable is refused here.
    """
    found = format_by_name(path)
    if found is None or os.path.isdir(path):  # noqa: PTH112 (it never raises)
        return False
    if glob.has_magic(str(path)) and not os.path.lexists(path):
        return False
    format_of(path)  # raises if the file cannot be read
    return not found.is_table or _tells_all(path, found, request) or not _is_log(path)


def _tells_all(path: Path, table_format: Format, request: Request) -> bool:
    """Whether a table says of which algorithm a run is, and what its scores are."""
    available = list(columns_of(path, table_format))
    named = request.algorithm, request.run, request.step, request.score
    try:
        if request.columns.algorithm is None:
            usual_column("algorithm", worded(available))
    except CurvesError:
        return True  # several could be; reading the table will tell
    try:
        # Without the block: one that is misspelt is no reason to look for logs.
        columns = recognised(request.columns._replace(block=None), available)
    except CurvesError:
        return any(named)
    if columns.algorithm is None:
        return False
    if request.score is None and is_long_over_metrics(columns, available):
        return False
    taken = set(columns)
    left = [name for name in available if name not in taken]
    return columns.score is not None or not left or bool(step_columns(left))


def _is_log(path: Path) -> bool:
    """Whether a file is a training log with something in it."""
    from curvewise.readers.scanning import Logs

    try:
        return bool(Logs.found([path], Naming()).scan().metrics)
    except CurvesError:
        return False


def read_single_table(path: Path, request: Request) -> RunsByTask:
    """Return a function for each task of a table that reads its runs.

    None is the task where nothing tells any.

    Raises
    ------
    CurvesError
        If it cannot be told what is what. The functions raise it if runs do not fit together.
    """
    found = format_of(path)
    better = request.higher_is_better
    if not found.is_table:
        if request.task is not None:
            msg = (
                f"{path.name} has no column of tasks: a file in the format {found.name} "
                "holds one task."
            )
            raise CurvesError(msg)
        selection = request.selection(higher_is_better=better is not False)
        return RunsByTask({None: partial(found.module.read, path, selection)})
    available = list(columns_of(path, found))
    task = request.task if request.task in available else None
    columns = recognised(request.columns, [name for name in available if name != task])
    if better is None:
        better = not lower_is_better(columns.score or "")
    selection = request.selection(higher_is_better=better)
    taken = set(columns)
    task = task or task_column([name for name in available if name not in taken])
    if task is None:
        if request.task is not None:
            raise unknown_column_error(request.task, available)
        return RunsByTask({None: partial(read_table, path, found, selection)})
    keep = None if request.task in {None, task} else request.task
    return read_table_of_tasks(path, found, selection, task, keep)
