"""Arrays of numbers in files that NumPy writes: NPZ archives and NPY files, never unpickled."""

from __future__ import annotations

import io
import tokenize
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from curvewise.readers.folders import File

__all__ = ["archive_names", "check_archive", "read_archive", "read_array"]

# What an archive may hold unpacked; more is not a set of curves.
MAX_ARCHIVE_SIZE = 2**32
OBJECTS = (
    "{name} holds Python objects, which are not read because they could run code. Save plain "
    "numbers: arrays of equal length, runs × steps."
)
# What reading a broken file raises, besides ValueError.
BROKEN = (
    *(OSError, EOFError, zipfile.BadZipFile, zlib.error),
    *(MemoryError, OverflowError, TypeError, SyntaxError, tokenize.TokenError),
    *(NotImplementedError, RuntimeError),  # a zip of another kind, or encrypted
)
DAMAGED = "{name} is damaged and cannot be read ({error}). Write the file again."


def archive_names(file: File) -> list[str]:
    """Return the names of the arrays in an NPZ archive; none if it is not one."""
    try:
        with file.open() as stream, zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
    except (*BROKEN, ValueError):
        return []
    return [name.removesuffix(".npy") for name in names if name.endswith(".npy")]


def check_archive(file: File) -> None:
    """Raise CurvesError if a file is not a whole archive."""
    try:
        with file.open() as stream, zipfile.ZipFile(stream):
            pass
    except (*BROKEN, ValueError) as error:
        raise CurvesError(DAMAGED.format(name=file.path.name, error=error)) from None


def read_archive(
    file: File, names: Iterable[str] | None = None
) -> dict[str, np.ndarray[Any, Any]]:
    """Return arrays of an NPZ archive, all by default.

    Raises CurvesError if it is damaged, holds objects, or unpacks to more than 4 GiB.
    """
    name = file.path.name
    try:
        with file.open() as stream:
            _check_size(stream, name)
            # allow_pickle=False: unpickling can run arbitrary code.
            with np.load(stream, allow_pickle=False) as arrays:
                keys = list(names or arrays.files)
                found = {key: arrays[key] for key in keys}
    except CurvesError:
        raise
    except ValueError as error:
        raise CurvesError(_unreadable(name, error)) from None
    except (*BROKEN, KeyError) as error:
        raise CurvesError(DAMAGED.format(name=name, error=error)) from None
    if len(found) < len(keys):
        msg = f"{name} holds several arrays of the same name. Rename all but one of them."
        raise CurvesError(msg)
    for key, array in found.items():
        if not isinstance(array, np.ndarray):
            msg = f"{name} holds something else than arrays: {key!r}. Write it with numpy.savez."
            raise CurvesError(msg)
    return found


def _check_size(stream: IO[bytes], name: str) -> None:
    """Raise if an archive unpacks to more than curvewise is willing to hold in memory."""
    with zipfile.ZipFile(stream) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    stream.seek(0)
    if size > MAX_ARCHIVE_SIZE:
        msg = (
            f"{name} holds {size / 2**30:.0f} GiB when it is unpacked, which no set of curves "
            "does. Save the curves by themselves."
        )
        raise CurvesError(msg)


def read_array(file: File) -> np.ndarray[Any, Any]:
    """Return the array in an NPY file; raise CurvesError if it is damaged or holds objects."""
    name = file.path.name
    try:
        if file.is_packed:
            array = np.load(io.BytesIO(file.content()[0]), allow_pickle=False)
        else:
            # Mapped, so that a wrong header cannot ask for more memory than there is.
            array = np.load(file.path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise CurvesError(_unreadable(name, error)) from None
    except BROKEN as error:
        raise CurvesError(DAMAGED.format(name=name, error=error)) from None
    if not isinstance(array, np.ndarray):
        msg = f"{name} is an archive of arrays. Let its name end in .npz."
        raise CurvesError(msg)
    return array


def _unreadable(name: str, error: ValueError) -> str:
    """Return why an array cannot be read: it holds objects, or it is damaged."""
    text = str(error)
    if "allow_pickle" in text or "Python objects" in text or "pickle" in text:
        return OBJECTS.format(name=name)
    if " object at 0x" in text:  # what NumPy says of a header that is no dictionary
        return DAMAGED.format(name=name, error="its header is not that of an array")
    return DAMAGED.format(name=name, error=error)
