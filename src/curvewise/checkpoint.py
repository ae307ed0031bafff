"""A file of finished chunks, from which an interrupted run goes on with the same digits."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from curvewise.errors import CurvesError, OptionError

if TYPE_CHECKING:
    from curvewise.kernels import Integers

__all__ = ["Checkpoint", "fingerprint"]

FORMAT = "curvewise checkpoint 1"
EVERY = 1.0  # seconds between writings; what is lost with a crash


def fingerprint(*parts: Any) -> str:
    """Return a short name for some data, other for other data."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(repr((part.shape, part.dtype.str)).encode())
            digest.update(np.ascontiguousarray(part).tobytes())
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()


class Checkpoint:
    """Counts of finished chunks, in a file that is written whole or not at all."""

    def __init__(self, path: Path, name: str, seed: int | None) -> None:
        self._path = path
        self._name = name
        self._seed = seed
        self._counts: dict[str, list[int]] = {}
        self._written = time.monotonic()
        if path.exists():
            self._read()
        elif not path.parent.is_dir():
            msg = f"There is no folder {str(path.parent)!r} for the checkpoint. Make it first."
            raise OptionError(msg)

    def _read(self) -> None:
        try:
            record = json.loads(self._path.read_text(encoding="utf-8"))
            kind, name, seed = record["format"], record["of"], record["seed"]
            counts = {
                key: [int(n) for n in value] for key, value in record["counts"].items()
            }
            complete = all(
                len(value) == 5 and min(value) >= 0 for value in counts.values()
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            kind, complete, name, seed, counts = None, False, None, None, {}
        if kind != FORMAT or not complete or record["check"] != _check(counts):
            msg = f"{str(self._path)!r} is no checkpoint, or a damaged one. Remove it to start anew."
            raise CurvesError(msg)
        if name != self._name or (self._seed is not None and seed != self._seed):
            msg = (
                f"{str(self._path)!r} is the checkpoint of another comparison: other curves, "
                "options or seed. Name another file, or remove it."
            )
            raise CurvesError(msg)
        self._seed, self._counts = seed, counts

    def seed(self, drawn: int) -> int:
        """Return the seed the run was begun with, or begin it with this one."""
        if self._seed is None:
            self._seed = drawn
        return self._seed

    def find(self, chunk: range) -> Integers | None:
        """Return what a chunk gave, if it is known."""
        counts = self._counts.get(f"{chunk.start}-{chunk.stop}")
        return None if counts is None else np.array(counts, dtype=np.int64)

    def enter(self, chunk: range, result: Integers) -> None:
        """Write down what a chunk gave; the file itself at most once a second."""
        self._counts[f"{chunk.start}-{chunk.stop}"] = result.tolist()
        if time.monotonic() - self._written >= EVERY:
            self.write()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.write()

    def write(self) -> None:
        """Write the file, whole."""
        record = {
            "format": FORMAT,
            "of": self._name,
            "seed": self._seed,
            "counts": self._counts,
            "check": _check(self._counts),
        }
        handle, name = tempfile.mkstemp(dir=self._path.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(record, file)
        Path(name).replace(self._path)
        self._written = time.monotonic()


def _check(counts: dict[str, list[int]]) -> str:
    return fingerprint(sorted(counts.items()))
