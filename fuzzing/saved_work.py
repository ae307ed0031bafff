"""Checkpoints and monitoring plans: written by the command, then damaged."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzing.mutating import mutated_bytes, mutated_json, mutated_text

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

__all__ = ["damage_checkpoint", "damage_plan"]


def damage_checkpoint(rng: Random, path: Path) -> None:
    """Change bytes of a checkpoint, or its arrays and its head, whose checksums stay right."""
    if not path.exists():
        return  # what was asked needs none, or was refused
    data = path.read_bytes()
    kind = rng.choice(["none", "bytes", "truncate", "head", "array", "name", "foreign"])
    if kind == "bytes":
        path.write_bytes(mutated_bytes(rng, data))
    elif kind == "truncate":
        path.write_bytes(data[: rng.randrange(len(data))])
    elif kind == "foreign":
        path.write_bytes(rng.choice([b"", b"PK\x05\x06" + bytes(18), b"{}", b"\x80\x04N."]))
    elif kind != "none":
        with np.load(io.BytesIO(data)) as archive:
            arrays = {name: archive[name] for name in archive.files}
        if kind == "head":
            head = mutated_json(rng, json.loads(str(arrays["head"])))
            arrays["head"] = np.array(json.dumps(head))
        else:
            name = rng.choice(list(arrays))
            if kind == "name":
                arrays[rng.choice(["0/done", "x", "0/counts/-1", "9/done", "0//"])] = arrays.pop(
                    name
                )
            else:
                arrays[name] = _other(rng, arrays[name])
        with zipfile.ZipFile(path, "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w") as file:
                    np.lib.format.write_array(file, np.asarray(array), allow_pickle=True)


def _other(rng: Random, array: Any) -> Any:
    numeric = array if array.dtype.kind in "iuf" else np.zeros(2)
    return rng.choice(
        [
            numeric.astype(float) * np.nan,
            numeric.astype(float) + np.inf,
            -numeric - 1,
            numeric + 10**6,
            numeric[:0],
            numeric[None],
            numeric.astype(str),
            np.array({"x": 1}, dtype=object),
            np.array(0),
        ]
    )


def damage_plan(rng: Random, path: Path) -> None:
    """Change bytes, words or values of a plan; the checksum is made to fit now and then."""
    from curvewise.questions.monitor.ask import _checksum

    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    kind = rng.choice(["none", "bytes", "text", "json", "signed", "signed"])
    if kind == "bytes":
        path.write_bytes(mutated_bytes(rng, text.encode()))
    elif kind == "text":
        path.write_text(mutated_text(rng, text), encoding="utf-8", errors="replace")
    elif kind in {"json", "signed"}:
        record = mutated_json(rng, json.loads(text))
        if kind == "signed" and isinstance(record, dict):
            record.pop("checksum", None)
            record["checksum"] = _checksum(record)
        path.write_text(json.dumps(record), encoding="utf-8", errors="replace")
