"""walk() and File: what paths name, each folder once, packed files as if they were not."""

from __future__ import annotations

import gzip
import os
import re
from pathlib import Path

import pytest

from curvewise import CurvesError
from curvewise.readers import walk as folders
from curvewise.readers.walk import File, Skipped, walk
from tests.platforms import needs_links


def names(found: folders.Walk) -> list[str]:
    """Return all files of a walk, below its root."""
    return [
        os.path.relpath(file.path, found.root)
        for folder in found.folders
        for file in folder.files.values()
    ]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b/10/log.csv", "b/9/log.csv", "a/log.csv", ".git/x", "__pycache__/y"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("step,score\n0,1\n")
    return tmp_path


def test_files_come_in_natural_order_without_hidden_ones(tree: Path) -> None:
    found = walk([tree])
    assert found.root == tree
    assert names(found) == ["a/log.csv", "b/9/log.csv", "b/10/log.csv"]
    assert found.skipped == []


def test_folders_know_their_parents_and_children(tree: Path) -> None:
    top = walk([tree]).folders[0]
    inner = top.folders["b"].folders["10"]
    assert inner.parent is not None
    assert inner.parent.parent is top
    assert [folder.path.name for folder in inner.beside] == ["9"]
    assert top.beside == []
    assert top.files_below("b") == [
        *top.folders["b"].folders["9"].files.values(),
        *inner.files.values(),
    ]
    assert top.files_below("b", "11") == []
    assert [folder.path.name for folder in top.tree()][1:] == ["a", "b", "9", "10"]


def test_the_root_is_what_all_paths_share(tree: Path) -> None:
    assert walk([tree / "b" / "9", tree / "b" / "10"]).root == tree / "b"
    assert walk([tree / "b" / "9" / "log.csv"]).root == tree / "b" / "9"


def test_patterns_files_and_repeated_paths(tree: Path) -> None:
    assert names(walk([f"{tree}/b/*"])) == ["9/log.csv", "10/log.csv"]
    assert names(walk([f"{tree}/**/log.csv"])) == ["a/log.csv", "b/9/log.csv", "b/10/log.csv"]
    assert names(walk([tree / "a", tree / "a"])) == ["log.csv"]


def test_a_folder_that_is_asked_for_with_one_below_it_is_read_once(tree: Path) -> None:
    found = walk([tree, tree / "a"])
    assert names(found) == ["a/log.csv", "b/9/log.csv", "b/10/log.csv"]


def test_a_name_that_looks_like_a_pattern_is_a_name(tmp_path: Path) -> None:
    (tmp_path / "run[1]").mkdir()
    (tmp_path / "run[1]" / "log.csv").write_text("x\n")
    assert names(walk([tmp_path / "run[1]"])) == ["log.csv"]


@needs_links
def test_loops_of_links_end(tree: Path) -> None:
    (tree / "b" / "loop").symlink_to(tree)
    (tree / "again").symlink_to(tree / "a")
    found = walk([tree])
    assert sorted(names(found)) == ["a/log.csv", "b/10/log.csv", "b/9/log.csv"]
    assert found.skipped == []


@needs_links
def test_what_is_linked_to_is_read_under_its_own_name(tree: Path) -> None:
    # As W&B makes wandb/latest-run, and users latest.csv.
    (tree / "a" / "latest").symlink_to(tree / "b")
    (tree / "a" / "first.csv").symlink_to(tree / "b" / "9" / "log.csv")
    (tree / "a" / "kept.csv").symlink_to(tree / ".git" / "x")
    files = names(walk([tree]))
    assert files == ["a/kept.csv", "a/log.csv", "b/9/log.csv", "b/10/log.csv"]


@needs_links
def test_a_pattern_that_matches_a_link_too_names_each_file_once(tree: Path) -> None:
    (tree / "a-latest").symlink_to(tree / "b" / "10")
    (tree / "b" / "9" / "again.csv").symlink_to(tree / "a" / "log.csv")
    for pattern in ("[ab]*", "**/*.csv"):
        files = names(walk([tree / pattern]))
        assert files == ["a/log.csv", "b/9/log.csv", "b/10/log.csv"], pattern


def test_a_file_that_is_asked_for_with_its_folder_is_read_once(tree: Path) -> None:
    assert names(walk([tree / "a" / "log.csv", tree / "a"])) == ["log.csv"]


@needs_links
def test_broken_links_and_pipes_are_skipped_and_said(tree: Path) -> None:
    (tree / "gone").symlink_to(tree / "nowhere")
    os.mkfifo(tree / "pipe")
    assert sorted(walk([tree]).skipped) == [
        Skipped(tree / "gone", "not a regular file, or a broken link", is_lost=True),
        Skipped(tree / "pipe", "not a regular file, or a broken link"),
    ]


def test_folders_that_cannot_be_opened_are_skipped(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = os.scandir

    def refuse(path: Path) -> object:
        if Path(path).name == "a":
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = walk([tree])
    assert names(found) == ["b/9/log.csv", "b/10/log.csv"]
    reason = "cannot be opened (Permission denied)"
    assert found.skipped == [Skipped(tree / "a", reason, is_lost=True)]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere", "There is no file or folder '.*nowhere'"),
        ("*.xyz", "Nothing matches the pattern"),
    ],
)
def test_paths_that_name_nothing_are_refused(tree: Path, path: str, message: str) -> None:
    with pytest.raises(CurvesError, match=message):
        walk([tree / path])


def test_too_many_files_are_refused(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MAX_FILES", 2)
    with pytest.raises(CurvesError, match="more than 2 files"):
        walk([tree])


def test_names_with_newlines_are_names(tmp_path: Path) -> None:
    path = tmp_path / "two\nlines.csv"
    path.write_text("step,score\n0,1\n")
    assert names(walk([tmp_path])) == ["two\nlines.csv"]


# --- Files ---------------------------------------------------------------------------


def packed(tmp_path: Path, data: bytes, name: str = "log.jsonl.gz") -> File:
    path = tmp_path / name
    path.write_bytes(gzip.compress(data))
    return File(path)


def test_packed_files_read_as_if_they_were_not(tmp_path: Path) -> None:
    file = packed(tmp_path, b'{"a": NaN}\n{"a": 1}\n')
    assert file.name == "log.jsonl"
    assert file.first_line() == '{"a": NaN}'
    assert file.content() == (b'{"a": NaN}\n{"a": 1}\n', False)
    assert list(file.lines()) == [(b'{"a": NaN}\n', True), (b'{"a": 1}\n', True)]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_text_is_in_utf_8_without_a_mark(tmp_path: Path, encoding: str, name: str) -> None:
    text = '{"name": "größe"}\n{"name": "b"}\n'
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    data = f"{mark}{text}".encode(encoding)
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    file = File(path)
    assert file.head() == text.encode()
    assert file.content() == (text.encode(), False)
    assert [line.decode() for line, _ in file.lines()] == text.splitlines(keepends=True)
    assert [line.decode() for line in file.first_lines(1)] == ['{"name": "größe"}\n']


def test_a_packed_file_that_ends_too_early_gives_what_it_has(tmp_path: Path) -> None:
    lines = b"".join(b"%d,%d\n" % (k, k * 7919 % 1013) for k in range(20_000))
    file = packed(tmp_path, lines)
    whole = file.path.read_bytes()
    file.path.write_bytes(whole[: len(whole) // 2])
    data, is_cut = file.content()
    assert is_cut
    assert lines.startswith(data)
    found = [line for line, is_whole in file.lines() if is_whole]
    assert b"".join(found) == lines[: len(b"".join(found))]


def test_the_last_line_may_be_cut(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(b"a\nb")
    assert list(File(path).lines()) == [(b"a\n", True), (b"b", False)]


def test_packed_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MAX_UNPACKED_SIZE", 2**20)
    file = packed(tmp_path, bytes(2**22))
    with pytest.raises(CurvesError, match="holds more than"):
        file.content()


def test_json_that_is_none_is_a_value_error(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("[" * 100_000)
    with pytest.raises(ValueError, match="nested too deeply"):
        File(path).json()
    path.write_text('{"a": [1, 2')
    with pytest.raises(ValueError, match=re.escape("Expecting")):
        File(path).json()


def test_json_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "MAX_JSON_SIZE", 10)
    path = tmp_path / "a.json"
    path.write_text('{"a": "0123456789"}')
    with pytest.raises(ValueError, match="too large"):
        File(path).json()


def test_a_file_that_cannot_be_opened_has_no_head_and_no_size(tmp_path: Path) -> None:
    file = File(tmp_path / "gone")
    assert file.head() == b""
    assert file.size == 0


def test_the_lines_of_a_packed_file_that_is_cut(tmp_path: Path) -> None:
    text = "".join(f"{number} {number**7}\n" for number in range(5_000)).encode()
    packed = gzip.compress(text)
    path = tmp_path / "a.txt.gz"
    path.write_bytes(packed)
    assert list(File(path).lines()) == [(line, True) for line in text.splitlines(True)]
    path.write_bytes(packed[: len(packed) // 2])
    *lines, last = File(path).lines()
    assert last == (b"", False)
    assert lines == [(line, True) for line in text.splitlines(True)][: len(lines)]
    assert len(lines) > 1_000


def test_an_aim_repository_is_skipped_and_said(tmp_path: Path) -> None:
    (tmp_path / ".aim" / "meta").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.txt").write_text("1\n")
    found = walk([tmp_path])
    assert [folder.path for folder in found.folders] == [tmp_path]
    reason = "an Aim repository, which only Aim itself can read; export its runs to CSV"
    assert found.skipped == [Skipped(tmp_path / ".aim", reason)]


def test_reading_ends_though_writing_does_not(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"{}\n{}\n")
    found = []
    with path.open("ab", buffering=0) as writing:
        for line in File(path).lines():
            found.append(line)
            writing.write(b"{}\n" * 10_000)
    assert found == [(b"{}\n", True)] * 2


def test_lines_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MAX_LINE_SIZE", 10)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"{}\n" + b"0" * 10)
    with pytest.raises(CurvesError, match="has a line of more than"):
        list(File(path).lines())


def test_first_lines_are_those_of_text(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a\nb\nc")
    assert File(path).first_lines(2) == [b"a\n", b"b\n"]
    assert File(tmp_path / "gone").first_lines(2) == []
    nothing = tmp_path / "nothing"
    nothing.write_bytes(bytes(100))
    assert File(nothing).first_lines(2) == []
