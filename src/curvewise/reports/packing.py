"""Arrays as text: whole numbers in, base64 out, which a browser unpacks without a library.

Along each row the first differences are taken, where these take less room, as little-endian
two's complement of 2 or 4 bytes; all lowest bytes come first, then all next ones (neighbouring
bytes are then alike), and what zlib makes of them is written in base64.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = [
    "counts_of",
    "packed",
    "packed_json",
    "packed_numbers",
    "unpacked",
    "unpacked_json",
    "unpacked_numbers",
]

DTYPES: dict[int, np.dtype[Any]] = {2: np.dtype("<i2"), 4: np.dtype("<i4")}
BITS = {2: 15, 4: 31}


def packed(values: Integers, width: int | None = None) -> dict[str, Any]:
    """Pack whole numbers, (n_rows, n), into as few bytes as their size allows.

    ``width``, 2 or 4, is what they take at least. Numbers must have fewer than 32 bits.
    """
    table = np.atleast_2d(np.asarray(values, dtype=np.int64))
    largest = int(np.abs(table).max(initial=0))
    if width is None:
        width = 2 if largest < 2 ** BITS[2] else 4
    if largest >= 2 ** BITS[width]:
        msg = f"{largest} does not fit in {width} bytes"
        raise ValueError(msg)
    # Differences may overflow; so do the sums that undo them.
    steps = np.diff(table, axis=1, prepend=0)
    text, plain = (_text(own.astype(DTYPES[width]), width) for own in (steps, table))
    differences = len(text) <= len(plain)
    return {
        "shape": list(table.shape),
        "width": width,
        "differences": differences,
        "base64": text if differences else plain,
    }


def _text(values: np.ndarray[Any, Any], width: int) -> str:
    planes = np.ascontiguousarray(values).view(np.uint8).reshape(-1, width).T
    return packed_bytes(planes.tobytes())


def packed_bytes(data: bytes) -> str:
    """Return bytes as base64 of what zlib makes of them."""
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def packed_json(value: Any) -> dict[str, str]:
    """Pack what is JSON-ready: its text, in UTF-8."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return {"base64": packed_bytes(text.encode("utf-8"))}


def unpacked_json(record: dict[str, str]) -> Any:
    """Return what was packed as JSON."""
    return json.loads(zlib.decompress(base64.b64decode(record["base64"])))


def packed_numbers(values: Floats, width: int) -> dict[str, Any]:
    """Pack numbers, rounded to a 32,767th (or, of 4 bytes, a billionth) of their range."""
    low, high = float(values.min()), float(values.max())
    scale = (high - low) / (2 ** BITS[width] - 1) or 1.0
    # The scale of a range of the smallest numbers there are is rounded, too.
    whole = np.minimum(np.rint((values - low) / scale), 2 ** BITS[width] - 1)
    return {**packed(whole.astype(np.int64), width), "offset": low, "scale": scale}


def unpacked(record: dict[str, Any]) -> Integers:
    """Return the whole numbers that were packed."""
    width, shape = record["width"], tuple(record["shape"])
    planes = np.frombuffer(zlib.decompress(base64.b64decode(record["base64"])), np.uint8)
    steps = np.ascontiguousarray(planes.reshape(width, -1).T).view(DTYPES[width])
    values = steps.reshape(shape)
    if record["differences"]:
        values = np.cumsum(values, axis=1, dtype=DTYPES[width])
    return values.astype(np.int64)


def unpacked_numbers(record: dict[str, Any]) -> Floats:
    """Return the numbers that were packed, as far as rounding left them."""
    numbers: Floats = record["offset"] + record["scale"] * unpacked(record)
    return numbers


def counts_of(pvalues: Floats, n_visited: int) -> Integers:
    """Return the counts whose shares of all visited relabellings are these p-values.

    Counts and not p are packed, so that a p looked up is the very number of Python.
    """
    counts = np.rint(np.asarray(pvalues) * n_visited).astype(np.int64)
    if not np.array_equal(counts / n_visited, pvalues):
        msg = f"these p-values are no shares of {n_visited} relabellings"
        raise ValueError(msg)
    return counts
