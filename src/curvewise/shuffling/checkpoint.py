"""A file of finished work, from which an interrupted question goes on with the same digits.

Most questions keep no checkpoint, so what only files need is imported where it is used.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.curves import Curves
from curvewise.errors import CurvesError, refuse
from curvewise.shuffling.visit import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


KIND = "curvewise checkpoint"
FORMAT = f"{KIND} 4"
SECONDS_BETWEEN_WRITES = 1.0  # what is lost with a crash


def fingerprint(*parts: Any) -> str:
    """Return a SHA-256 hash of the arguments: curves and arrays in full, the rest by repr."""
    import hashlib

    digest = hashlib.sha256()
    for part in _flat(parts):
        if isinstance(part, np.ndarray):
            digest.update(repr((part.shape, part.dtype.str)).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(repr(part).encode())
        digest.update(b"\0")  # 3.5 and 99 are not 3.59 and 9
    return digest.hexdigest()


def _flat(part: Any) -> Iterator[Any]:
    """Take collections and curves apart: the repr of either may leave something out.

    Of curves it is all that an answer depends on: weights such as a trend depend on the steps,
    and who leads on which scores are better.
    """
    if isinstance(part, Curves):
        part = (
            *(part.scores, part.labels, part.blocks, part.precision),
            *(part.steps, part.higher_is_better, *(part.logs or ())),
        )
    if isinstance(part, Mapping):
        part = list(part.items())
    if isinstance(part, np.ndarray) and part.dtype == object:
        part = part.tolist()
    if isinstance(part, tuple | list):
        yield f"{len(part)} parts"
        for each in part:
            yield from _flat(each)
    else:
        yield part


class Checkpoint:
    """Tallies of a question's work, one for each visit in order, in a file written whole."""

    def __init__(self, path: Path, asked: str, keys: Sequence[int] | None) -> None:
        self._path = path
        self._asked = asked
        self._keys = None if keys is None else [int(key) for key in keys]
        self._tallies: list[Tally] = []
        self._works: list[str] = []  # what each tally is of
        self._n_handed_out = 0
        self._written = time.monotonic()
        from curvewise.files import check_place

        check_place(path, "checkpoint", option="checkpoint")
        if path.exists():
            self._read()

    def keys(self, drawn: Sequence[int]) -> list[int]:
        """Return the keys the work was begun with, or begin it with these."""
        if self._keys is None:
            self._keys = [int(key) for key in drawn]
        return self._keys

    def next_tally(self, work: str) -> Tally:
        """Return the tally of the next piece of work: begun, finished or empty.

        ``work`` says what it is. Where other work was begun in this place, by an engine that is
        not the choice of this process, that and all that followed it is begun anew.
        """
        place = self._n_handed_out
        if self._works[place : place + 1] != [work]:
            del self._tallies[place:], self._works[place:]
            self._tallies.append(Tally())
            self._works.append(work)
        self._n_handed_out += 1
        return self._tallies[self._n_handed_out - 1]

    def write_if_begun(self) -> None:
        """Write the file if a tally was handed out."""
        if self._n_handed_out:
            self.write()

    def write_if_due(self) -> None:
        """Write the file if the last time was long enough ago."""
        if time.monotonic() - self._written >= SECONDS_BETWEEN_WRITES:
            self.write()

    def write(self) -> None:
        """Write the file, whole or not at all."""
        import json

        from curvewise.files import replacing

        arrays: dict[str, Any] = {}
        for number, tally in enumerate(self._tallies):
            done = np.array(sorted(tally.done), dtype=np.int64).reshape(-1, 2)
            arrays[f"{number}/done"] = done
            for place, counts in enumerate(tally.counts):
                arrays[f"{number}/counts/{place}"] = counts
            for start, kept in tally.kept.items():
                for place, values in enumerate(kept):
                    arrays[f"{number}/kept/{start}/{place}"] = values
        head: dict[str, Any] = {
            "format": FORMAT,
            "asked": self._asked,
            "keys": self._keys,
            "works": self._works,
        }
        head["seal"] = fingerprint(*head.values(), arrays)
        arrays["head"] = np.array(json.dumps(head))
        with replacing(self._path, "checkpoint", option="checkpoint") as partial:
            with partial.open("wb") as file:
                np.savez(file, **arrays)
            # Two processes with one question and seed may share a file: either's work is the other's.
            there = self._head() if self._path.exists() else head
            if (there.get("asked"), there.get("keys")) != (self._asked, self._keys):
                refuse(
                    f"{str(self._path)!r} was written by another process meanwhile; it is left "
                    "as that wrote it. Ask again with a checkpoint of another name."
                )
        self._written = time.monotonic()

    def _head(self) -> dict[str, Any]:
        """Read what a checkpoint says of itself, and none of its counts."""
        import json

        try:
            # allow_pickle=False: unpickling can run arbitrary code.
            with self._path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                return dict(json.loads(str(archive["head"])))
        except Exception as error:  # a damaged archive fails in any of a dozen ways
            raise CurvesError(self._damaged()) from error

    def _read(self) -> None:
        # Of an archive that something else wrote, no more is read than this.
        head = self._head()
        seal = head.pop("seal", None)
        try:
            written_as, asked, keys = (head[key] for key in ("format", "asked", "keys"))
            if written_as == FORMAT:
                with self._path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                    names = [name for name in archive.files if name != "head"]
                    arrays = {name: archive[name] for name in names}
                # The archive vouches for each array, but not for their names and number.
                if seal != fingerprint(*head.values(), arrays):
                    raise ValueError(head)  # noqa: TRY301 (damaged like any other)
                tallies, works = _tallies(arrays), head["works"]
        except Exception as error:  # a damaged archive fails in any of a dozen ways
            raise CurvesError(self._damaged()) from error
        if written_as != FORMAT:
            if str(written_as).startswith(KIND):
                refuse(
                    f"{str(self._path)!r} is the checkpoint of another version of curvewise. Go on "
                    "with that version, or delete this file to start again."
                )
            raise CurvesError(self._damaged())
        if asked != self._asked or (self._keys is not None and keys != self._keys):
            refuse(
                f"{str(self._path)!r} is the checkpoint of another question: other curves, "
                "options or seed. Name another file, or delete this one."
            )
        self._keys, self._tallies, self._works = keys, tallies, works

    def _damaged(self) -> str:
        return (
            f"{str(self._path)!r} is not a valid checkpoint, or is damaged. Name another file, or "
            "delete this one to start again."
        )


def _tallies(arrays: dict[str, Any]) -> list[Tally]:
    """Put the tallies together from the arrays they were written as."""
    tallies: dict[int, Tally] = {}
    for name, array in arrays.items():
        number, kind, *place = name.split("/")
        tally = tallies.setdefault(int(number), Tally())
        if kind == "done":
            tally.done = {(int(start), int(stop)) for start, stop in array}
        elif kind == "counts":
            tally.counts.append(array)  # written, and so read, in order
        else:
            start = int(place[0])
            tally.kept[start] = (*tally.kept.get(start, ()), array)
    return [tallies[number] for number in sorted(tallies)]
