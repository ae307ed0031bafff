"""Files and folders that are part of a run: its evaluation beside its training."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.folders import Folder

__all__ = ["home_above", "part_of"]

PART = re.compile(
    r"(train|training|learn|rollout|eval|evals|evaluation|evaluations|test|testing|val|valid"
    r"|validation)(?:[_-]?(?:logs?|results?|metrics|env|history|data))?",
    re.IGNORECASE,
)
# Names of logs that tell that a folder is a run.
LOG = re.compile(
    r"(?:.*monitor\.(?:csv|json)|progress\.(?:csv|txt|json)|(?:metrics|log|logs)\.(?:csv|jsonl)"
    r"|evaluations\.npz)(?:\.gz)?|.*tfevents.*",
    re.IGNORECASE,
)


def part_of(name: str) -> str:
    """Return which part of a run a file or folder is by its name, nothing if it is none.

    >>> part_of("eval"), part_of("eval_logs"), part_of("Test"), part_of("ppo")
    ('eval', 'eval', 'test', '')
    """
    match = PART.fullmatch(name)
    return match[1].lower() if match else ""


def home_above(folder: Folder) -> Path | None:
    """Return the run that a folder is a part of: the one above it.

    That holds logs itself, or has folders for several parts with logs in them.
    """
    part = part_of(folder.path.name)
    if folder.parent is None or not part:
        return None
    others = [other.path for other in folder.parent.folders.values()]
    parts = [path for path in others if part_of(path.name) not in {"", part}]
    above = folder.parent.path
    return above if any(map(_holds_logs, [above, *parts])) else None


def _holds_logs(path: Path) -> bool:
    """Whether a folder holds logs, also those that another format has claimed."""
    try:
        return any(LOG.fullmatch(entry.name) for entry in path.iterdir())
    except OSError:
        return False
