"""Training logs that libraries wrote, some of them damaged."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzing.mutating import mutated_bytes, mutated_json, mutated_text

if TYPE_CHECKING:
    from random import Random

__all__ = ["write_logs"]

TESTS = Path(__file__).parents[1] / "tests"
SETS = (TESTS / "readers" / "logs" / "fixtures", TESTS / "data" / "logs")
MAX_SIZE = 200_000  # bytes of a file that is worth mutating


def write_logs(rng: Random, folder: Path) -> Path:
    """Copy the logs of one library, and damage one to three of its files."""
    places = (sorted(each.iterdir()) for each in SETS)
    source = rng.choice([own for each in places for own in each if own.is_dir()])
    target = folder / "logs"
    ignored = shutil.ignore_patterns("truth*", "runs.csv", "VERSIONS.txt")
    shutil.copytree(
        source / "logs" if (source / "logs").is_dir() else source, target, ignore=ignored
    )
    files = sorted(
        path for path in target.rglob("*") if path.is_file() and path.stat().st_size < MAX_SIZE
    )
    for path in rng.sample(files, min(len(files), rng.choice([0, 1, 1, 2, 3]))):
        _damage(rng, path)
    return target


def _damage(rng: Random, path: Path) -> None:
    kind = rng.choice(["bytes", "bytes", "text", "json", "empty", "gone", "folder", "name"])
    data = path.read_bytes()
    if kind == "bytes":
        path.write_bytes(mutated_bytes(rng, data))
    elif kind == "text":
        text = mutated_text(rng, data.decode("utf-8", "surrogateescape"))
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    elif kind == "json":
        lines = data.split(b"\n")
        place = rng.randrange(len(lines))
        try:
            value = json.loads(data) if path.suffix == ".json" else json.loads(lines[place])
        except ValueError:
            path.write_bytes(mutated_bytes(rng, data))
            return
        new = json.dumps(mutated_json(rng, value)).encode()
        lines[place] = new
        path.write_bytes(new if path.suffix == ".json" else b"\n".join(lines))
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "name":
        path.rename(path.with_name(rng.choice(["caf\udce9.csv", "a\nb", "x.csv", ".hidden"])))
    else:
        path.unlink()
        if kind == "folder":
            path.mkdir()
