from __future__ import annotations

import gzip
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from curvewise.errors import CurvesError
from curvewise.readers.parsing import files
from curvewise.readers.parsing.files import columns_of, database_claims, opened
from curvewise.readers.walk import File, walk

if TYPE_CHECKING:
    from pathlib import Path


def create(path: Path, n_rows: int = 3) -> sqlite3.Connection:
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE numbers (n INTEGER, name TEXT)")
    database.executemany("INSERT INTO numbers VALUES (?, 'x')", [(k,) for k in range(n_rows)])
    database.commit()
    return database


def count(path: Path) -> int:
    with opened(File(path)) as database:
        return int(database.execute("SELECT count(*) FROM numbers").fetchone()[0])


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_database_cannot_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "what? #1 100%.db"
    create(path).close()
    with pytest.raises(CurvesError, match="readonly"), opened(File(path)) as database:
        database.execute("DELETE FROM numbers")
    assert count(path) == 3
    assert names_in(tmp_path) == {path.name}


def test_columns(tmp_path: Path) -> None:
    create(tmp_path / "a.db").close()
    with opened(File(tmp_path / "a.db")) as database:
        assert columns_of(database, "numbers") == {"n", "name"}
        assert columns_of(database, "others") == set()


def test_a_closed_database_in_wal_mode_gets_no_files_beside_it(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")) as database:
        database.execute("PRAGMA journal_mode=wal")
    assert count(tmp_path / "a.db") == 3
    assert names_in(tmp_path) == {"a.db"}


def crashed_in_wal_mode(tmp_path: Path) -> Path:
    """A database with records that are only in its WAL file, whose index is lost."""
    live, crashed = tmp_path / "live", tmp_path / "crashed"
    live.mkdir()
    crashed.mkdir()
    with closing(create(live / "a.db")) as database:
        database.execute("PRAGMA journal_mode=wal")
        database.execute("INSERT INTO numbers VALUES (9, 'y')")
        database.commit()
        for name in ("a.db", "a.db-wal"):
            shutil.copyfile(live / name, crashed / name)
    return crashed / "a.db"


def test_a_wal_file_that_was_left_behind_is_read_in_a_copy(tmp_path: Path) -> None:
    path = crashed_in_wal_mode(tmp_path)
    assert count(path) == 4
    assert names_in(path.parent) == {"a.db", "a.db-wal"}


def test_an_unfinished_transaction_is_rolled_back_in_a_copy(tmp_path: Path) -> None:
    """A program that dies while it writes leaves the old pages in a journal."""
    live, crashed = tmp_path / "live", tmp_path / "crashed"
    live.mkdir()
    crashed.mkdir()
    with closing(create(live / "a.db", n_rows=5000)) as database:
        database.execute("PRAGMA cache_size=1")  # pages go to the file before the end
        database.execute("UPDATE numbers SET n = n + 1000000, name = 'unfinished'")
        for name in ("a.db", "a.db-journal"):
            shutil.copyfile(live / name, crashed / name)
        database.rollback()
    with opened(File(crashed / "a.db")) as database:
        assert database.execute("SELECT max(n), count(*) FROM numbers").fetchone() == (4999, 5000)
    assert names_in(crashed) == {"a.db", "a.db-journal"}


def test_a_copy_that_would_be_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = crashed_in_wal_mode(tmp_path)
    monkeypatch.setattr(files, "MAX_UNPACKED_SIZE", 1000)
    with pytest.raises(CurvesError, match="too large to be mended in a copy"):
        count(path)


def test_a_packed_database_is_unpacked(tmp_path: Path) -> None:
    create(tmp_path / "a.db").close()
    packed = tmp_path / "b.db.gz"
    packed.write_bytes(gzip.compress((tmp_path / "a.db").read_bytes()))
    assert count(packed) == 3


def test_a_locked_database_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "TIMEOUT", 0.01)
    with closing(create(tmp_path / "a.db")) as database:
        database.execute("PRAGMA locking_mode=exclusive")
        database.execute("INSERT INTO numbers VALUES (9, 'y')")
        database.commit()
        with pytest.raises(CurvesError, match=r"a.db is locked by a program that writes"):
            count(tmp_path / "a.db")


def test_text_in_another_encoding_is_no_reason_to_refuse(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db", n_rows=0)) as database:
        database.execute("INSERT INTO numbers VALUES (1, CAST(x'ff41' AS TEXT))")
        database.commit()
    with opened(File(tmp_path / "a.db")) as database:
        assert database.execute("SELECT name FROM numbers").fetchone() == ("\ufffdA",)


def test_damaged_names_of_tables_are_said(tmp_path: Path) -> None:
    """The message of SQLite would quote them, and Python could not decode it."""
    path = tmp_path / "a.db"
    create(path).close()
    path.write_bytes(
        path.read_bytes().replace(b"CREATE TABLE numbers (", b"CREATE \xa3" * 2 + b"xxxx (")
    )
    with pytest.raises(CurvesError, match=r"a.db is damaged"):
        count(path)


def test_claims_are_by_tables_whatever_the_name(tmp_path: Path) -> None:
    create(tmp_path / "storage").close()
    (tmp_path / "secret.db").write_bytes(b"\x8e" * 5000)
    (tmp_path / "notes.txt").write_text("no database")
    (folder,) = walk([tmp_path]).folders

    def claimed(*tables: str, unreadable: bool = False) -> list[str]:
        found = database_claims(folder, frozenset(tables), unreadable=unreadable)
        return [claim.files[0].name for claim in found]

    assert claimed("numbers") == ["storage"]
    assert claimed("numbers", "more") == []
    assert claimed("numbers", unreadable=True) == ["secret.db", "storage"]
