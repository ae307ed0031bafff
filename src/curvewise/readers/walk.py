"""Files and folders that paths name, walked once, and what a log in them holds."""

from __future__ import annotations

import glob
import gzip
import json
import os
import re
import sys
import threading
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import numpy as np

from curvewise.data.tables import natural_order
from curvewise.errors import CurvesError, CurvewiseError, refuse
from curvewise.records import UNTOLD, As
from curvewise.text import encodable, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from io import BufferedReader

    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers


DOUBLE = float(np.finfo(np.float64).eps)
SINGLE = float(np.finfo(np.float32).eps)
# The status of a run whose points cannot be read.
UNREADABLE = "unreadable"

# Names that loggers give to what one episode brought; means of many are called otherwise.
EPISODE_METRIC = re.compile(
    r"(?:^|[/.: ])(?:episod(?:e|ic)|ep)[_ ]?(?:return|reward|rew|ret|score|length|len)s?$",
    re.IGNORECASE,
)
EVALUATION = re.compile(r"(?:^|[^a-z])(?:eval|test|val)", re.IGNORECASE)


def counts_episodes(metric: str) -> bool:
    """Whether the name of a metric says that each record of it is an episode of training.

    >>> [counts_episodes(name) for name in ("charts/episodic_return", "rollout/ep_rew_mean")]
    [True, False]
    """
    return bool(EPISODE_METRIC.search(metric)) and not EVALUATION.search(metric)


class NotALogError(CurvesError):
    """Raised for files that are recognised but never read (pickles); no run is lost with them."""


class NotGivenError(CurvesError):
    """The system does not give a file: it may not be read, is gone, or its disk fails."""


class NoSuchStepsError(CurvesError):
    """A log does not have what is wanted as steps, and the message lists what it has."""


def unreadable(name: str, error: OSError) -> CurvesError:
    """Return the error for a file that cannot be opened, or not be read to its end.

    It is NotGivenError unless the file itself is at fault, as a damaged packed one.
    """
    kind = NotGivenError if error.strerror else CurvesError
    return kind(f"{name} cannot be read: {error.strerror or error}.")


@dataclass(frozen=True)
class Claim:
    """Files that a format takes as the log of a run, or of several runs.

    Attributes
    ----------
    home : Path
        The folder or the file that stands for the run: its place names it, and the logs of
        several formats with the same home are of the same run.
    files : tuple of File
        What is read; no other format may claim it. The first file is what the claim is about.
    prefix : str
        What is put before the names of its metrics, such as ``train/``.
    """

    home: Path
    files: tuple[File, ...]
    prefix: str = ""


@dataclass(frozen=True)
class Wanted:
    """What is to be read of a log.

    Attributes
    ----------
    metrics : frozenset of str, optional
        The names of the metrics; all of them by default.
    x : str, optional
        What counts as the step: a column, "step", "epoch", "time" and so on, as the log has
        them; the usual one of the format by default.
    """

    metrics: frozenset[str] | None = None
    x: str | None = None

    def __contains__(self, metric: str) -> bool:
        """Whether a metric is wanted: by its name, or by the part after a ``source:``."""
        if self.metrics is None:
            return True
        return metric in self.metrics or metric.partition(":")[2] in self.metrics


@dataclass(frozen=True)
class Series:
    """The records of one metric of one run, in the order in which they were written.

    Attributes
    ----------
    steps, scores : array, (n_records,)
        A score may be NaN: training diverged. A record without a score is not a record.
    sessions : array of int, (n_records,), optional
        Which session wrote a record, where the log tells: a run that is resumed begins a new
        one. Steps that go back tell it as well.
    of_episodes : bool
        Whether a record is an episode, so that steps are wherever episodes ended.
    precision : float
        The machine epsilon of the type that scores were stored in.
    x : str
        What the steps are, where they are not those of the run.
    """

    steps: Floats
    scores: Floats
    sessions: Integers | None = None
    of_episodes: bool = False
    precision: float = DOUBLE
    x: str = ""

    def rows(self, kept: npt.NDArray[Any]) -> Series:
        """Return some of the records: those that are marked, or those at some places."""
        sessions = None if self.sessions is None else self.sessions[kept]
        return replace(self, steps=self.steps[kept], scores=self.scores[kept], sessions=sessions)


@dataclass
class LoggedRun:
    """A run as one log has it.

    Attributes
    ----------
    series : dict from metric to Series
        Those that were wanted and are there.
    x : str
        What the steps are, as the log calls it; a series may have others.
    other_x : tuple of str
        What else could be the steps.
    key : str
        The name of the run inside a store that holds several: an id, a column, a number.
    labels : mapping
        What the log itself says a run is: "algorithm", "run", "task", "block". It goes before
        what paths and configurations tell.
    config : mapping
        The configuration, where the log holds it; may be nested.
    status : str
        "failed", "killed", "running", "pruned", "deleted", "parent" (it only holds other runs
        together), or nothing.
    lower_is_better : bool or None
        Whether low scores are good, where the log itself says so; None where only the names of
        metrics can tell.
    notes : list of str
        What was left out or mended, in a sentence each without the name of the run.
    """

    series: dict[str, Series] = field(default_factory=dict)
    x: str = "step"
    other_x: tuple[str, ...] = ()
    key: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    status: str = ""
    lower_is_better: bool | None = None
    notes: list[str] = field(default_factory=list)


MAX_REASON = 160  # characters of what a library says
STANDARD_ERROR = 2
_standard_error = threading.Lock()


@contextmanager
def explained(path: Path, what: str) -> Iterator[None]:
    """Turn any failure to read a file as ``what``, a format, into a CurvesError.

    Files come from anywhere, and libraries fail at what they do not expect in many ways. Only
    a lack of memory, which is no matter of the file, passes as it is. What was raised is kept
    as the cause of the CurvesError.
    """
    name = encodable(path.name)
    try:
        yield
    except (CurvewiseError, MemoryError):
        raise
    except BaseException as error:
        if isinstance(error, OSError) and error.strerror:
            at = error.filename if isinstance(error.filename, str) else name
            raise unreadable(encodable(os.path.basename(at)), error) from error  # noqa: PTH119
        if not isinstance(error, Exception) and not _is_panic(error):
            raise  # an interrupt
        msg = f"{name} cannot be read as {what}: {_reason(error)}. Write the file again."
        if isinstance(error, UnicodeDecodeError):
            msg = f"{name} is not text in UTF-8. Save it with that encoding."
        elif isinstance(error, RecursionError):
            msg = f"{name} is nested too deeply to be {what}."
        raise CurvesError(msg) from error


@contextmanager
def files_given(name: str = "") -> Iterator[None]:
    """Turn what the system says of a file that it does not give into a NotGivenError.

    The file is called by its name, or else as the system calls it.
    """
    try:
        yield
    except BrokenPipeError:
        raise  # nobody reads what is said meanwhile
    except OSError as error:
        raise unreadable(name or str(error.filename or "A file"), error) from error


def _is_panic(error: BaseException) -> bool:
    """Whether code in Rust gave up; what it raises then is no Exception."""
    return type(error).__name__ == "PanicException"


def _reason(error: BaseException) -> str:
    """Return the first line of what was said, without what would end a sentence."""
    lines = [] if _is_panic(error) else str(error).strip().splitlines()
    if not lines:
        return "its data are damaged"
    return shortened(lines[0], MAX_REASON).rstrip(".")


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Drop what code in Rust writes to standard error when it gives up.

    It says so by an exception as well. What is written by others, or when nothing goes wrong,
    is written when the block ends.
    """
    import tempfile

    with _standard_error, ExitStack() as stack:
        try:
            sys.stderr.flush()
            kept = stack.enter_context(tempfile.TemporaryFile())
            usual = os.dup(STANDARD_ERROR)
        except (AttributeError, OSError, ValueError):  # there is none, or no room
            yield
            return
        stack.callback(os.close, usual)
        is_panic = False
        os.dup2(kept.fileno(), STANDARD_ERROR)
        try:
            yield
        except BaseException as error:
            is_panic = _is_panic(error)
            raise
        finally:
            os.dup2(usual, STANDARD_ERROR)
            if not is_panic:
                kept.seek(0)
                with suppress(OSError):
                    os.write(STANDARD_ERROR, kept.read())


HEAD_SIZE = 4096
BLOCK_SIZE = 2**20  # bytes that are read at once
# What a packed file may hold, and a JSON document: more is not a training log.
MAX_UNPACKED_SIZE = 2**31
MAX_JSON_SIZE = 2**28
MAX_LINE_SIZE = 2**26
MAX_PACKED_SIZE = 2**40  # what is unpacked line by line, none of which is held
MAX_FIRST_LINE_SIZE = 2**22  # of lines that are looked at to recognise a format
MAX_FILES = 1_000_000
# Folders that hold no logs, however they are named below.
IGNORED_FOLDERS = {"__pycache__", "node_modules", "_resources", "_sources", "site-packages"}
# Hidden folders that hold logs all the same, and why these are not read.
HIDDEN_STORES = {
    ".aim": "an Aim repository, which only Aim itself can read; export its runs to CSV"
}


@dataclass(frozen=True, order=True)
class Skipped:
    """What was not read, and why, in a few words; lost, if the system did not give it."""

    path: Annotated[Path, As(str)] = field(metadata={"through": str})
    reason: str
    is_lost: bool = field(default=False, metadata=UNTOLD)


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

    @property
    def refusal(self) -> str:
        """Why the system does not give the file; nothing if it does."""
        try:
            with self.path.open("rb") as file:
                file.read(1)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def open(self) -> BufferedReader:
        """Open the file for reading bytes, unpacked, those of text in UTF-8 without its mark.

        Text in UTF-16, as some shells of Windows write it, is told by the mark it begins with.
        """
        opened = gzip.open(self.path, "rb") if self.is_packed else self.path.open("rb")  # noqa: SIM115
        file = cast("BufferedReader", opened)
        with suppress(EOFError, zlib.error):  # reading says so again
            start = file.peek(len(BOM_UTF8))
            if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                text = file.read(MAX_LINE_SIZE).decode("utf-16", errors="replace")
                if not file.read(1):  # else it is too long to be held, and will be skipped
                    file.close()
                    return cast("BufferedReader", BytesIO(text.encode()))
                file.seek(0)
            elif start.startswith(BOM_UTF8):
                file.read(len(BOM_UTF8))
        return file

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
        with self.open() as file:
            data, is_cut = read_bytes(file, MAX_UNPACKED_SIZE + 1)
        if len(data) > MAX_UNPACKED_SIZE:
            refuse(
                f"{self.path.name} holds more than {MAX_UNPACKED_SIZE / 2**30:.0f} GiB when it is "
                "unpacked, which no training log does. Unpack it, and leave out what is no log."
            )
        return data, is_cut

    def lines(self) -> Iterator[tuple[bytes, bool]]:
        """Yield each line, and whether it is whole: ended by a newline.

        Only the last line can be cut. Of a packed file that ends too early, the whole lines
        that can be unpacked are yielded, then an empty one that is not whole. What is written
        while lines are read is left for the next time. Raises CurvesError if a line is longer
        than any that a log has.
        """
        with self.open() as file:
            left = MAX_PACKED_SIZE
            if not self.is_packed:
                with suppress(OSError):  # a member of an archive does not tell its size
                    left = os.fstat(file.fileno()).st_size
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
                    refuse(
                        f"{self.path.name} has a line of more than "
                        f"{MAX_LINE_SIZE / 2**20:.0f} MiB, which no training log has."
                    )
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


def read_bytes(file: BufferedReader, size: int) -> tuple[bytes, bool]:
    """Read so many bytes, or what there is, and tell whether a packed file breaks off before."""
    parts = []
    try:
        # Not read: of a packed file that is cut it would lose the last block.
        while size > 0 and (part := file.read1(min(size, BLOCK_SIZE))):
            parts.append(part)
            size -= len(part)
    except (EOFError, zlib.error):
        return b"".join(parts), True
    return b"".join(parts), False


@lru_cache(maxsize=4096)
def _head(file: File, _size: int, _written: int) -> bytes:
    """Return how a file begins; once for each size and time, as logs are read while they grow."""
    try:
        with file.open() as stream:
            return read_bytes(stream, HEAD_SIZE)[0]
    except OSError:
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

    def files_below(self, *parts: str) -> list[File]:
        """Return the files in the folder at these names below this one, and in all below it."""
        folder: Folder | None = self
        for part in parts:
            folder = folder and folder.folders.get(part)
        return [file for each in (folder.tree() if folder else ()) for file in each.files.values()]

    def files_that(self, is_wanted: Callable[[File], object]) -> list[File]:
        """Return the files in this folder of which something holds."""
        return [file for file in self.files.values() if is_wanted(file)]

    @property
    def beside(self) -> list[Folder]:
        """The other folders in the folder above."""
        every = self.parent.folders.values() if self.parent else ()
        return [folder for folder in every if folder is not self]


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

    @property
    def files(self) -> list[File]:
        """The files in all folders, as far as no format has claimed them."""
        return [file for folder in self.folders for file in folder.files.values()]


def walk(paths: Sequence[str | os.PathLike[str]]) -> Walk:
    """Find the files that paths name: files, folders with all below them, patterns.

    Links are followed, each file and folder is read once; hidden files and folders are left out.
    What the system does not give is skipped. Raises CurvesError if a path does not exist, if a
    pattern matches nothing, or if nothing is given.
    """
    named: list[Path] = []
    skipped: list[Skipped] = []
    for path in (found for asked in paths for found in _named(Path(asked))):
        try:
            path.stat()
            named.append(path)
        except OSError as error:
            skipped.append(Skipped(path, f"cannot be read: {error.strerror}", is_lost=True))
    if not named:
        refuse(f"{str(skipped[0].path)!r} {skipped[0].reason}.")
    roots: dict[Path, Folder] = {}
    walk = Walk(_root(named), [], skipped)
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
            refuse(
                f"There are more than {MAX_FILES:,} files below {str(path)!r}. Name the folders "
                "that hold the logs."
            )
    return walk


def _named(path: Path) -> list[Path]:
    """Return what a path names: itself, or what it matches as a pattern."""
    may_be_there = True
    try:
        path.lstat()
    except (OSError, ValueError) as error:
        missing = FileNotFoundError | NotADirectoryError | ValueError
        may_be_there = not isinstance(error, missing)
    if may_be_there:
        return [path]
    if not glob.has_magic(str(path)):
        refuse(f"There is no file or folder {str(path)!r}. Check the name.")
    found = natural_order(glob.glob(str(path), recursive=True))  # noqa: PTH207 (absolute patterns)
    if not found:
        refuse(f"Nothing matches the pattern {str(path)!r}. Check it, and put it in quotes.")
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
            reason = f"cannot be opened ({error.strerror})"
            walk.skipped.append(Skipped(folder.path, reason, is_lost=True))
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
            if entry.name in HIDDEN_STORES and _is(entry.is_dir):
                walk.skipped.append(Skipped(path, HIDDEN_STORES[entry.name]))
            if entry.name.startswith("."):
                continue
            if _is(entry.is_dir):
                if entry.name not in IGNORED_FOLDERS:
                    found = links if entry.is_symlink() else below
                    found.append(Folder(path, folder))
            elif not _is(entry.is_file):
                is_link = entry.is_symlink()
                reason = "not a regular file, or a broken link"
                walk.skipped.append(Skipped(path, reason, is_lost=is_link))
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
    return {_id(file) for file in walk.files}


def _id(file: File) -> tuple[int, int]:
    try:
        status = file.path.stat()
    except OSError:
        return -1, hash(file.path)
    return status.st_dev, status.st_ino
