"""ClearML's offline sessions: ``task.json`` and ``metrics.jsonl`` in a folder, or in a zip.

Each line of metrics.jsonl is a list of events. ClearML packs the folder when a task ends and
leaves both: they are one run.
"""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from curvewise.errors import CurvesError
from curvewise.readers.folders import MAX_UNPACKED_SIZE, File
from curvewise.readers.logged import Claim, LoggedRun
from curvewise.readers.parsing.json_documents import as_number
from curvewise.readers.parsing.json_records import json_lines
from curvewise.readers.parsing.recording import Recorder, chosen_x

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import BufferedReader

    from curvewise.readers.folders import Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

TASK, METRICS, CONSOLE = "task.json", "metrics.jsonl", "log.jsonl"
TASK_KEYS = (b'"hyperparams"', b'"execution"', b'"offline_folder"', b'"script"')
ZIP, ZIP_MAGIC = ".zip", b"PK\x03\x04"
SESSION = "offline-"  # how ClearML begins their names
BAD_ZIP = (zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError)
SCALAR = "training_stats_scalar"
# Where `report_single_value` puts what has no step, and what ClearML measures of the machine.
NO_STEP = -(2**31)
MACHINE = ":monitor:"
STATUSES = {
    "failed": "failed",
    "stopped": "killed",
    "aborted": "killed",
    "in_progress": "running",
    "queued": "running",
}
# Sections of hyperparameters that hold a script's own.
OWN_SECTIONS = {"General", "Args"}


@dataclass(frozen=True)
class _Member(File):
    """A file in a zip, read without unpacking the zip."""

    member: str

    @property
    def name(self) -> str:
        return PurePosixPath(self.member).name

    @property
    def is_packed(self) -> bool:
        return False

    @property
    def size(self) -> int:
        with zipfile.ZipFile(self.path) as archive:
            return archive.getinfo(self.member).file_size

    def open(self) -> BufferedReader:
        with zipfile.ZipFile(self.path) as archive:
            # It stays open until the member is closed.
            return cast("BufferedReader", archive.open(self.member))


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield the session whose folder this is, and those that are zips in it."""
    task, metrics = folder.files.get(TASK), folder.files.get(METRICS)
    if task is not None and _is_session(task, metrics):
        found = (task, metrics, folder.files.get(CONSOLE))
        yield Claim(folder.path, tuple(file for file in found if file is not None))
    for name, file in folder.files.items():
        if name.lower().endswith(ZIP) and file.head().startswith(ZIP_MAGIC):
            beside = folder.folders.get(name[: -len(ZIP)])
            if beside is not None and TASK in beside.files:
                yield Claim(beside.path, (file,))
            elif _is_zipped_session(file):
                yield Claim(file.path, (file,))


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the session; the name of a curve is ``metric/variant``.

    Raises CurvesError if a zip is damaged, encrypted, or holds more than a log does.
    """
    files = {file.path.name: file for claim in claims for file in claim.files}
    if TASK in files:
        yield _run(files, wanted)
        return
    for zipped in files.values():
        try:
            run = _run(_members(zipped), wanted)
        except (*BAD_ZIP, zlib.error, EOFError) as error:
            msg = f"{zipped.path.name} is damaged or encrypted: {error}."
            raise CurvesError(msg) from None
        yield run


def _is_session(task: File, metrics: File | None) -> bool:
    if metrics is not None and metrics.head().lstrip().startswith(b"[{"):
        return True
    return any(key in task.head() for key in TASK_KEYS)


def _is_zipped_session(zipped: File) -> bool:
    """Whether a zip holds a session, or is damaged and has the name of one."""
    try:
        return TASK in _members(zipped)
    except (*BAD_ZIP, OSError):
        return zipped.name.startswith(SESSION)


def _members(zipped: File) -> dict[str, File]:
    """Return the files of a session in a zip by their names, none if there is no session."""
    with zipfile.ZipFile(zipped.path) as archive:
        names = archive.namelist()
    tasks = [name for name in names if PurePosixPath(name).name == TASK]
    if len(tasks) != 1:
        return {}
    top = PurePosixPath(tasks[0]).parent
    return {
        PurePosixPath(name).name: _Member(zipped.path, name)
        for name in names
        if PurePosixPath(name).parent == top and not name.endswith("/")
    }


def _run(files: dict[str, File], wanted: Wanted) -> LoggedRun:
    run = LoggedRun()
    try:
        task = files[TASK].json()
    except ValueError:
        task = None
    if isinstance(task, dict):
        run.config = _config(task)
        run.status = STATUSES.get(str(task.get("status")), "")
    else:
        run.notes.append(f"{TASK} is damaged: the hyperparameters are not known")
    if METRICS in files:
        _read_metrics(run, files[METRICS], wanted)
    return run


def _read_metrics(run: LoggedRun, file: File, wanted: Wanted) -> None:
    if isinstance(file, _Member) and file.size > MAX_UNPACKED_SIZE:
        msg = f"{file.path.name} holds more than a log does when it is unpacked."
        raise CurvesError(msg)
    run.x, run.other_x = chosen_x(wanted, ("step", "time"))
    recorder, start = Recorder(), None
    for event in _events(run, file):
        metric, at, score = (
            event.get("metric"),
            event.get("iter"),
            as_number(event.get("value")),
        )
        time = as_number(event.get("timestamp"))
        start = time if start is None else start
        step = as_number(at)
        is_curve = event.get("type", SCALAR) == SCALAR and at != NO_STEP
        if not is_curve or step is None or score is None or metric is None:
            continue
        name = "/".join(str(part) for part in (metric, event.get("variant")) if part)
        if str(metric).startswith(MACHINE) or name not in wanted:
            continue
        if run.x == "time" and time is not None and start is not None:
            step = (time - start) / 1000
        recorder.add(name, step, score)
    run.series = recorder.series()


def _events(run: LoggedRun, file: File) -> Iterator[dict[str, Any]]:
    """Yield the events of all lines, and note what is left out."""
    for place, events in json_lines(file, run.notes, METRICS):
        if events is None:
            run.notes.append(f"line {place} of {METRICS} is damaged and was left out")
        for event in events if isinstance(events, list) else [events]:
            if isinstance(event, dict):
                yield event


def _config(task: dict[str, Any]) -> dict[str, Any]:
    """Return the hyperparameters with their types, and the names of task and project."""
    config = {"name": task.get("name"), "project": task.get("project_name")}
    config = {key: value for key, value in config.items() if value}
    sections = task.get("hyperparams")
    for section, entries in sections.items() if isinstance(sections, dict) else ():
        if not isinstance(entries, dict):
            continue
        values = {name: _value(entry) for name, entry in entries.items()}
        config.update(values if section in OWN_SECTIONS else {section: values})
    return config


def _value(entry: Any) -> Any:
    """Return a hyperparameter as the type that stands beside it, else as text."""
    if not isinstance(entry, dict):
        return entry
    value, kind = entry.get("value"), entry.get("type")
    try:
        if kind in {"int", "float"} and isinstance(value, str):
            return int(value) if kind == "int" else float(value)
    except ValueError:
        return value
    return value == "True" if kind == "bool" and value in {"True", "False"} else value
