"""Files and folders that paths name: walked once, opened only when something must be known."""

from __future__ import annotations

import glob
import gzip
import json
import os
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from curvewise.data.names import natural_order
from curvewise.errors import CurvesError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from io import BufferedReader

__all__ = ["File", "Folder", "Skipped", "Walk", "walk"]

HEAD_SIZE = 4096
# What a packed file may hold, and a JSON document: more is not a training log.
MAX_UNPACKED_SIZE = 2**31
MAX_JSON_SIZE = 2**28
MAX_LINE_SIZE = 2**26
MAX_PACKED_SIZE = 2**40  # what is unpacked line by line, none of which is held
MAX_FIRST_LINE_SIZE = 2**22  # of lines that are looked at to recognise a format
MAX_FILES = 1_000_000
# Folders that hold no logs, however they are named below.
IGNORED_FOLDERS = {
    "__pycache__",
    "node_modules",
    "_resources",
    "_sources",
    "site-packages",
}
# Hidden folders that hold logs all the same, and why these are not read.
HIDDEN_STORES = {
    ".aim": "an Aim repository, which only Aim itself can read; export its runs to CSV",
}


@dataclass(frozen=True, order=True)
class Skipped:
    """What was not read, and why, in a few words."""

    path: Path
    reason: str


@dataclass(frozen=True)
class File:
    """A file of a folder."""

    path: Path

    @property
    def name(self) -> str:
        """The name of the file without ``.gz``."""
        name = self.path.name
        return name[:-3] if self.is_packed else name

    @property
    def is_packed(self) -> bool:
        """Whether the file is packed by gzip, as its name tells."""
        return self.path.name.lower().endswith(".gz")

    @property
    def size(self) -> int:
        """The size in bytes, as stored; 0 if it cannot be told."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def open(self) -> BufferedReader:
        """Open the file for reading bytes, unpacked."""
        if self.is_packed:
            return cast("BufferedReader", gzip.open(self.path, "rb"))
        return self.path.open("rb")

    def head(self) -> bytes:
        """Return the first 4,096 bytes, unpacked; nothing if the file cannot be read."""
        try:
            status = self.path.stat()
        except OSError:
            return b""
        return _head(self, status.st_size, status.st_mtime_ns)

    def first_line(self) -> str:
        """Return the first line that is not blank, without its end; at most 4,096 bytes."""
        text = self.head().decode("utf-8-sig", errors="replace")
        return next((line.strip() for line in text.splitlines() if line.strip()), "")

    def content(self) -> tuple[bytes, bool]:
        """Return all bytes, unpacked, and whether the packed file ends too early.

        Raises CurvesError if there are more than curvewise is willing to hold in memory.
        """
        parts, size, is_cut = [], 0, False
        with self.open() as file:
            while True:
                try:
                    # Not read: of a packed file that is cut it would lose the last block.
                    part = file.read1(2**20)
                except (EOFError, zlib.error):
                    is_cut = True
                    break
                if not part:
                    break
                size += len(part)
                if size > MAX_UNPACKED_SIZE:
                    msg = (
                        f"{self.path.name} holds more than {MAX_UNPACKED_SIZE / 2**30:.0f} GiB "
                        "when it is unpacked, which no training log does. Unpack it, and leave "
                        "out what is no log."
                    )
                    raise CurvesError(msg)
                parts.append(part)
        return b"".join(parts), is_cut

    def lines(self) -> Iterator[tuple[bytes, bool]]:
        """Yield each line, and whether it is whole: ended by a newline.

        Only the last line can be cut. Of a packed file that ends too early, the whole lines
        that can be unpacked are yielded, then an empty one that is not whole. What is written
        while lines are read is left for the next time. Raises CurvesError if a line is longer
        than any that a log has.
        """
        with self.open() as file:
            left = _size_left(file, is_packed=self.is_packed)
            while left > 0:
                try:
                    line = file.readline(min(MAX_LINE_SIZE, left))
                except (EOFError, zlib.error):
                    yield b"", False
                    return
                if not line:
                    return
                left -= len(line)
                if len(line) >= MAX_LINE_SIZE and not line.endswith(b"\n"):
                    msg = (
                        f"{self.path.name} has a line of more than "
                        f"{MAX_LINE_SIZE / 2**20:.0f} MiB, which no training log has."
                    )
                    raise CurvesError(msg)
                yield line, line.endswith(b"\n")

    def first_lines(self, number: int) -> list[bytes]:
        """Return the first lines, none that is longer than any that begins a log.

        There are none if the file cannot be read, or if it begins as no text does.
        """
        if self.head()[:1] in {b"", b"\0"}:
            return []
        found: list[bytes] = []
        with suppress(OSError, EOFError, zlib.error), self.open() as file:
            while len(found) < number and (line := file.readline(MAX_FIRST_LINE_SIZE)):
                if len(line) >= MAX_FIRST_LINE_SIZE:
                    break
                found.append(line)
        return found

    def json(self) -> Any:
        """Return the JSON document in the file; raise ValueError if it is none.

        NaN and Infinity are accepted, as Python writes them.
        """
        if self.size > MAX_JSON_SIZE:
            msg = f"{self.path.name} is too large to be a configuration or a log in JSON."
            raise ValueError(msg)
        try:
            return json.loads(self.content()[0])
        except RecursionError:
            msg = f"{self.path.name} is nested too deeply."
            raise ValueError(msg) from None


def _size_left(file: BufferedReader, *, is_packed: bool) -> int:
    """Return how many bytes a file has now, as far as that is known before it is unpacked."""
    if is_packed:
        return MAX_PACKED_SIZE
    try:
        return os.fstat(file.fileno()).st_size
    except OSError:  # a member of an archive
        return MAX_PACKED_SIZE


@lru_cache(maxsize=4096)
def _head(file: File, _size: int, _written: int) -> bytes:
    """Return how a file begins; once for each size and time, as logs are read while they grow."""
    try:
        with file.open() as stream:
            head = b""
            try:
                while len(head) < HEAD_SIZE and (part := stream.read1(HEAD_SIZE)):
                    head += part
            except (EOFError, zlib.error):
                pass  # a packed file that is cut
            return head[:HEAD_SIZE]
    except (OSError, EOFError, zlib.error):
        return b""


@dataclass
class Folder:
    """A folder as the walk found it.

    Attributes
    ----------
    path : Path
    parent : Folder or None
        The folder above, unless this is one that was asked for.
    files : dict from name to File
        By name as stored, in natural order. Those that a format claims are taken out, so that
        the formats after it do not see them.
    folders : dict from name to Folder
    """

    path: Path
    parent: Folder | None = None
    files: dict[str, File] = field(default_factory=dict)
    folders: dict[str, Folder] = field(default_factory=dict)

    def tree(self) -> Iterator[Folder]:
        """Yield this folder and all below it, parents first."""
        yield self
        for folder in self.folders.values():
            yield from folder.tree()

    def find(self, *parts: str) -> Folder | None:
        """Return the folder below this one at these names, if there is one."""
        folder: Folder | None = self
        for part in parts:
            folder = folder and folder.folders.get(part)
        return folder


@dataclass
class Walk:
    """What paths name: folders with their files, and what could not be read.

    Attributes
    ----------
    root : Path
        The folder that all paths share; runs are named by their place below it.
    folders : list of Folder
        All folders, parents before their children. A file that was asked for by itself is in a
        folder that holds only what was asked for.
    skipped : list of Skipped
    """

    root: Path
    folders: list[Folder]
    skipped: list[Skipped]


def walk(paths: Sequence[str | os.PathLike[str]]) -> Walk:
    """Find the files that paths name: files, folders with all below them, patterns.

    Links are followed, each file and folder is read once; hidden files and folders are left out.
    Raises CurvesError if a path does not exist, or a pattern matches nothing.
    """
    named = [found for path in paths for found in _named(Path(path))]
    roots: dict[Path, Folder] = {}
    walk = Walk(_root(named), [], [])
    seen: set[tuple[int, int]] = set()
    n_files = 0
    read: set[tuple[int, int]] | None = None
    for path in sorted(dict.fromkeys(named), key=_is_another_name):
        if path.is_dir():
            if path.name in HIDDEN_STORES:
                walk.skipped.append(Skipped(path, HIDDEN_STORES[path.name]))
                continue
            n_files += _walk_folder(path, walk, seen)
        else:
            if read is None:
                read = _ids(walk)
            if _id(File(path)) in read:
                continue
            read.add(_id(File(path)))
            parent = roots.get(path.parent)
            if parent is None:
                parent = roots[path.parent] = Folder(path.parent)
                walk.folders.append(parent)
            parent.files[path.name] = File(path)
            n_files += 1
        if n_files > MAX_FILES:
            msg = (
                f"There are more than {MAX_FILES:,} files below {str(path)!r}. Name the folders "
                "that hold the logs."
            )
            raise CurvesError(msg)
    return walk


def _named(path: Path) -> list[Path]:
    """Return what a path names: itself, or what it matches as a pattern."""
    if os.path.lexists(path):
        try:
            path.stat()
        except OSError as error:
            msg = f"{str(path)!r} cannot be read: {error.strerror}."
            raise CurvesError(msg) from None
        return [path]
    if not glob.has_magic(str(path)):
        msg = f"There is no file or folder {str(path)!r}. Check the name."
        raise CurvesError(msg)
    found = natural_order(glob.glob(str(path), recursive=True))  # noqa: PTH207 (absolute patterns)
    if not found:
        msg = (
            f"Nothing matches the pattern {str(path)!r}. Check it, and put it in quotes."
        )
        raise CurvesError(msg)
    return [Path(name) for name in found]


def _is_another_name(path: Path) -> tuple[bool, bool]:
    """Return what puts files after folders, which may hold them, and links after all else."""
    return not path.is_dir(), path.resolve() != Path(os.path.abspath(path))  # noqa: PTH100 (without ..)


def _root(named: Iterable[Path]) -> Path:
    """Return the folder that all paths share."""
    folders = [path if path.is_dir() else path.parent for path in named]
    return Path(os.path.commonpath([os.path.abspath(folder) for folder in folders]))  # noqa: PTH100 (without ..)


def _walk_folder(top: Path, walk: Walk, seen: set[tuple[int, int]]) -> int:
    """Add a folder and all below it; return how many files it holds.

    Links are followed when all else is known, so that what is in the tree under its own name
    is not read again under another.
    """
    n_files = 0
    waiting = [Folder(top)]
    links: list[Folder] = []
    linked: list[tuple[Folder, File]] = []
    while waiting or links:
        folder = waiting.pop() if waiting else links.pop(0)
        try:
            status = folder.path.stat()
            entries = _entries(folder.path)
        except OSError as error:
            walk.skipped.append(
                Skipped(folder.path, f"cannot be opened ({error.strerror})")
            )
            continue
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        walk.folders.append(folder)
        if folder.parent is not None:
            folder.parent.folders[folder.path.name] = folder
        below: list[Folder] = []
        for entry in entries:
            path = folder.path / entry.name
            if entry.name in HIDDEN_STORES and path.is_dir():
                walk.skipped.append(Skipped(path, HIDDEN_STORES[entry.name]))
            if entry.name.startswith("."):
                continue
            if _is(entry.is_dir):
                if entry.name not in IGNORED_FOLDERS:
                    found = links if entry.is_symlink() else below
                    found.append(Folder(path, folder))
            elif not _is(entry.is_file):
                walk.skipped.append(Skipped(path, "not a regular file, or a broken link"))
            elif entry.is_symlink():
                linked.append((folder, File(path)))
            else:
                folder.files[entry.name] = File(path)
                n_files += 1
        waiting.extend(reversed(below))
        if n_files > MAX_FILES:
            break
    return n_files + _add_linked(linked, walk)


def _entries(path: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder, in natural order."""
    with os.scandir(path) as found:
        entries = {entry.name: entry for entry in found}
    return [entries[name] for name in natural_order(entries)]


def _is(is_kind: Callable[[], bool]) -> bool:
    """Whether an entry is of a kind; what cannot be told is not."""
    try:
        return is_kind()
    except OSError:
        return False


def _add_linked(linked: list[tuple[Folder, File]], walk: Walk) -> int:
    """Add files that are links, unless what they link to is read; return how many."""
    if not linked:
        return 0
    known = _ids(walk)
    n_files = 0
    for folder, file in linked:
        if _id(file) not in known:
            known.add(_id(file))
            files = {**folder.files, file.path.name: file}
            folder.files = {name: files[name] for name in natural_order(files)}
            n_files += 1
    return n_files


def _ids(walk: Walk) -> set[tuple[int, int]]:
    """Return what tells apart the files that were found, whatever they are called."""
    return {_id(file) for folder in walk.folders for file in folder.files.values()}


def _id(file: File) -> tuple[int, int]:
    try:
        status = file.path.stat()
    except OSError:
        return -1, hash(file.path)
    return status.st_dev, status.st_ino
