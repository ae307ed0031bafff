"""Files that others write and that must not harm: archives of NumPy, databases of SQLite."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import tokenize
import zipfile
import zlib
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError, refuse
from curvewise.readers.walk import MAX_UNPACKED_SIZE, Claim, File, NotALogError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from curvewise.readers.walk import Folder


# Arrays of numbers in files that NumPy writes: NPZ archives and NPY files, never unpickled.

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


def damaged(file: File, reason: str) -> CurvesError:
    """Return the error for a file that is not as its format has it."""
    return CurvesError(f"{file.path.name} is damaged: {reason}.")


def check_archive(file: File) -> list[str]:
    """Return the names of what is in an NPZ archive; raise CurvesError if it is not a whole one."""
    try:
        with file.open() as stream, zipfile.ZipFile(stream) as archive:
            return archive.namelist()
    except (*BROKEN, ValueError) as error:
        raise CurvesError(DAMAGED.format(name=file.path.name, error=error)) from None


def archive_names(file: File) -> list[str]:
    """Return the names of the arrays in an NPZ archive; none if it is not one."""
    try:
        names = check_archive(file)
    except CurvesError:
        return []
    return [name.removesuffix(".npy") for name in names if name.endswith(".npy")]


def read_archive(file: File) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of an NPZ archive.

    Raises CurvesError if it is damaged, holds objects or complex numbers, or unpacks to more than 4 GiB.
    """
    name = file.path.name
    try:
        with file.open() as stream:
            with zipfile.ZipFile(stream) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
            if size <= MAX_ARCHIVE_SIZE:
                stream.seek(0)
                # allow_pickle=False: unpickling can run arbitrary code.
                with np.load(stream, allow_pickle=False) as arrays:
                    keys = arrays.files
                    found = {key: arrays[key] for key in keys}
    except (ValueError, KeyError, *BROKEN) as error:
        raise _unreadable(name, error) from None
    if size > MAX_ARCHIVE_SIZE:
        refuse(
            f"{name} holds {size / 2**30:.0f} GiB when it is unpacked, which no set of curves "
            "does. Save the curves by themselves."
        )
    if len(found) < len(keys):
        refuse(f"{name} holds several arrays of the same name. Rename all but one of them.")
    for key, array in found.items():
        if not isinstance(array, np.ndarray):
            refuse(f"{name} holds something else than arrays: {key!r}. Write it with numpy.savez.")
        if array.dtype.kind == "c":
            refuse(f"{name} has complex numbers in {key!r}. Save scores as real numbers.")
    return found


def read_array(file: File) -> np.ndarray[Any, Any]:
    """Return the array in an NPY file; raise CurvesError if it is damaged or holds objects."""
    name = file.path.name
    try:
        if file.is_packed:
            array = np.load(io.BytesIO(file.content()[0]), allow_pickle=False)
        else:
            # Mapped, so that a wrong header cannot ask for more memory than there is.
            array = np.load(file.path, mmap_mode="r", allow_pickle=False)
    except (ValueError, *BROKEN) as error:
        raise _unreadable(name, error) from None
    if not isinstance(array, np.ndarray):
        refuse(f"{name} is an archive of arrays. Let its name end in .npz.")
    return array


def _unreadable(name: str, error: Exception) -> CurvesError:
    """Return why an array cannot be read: it holds objects, or it is damaged."""
    text = str(error)
    if isinstance(error, ValueError) and ("pickle" in text or "Python objects" in text):
        return CurvesError(OBJECTS.format(name=name))
    if " object at 0x" in text:  # what NumPy says of a header that is no dictionary
        text = "its header is not that of an array"
    return CurvesError(DAMAGED.format(name=name, error=text))


# SQLite databases that trackers keep runs in: opened for reading only, and never changed.

MAGIC = b"SQLite format 3\0"
SUFFIXES = (".db", ".sqlite", ".sqlite3")
# Where SQLite keeps what is not yet in the database itself.
WAL, WAL_INDEX, JOURNAL = "-wal", "-shm", "-journal"
# Bytes 18 and 19 of a database that is written through a WAL file.
WAL_VERSION = b"\2\2"
TIMEOUT = 2.0  # seconds to wait for a program that writes
# Primary result codes of SQLite.
BUSY, LOCKED, READ_ONLY, INTERRUPTED, CORRUPT, CANNOT_OPEN, NOT_A_DATABASE = (
    *(5, 6, 8, 9, 11, 14, 26),
)
# Operations of SQLite that reading a database may take, and those per byte of it: a view can be
# without end.
MAX_OPERATIONS, OPERATIONS_PER_BYTE = 10**7, 100
OPERATIONS_AT_ONCE = 10**5


def database_claims(
    folder: Folder, tables: frozenset[str], *, unreadable: bool = False
) -> Iterator[Claim]:
    """Yield a claim on each database of a folder that has all of these tables.

    Each comes with the files that SQLite keeps beside it. With ``unreadable``, those that
    cannot be opened are among them, so that somebody says why.
    """
    for name, file in folder.files.items():
        is_named = file.name.lower().endswith(SUFFIXES) and file.size > 0
        if not (is_named or file.head().startswith(MAGIC)):
            continue
        try:
            with opened(file) as database:
                rows = database.execute("SELECT name FROM sqlite_master").fetchall()
                is_wanted = tables <= {row[0] for row in rows}
        except (CurvesError, OSError):
            is_wanted = unreadable
        if is_wanted:
            beside = [folder.files.get(name + end) for end in (WAL, WAL_INDEX, JOURNAL)]
            yield Claim(file.path, (file, *(other for other in beside if other is not None)))


@contextmanager
def opened(file: File) -> Iterator[sqlite3.Connection]:
    """Open a database for reading; errors of SQLite inside the block become CurvesError.

    It is NotALogError if the file is no database, or an encrypted one.

    What is in a WAL file, or must be rolled back after a crash, is taken into account. Where
    SQLite would have to write for that, and for a packed file, a copy is opened.
    """
    import sqlite3

    left = (MAX_OPERATIONS + OPERATIONS_PER_BYTE * file.size) // OPERATIONS_AT_ONCE

    def is_over() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    with ExitStack() as stack:
        try:
            database = _connect(file, stack)
            database.set_progress_handler(is_over, OPERATIONS_AT_ONCE)
            # Names in another encoding are no reason to refuse.
            database.text_factory = lambda text: text.decode("utf-8", errors="replace")
            yield database
        except sqlite3.Error as error:
            if _code(error) == INTERRUPTED and left >= 0:
                raise KeyboardInterrupt from None  # SQLite takes what a handler raises
            raise _refusal(file.path.name, error) from None
        except UnicodeDecodeError:
            # SQLite quotes in its message what cannot be decoded.
            raise damaged(file, "the names of its tables cannot be read") from None


def columns_of(database: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of the columns of a table."""
    rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {row[0] for row in rows}


def _connect(file: File, stack: ExitStack) -> sqlite3.Connection:
    import sqlite3

    is_wal = file.head()[18:20] == WAL_VERSION
    has_wal = File(_beside(file.path, WAL)).size > 0
    has_index = os.path.exists(_beside(file.path, WAL_INDEX))  # noqa: PTH110 (never raises)
    if file.is_packed or (is_wal and has_wal and not has_index):
        return _connect_to_copy(file, stack)
    # A database in WAL mode whose WAL file is gone is complete. Without immutable=1 SQLite
    # would make new files beside it.
    is_complete = is_wal and not has_wal
    mode = "mode=ro&immutable=1" if is_complete else "mode=ro"
    database = _connect_to(f"{file.path.absolute().as_uri()}?{mode}", stack)
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        if _code(error) not in {READ_ONLY, CANNOT_OPEN}:
            raise
        return _connect_to_copy(file, stack)
    return database


def _connect_to(uri: str, stack: ExitStack) -> sqlite3.Connection:
    import sqlite3

    database = sqlite3.connect(uri, uri=True, timeout=TIMEOUT, isolation_level=None)
    stack.callback(database.close)
    return database


def _connect_to_copy(file: File, stack: ExitStack) -> sqlite3.Connection:
    """Open a copy of a database, with what SQLite keeps beside it."""
    place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="curvewise-")))
    copy = place / "database"
    ends = [] if file.is_packed else [WAL, JOURNAL]
    beside = [(File(_beside(file.path, end)), _beside(copy, end)) for end in ends]
    parts = [(file, copy), *(part for part in beside if part[0].size > 0)]
    if sum(source.size for source, _ in parts) > MAX_UNPACKED_SIZE:
        refuse(
            f"{file.path.name} was not closed properly, and is too large to be mended in a "
            "copy. Open and close it once with the program that wrote it."
        )
    for source, target in parts:
        if source.is_packed:
            target.write_bytes(source.content()[0])
        else:
            shutil.copyfile(source.path, target)
    return _connect_to(copy.as_uri(), stack)


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _code(error: sqlite3.Error) -> int:
    """Return the primary result code of an error, 0 if it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _refusal(name: str, error: sqlite3.Error) -> CurvesError:
    code = _code(error)
    if code == NOT_A_DATABASE:  # it may be anything: no run is known to be in it
        return NotALogError(f"{name} is not an SQLite database or is encrypted.")
    locked = "is locked by a program that writes to it. Read it when that is done."
    reasons = {
        BUSY: locked,
        LOCKED: locked,
        INTERRUPTED: "takes more work to read than a log of its size can: a view in it may have no "
        "end. Leave it out.",
        CORRUPT: f"is damaged: {error}.",
    }
    return CurvesError(f"{name} {reasons.get(code, f'cannot be read as a database: {error}.')}")
