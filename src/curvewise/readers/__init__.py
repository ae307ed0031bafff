"""Files in, Curves out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from curvewise.data.alignment_options import AlignmentOptions
from curvewise.data.selection import Columns, Selection
from curvewise.errors import CurvesError
from curvewise.readers.formats import format_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from curvewise.data.alignment_options import How, Policy
    from curvewise.data.curves import Curves
    from curvewise.data.records import Duplicates

__all__ = ["read", "read_tasks"]


def read(
    path: str | os.PathLike[str],
    *,
    algorithm: str | None = None,
    run: str | None = None,
    step: str | None = None,
    score: str | None = None,
    block: str | None = None,
    only: Sequence[str] | None = None,
    start: float | None = None,
    stop: float | None = None,
    higher_is_better: bool = True,
    align: How = "linear",
    n_steps: int | None = None,
    short: Policy = "refuse",
    reason: str | None = None,
    min_steps: int | None = None,
    duplicates: Duplicates | None = None,
) -> Curves:
    """Read curves from a file.

    CSV, TSV, Parquet and JSON lines hold a row per run and step (long form) or a row per
    run and a column per step (wide form); NPZ holds a runs × steps array per algorithm.
    The order of the rows does not matter.

    Parameters
    ----------
    path : path
        The file; the ending of its name tells the format.
    algorithm, run, step, score : str, optional
        The columns. Those not named are recognised by their usual names, such as
        ``agent``, ``seed``, ``epoch``, ``return``; ``Curves.source`` says which were used.
    block : str, optional
        The column of what runs of different algorithms share: a seed, a fold, a task.
    only : sequence of str, optional
        The algorithms to keep.
    start, stop : float, optional
        The first and the last step to keep.
    higher_is_better : bool
        Whether a higher score is a better one.
    align, n_steps, short, reason, min_steps
        How runs with different steps are brought to common ones, and what runs count as that
        end early, diverge or are empty: as ``how`` and the others in `align`.
    duplicates : "mean" or "last", optional
        What holds where a run has several different scores at a step: their mean, or the one
        on the last row. Refused by default.

    Returns
    -------
    Curves
    """
    columns = Columns(algorithm, run, step, score, block)
    options = AlignmentOptions(align, n_steps, short, reason, min_steps)
    selection = Selection(
        columns, only, start, stop, higher_is_better, options, duplicates
    )
    path = Path(path)
    found = format_of(path)
    if not found.is_table:
        curves: Curves = found.module.read(path, selection)
        return curves
    from curvewise.readers.table import read_table

    return read_table(path, found, selection)


def read_tasks(
    path: str | os.PathLike[str],
    *,
    task: str,
    algorithm: str | None = None,
    run: str | None = None,
    step: str | None = None,
    score: str | None = None,
    block: str | None = None,
    only: Sequence[str] | None = None,
    start: float | None = None,
    stop: float | None = None,
    higher_is_better: bool = True,
    align: How = "linear",
    n_steps: int | None = None,
    short: Policy = "refuse",
    reason: str | None = None,
    min_steps: int | None = None,
    duplicates: Duplicates | None = None,
) -> dict[str, Curves]:
    """Read the curves of several tasks from one file.

    Parameters
    ----------
    path : path
        CSV, TSV, Parquet or JSON lines.
    task : str
        The column that tells the tasks apart.
    algorithm, run, step, score, block, only, start, stop, higher_is_better
        As in `read`.
    align, n_steps, short, reason, min_steps, duplicates
        As in `read`.

    Returns
    -------
    dict from task to Curves
    """
    columns = Columns(algorithm, run, step, score, block)
    options = AlignmentOptions(align, n_steps, short, reason, min_steps)
    selection = Selection(
        columns, only, start, stop, higher_is_better, options, duplicates
    )
    path = Path(path)
    found = format_of(path)
    if not found.is_table:
        msg = (
            f"{path.name} has no column of tasks: a file in the format {found.name} holds "
            "one task."
        )
        raise CurvesError(msg)
    from curvewise.readers.table import read_table_of_tasks

    return read_table_of_tasks(path, found, selection, task)
