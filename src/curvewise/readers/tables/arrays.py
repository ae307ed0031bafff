"""NPZ archives: one runs × steps array per algorithm, and the steps if they are stored."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.alignment import Unaligned
from curvewise.data.display import Display
from curvewise.data.frames import WideTable
from curvewise.data.validation import increasing_steps, precision_of, score_matrices
from curvewise.errors import CurvesError
from curvewise.readers.failures import explained
from curvewise.readers.folders import File
from curvewise.readers.parsing.archives import read_archive
from curvewise.readers.tables.orientation import orientation
from curvewise.text import in_python

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from curvewise.data.selection import Selection

__all__ = ["check_orientation", "read"]

# Archives of one run or one model each, whose arrays are not those of algorithms.
OF_ONE_RUN = {
    (
        "timesteps",
        "results",
    ): "evaluations of one run by stable-baselines3 (steps × episodes)",
    ("test_scores", "train_scores"): "learning curves of one model by scikit-learn "
    "(training sizes × folds)",
}
TRANSPOSED = (
    "{name} seems to hold steps × runs, not runs × steps: its rows follow one another as steps "
    "do, and its columns are in no order. Save the transpose (array.T). If its rows are runs, "
    "save a table with a row per run and step instead{in_python}."
)
MIN_SQUARE = (
    3  # two runs of two algorithms can never differ significantly, either way round
)
SQUARE = (
    "{name} has as many rows as columns, {n} of each, and the scores do not tell which are runs "
    "and which are steps: scikit-learn's learning_curve, for one, returns steps × runs. Save a "
    "table with a row per run and step instead{in_python}."
)


def read(path: Path, selection: Selection) -> Unaligned:
    """Read an archive written by `numpy.savez`; the array ``steps`` holds the steps.

    Raises CurvesError if the arrays are not those of algorithms, or look transposed.
    """
    if any(selection.columns):
        msg = (
            f"{path.name} has no columns to name: an NPZ archive holds one runs × steps "
            "array per algorithm. Leave the column names out."
        )
        raise CurvesError(msg)
    with explained(path, "NPZ"):
        is_archive = zipfile.is_zipfile(path)
    if not is_archive:
        msg = f"{path.name} is not an NPZ archive. Write it with numpy.savez."
        raise CurvesError(msg)
    with explained(path, "NPZ"):
        arrays = read_archive(File(path))
    for keys, what in OF_ONE_RUN.items():
        if arrays.keys() >= set(keys):
            msg = (
                f"{path.name} holds {what}, not an array per algorithm. Name the folder with "
                "all such files."
            )
            raise CurvesError(msg)
    steps = arrays.pop("steps", None)
    if not arrays:
        msg = f"{path.name} holds no curves. Store one runs × steps array per algorithm."
        raise CurvesError(msg)
    check_orientation(path.name, arrays, steps)
    source = f"{path.name}: one array per algorithm"
    table = _table(arrays, steps, selection)
    return Unaligned(table, selection, source, Display(everyone=tuple(arrays)))


def check_orientation(
    name: str,
    arrays: Mapping[str, np.ndarray[Any, Any]],
    steps: np.ndarray[Any, Any] | None = None,
) -> None:
    """Raise CurvesError if arrays are steps × runs, or may be, as shapes and scores tell.

    Parameters
    ----------
    name : str
        The name of the file, for the message.
    arrays : mapping from algorithm to array
        Those that are not numbers in two dimensions are passed over.
    steps : array, optional
    """
    tables = [
        array
        for array in arrays.values()
        if array.ndim == 2 and array.dtype.kind in "fiu"
    ]
    if steps is not None and tables:
        shapes = {array.shape for array in tables}
        if all(rows == steps.size != columns for rows, columns in shapes):
            msg = (
                f"{name} has a row per step ({steps.size} of each) and needs a row per run: "
                "runs × steps. Save the transpose of each array (array.T)."
            )
            raise CurvesError(msg)
    found = orientation(tables)
    way_out = in_python(", or use `Curves.from_dict`, whose rows are runs")
    if found == "steps × runs":
        raise CurvesError(TRANSPOSED.format(name=name, in_python=way_out))
    sizes = {size for array in tables for size in array.shape}
    if found is None and len(sizes) == 1 and min(sizes) >= MIN_SQUARE:
        raise CurvesError(SQUARE.format(name=name, n=min(sizes), in_python=way_out))


def _table(
    arrays: dict[str, np.ndarray[Any, Any]],
    steps: np.ndarray[Any, Any] | None,
    selection: Selection,
) -> WideTable:
    """Return the runs of the algorithms to keep, at the steps to keep."""
    matrices = score_matrices(arrays)
    names = list(matrices)
    is_kept = selection.keeps_algorithms(names)
    kept = [name for name, keep in zip(names, is_kept, strict=True) if keep]
    every = increasing_steps(steps, matrices[names[0]].shape[1])
    inside = np.flatnonzero(selection.keeps_steps(every))
    return WideTable(
        np.vstack([matrices[name] for name in kept])[:, inside],
        [name for name in kept for _ in matrices[name]],
        every[inside],
        None,
        None,
        precision=max(precision_of(arrays[name]) for name in kept),
    )
