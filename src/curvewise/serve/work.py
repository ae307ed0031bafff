"""What the page works with: its files, and one process at a time that reads and compares them.

Files are kept as numbers in a folder of one's own, until the end. The name of a file is shown, and
tells what runs are called; it never says where anything is written. Readers see the files under
cleaned names, below a folder that is made for one job.

A job is a process, ``python -m curvewise.serve.work``: one task in, lines of JSON out. So it can be
stopped at any moment, and its memory can be bounded. It ends when the server does, however that
ends: the server holds the other end of its input.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from curvewise.errors import CurvesError, CurvewiseError, refuse
from curvewise.readers import Request, read_all
from curvewise.readers.parsing.columns import TIME
from curvewise.readers.scan import NOT_READ, scan
from curvewise.readers.table_formats import FORMATS, format_by_name
from curvewise.readers.tables import (
    columns_of,
    is_single_table,
    step_columns,
    task_column,
    usual_column,
)
from curvewise.records import UNTOLD, Record
from curvewise.text import (
    argument,
    listed,
    naming_flags,
    number_text,
    plural,
    printable,
    shortened,
    step_text,
    words,
)

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.readers.scan import Scan

    Say = Callable[[Mapping[str, Any]], None]


MEGABYTE = 1_000_000
BLOCK = 2**16
# Computers and containers may share the place of temporary files, and count processes alike.
PREFIX = f"curvewise-page-{platform.node()}-"
MAX_NAME, MAX_PART, MAX_DEPTH = 1_024, 100, 16
# Endings of what log readers and configurations are made of; tables add their own.
LOG_ENDINGS = words(".json .txt .log .yaml .yml .toml .npy .wandb .dat .db .sqlite .sqlite3")
ENDINGS = {ending for known in FORMATS for ending in known.endings} | set(LOG_ENDINGS)
# Folders of MLflow, whose files are named after metrics and settings.
NAMED_FREELY = {"metrics", "params", "tags"}
PICKLES = tuple(b"\x80" + bytes([protocol]) for protocol in range(2, 6))
UNSAFE = str.maketrans(dict.fromkeys('<>:"|?*', "_"))


class TooLargeError(CurvewiseError):
    """More than a session may hold."""

    status = 413


class WrongKindError(CurvewiseError):
    """Nothing that curvewise reads."""

    status = 415


@dataclass(frozen=True)
class Limits:
    """How much a session may hold: bytes, as stored and unpacked, and files."""

    size: int = 200 * MEGABYTE
    files: int = 2_000

    def too_large(self) -> TooLargeError:
        """Return the refusal of more."""
        return TooLargeError(
            f"The page takes up to {self.size / MEGABYTE:,.0f} MB, unpacked, in one session. "
            "Name larger files on the command line: curvewise serve FILE reads them in place. "
            "--max-size changes the limit."
        )

    def too_many(self) -> TooLargeError:
        """Return the refusal of more files."""
        return TooLargeError(
            f"The page takes up to {plural(self.files, 'file')} in one session. Name the folder "
            "on the command line: curvewise serve FOLDER reads it in place. --max-files "
            "changes the limit."
        )


@dataclass(frozen=True)
class Kept(Record):
    """A file of the session.

    Attributes
    ----------
    number : str
        What requests call it.
    name : str
        Its name, with the folders it was dropped with; or the path on the command line.
    size : int
        In bytes; 0 of a folder.
    weight : int
        What it counts towards the limit: unpacked bytes.
    in_place : bool
        Whether it was named on the command line, and is read where it is.
    """

    number: str
    name: str
    size: int
    weight: int = field(default=0, metadata=UNTOLD)
    in_place: bool = False


def unread(name: str) -> str | None:
    """Return why a file of such a name is not read; None if it may be one that is.

    >>> unread("runs/seed1/progress.csv"), unread("events.out.tfevents.17.host")
    (None, None)
    >>> unread("model.pkl")[:33]
    'model.pkl: pickles are not read, '
    >>> unread("photo.png")
    'photo.png is not a table or a training log that curvewise reads.'
    """
    path = PurePosixPath(name.replace("\\", "/"))
    lower = path.name.lower()
    shown = printable(shortened(path.name))
    ending = PurePosixPath(lower.removesuffix(".gz")).suffix
    if ending in NOT_READ:
        return f"{shown}: {NOT_READ[ending]}"
    is_known = (
        not ending
        or ending in ENDINGS
        or lower.endswith(tuple(ENDINGS))
        or "tfevents" in lower
        or lower.startswith("mlflow.")
        or path.parent.name in NAMED_FREELY
    )
    if is_known and lower:
        return None
    return f"{shown} is not a table or a training log that curvewise reads."


def clean_parts(name: str) -> tuple[str, ...]:
    r"""Return a name as parts of a path that stays below any folder it is put in.

    >>> clean_parts("runs/ppo/seed1/progress.csv")
    ('runs', 'ppo', 'seed1', 'progress.csv')
    >>> clean_parts("../../etc/passwd"), clean_parts("C:\\x.csv"), clean_parts("/")
    (('etc', 'passwd'), ('C_', 'x.csv'), ('file',))
    """
    parts = []
    for part in name.replace("\\", "/").split("/"):
        safe = "".join(letter if letter.isprintable() else "_" for letter in part)
        safe = safe.translate(UNSAFE).strip().rstrip(".")
        if len(safe) > MAX_PART:  # with its ending, which tells the format
            safe = safe[: MAX_PART // 2] + safe[-MAX_PART // 2 :]
        # Not by letters: 100 of them may be 400 bytes, more than a name may have.
        while len(safe.encode("utf-8", "replace")) > 2 * MAX_PART:
            safe = safe[1:]
        if safe:
            parts.append(safe)
    return tuple(parts[-MAX_DEPTH:]) or ("file",)


@dataclass
class Store:
    """The files of a session, in a folder that only this user can read.

    Attributes
    ----------
    limits : Limits
    folder : Path
        Removed by `close`.
    kept : dict from number to Kept
    """

    limits: Limits = field(default_factory=Limits)
    folder: Path = field(
        default_factory=lambda: Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    )
    kept: dict[str, Kept] = field(default_factory=dict)
    # How much has come of files that are being sent.
    _coming_size: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for left in filter(_is_left, self.folder.parent.glob(f"{PREFIX}*")):
            shutil.rmtree(left, ignore_errors=True)
        self.folder.chmod(0o700)
        (self.folder / "files").mkdir(mode=0o700)

    @property
    def size(self) -> int:
        """The bytes that are kept or being sent, unpacked."""
        return sum(file.weight for file in self.kept.values()) + sum(self._coming_size.values())

    @property
    def n_left(self) -> int:
        """How many files can still be sent."""
        n_sent = sum(not file.in_place for file in self.kept.values())
        return self.limits.files - n_sent - len(self._coming_size)

    def in_place(self, path: Path) -> Kept:
        """Add a file or folder of the command line, which is read where it is."""
        size = path.stat().st_size if path.is_file() else 0
        file = Kept(new_number(), str(path), size, in_place=True)
        self.kept[file.number] = file
        return file

    async def add(self, name: str, length: int | None, content: AsyncIterator[bytes]) -> Kept:
        """Write a file through as it comes, and count it.

        Parameters
        ----------
        name : str
            With the folders it was dropped with.
        length : int or None
            How many bytes are announced.
        content : asynchronous iterator of bytes

        Raises
        ------
        WrongKindError
            If its name or its first bytes are of nothing that curvewise reads.
        TooLargeError
            If it does not fit into what is left, unpacked as well; nothing of it stays.
        """
        reason = unread(name)
        if reason is not None:
            raise WrongKindError(reason)
        if self.n_left < 1:
            raise self.limits.too_many()
        if length is not None and length > self.limits.size - self.size:
            raise self.limits.too_large()
        number = new_number()
        place = self.place_of(number)
        self._coming_size[number] = 0
        try:
            weight = await self._written(number, name, content)
            size = place.stat().st_size
        except BaseException:
            place.unlink(missing_ok=True)
            raise
        finally:
            del self._coming_size[number]
        # A file that is dropped again takes the place of the first.
        self.remove([own.number for own in self.kept.values() if own.name == name])
        self.kept[number] = Kept(number, name, size, weight)
        return self.kept[number]

    async def _written(self, number: str, name: str, content: AsyncIterator[bytes]) -> int:
        """Write what comes, and return how much it counts."""
        place = self.place_of(number)
        with place.open("xb") as file:
            async for block in content:
                if not self._coming_size[number] and block.startswith(PICKLES):
                    reason = f"{printable(shortened(name))}: {NOT_READ['.pkl']}"
                    raise WrongKindError(reason)
                if len(block) > self.limits.size - self.size:
                    raise self.limits.too_large()
                self._coming_size[number] += len(block)
                file.write(block)
        size, most = self._coming_size[number], self.limits.size
        unpacked = await asyncio.to_thread(_unpacked_size, place, name, most)
        if unpacked - size > most - self.size:
            raise self.limits.too_large()
        return max(size, unpacked)

    def remove(self, numbers: Iterable[str]) -> None:
        """Forget files; those that were sent are deleted, those in place are left alone."""
        for number in numbers:
            file = self.kept.pop(number, None)
            if file is not None and not file.in_place:
                self.place_of(number).unlink(missing_ok=True)

    def place_of(self, number: str) -> Path:
        """Return where a file that was sent is kept."""
        return self.folder / "files" / number

    def laid_out(self, numbers: Sequence[str]) -> tuple[Path | None, list[str]]:
        """Put files under their cleaned names into a new folder, for readers.

        Returns
        -------
        folder : Path or None
            From which the paths are to be read; None if all are read in place.
        paths : list of str
            Files, and the folders that were dropped, once each.
        """
        files = [self.kept[number] for number in numbers]
        places = [os.path.abspath(file.name) for file in files if file.in_place]  # noqa: PTH100 (links stay links)
        sent = [file for file in files if not file.in_place]
        if not sent:
            return None, [file.name for file in files]
        folder = Path(tempfile.mkdtemp(prefix="job-", dir=self.folder))
        tops: dict[str, None] = {}
        for file in sent:
            place = _free_place(folder, clean_parts(file.name))
            kept = self.place_of(file.number)
            try:
                os.link(kept, place)
            except OSError:  # where the system cannot show a file under another name
                shutil.copyfile(kept, place)
            tops[place.relative_to(folder).parts[0]] = None
        return folder, [*places, *tops]

    def close(self) -> None:
        """Delete everything."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Whether a page of this user made the folder, and was killed."""
    try:
        is_own = folder.lstat().st_uid == os.getuid()  # not on Windows
        os.kill(int(folder.name.split("-")[-2]), 0)
    except (AttributeError, OSError, OverflowError, ValueError) as error:
        return isinstance(error, ProcessLookupError) and is_own
    return False


def new_number() -> str:
    """Return what requests call a file or a job; nobody can guess it."""
    return str(secrets.randbits(64))


def _free_place(folder: Path, parts: Sequence[str]) -> Path:
    """Return a place below a folder at which nothing is yet, with the folders it needs."""
    for part in parts[:-1]:
        inner = folder / part
        while inner.is_file():  # a file may have the name of a folder
            inner = inner.with_name(f"{inner.name}_")
        folder = inner
    folder.mkdir(parents=True, exist_ok=True)
    free, count = folder / parts[-1], 1
    while free.exists():
        count += 1
        free = folder / f"{count}-{parts[-1]}"
    return free


def _unpacked_size(place: Path, name: str, most: int) -> int:
    """Return how many bytes a packed file holds; counting stops beyond ``most``."""
    if name.lower().endswith(".gz"):
        with place.open("rb") as file:
            return _gzip_size(file, most)
    if zipfile.is_zipfile(place):
        try:
            with zipfile.ZipFile(place) as archive:
                return sum(entry.file_size for entry in archive.infolist())
        except (OSError, zipfile.BadZipFile, NotImplementedError):
            return 0  # readers will say that it is damaged
    return 0


def _gzip_size(file: IO[bytes], most: int) -> int:
    """Unpack without keeping anything; a file that is damaged counts up to there."""
    size = 0
    unpacking = zlib.decompressobj(wbits=31)
    block = file.read(BLOCK)
    while block and size <= most:
        try:
            size += len(unpacking.decompress(block, BLOCK))
        except zlib.error:
            break
        block = unpacking.unconsumed_tail
        if unpacking.eof:  # several packed files may follow one another
            block = unpacking.unused_data
            unpacking = zlib.decompressobj(wbits=31)
        block = block or file.read(BLOCK)
    return size


PARTS = ("algorithm", "run", "step", "score")
MAX_NAMED = 8
BYTES_OF_NUMBER = 8


def _part(option: str, chosen: str | None, choices: Iterable[str]) -> dict[str, Any]:
    """Return what a part of the data was taken from, and what else it could be.

    The option of the command that chooses it is named by its flag, as refusals name it.
    """
    return {"flag": argument(option), "chosen": chosen, "choices": list(choices)}


def recognise(paths: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Say what files would be taken for, as JSON-ready data.

    Parameters
    ----------
    paths : sequence of str
    options : mapping
        Arguments of `read`, as far as they were chosen.

    Returns
    -------
    dict
        ``parts``: of algorithm, run, step, score and block, what each is taken from and what it
        could be taken from. ``task``, ``tasks``: the same of tasks, and their names. ``summary``: how
        many algorithms, runs and steps. ``source``, ``notes``: what was read, and what is to
        know of it. ``refused``: why it cannot be compared yet, in the words of the library.
    """
    refused = None
    try:
        request = Request(**options)
    except CurvewiseError as error:  # what is what can be told all the same
        refused = str(error)
        telling = (*PARTS, "block", "task", "where", "only")
        kept: dict[str, Any] = {name: options.get(name) for name in telling}
        request = Request(**kept)
    is_table = len(paths) == 1 and is_single_table(Path(paths[0]), request)
    found = _of_table(Path(paths[0]), request) if is_table else _of_logs(paths, request)
    found |= {"summary": "", "source": "", "higher_is_better": None}
    found.setdefault("notes", [])
    found["refused"] = found.pop("unreadable", None) or refused
    if found["refused"] is not None:
        return found
    try:
        tables = read_all(paths, **options)
    except CurvewiseError as error:
        found["refused"] = str(error)
        return found
    first = next(iter(tables.values()))
    everyone = [name for own in tables.values() for name in own.display.everyone]
    names = [name for own in tables.values() for name in own.algorithms]
    found["summary"] = _summary(tables)
    found["source"] = first.source
    found["algorithms"] = list(dict.fromkeys(everyone or names))
    found["higher_is_better"] = first.higher_is_better
    found["notes"] += [
        f"{note}."
        for own in tables.values()
        if own.preparation is not None
        for note in own.preparation.notes
    ][:MAX_NAMED]
    if not found["tasks"] and list(tables) != [""]:
        found["tasks"] = list(tables)
    return found


def check_size(paths: Sequence[str], most: int) -> None:
    """Raise CurvesError if a Parquet file holds more than ``most`` bytes of numbers unpacked.

    Its footer tells how many rows there are; a small file can hold billions of equal ones.
    """
    for path in map(Path, paths):
        inside = path.rglob("*") if path.is_dir() else [path]
        for own in inside:
            size = _parquet_size(own) if own.suffix.lower() in {".parquet", ".pq"} else 0
            if size > most:
                refuse(
                    f"{own.name} holds {size / 1e6:,.0f} MB of numbers when it is unpacked, and "
                    f"the page takes up to {most / 1e6:,.0f} MB. Name it on the command line: "
                    "curvewise serve FILE reads files in place."
                )


def _parquet_size(path: Path) -> int:
    import polars as pl

    try:
        frame = pl.scan_parquet(path)
        n_rows = int(frame.select(pl.len()).collect().item())
        return n_rows * len(frame.collect_schema()) * BYTES_OF_NUMBER
    except (pl.exceptions.PolarsError, OSError):
        return 0  # the reader says what is wrong with it


def _of_table(path: Path, request: Request) -> dict[str, Any]:
    known = format_by_name(path)
    if known is None or known.columns is None:
        return {"kind": "arrays", "parts": {}, "task": None, "tasks": []}
    available = list(columns_of(path, known))
    named = {part: getattr(request, part) for part in PARTS}
    task = request.task if request.task in available else None
    taken = {name for name in (*named.values(), task) if name is not None}
    for part in PARTS:
        if named[part] is None:
            with suppress(CurvesError):  # several could be; the refusal says so
                named[part] = usual_column(part, [own for own in available if own not in taken])
            taken.add(named[part])
    task = task or task_column([name for name in available if name not in taken])
    # The columns of a wide table are steps, not parts.
    choices = [name for name in available if name not in step_columns(available)]
    # Nothing is a block unless somebody says so; the run often is.
    named["block"] = request.block
    every = request.with_options(task=task, where=None, only=None)
    return {
        "kind": "table",
        "parts": {part: _part(part, own, choices) for part, own in named.items()},
        "task": _part("task", task, choices),
        "tasks": [] if task is None else _tasks(path, every),
    }


def _tasks(path: Path, request: Request) -> list[str]:
    from curvewise.readers import runs_by_task

    try:
        return [str(name) for name in runs_by_task(path, request) if name is not None]
    except CurvewiseError:
        return []


def _of_logs(paths: Sequence[str], request: Request) -> dict[str, Any]:
    empty: dict[str, Any] = {"kind": "logs", "parts": {}, "task": None, "tasks": []}
    naming = request.naming
    try:
        found = scan(paths, x=naming.x, group_by=naming.group_by, run_by=naming.run_by)
    except CurvewiseError as error:
        return {**empty, "unreadable": str(error)}
    metric = _metric(found, request)
    spans = [run.metrics[metric] for run in found.runs if metric in run.metrics]
    axes = dict.fromkeys(span.x for span in spans)
    # Time is steps only if somebody says so.
    counted = [axis for axis in axes if axis != TIME]
    candidates = [each.name for each in found.candidates]
    ways = dict.fromkeys([*axes, *found.other_x])
    return {
        **empty,
        "parts": {
            "algorithm": _part("group_by", naming.group_by, candidates),
            "run": _part("run_by", naming.run_by, candidates),
            "step": _part("x", naming.x or next(iter(counted), None), ways),
            "score": _part("metric", metric, found.metrics),
            "block": _part("block", naming.block, candidates),
        },
        "task": _part("task", None, ()),
        "tasks": list(found.tasks),
        "notes": list(found.warnings),
    }


def _metric(found: Scan, request: Request) -> str | None:
    try:
        return found.choose_metric(request.metric or request.score).name
    except CurvewiseError:
        return request.metric or request.score


def _summary(tables: Mapping[str, Curves]) -> str:
    """Say how many algorithms, runs and steps there are."""
    extents = {name: _extent(own) for name, own in tables.items()}
    alike = next(iter(extents.values()))
    if len(tables) == 1:
        (curves,) = tables.values()
        ends = [number_text(float(own)) for own in (curves.scores.min(), curves.scores.max())]
        return f"{alike}; scores from {ends[0]} to {ends[1]}"
    count = plural(len(tables), "task")
    if len(set(extents.values())) == 1:
        return f"{count} ({listed(list(tables), MAX_NAMED)}), each {alike}"
    lines = [f"{name}: {extent}" for name, extent in extents.items()]
    return f"{count}: {'; '.join(lines[:MAX_NAMED])}"


def _extent(curves: Curves) -> str:
    sizes = sorted(set(curves.sizes))
    runs = plural(sizes[-1], "run")
    if len(sizes) > 1:
        runs = f"{sizes[0]} to {runs}"
    ends = [step_text(float(curves.steps[place])) for place in (0, -1)]
    return (
        f"{plural(len(curves.algorithms), 'algorithm')} × {runs} × "
        f"{plural(curves.n_steps, 'step')}, from {ends[0]} to {ends[1]}"
    )


GIGABYTE = 2**30
MAX_THREADS = 4  # of libraries: each reserves a part of the address space
MAX_LINE = 2**24
HEARTBEAT = 10.0  # seconds without news after which a stream shows that it lives
LAST = ("done", "refused", "failed", "stopped")
DIED = (
    "The process that worked on this ended without a word, perhaps for lack of memory. Keep "
    "fewer steps or runs, or give the page more with --max-memory."
)
BUSY = "The page is still working on something else. Wait for it, or stop it first."


class BusyError(CurvewiseError):
    """One job is under way already."""

    status = 409


@dataclass
class Job:
    """One task, and what is known of it.

    Attributes
    ----------
    number : str
    gives_way : bool
        Whether a new job stops it.
    state : dict
        The last news: progress and step, or one of done, refused, failed, stopped.
    """

    number: str
    gives_way: bool = False
    state: dict[str, Any] = field(default_factory=lambda: {"progress": 0.0})
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _process: Process | None = None

    @property
    def is_over(self) -> bool:
        """Whether no more news will come."""
        return any(word in self.state for word in LAST)

    async def tell(self, state: Mapping[str, Any]) -> None:
        """Take news, unless it is over."""
        async with self._news:
            if not self.is_over:
                self.state = dict(state)
                self._news.notify_all()

    async def events(self) -> AsyncIterator[dict[str, Any] | None]:
        """Yield the state and each change of it until it is over; None where nothing changes."""
        state: dict[str, Any] = {}
        while not any(word in state for word in LAST):
            async with self._news:
                if self.state == state:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._news.wait(), HEARTBEAT)
                changed, state = self.state != state, self.state
            yield state if changed else None

    async def run(self, task: Mapping[str, Any]) -> None:
        """Start the process, unless it was stopped before, and take its news until it ends."""
        if self.is_over:
            return
        self._process = process = await _process()
        if process.stdin is None or process.stdout is None:  # both are pipes
            raise AssertionError
        try:
            process.stdin.write(json.dumps(task).encode() + b"\n")
            await process.stdin.drain()
            while not self.is_over and (line := await process.stdout.readline()):
                await self.tell(json.loads(line))
        except (ConnectionError, ValueError):
            pass  # it died, in the middle of a line perhaps
        finally:
            await self._end()
            await self.tell({"failed": DIED})

    async def stop(self) -> None:
        """End the process at once."""
        await self.tell({"stopped": True})
        await self._end()

    async def _end(self) -> None:
        if (process := self._process) is None:
            return
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        await process.wait()
        if process.stdin is not None:
            process.stdin.close()


@dataclass
class Jobs:
    """The jobs of a session.

    Attributes
    ----------
    memory : int
        The bytes that a process may ask for.
    """

    memory: int = 4 * GIGABYTE
    _all: dict[str, Job] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def is_busy(self) -> bool:
        """Whether one is under way."""
        return any(not job.is_over for job in self._all.values())

    def __getitem__(self, number: str) -> Job:
        return self._all[number]

    async def start(
        self,
        number: str,
        task: Mapping[str, Any],
        *,
        gives_way: bool = False,
        then: Callable[[], Any],
    ) -> Job:
        """Start a job, and call ``then`` when it is over.

        Raises `BusyError` while another one is under way that does not give way.
        """
        if any(not job.is_over and not job.gives_way for job in self._all.values()):
            raise BusyError(BUSY)
        job = Job(number, gives_way)
        before, self._all = self._all, {number: job}  # what is over is forgotten
        for other in before.values():
            await other.stop()
        if self._tasks:  # meanwhile others may come: of those that wait only the last begins
            await asyncio.wait(self._tasks)
        running = asyncio.create_task(job.run({**task, "memory": self.memory}))
        self._tasks.add(running)
        running.add_done_callback(self._tasks.discard)
        running.add_done_callback(lambda _: then())
        return job

    async def close(self) -> None:
        """Stop what is under way, and wait until no process is left."""
        for job in list(self._all.values()):
            await job.stop()
        if self._tasks:
            await asyncio.wait(self._tasks)


async def _process() -> Process:
    """Start a fresh interpreter that sees what this one sees, and no more threads than needed."""
    threads = str(min(os.cpu_count() or 1, MAX_THREADS))
    libraries = ("OPENBLAS", "MKL", "OMP", "NUMBA")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "POLARS_MAX_THREADS": threads,
        "MALLOC_ARENA_MAX": threads,
        **{f"{name}_NUM_THREADS": threads for name in libraries},
    }
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-P", "-m", "curvewise.serve.work"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environment,
        limit=MAX_LINE,
        # An interrupt of the terminal is for the server, which then ends its processes.
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


MIN_STEP = 0.005  # of progress that is worth a line
NO_MEMORY = (
    "There is not enough memory for these data. Keep fewer steps or runs, or give the page "
    "more with --max-memory."
)
WORDS = {
    "tasks": "which is better as a whole?",
    "aggregate": "how good is each over all tasks?",
    "compare": "do they differ?",
    "locate": "where do they differ?",
    "best": "which may be the best?",
    "pairs": "which of them differ?",
}


def main() -> None:
    """Do the task that stands in the first line of the input."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    sys.stdout = sys.stderr  # nothing else may stand between the lines
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_server, args=[sys.stdin], daemon=True).start()
    _bound_memory(task["memory"])

    def say(record: Mapping[str, Any]) -> None:
        out.write(json.dumps(record, allow_nan=False) + "\n")
        out.flush()

    try:
        with naming_flags():
            work(task, say)
    except CurvewiseError as error:
        say({"refused": str(error)})
    except MemoryError:
        say({"refused": NO_MEMORY})
    except Exception as error:  # noqa: BLE001 (told on the page; the traceback in the terminal)
        traceback.print_exc()
        say({"failed": f"{type(error).__name__}: {error}"})


def _end_with_the_server(lifeline: IO[str]) -> None:
    lifeline.read()
    os._exit(1)


def _bound_memory(size: int) -> None:
    """Bound the address space, where the system can."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        size = min(size, hard)
    with suppress(OSError, ValueError):  # macOS has the limit, and refuses to set it
        resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def work(task: Mapping[str, Any], say: Say) -> None:
    """Do a task, and say what is going on.

    Parameters
    ----------
    task : mapping
        ``paths`` are read from ``folder`` (or from here, if it is None) with ``options``. With
        ``output`` a report is written there; otherwise what was recognised is said. ``shuffling``
        are options of the questions, ``size`` the most that sent files may hold.
    say : function
        Is given ``progress`` (0 to 1) with ``step``, and in the end ``done``.
    """
    paths, options = task["paths"], task["options"]
    if task["folder"] is not None:
        os.chdir(task["folder"])
        sent = [path for path in paths if not os.path.isabs(path)]  # noqa: PTH117
        check_size(sent, task["size"])
    say({"done": recognise(paths, options) if task["output"] is None else _report(task, say)})


def _report(task: Mapping[str, Any], say: Say) -> dict[str, str]:
    import curvewise
    from curvewise.readers import read_all
    from curvewise.reports.ask import ask, file_hashes, title_of
    from curvewise.shuffling.visit import reporting_progress

    paths, options = task["paths"], task["options"]
    state: dict[str, Any] = {"progress": 0.0, "step": "reading"}

    def tell(progress: float, step: str | None = None) -> None:
        step = step or state["step"]
        # Never backwards: a question may count more than once.
        progress = max(progress, state["progress"])
        if step != state["step"] or progress >= min(state["progress"] + MIN_STEP, 1):
            state.update(progress=progress, step=step)
            say(state)

    say(state)
    tables = read_all(paths, **options)
    windows = list(tables) if len(tables) == 1 else []

    def begin(what: str) -> None:
        name, _, table = what.partition(", ")
        tell(0.0, f"{table}: {WORDS[name]}" if table else WORDS[name])

    with reporting_progress(lambda done, total: tell(done / total)):
        results = ask(tables, task["shuffling"], windows=windows, begin=begin)
    tell(1.0, "writing the report")
    made = {"Command": command_of(paths, options), **file_hashes(map(Path, paths))}
    whole = tables if len(tables) > 1 else next(iter(tables.values()))
    title = title_of(Path(paths[0]).stem, tables)
    report = curvewise.report(whole, *results, title=title, made=made)
    report.save(task["output"])
    return {"title": report.title, "headline": results[0].headline()}


def command_of(paths: Sequence[str], options: Mapping[str, Any]) -> str:
    """Return the command that makes the same report.

    >>> with naming_flags():
    ...     command_of(["my runs.csv"], {"score": "return", "higher_is_better": False})
    "curvewise report 'my runs.csv' --score return --lower-is-better"
    """
    words = ["curvewise", "report", *paths]
    for name, value in options.items():
        if isinstance(value, bool):
            words.append(argument(name, value))
        elif value is not None:
            values = value if isinstance(value, list) else [value]
            if isinstance(value, dict):
                values = [f"{column}={own}" for column, own in value.items()]
            words += [word for own in values for word in (argument(name), str(own))]
    return shlex.join(words)


if __name__ == "__main__":
    main()
