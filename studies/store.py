"""Numbers that took long to compute, kept so that a study goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

__all__ = ["OUT", "fingerprint", "forget", "kept", "reused"]

OUT = Path(__file__).parent / "out"

# How long it took, in seconds, to compute each of the results that were used again.
reused: list[float] = []


def kept(name: str, key: dict[str, Any], compute: Callable[[], Any]) -> Any:
    """Return what was computed under a name and key, computing it if it is not kept.

    ``key`` holds all that the result depends on: seeds, sizes, options. The result is
    JSON-ready data; arrays become nested lists. What is computed is told, for it takes long.
    The code is not in the key: after changing how numbers are made, `forget` them.
    """
    key = json.loads(json.dumps({**key, "version": cw.__version__}))
    # Another seed is kept beside this one; other sizes take its place.
    path = OUT / "store" / f"{name}-seed{key.get('seed', '')}.json"
    record = _read(path)
    if record is not None and record.get("key") == key:
        reused.append(record.get("seconds", 0.0))
        return record["result"]
    started = time.perf_counter()
    result = compute()
    seconds = time.perf_counter() - started
    print(f"  {name}: {seconds:.0f} s", file=sys.stderr, flush=True)
    record = {"key": key, "seconds": seconds, "result": result}
    text = json.dumps(record, default=_plain)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
    return json.loads(text)["result"]


def _read(path: Path) -> dict[str, Any] | None:
    """Return a record, or None where there is none that can be read."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def forget(study: str) -> None:
    """Remove what was kept of a study."""
    for path in (OUT / "store").glob(f"{study}*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def fingerprint(numbers: npt.NDArray[np.float64]) -> str:
    """Return what tells these numbers from others, for a key."""
    return hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest()[:16]


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    msg = f"{type(value).__name__} cannot be kept as JSON"
    raise TypeError(msg)
