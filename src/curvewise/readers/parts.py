"""Files and folders that are part of a run: its evaluation beside its training."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.folders import Folder

__all__ = ["home_above", "part_of"]

PART = re.compile(
    r"(train|training|rollout|eval|evals|evaluation|evaluations|test|val|valid|validation)"
    r"(?:[_-]?(?:logs?|results?|metrics|env|history|data))?",
    re.IGNORECASE,
)
# What tells that a folder is a run.
LOG = re.compile(
    r".*monitor\.(csv|json)(\.gz)?|progress\.(csv|txt|json)(\.gz)?|.*tfevents.*|metrics\.\w+"
    r"|evaluations\.npz|log\.(txt|csv)|config\.\w+|args\.\w+|params\.\w+|.*\.(zip|pt|pth|pkl)",
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
    """Return the run that a folder is a part of: the one above it, if that holds logs too."""
    if folder.parent is None or not part_of(folder.path.name):
        return None
    above = folder.parent.path
    # Files that other formats have claimed are no longer among those of the folder.
    try:
        names = [entry.name for entry in above.iterdir() if entry.is_file()]
    except OSError:
        return None
    return above if any(LOG.fullmatch(name) for name in names) else None
