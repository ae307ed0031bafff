"""NPZ archives: one runs × steps array per algorithm, and the steps if they are stored."""

from __future__ import annotations

import zipfile
import zlib
from typing import TYPE_CHECKING

import numpy as np

from curvewise.curves import Curves
from curvewise.errors import CurvesError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_arrays"]


def read_arrays(path: Path, *, higher_is_better: bool = True) -> Curves:
    """Read an archive written by `numpy.savez`; the array ``steps`` holds the steps."""
    if not zipfile.is_zipfile(path):
        msg = f"{path.name} is not an NPZ archive: write it with numpy.savez."
        raise CurvesError(msg)
    try:
        # Never unpickled: an archive from elsewhere could run what it likes.
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
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
    steps = arrays.pop("steps", None)
    if not arrays:
        msg = f"{path.name} holds no curves: store one runs × steps array per algorithm."
        raise CurvesError(msg)
    return Curves.from_dict(
        arrays,
        steps,
        higher_is_better=higher_is_better,
        source=f"{path.name}: one array per algorithm",
    )


def _damaged(path: Path, error: Exception) -> str:
    return f"{path.name} is damaged and cannot be read ({error}). Write it anew."
