"""The JSON that tensorboardX exports: {path/tag: [[time, step, value], …]}.

It repeats the event files of its folder, and is read only where there are none.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim, LoggedRun
from curvewise.readers.parsing.json_documents import as_number, beginning, document
from curvewise.readers.parsing.recording import Recorder, chosen_x

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

NAME = "all_scalars.json"
STEP, TIME = "step", "time"


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim on the export of a folder, also if it is empty."""
    for file in folder.files.values():
        start: Any = beginning(file) if file.name.lower().endswith(".json") else None
        if file.name == NAME or (_is_export(start, is_cut=True) and any(start.values())):
            yield Claim(folder.path, (file,))


def _is_export(start: Any, *, is_cut: bool = False) -> bool:
    """Whether a document has lists of a time stamp, a step and a value.

    Of a document that is cut, only the first of each list is looked at.
    """
    return isinstance(start, dict) and all(
        isinstance(points, list) and all(map(_is_point, points[:1] if is_cut else points))
        for points in start.values()
    )


def _is_point(point: Any) -> bool:
    # Times are seconds since 1970.
    return (
        isinstance(point, list)
        and len(point) == 3
        and (as_number(point[0]) or 0) > 1e8
        and as_number(point[1]) is not None
    )


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of an export, unless event files beside it hold the same."""
    for claim in claims:
        file = claim.files[0]
        if not _has_events(file.path.parent):
            yield _run(file, wanted, claim.prefix)


def _has_events(folder: Path) -> bool:
    return any(folder.glob("*tfevents*"))


def _run(file: File, wanted: Wanted, prefix: str) -> LoggedRun:
    x, others = chosen_x(wanted, [STEP, TIME])
    found = document(file)
    if not _is_export(found):
        msg = f"{file.path.name} is damaged: it holds more than times, steps and values."
        raise CurvesError(msg)
    names = _tags(list(found))
    recorder = Recorder()
    starts = [points[0][0] for points in found.values() if points]
    for key, points in found.items():
        name = f"{prefix}{names[key]}"
        for time, step, value in points if name in wanted else ():
            score = as_number(value)
            if score is not None:
                recorder.add(
                    name, float(step) if x == STEP else time - min(starts), score
                )
    return LoggedRun(recorder.series(), x, others)


def _tags(keys: list[str]) -> dict[str, str]:
    """Return the tag of each key, without the folder that all keys begin with."""
    parts = [key.split("/")[:-1] for key in keys]
    n_shared = 0
    if len(keys) > 1:
        shared = itertools.takewhile(
            lambda names: len(set(names)) == 1, zip(*parts, strict=False)
        )
        n_shared = sum(1 for _ in shared)
    return {key: "/".join(key.split("/")[n_shared:]) for key in keys}
