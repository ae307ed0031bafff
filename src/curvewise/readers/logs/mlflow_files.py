"""MLflow's file store: a folder ``mlruns/EXPERIMENT/RUN`` for each run, all of it text.

Recognised by ``meta.yaml`` with a run and its experiment. Read without mlflow, which takes
hundreds of megabytes and, since 3.13, refuses these folders.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from curvewise.readers.folders import File
from curvewise.readers.logged import Claim
from curvewise.readers.parsing.log_tables import CUT_LINE
from curvewise.readers.parsing.mlflow_runs import (
    PARENT_ID,
    RUN_NAME,
    MlflowMetric,
    MlflowRun,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from curvewise.readers.folders import Folder
    from curvewise.readers.logged import LoggedRun, Wanted

__all__ = ["claims", "read"]

META = "meta.yaml"
METRICS, PARAMS, TAGS, ARTIFACTS = "metrics", "params", "tags", "artifacts"
# A version of a registered model names a run as well, but no experiment.
RUN_KEYS = (rb"(?m)^run_(id|uuid):", rb"(?m)^experiment_id:")
ID = re.compile(r"\w+")  # of a run; a path would lead elsewhere
MODEL_KEY = rb"(?m)^(model_id|version):"
MAX_TEXT_SIZE = 2**20  # of a parameter, a tag or meta.yaml


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield the run whose folder this is.

    Artifacts of a run with metrics are claimed, and not read: copies of logs among them would
    be the same run once more.
    """
    meta = folder.files.get(META)
    if meta is None or not (_is_run(meta) or _has_own_tags(folder)):
        return
    metrics = _files_below(folder.folders.get(METRICS))
    places = [PARAMS, TAGS, ARTIFACTS] if metrics else [PARAMS, TAGS]
    others = [
        file for place in places for file in _files_below(folder.folders.get(place))
    ]
    if folder.parent is not None and META in folder.parent.files:
        others.append(folder.parent.files[META])  # that of the experiment
    yield Claim(folder.path, (meta, *metrics, *others))


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run; a deleted one has no series."""
    for claim in claims:
        yield _run(claim.home, claim.files, wanted).logged(wanted)


def _is_run(meta: File) -> bool:
    return all(re.search(key, meta.head()) for key in RUN_KEYS)


def _has_own_tags(folder: Folder) -> bool:
    """Whether there are tags that MLflow sets, as when meta.yaml was lost in a crash.

    Models have them too, and a logged model repeats the metrics of its run.
    """
    if re.search(MODEL_KEY, folder.files[META].head()):
        return False
    tags = folder.folders.get(TAGS)
    return tags is not None and any(name.startswith("mlflow.") for name in tags.files)


def _files_below(folder: Folder | None) -> list[File]:
    folders = folder.tree() if folder is not None else ()
    return [file for below in folders for file in below.files.values()]


def _run(home: Path, files: Sequence[File], wanted: Wanted) -> MlflowRun:
    notes: list[str] = []
    meta = _document(files[0])
    if not meta:
        notes.append(f"{META} is damaged: how the run ended is not known")
    start = meta.get("start_time")
    tags = _texts(home, files, TAGS)
    parent, parent_params = _parent(home, tags.get(PARENT_ID, ""))
    run = MlflowRun(
        status=str(meta.get("status", "")),
        stage=str(meta.get("lifecycle_stage", "")),
        is_parent=_is_parent(home, files),
        start=float(start) if isinstance(start, int | float) else None,
        name=_name(meta),
        parent=parent,
        experiment=str(_document(File(home.absolute().parent / META)).get("name") or ""),
        params=_texts(home, files, PARAMS),
        parent_params=parent_params,
        tags=tags,
        notes=notes,
    )
    if not run.is_deleted:
        for name, file in _named(home, files, METRICS):
            if name in wanted:
                metric = _metric(file, f"{METRICS}/{name}", notes)
                if metric.steps:
                    run.metrics[name] = metric
    return run


def _name(meta: dict[str, Any]) -> str:
    return str(meta.get("run_name") or meta.get("name") or "")


def _texts(home: Path, files: Sequence[File], place: str) -> dict[str, str]:
    return {name: _text(file) for name, file in _named(home, files, place)}


def _parent(home: Path, parent_id: str) -> tuple[str, dict[str, str]]:
    """Return the name and the parameters of the run that this one is nested in, if it is."""
    if not ID.fullmatch(parent_id):
        return "", {}
    parent = home.absolute().parent / parent_id
    tag = parent / TAGS / RUN_NAME
    name = _text(File(tag)) if tag.is_file() else _name(_document(File(parent / META)))
    files = [File(path) for path in (parent / PARAMS).rglob("*") if path.is_file()]
    return name, _texts(parent, files, PARAMS)


def _is_parent(home: Path, files: Sequence[File]) -> bool:
    """Whether other runs are nested in this one, and it has no metric of several records."""
    metrics = [file for _, file in _named(home, files, METRICS)]
    if any(file.head().count(b"\n") > 1 for file in metrics):
        return False
    nested = home.absolute().parent.glob(f"*/{TAGS}/{PARENT_ID}")
    return any(_text(File(tag)) == home.absolute().name for tag in nested)


def _named(home: Path, files: Sequence[File], place: str) -> Iterator[tuple[str, File]]:
    """Yield the files of a sub-folder; a slash in a name is a folder below it."""
    for file in files:
        if file.path.is_relative_to(home / place):
            yield file.path.relative_to(home / place).as_posix(), file


def _metric(file: File, name: str, notes: list[str]) -> MlflowMetric:
    """Read lines of time, value and step; MLflow before 1.0 wrote no step."""
    metric = MlflowMetric()
    for place, (line, is_whole) in enumerate(file.lines(), start=1):
        if not is_whole:
            notes.append(CUT_LINE.format(name=name))
            break
        fields = line.split()
        try:
            step = float(int(fields[2])) if len(fields) > 2 else 0.0
            metric.add(float(int(fields[0])), float(fields[1]), step)
        except (IndexError, ValueError, OverflowError):
            if fields:
                notes.append(f"line {place} of {name} is damaged and was left out")
    return metric


def _text(file: File) -> str:
    with file.path.open("rb") as stream:  # a parameter may be called what.gz
        return stream.read(MAX_TEXT_SIZE).decode("utf-8", errors="replace").strip()


def _document(meta: File) -> dict[str, Any]:
    """Return what meta.yaml holds; nothing if it is missing or damaged."""
    import yaml

    try:
        found = yaml.safe_load(_text(meta))
    except (OSError, yaml.YAMLError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
