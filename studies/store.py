"""Numbers that took long to compute, kept so that a study goes on where it stopped."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["OUT", "kept", "reused"]

OUT = Path(__file__).parent / "out"

# How long it took, in seconds, to compute each of the results that were used again.
reused: list[float] = []


def kept(name: str, key: dict[str, Any], compute: Callable[[], Any]) -> Any:
    """Return what was computed under a name and key, computing it if it is not kept.

    ``key`` holds all that the result depends on: seeds, sizes, options. The result is
    JSON-ready data; arrays become nested lists. What is computed is told, for it takes long.
    """
    key = {**key, "version": cw.__version__}
    path = OUT / "store" / f"{name}.json"
    if path.exists():
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["key"] == json.loads(json.dumps(key)):
            reused.append(record["seconds"])
            return record["result"]
    started = time.perf_counter()
    result = compute()
    seconds = time.perf_counter() - started
    print(f"  {name}: {seconds:.0f} s", file=sys.stderr, flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent, suffix=".json")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(
            {"key": key, "seconds": seconds, "result": result}, file, default=_plain
        )
    Path(partial).replace(path)
    return json.loads(path.read_text(encoding="utf-8"))["result"]


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    msg = f"{type(value).__name__} cannot be kept as JSON"
    raise TypeError(msg)
