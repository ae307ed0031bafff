"""Files of a session: numbers in a folder of its own, counted, cleaned, removed."""

from __future__ import annotations

import asyncio
import gzip
import io
import stat
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise.serve.work import Limits, Store, TooLargeError, WrongKindError, clean_parts, unread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from curvewise.serve.work import Kept


@pytest.fixture
def store() -> Iterator[Store]:
    own = Store(Limits(size=10_000, files=3))
    yield own
    own.close()


def add(store: Store, name: str, content: bytes, length: int | None = None) -> Kept:
    async def blocks() -> AsyncIterator[bytes]:
        for start in range(0, len(content), 4_000):
            yield content[start : start + 4_000]

    return asyncio.run(store.add(name, length, blocks()))


def files_of(store: Store) -> list[Path]:
    return list((store.folder / "files").iterdir())


def test_files_are_numbers_in_a_folder_that_only_the_user_reads(store: Store) -> None:
    kept = add(store, "../../etc/runs.csv", b"a,b\n1,2\n")
    (file,) = files_of(store)
    assert file.name == kept.number
    assert kept.number.isdigit()
    for folder in (store.folder, file.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    store.close()
    assert not store.folder.exists()


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "..\\..\\x",
        "a/../../b",
        "a\0b/\n",
        "....//x",
        ".",
        "",
        "x" * 5_000,
        "é" * 900 + ".csv",
        "/".join("abcdefghijklmnopqrstuvwxyz"),
    ],
)
def test_cleaned_names_stay_below_any_folder(name: str, tmp_path: Path) -> None:
    place = tmp_path.joinpath(*clean_parts(name))
    assert place.resolve().is_relative_to(tmp_path)
    assert place != tmp_path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("it can be written", encoding="utf-8")


def test_readers_see_names_and_folders_as_they_were_dropped(store: Store) -> None:
    numbers = [
        add(store, "runs/ppo/seed1.csv", b"1").number,
        add(store, "runs/../../../x.csv", b"2").number,
        add(store, "runs/ppo", b"3").number,  # the name of a folder
    ]
    folder, paths = store.laid_out(numbers)
    assert folder is not None
    assert folder.parent == store.folder
    assert paths == ["runs"]
    assert (folder / "runs" / "ppo" / "seed1.csv").read_bytes() == b"1"
    assert (folder / "runs" / "x.csv").read_bytes() == b"2"
    assert (folder / "runs" / "2-ppo").read_bytes() == b"3"


def test_a_folder_may_have_the_name_of_a_file(store: Store) -> None:
    numbers = [add(store, name, b"1").number for name in ("a", "a/b/c.csv")]
    folder, paths = store.laid_out(numbers)
    assert folder is not None
    assert paths == ["a", "a_"]
    assert (folder / "a_" / "b" / "c.csv").exists()


def test_files_of_the_command_line_are_read_in_place(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes(b"1")
    here = store.in_place(path)
    assert store.laid_out([here.number]) == (None, [str(path)])
    sent = add(store, "more.csv", b"2")
    folder, paths = store.laid_out([here.number, sent.number])
    assert folder is not None
    assert paths == [str(path), "more.csv"]
    store.remove([here.number, sent.number, "17"])
    assert path.exists()
    assert files_of(store) == []


def test_a_file_that_is_dropped_again_takes_the_place_of_the_first(store: Store) -> None:
    add(store, "runs.csv", b"1")
    again = add(store, "runs.csv", b"22")
    assert list(store.kept) == [again.number]
    assert store.size == 2


def test_what_is_too_large_leaves_nothing_behind(store: Store) -> None:
    with pytest.raises(TooLargeError, match=r"up to 0 MB, unpacked.*curvewise serve FILE"):
        add(store, "a.csv", b"1", length=10_001)
    with pytest.raises(TooLargeError, match="--max-size"):
        add(store, "a.csv", b"1" * 10_001)  # no length was announced
    assert files_of(store) == []
    assert store.size == 0
    add(store, "a.csv", b"1" * 6_000)
    with pytest.raises(TooLargeError):
        add(store, "b.csv", b"1" * 6_000, length=10)  # a wrong one was
    assert len(files_of(store)) == 1


def test_too_many_files_are_refused(store: Store) -> None:
    for name in "abc":
        add(store, f"{name}.csv", b"1")
    with pytest.raises(TooLargeError, match=r"up to 3 files.*--max-files"):
        add(store, "d.csv", b"1")


def test_packed_files_count_unpacked(store: Store) -> None:
    bomb = gzip.compress(b"0" * 1_000_000)
    assert len(bomb) < 2_000
    with pytest.raises(TooLargeError, match="unpacked"):
        add(store, "a.csv.gz", bomb)
    twice = gzip.compress(b"0" * 6_000) * 2  # one after the other
    with pytest.raises(TooLargeError, match="unpacked"):
        add(store, "a.csv.gz", twice)
    archive = io.BytesIO()
    np.savez_compressed(archive, A=np.zeros((100, 100)))
    with pytest.raises(TooLargeError, match="unpacked"):
        add(store, "a.npz", archive.getvalue())
    assert files_of(store) == []
    kept = add(store, "a.csv.gz", gzip.compress(b"0" * 3_000))
    assert kept.weight == store.size == 3_000
    add(store, "b.csv.gz", b"this is not packed")  # the reader will say so


def test_kinds_that_are_not_read_are_told_so(store: Store) -> None:
    with pytest.raises(WrongKindError, match="pickles are not read, because loading one"):
        add(store, "runs.pkl", b"1")
    with pytest.raises(WrongKindError, match="spreadsheets are not read"):
        add(store, "runs.xlsx", b"1")
    with pytest.raises(WrongKindError, match=r"photo\.png is not a table or a training log"):
        add(store, "a/photo.png", b"1")
    with pytest.raises(WrongKindError, match="pickles are not read"):
        add(store, "runs.csv", b"\x80\x04\x95rest")  # whatever it is called
    assert files_of(store) == []


@pytest.mark.parametrize(
    "name",
    [
        *("a.csv", "A.CSV.GZ", "a.tsv", "a.parquet", "a.jsonl", "a.npz", "a.npy", "b.db"),
        *("run/events.out.tfevents.1.host.2", "log_7", "x/metrics/val.loss", "meta.yaml"),
        *("mlflow.runName", "run-1.wandb", ".hydra/config.yaml", "progress.txt"),
    ],
)
def test_what_readers_read_is_taken(name: str) -> None:
    assert unread(name) is None


def test_a_transfer_that_breaks_off_leaves_nothing(store: Store) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"1"
        raise ConnectionError

    with pytest.raises(ConnectionError):
        asyncio.run(store.add("a.csv", None, broken()))
    assert files_of(store) == []
    assert store.size == 0
