"""Files in, Curves out."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.readers.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.curves import Curves

__all__ = ["read", "read_tasks"]

KINDS = {
    ".csv": "CSV",
    ".csv.gz": "CSV",
    ".tsv": "TSV",
    ".tsv.gz": "TSV",
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".npz": "NPZ",
}


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
) -> Curves:
    """Read curves from a file.

    CSV, TSV, Parquet and JSON lines hold a row per run and step (long form) or a row per
    run and a column per step (wide form); NPZ holds a runs × steps array per algorithm.
    The order of the rows does not matter.

    Parameters
    ----------
    path : path
        The file; its ending tells the format.
    algorithm, run, step, score : str, optional
        The columns. Those not named are recognised by their usual names, such as
        ``agent``, ``seed``, ``epoch``, ``return``; ``Curves.source`` says what was taken.
    block : str, optional
        The column of what runs of different algorithms share: a seed, a fold, a task.
    only : sequence of str, optional
        The algorithms to keep.
    start, stop : float, optional
        The first and the last step to keep.
    higher_is_better : bool
        Whether a higher score is a better one.

    Returns
    -------
    Curves
    """
    path = Path(path)
    kind = _kind(path)
    _check_file(path)
    columns = Columns(algorithm, run, step, score, block)
    if kind == "NPZ":
        return _read_npz(
            path, columns, only, start, stop, higher_is_better=higher_is_better
        )
    from curvewise.readers.table import read_table

    return read_table(
        path,
        kind,
        columns,
        only=only,
        start=start,
        stop=stop,
        higher_is_better=higher_is_better,
    )


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

    Returns
    -------
    dict from task to Curves
    """
    path = Path(path)
    kind = _kind(path)
    _check_file(path)
    if kind == "NPZ":
        msg = f"{path.name} has no column of tasks: an NPZ archive holds one task."
        raise CurvesError(msg)
    from curvewise.readers.table import read_tasks as read_table_of_tasks

    return read_table_of_tasks(
        path,
        kind,
        Columns(algorithm, run, step, score, block),
        task,
        only=only,
        start=start,
        stop=stop,
        higher_is_better=higher_is_better,
    )


def _read_npz(
    path: Path,
    columns: Columns,
    only: Sequence[str] | None,
    start: float | None,
    stop: float | None,
    *,
    higher_is_better: bool,
) -> Curves:
    from curvewise.readers.arrays import read_arrays

    if any(columns):
        msg = (
            f"{path.name} has no columns to name: an NPZ archive holds one runs × steps "
            "array per algorithm. Leave the column names out."
        )
        raise CurvesError(msg)
    curves = read_arrays(path, higher_is_better=higher_is_better)
    curves = curves.select(*only) if only else curves
    return curves if start is None and stop is None else curves.window(start, stop)


def _kind(path: Path) -> str:
    for suffix, kind in KINDS.items():
        if path.name.lower().endswith(suffix):
            return kind
    if os.path.isdir(path):  # noqa: PTH112 (unlike Path.is_dir it never raises)
        raise CurvesError(_is_folder(path))
    msg = (
        f"The format of {path.name!r} is not known: its name must end in one of "
        f"{', '.join(KINDS)}. Rename it, or save the table as one of these."
    )
    raise CurvesError(msg)


def _is_folder(path: Path) -> str:
    return f"{str(path)!r} is a directory, not a file. Name one of the files in it."


def _check_file(path: Path) -> None:
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise CurvesError(_is_folder(path))
        if not stat.S_ISREG(mode):
            msg = f"{str(path)!r} is not a regular file. Save the table to a file first."
            raise CurvesError(msg)
        with path.open("rb") as file:
            if not file.read(1):
                msg = (
                    f"{str(path)!r} is empty. Check that whatever wrote it has finished."
                )
                raise CurvesError(msg)
    except FileNotFoundError:
        msg = f"There is no file {str(path)!r}. Check the name and the folder."
        raise CurvesError(msg) from None
    except OSError as error:
        msg = f"{str(path)!r} cannot be read: {error.strerror}."
        raise CurvesError(msg) from None
