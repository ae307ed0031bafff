"""Files in, Curves out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.readers.columns import Columns

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from curvewise.curves import Curves

__all__ = ["read"]

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
    name = path.name.lower()
    for suffix, kind in KINDS.items():
        if name.endswith(suffix):
            return kind
    if path.is_dir():
        msg = f"{path} is a directory, not a file. Name one of the files in it."
        raise CurvesError(msg)
    msg = f"{path.name!r} does not end in one of {', '.join(KINDS)}, so its format is not known."
    raise CurvesError(msg)


def _check_file(path: Path) -> None:
    try:
        if path.is_dir():
            msg = f"{path} is a directory, not a file. Name one of the files in it."
            raise CurvesError(msg)
        with path.open("rb") as file:
            if not file.read(1):
                msg = f"{path} is empty."
                raise CurvesError(msg)
    except FileNotFoundError:
        msg = f"There is no file {str(path)!r}. Check the name and the folder."
        raise CurvesError(msg) from None
    except OSError as error:
        msg = f"{str(path)!r} cannot be read: {error.strerror}."
        raise CurvesError(msg) from None
