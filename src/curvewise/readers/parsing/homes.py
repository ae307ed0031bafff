"""What stands for a run: the folder that its log lies in, or the file itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from curvewise.readers.folders import File, Folder

__all__ = ["homes_of", "stem_of"]

# seed3, ppo_1, run-12: a name that tells this run from others. A date is longer.
NUMBERED = re.compile(r"(?:.*[^\d])?\d{1,4}", re.DOTALL)
DATED = re.compile(r"\D*\d{4,8}[-_T.]?\d{2,}.*", re.DOTALL)
# What loggers call the log of a run.
OF_ONE_RUN = {
    "progress",
    "metrics",
    "log",
    "logs",
    "history",
    "train",
    "training",
    "stats",
}


def homes_of(
    folder: Folder, files: Iterable[File], *, of_several_runs: bool = False
) -> Iterator[tuple[Path, File]]:
    """Yield the logs of a folder, each with its home.

    The only one stands for its folder, unless its name ends in a number, as in ``seed0.jsonl``;
    several stand for themselves.

    Parameters
    ----------
    folder : Folder
    files : iterable of File
        Logs of one format.
    of_several_runs : bool
        Whether each may hold several runs: then it stands for itself, unless it is called as
        logs of one run are, such as ``progress.csv``.
    """
    logs = list(files)
    for file in logs:
        stem = stem_of(file)
        is_numbered = NUMBERED.fullmatch(stem) and not DATED.fullmatch(stem)
        is_named = is_numbered or (of_several_runs and stem.lower() not in OF_ONE_RUN)
        yield (folder.path if len(logs) == 1 and not is_named else file.path), file


def stem_of(file: File) -> str:
    """Return the name of a file without its ending, nor ``.gz``, nor ``.log`` before it."""
    stem = file.name.rpartition(".")[0] or file.name
    return stem.removesuffix(".log")
