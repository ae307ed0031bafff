"""Files that the page was given: kept as numbers in a folder of one's own, until the end.

The name of a file is shown, and tells what runs are called; it never says where anything is
written. Readers see the files under cleaned names, below a folder that is made for one job.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import tempfile
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from curvewise.errors import CurvewiseError
from curvewise.readers.scanning import NOT_READ
from curvewise.readers.tables.formats import FORMATS
from curvewise.text import plural, printable, shortened

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

__all__ = [
    "Kept",
    "Limits",
    "Store",
    "TooLargeError",
    "WrongKindError",
    "clean_parts",
    "unread",
]

MEGABYTE = 1_000_000
BLOCK = 2**16
MAX_NAME, MAX_PART, MAX_DEPTH = 1_024, 100, 16
# Endings of what log readers and configurations are made of; tables add their own.
LOG_ENDINGS = (
    *(".json", ".txt", ".log", ".yaml", ".yml", ".toml", ".npy", ".wandb", ".dat"),
    *(".db", ".sqlite", ".sqlite3"),
)
ENDINGS = {ending for known in FORMATS for ending in known.endings} | set(LOG_ENDINGS)
# Folders of MLflow, whose files are named after metrics and settings.
NAMED_FREELY = {"metrics", "params", "tags"}
PICKLES = tuple(b"\x80" + bytes([protocol]) for protocol in range(2, 6))
UNSAFE = str.maketrans(dict.fromkeys('<>:"|?*', "_"))


class TooLargeError(CurvewiseError):
    """More than a session may hold."""


class WrongKindError(CurvewiseError):
    """Nothing that curvewise reads."""


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
class Kept:
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
    weight: int = 0
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
        default_factory=lambda: Path(tempfile.mkdtemp(prefix="curvewise-"))
    )
    kept: dict[str, Kept] = field(default_factory=dict)
    # How much has come of files that are being sent.
    _coming_size: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.chmod(0o700)
        (self.folder / "files").mkdir(mode=0o700)

    @property
    def size(self) -> int:
        """The bytes that are kept or being sent, unpacked."""
        return sum(file.weight for file in self.kept.values()) + sum(
            self._coming_size.values()
        )

    @property
    def n_left(self) -> int:
        """How many files can still be sent."""
        n_sent = sum(not file.in_place for file in self.kept.values())
        return self.limits.files - n_sent - len(self._coming_size)

    def in_place(self, path: Path) -> Kept:
        """Add a file or folder of the command line, which is read where it is."""
        size = path.stat().st_size if path.is_file() else 0
        file = Kept(_number(), str(path), size, in_place=True)
        self.kept[file.number] = file
        return file

    async def add(
        self, name: str, length: int | None, content: AsyncIterator[bytes]
    ) -> Kept:
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
        number = _number()
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

    async def _written(
        self, number: str, name: str, content: AsyncIterator[bytes]
    ) -> int:
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
            _link(self.place_of(file.number), place)
            tops[place.relative_to(folder).parts[0]] = None
        return folder, [*places, *tops]

    def close(self) -> None:
        """Delete everything."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _number() -> str:
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


def _link(kept: Path, place: Path) -> None:
    """Show a file under another name, without a copy where the system can."""
    try:
        os.link(kept, place)
    except OSError:
        shutil.copyfile(kept, place)


def _unpacked_size(place: Path, name: str, most: int) -> int:
    """Return how many bytes a packed file holds; counting stops beyond ``most``."""
    lower = name.lower()
    if lower.endswith(".gz"):
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
