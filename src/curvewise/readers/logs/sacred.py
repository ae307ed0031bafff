"""Sacred's FileStorageObserver: a numbered folder for each run, with JSON documents.

Recognised by ``run.json`` or by ``metrics.json``, which holds steps, timestamps and values of
each metric. The number of a folder is only the order of starting.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from curvewise.readers.logged import UNREADABLE, Claim, LoggedRun
from curvewise.readers.parsing.json_documents import as_number
from curvewise.readers.parsing.recording import Recorder, chosen_x

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

METRICS, CONFIG, RUN = "metrics.json", "config.json", "run.json"
OTHERS = ("cout.txt", "info.json")
STATUSES = {
    "FAILED": "failed",
    "DIED": "failed",
    "INTERRUPTED": "killed",
    "TIMEOUT": "killed",
    "RUNNING": "running",
    "QUEUED": "running",
}
# {"loss": {"steps": [, with the keys of a metric in any order.
METRIC = re.compile(rb'^\s*\{\s*"[^"]+":\s*\{\s*"(?:steps|timestamps|values)":\s*\[')


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield the run whose folder this is."""
    run, metrics = folder.files.get(RUN), folder.files.get(METRICS)
    is_run = (
        run is not None
        and b'"artifacts"' in run.head()
        and (b'"experiment"' in run.head() or CONFIG in folder.files)
    )
    if is_run or (metrics is not None and METRIC.match(metrics.head())):
        found = (folder.files.get(name) for name in (METRICS, RUN, CONFIG, *OTHERS))
        yield Claim(folder.path, tuple(file for file in found if file is not None))


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run.

    If metrics.json is damaged, its points cannot be read, but who it is: Sacred writes the file
    anew at each heartbeat, so that it is whole or of no use.
    """
    for claim in claims:
        files = {file.name: file for file in claim.files}
        notes: list[str] = []
        info = _document(files.get(RUN), notes)
        config = _document(files.get(CONFIG), notes)
        experiment = info.get("experiment")
        name = experiment.get("name") if isinstance(experiment, dict) else None
        run = LoggedRun(
            config={"experiment": name, **config} if name else config,
            status=STATUSES.get(str(info.get("status")), ""),
            notes=notes,
        )
        metrics = _metrics(files.get(METRICS), notes)
        if metrics is None:
            run.status = UNREADABLE
        if metrics:
            run.x, run.other_x = chosen_x(wanted, ("step", "time"))
            start = _seconds(info.get("start_time"))
            if start is None:
                start = min(filter(None, map(_first_time, metrics.values())), default=0.0)
            recorder = Recorder()
            for metric, records in metrics.items():
                if metric in wanted:
                    _record(recorder, metric, records, start if run.x == "time" else None)
            run.series = recorder.series()
        yield run


def _metrics(
    file: File | None, notes: list[str]
) -> dict[str, dict[str, list[Any]]] | None:
    """Return the lists of each metric, checked; nothing, with a note, if they are damaged."""
    if file is None:
        return {}
    try:
        metrics = file.json()
        if all(
            len(each["steps"]) == len(each["values"]) == len(each["timestamps"])
            for each in metrics.values()
        ):
            return dict(metrics)
    except (ValueError, TypeError, LookupError, AttributeError):
        pass
    notes.append(
        f"{file.path.name} is damaged: it is cut, or no list of steps and values. Sacred "
        "writes it anew at each heartbeat; if the run goes on, read it again later"
    )
    return None


def _record(
    recorder: Recorder, metric: str, records: dict[str, list[Any]], start: float | None
) -> None:
    """Add the records of a metric, by their times since ``start`` if it is given."""
    for step, value, time in zip(
        records["steps"], records["values"], records["timestamps"], strict=True
    ):
        at, score = as_number(step), as_number(value)
        if start is not None:
            seconds = _seconds(time)
            at = None if seconds is None else seconds - start
        if at is not None and score is not None:
            recorder.add(metric, at, score)


def _document(file: File | None, notes: list[str]) -> dict[str, Any]:
    """Return a JSON object; nothing if there is none, with a note if it is damaged."""
    if file is None:
        return {}
    try:
        found = file.json()
    except ValueError:
        notes.append(f"{file.path.name} is damaged and was left out")
        return {}
    return found if isinstance(found, dict) else {}


def _first_time(records: dict[str, list[Any]]) -> float | None:
    times = records["timestamps"]
    return _seconds(times[0]) if times else None


def _seconds(time: Any) -> float | None:
    """Return a time in ISO format, without a zone as Sacred writes it, in seconds."""
    try:
        return (datetime.fromisoformat(time) - datetime(1970, 1, 1)).total_seconds()
    except (TypeError, ValueError):
        return None
