"""SQLite databases that trackers keep runs in: opened for reading only, and never changed."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.readers.folders import MAX_UNPACKED_SIZE, File
from curvewise.readers.logged import NotALogError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from curvewise.readers.folders import Folder

__all__ = ["columns_of", "database_claims", "opened"]

MAGIC = b"SQLite format 3\0"
SUFFIXES = (".db", ".sqlite", ".sqlite3")
# Where SQLite keeps what is not yet in the database itself.
WAL, WAL_INDEX, JOURNAL = "-wal", "-shm", "-journal"
# Bytes 18 and 19 of a database that is written through a WAL file.
WAL_VERSION = b"\2\2"
TIMEOUT = 2.0  # seconds to wait for a program that writes
# Primary result codes of SQLite.
BUSY, LOCKED, READ_ONLY, CORRUPT, CANNOT_OPEN, NOT_A_DATABASE = 5, 6, 8, 11, 14, 26


def database_claims(
    folder: Folder, tables: frozenset[str], *, unreadable: bool = False
) -> Iterator[tuple[File, ...]]:
    """Yield the databases of a folder that have all of these tables.

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
            yield (file, *(other for other in beside if other is not None))


@contextmanager
def opened(file: File) -> Iterator[sqlite3.Connection]:
    """Open a database for reading; errors of SQLite inside the block become CurvesError.

    It is NotALogError if the file is no database, or an encrypted one.

    What is in a WAL file, or must be rolled back after a crash, is taken into account. Where
    SQLite would have to write for that, and for a packed file, a copy is opened.
    """
    import sqlite3

    with ExitStack() as stack:
        try:
            database = _connect(file, stack)
            # Names in another encoding are no reason to refuse.
            database.text_factory = lambda text: text.decode("utf-8", errors="replace")
            yield database
        except sqlite3.Error as error:
            # What cannot be opened at all may be anything: no run is known to be in it.
            is_other = _code(error) == NOT_A_DATABASE
            kind = NotALogError if is_other else CurvesError
            raise kind(_reason(file, error)) from None
        except UnicodeDecodeError:
            # SQLite quotes in its message what cannot be decoded.
            msg = f"{file.path.name} is damaged: the names of its tables cannot be read."
            raise CurvesError(msg) from None


def columns_of(database: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of the columns of a table."""
    rows = database.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {row[0] for row in rows}


def _connect(file: File, stack: ExitStack) -> sqlite3.Connection:
    import sqlite3

    is_wal = file.head()[18:20] == WAL_VERSION
    if file.is_packed or (is_wal and not _has_index(file.path)):
        return _connect_to_copy(file, stack)
    # A database in WAL mode whose WAL file is gone is complete. Without immutable=1 SQLite
    # would make new files beside it.
    is_complete = is_wal and not _is_filled(_beside(file.path, WAL))
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
        msg = (
            f"{file.path.name} was not closed properly, and is too large to be mended in a "
            "copy. Open and close it once with the program that wrote it."
        )
        raise CurvesError(msg)
    for source, target in parts:
        if source.is_packed:
            target.write_bytes(source.content()[0])
        else:
            shutil.copyfile(source.path, target)
    return _connect_to(copy.as_uri(), stack)


def _has_index(path: Path) -> bool:
    """Whether a WAL file can be read in place: it has its index, or there is nothing in it."""
    return _beside(path, WAL_INDEX).exists() or not _is_filled(_beside(path, WAL))


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _is_filled(path: Path) -> bool:
    return File(path).size > 0


def _code(error: sqlite3.Error) -> int:
    """Return the primary result code of an error, 0 if it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _reason(file: File, error: sqlite3.Error) -> str:
    name, code = file.path.name, _code(error)
    if code == NOT_A_DATABASE:
        return f"{name} is not an SQLite database or is encrypted."
    if code in {BUSY, LOCKED}:
        return (
            f"{name} is locked by a program that writes to it. Read it when that is done."
        )
    if code == CORRUPT:
        return f"{name} is damaged: {error}."
    return f"{name} cannot be read as a database: {error}."
