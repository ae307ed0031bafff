"""A store for results that take long to compute, so that a stopped study can continue."""

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

__all__ = ["OUT", "fingerprint", "forget", "load_or_compute", "reused_seconds"]

OUT = Path(__file__).parent / "out"

# The computing time of each stored result used since the list was last cleared.
reused_seconds: list[float] = []


def load_or_compute(name: str, key: dict[str, Any], compute: Callable[[], Any]) -> Any:
    """Return the stored result of a name and key; compute and store it if there is none.

    ``key`` holds everything the result depends on: seeds, sizes, options. The result must be
    JSON data, in which arrays become nested lists. The name and the time of a new result are
    printed to stderr. The key does not cover the code: after changing how a result is
    computed, `forget` the stored one.
    """
    key = json.loads(json.dumps({**key, "version": cw.__version__}))
    # The seed is part of the file name, so results of several seeds are stored side by
    # side; a change of any other part of the key replaces the stored result.
    path = OUT / "store" / f"{name}-seed{key.get('seed', '')}.json"
    record = _read(path)
    if record is not None and record.get("key") == key:
        reused_seconds.append(record.get("seconds", 0.0))
        return record["result"]
    started = time.perf_counter()
    result = compute()
    seconds = time.perf_counter() - started
    print(f"  {name}: {seconds:.0f} s", file=sys.stderr, flush=True)
    record = {"key": key, "seconds": seconds, "result": result}
    text = json.dumps(record, default=_to_plain)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
    return json.loads(text)["result"]


def _read(path: Path) -> dict[str, Any] | None:
    """Return a stored record, or None if it is missing or damaged."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def forget(study: str) -> None:
    """Delete the stored results of a study."""
    for path in (OUT / "store").glob(f"{study}*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def fingerprint(numbers: npt.NDArray[np.float64]) -> str:
    """Return a short hash of an array, for use in a key."""
    return hashlib.sha256(np.ascontiguousarray(numbers).tobytes()).hexdigest()[:16]


def _to_plain(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    msg = f"{type(value).__name__} cannot be stored as JSON"
    raise TypeError(msg)
