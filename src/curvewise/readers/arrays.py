"""NPZ archives: one runs × steps array per algorithm, and the steps if they are stored."""

from __future__ import annotations

import zipfile
import zlib
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.alignment import curves_of
from curvewise.data.curves import Curves
from curvewise.data.frames import WideTable
from curvewise.data.validation import increasing_steps, precision_of, score_matrices
from curvewise.errors import CurvesError

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.data.run_log import RunLog
    from curvewise.data.selection import Selection
    from curvewise.kernels import Floats

__all__ = ["read"]


def read(path: Path, selection: Selection) -> Curves:
    """Read an archive written by `numpy.savez`; the array ``steps`` holds the steps."""
    if any(selection.columns):
        msg = (
            f"{path.name} has no columns to name: an NPZ archive holds one runs × steps "
            "array per algorithm. Leave the column names out."
        )
        raise CurvesError(msg)
    arrays = _arrays(path)
    steps = arrays.pop("steps", None)
    if not arrays:
        msg = f"{path.name} holds no curves. Store one runs × steps array per algorithm."
        raise CurvesError(msg)
    source = f"{path.name}: one array per algorithm"
    matrices = score_matrices(arrays)
    if selection.alignment.asks_for_steps or not all(
        np.isfinite(matrix).all() for matrix in matrices.values()
    ):
        return curves_of(_logs(arrays, matrices, steps, selection), selection, source)
    curves = Curves.from_dict(
        arrays, steps, higher_is_better=selection.higher_is_better, source=source
    )
    curves = curves.select(*selection.only) if selection.only else curves
    if selection.start is None and selection.stop is None:
        return curves
    return curves.window(selection.start, selection.stop)


def _logs(
    arrays: dict[str, np.ndarray],
    matrices: dict[str, Floats],
    steps: np.ndarray | None,
    selection: Selection,
) -> list[RunLog]:
    """Return a log per run of the algorithms to keep."""
    names = list(matrices)
    is_kept = selection.keeps_algorithms(names)
    kept = [name for name, keep in zip(names, is_kept, strict=True) if keep]
    n_steps = matrices[names[0]].shape[1]
    return WideTable(
        np.vstack([matrices[name] for name in kept]),
        [name for name in kept for _ in matrices[name]],
        increasing_steps(steps, n_steps),
        None,
        None,
        precision=max(precision_of(arrays[name]) for name in kept),
    ).logs()


def _arrays(path: Path) -> dict[str, np.ndarray]:
    if not zipfile.is_zipfile(path):
        msg = f"{path.name} is not an NPZ archive. Write it with numpy.savez."
        raise CurvesError(msg)
    try:
        # allow_pickle=False: unpickling can run arbitrary code.
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise CurvesError(_damaged(path, error)) from None
        msg = (
            f"{path.name} holds Python objects, which are not read because they could run "
            "code. Save plain numbers: arrays of equal length, runs × steps."
        )
        raise CurvesError(msg) from None
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise CurvesError(_damaged(path, error)) from None


def _damaged(path: Path, error: Exception) -> str:
    return f"{path.name} is damaged and cannot be read ({error}). Write the file again."
