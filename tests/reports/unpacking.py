"""What a browser does with the arrays and records of a report."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.reports.payload import DTYPES

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers


def unpacked_json(record: dict[str, str]) -> Any:
    """Return what was packed as JSON."""
    return json.loads(zlib.decompress(base64.b64decode(record["base64"])))


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
