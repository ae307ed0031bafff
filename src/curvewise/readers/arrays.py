"""NPZ archives: one runs × steps array per algorithm, and the steps if they are stored."""

from __future__ import annotations

import zipfile
import zlib
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.curves import Curves
from curvewise.errors import CurvesError

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.data.selection import Selection

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
    curves = Curves.from_dict(
        arrays,
        steps,
        higher_is_better=selection.higher_is_better,
        source=f"{path.name}: one array per algorithm",
    )
    curves = curves.select(*selection.only) if selection.only else curves
    if selection.start is None and selection.stop is None:
        return curves
    return curves.window(selection.start, selection.stop)


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
