"""Runs that left no record: empty files, and folders without a log, beside those of others."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from curvewise.readers.logged import Claim
from curvewise.readers.naming.configurations import is_configuration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from curvewise.readers.finding import Home
    from curvewise.readers.folders import File, Folder, Walk

__all__ = ["unlogged"]

NUMBER = re.compile(r"\d+")


def unlogged(walk: Walk, homes: Iterable[Home]) -> Iterator[tuple[Claim, Home]]:
    """Yield a claim for each run that stopped before its first record, and a home like it.

    The place of such a run differs only in numbers from that of a run with a log. It is an
    empty file; or a folder in which the log is empty, or which holds no log but a
    configuration of the same name. Only empty files are claimed.
    """
    alike: dict[str, Home] = {}
    used: set[Path] = set()
    folders_of_files: set[Path] = set()
    for home in homes:
        alike.setdefault(_shape(home.path, walk.root), home)
        used |= {home.path, *home.path.parents}
        if home.path != home.folder.path:
            folders_of_files.add(home.path.parent)
    for folder in walk.folders:
        if folder.path in folders_of_files:
            for file in _empty(folder):
                like = alike.get(_shape(file.path, walk.root))
                if like is not None:
                    yield Claim(file.path, (file,)), like
        if folder.path in used:
            continue
        like = alike.get(_shape(folder.path, walk.root))
        if like is None or like.path != like.folder.path:
            continue
        names = {f.name for claims in like.logs.values() for c in claims for f in c.files}
        empty = tuple(file for file in _empty(folder) if file.name in names)
        if empty or not _settings(folder).isdisjoint(_settings(like.folder)):
            yield Claim(folder.path, empty), like


def _shape(path: Path, root: Path) -> str:
    """Return a path below the root in which all numbers are alike."""
    return NUMBER.sub("0", os.path.relpath(path, root))


def _empty(folder: Folder) -> list[File]:
    return [file for file in folder.files.values() if not file.head().strip()]


def _settings(folder: Folder) -> set[str]:
    return {file.name for file in folder.files.values() if is_configuration(file.name)}
