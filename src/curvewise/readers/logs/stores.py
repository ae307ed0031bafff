"""Stores of many runs: MLflow's folders and database, Optuna's journal and database."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from array import array
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import refuse
from curvewise.readers.naming.config import load_yaml
from curvewise.readers.parsing.files import columns_of, damaged, database_claims, opened
from curvewise.readers.parsing.json_files import as_number, json_lines, parsed
from curvewise.readers.parsing.series import Recorder, chosen_x
from curvewise.readers.parsing.text_tables import whole_lines
from curvewise.readers.walk import Claim, File, LoggedRun, Series
from curvewise.text import listed, pairs

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from curvewise.readers.walk import Folder, Wanted


# What MLflow's stores share: what a run is, how it ended, and which steps it has.

# Numbers in files, names in databases.
MLFLOW_STATUSES = pairs(
    """1 running 2 running 4 failed 5 killed RUNNING running SCHEDULED running FAILED failed
    KILLED killed"""
)
DELETED = "deleted"
OWN_TAGS = "mlflow."  # what MLflow itself notes, such as the user and the program
RUN_NAME = "mlflow.runName"
PARENT_ID = "mlflow.parentRunId"  # the tag of a nested run


def lacks_steps(metric: array[float]) -> bool:
    """Whether nobody gave steps: there are several records, and all are at step 0."""
    return len(metric) > 3 and not any(metric[2::3])


@dataclass
class MlflowRun:
    """A run of a store.

    Attributes
    ----------
    status : str
        The number or the name that the store has for it.
    is_deleted : bool
        Whether it was deleted: what it holds is not read.
    is_parent : bool
        Whether other runs are nested in it, and none of its metrics has several records.
    start : float or None
        When it began, in milliseconds.
    name, parent, experiment : str
        What it, the run it is nested in and its experiment are called.
    params, parent_params, tags : dict from str to str
    metrics : dict from name to array
        Time in milliseconds, score and step of each record, one after the other.
    notes : list of str
    """

    status: str = ""
    is_deleted: bool = False
    is_parent: bool = False
    start: float | None = None
    name: str = ""
    parent: str = ""
    experiment: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    parent_params: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    metrics: dict[str, array[float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def logged(self, wanted: Wanted, key: str = "") -> LoggedRun:
        """Return the run as every log gives it.

        The steps are MLflow's, where the user gave any. Metrics without are numbered in order
        of time ("record"), and the notes say so. "time" is in seconds since the run began.
        """
        status = MLFLOW_STATUSES.get(self.status, "")
        if self.is_deleted or self.is_parent:
            status = DELETED if self.is_deleted else "parent"
        run = LoggedRun(key=key, config=self._config(), status=status, notes=self.notes)
        if self.is_deleted or not self.metrics:
            return run
        several = [metric for metric in self.metrics.values() if len(metric) > 3]
        is_numbered = bool(several) and all(map(lacks_steps, several))
        offered = ["record", "time"] if is_numbered else ["step", "time", "record"]
        run.x, run.other_x = chosen_x(wanted, offered)
        run.series = {name: self._series(metric, run.x) for name, metric in self.metrics.items()}
        numbered = [name for name, metric in self.metrics.items() if lacks_steps(metric)]
        if numbered and run.x != "time":
            run.notes.append(
                f"{listed(numbered, 3)}: logged without steps; the records are "
                "numbered in order of time"
            )
        return run

    def _series(self, metric: array[float], x: str) -> Series:
        records = np.array(metric).reshape(-1, 3)
        times, scores, steps = records[np.argsort(records[:, 0], kind="stable")].T.copy()
        if x == "time":
            first = min(min(each[::3]) for each in self.metrics.values())
            steps = (times - (first if self.start is None else self.start)) / 1000
        elif x == "record" or lacks_steps(metric):
            steps = np.arange(len(times), dtype=np.float64)
        return Series(steps, scores)

    def _config(self) -> dict[str, Any]:
        """Return what the run was started with, parameters before tags and names."""
        names = {
            "run_name": self.tags.get(RUN_NAME) or self.name,
            "parent": self.parent,
            "experiment": self.experiment,
        }
        tags = {key: value for key, value in self.tags.items() if not key.startswith(OWN_TAGS)}
        names = {key: value for key, value in names.items() if value}
        return {**names, **self.parent_params, **tags, **self.params}


# MLflow's file store: a folder ``mlruns/EXPERIMENT/RUN`` for each run, all of it text.
#
# Recognised by ``meta.yaml`` with a run and its experiment. Read without mlflow, which takes
# hundreds of megabytes and, since 3.13, refuses these folders.

META = "meta.yaml"
METRICS, PARAMS, TAGS, ARTIFACTS = "metrics", "params", "tags", "artifacts"
# A version of a registered model names a run as well, but no experiment.
RUN_KEYS = (rb"(?m)^run_(id|uuid):", rb"(?m)^experiment_id:")
ID = re.compile(r"\w+")  # of a run; a path would lead elsewhere
MODEL_KEY = rb"(?m)^(model_id|version):"
MAX_TEXT_SIZE = 2**20  # of a parameter, a tag or meta.yaml


def mlflow_files_claims(folder: Folder) -> Iterator[Claim]:
    """Yield the run whose folder this is.

    Artifacts of a run with metrics are claimed, and not read: copies of logs among them would
    be the same run once more.
    """
    meta = folder.files.get(META)
    is_run = meta is not None and all(re.search(key, meta.head()) for key in RUN_KEYS)
    if meta is None or not (is_run or _has_own_tags(folder)):
        return
    metrics = folder.files_below(METRICS)
    places = [PARAMS, TAGS, ARTIFACTS] if metrics else [PARAMS, TAGS]
    others = [file for place in places for file in folder.files_below(place)]
    if folder.parent is not None and META in folder.parent.files:
        others.append(folder.parent.files[META])  # that of the experiment
    yield Claim(folder.path, (meta, *metrics, *others))


def mlflow_files_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run; a deleted one has no series."""
    for claim in claims:
        yield _run(claim.home, claim.files, wanted).logged(wanted)


def _has_own_tags(folder: Folder) -> bool:
    """Whether there are tags that MLflow sets, as when meta.yaml was lost in a crash.

    Models have them too, and a logged model repeats the metrics of its run.
    """
    if re.search(MODEL_KEY, folder.files[META].head()):
        return False
    tags = folder.folders.get(TAGS)
    return tags is not None and any(name.startswith("mlflow.") for name in tags.files)


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
        is_deleted=meta.get("lifecycle_stage") == DELETED,
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
    for name, file in [] if run.is_deleted else _named(home, files, METRICS):
        if name in wanted and (metric := _metric(file, f"{METRICS}/{name}", notes)):
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
    name = File(tag).first_line() or _name(_document(File(parent / META)))
    found = (parent / PARAMS).rglob("*")
    files = [File(path) for path in found if os.path.isfile(path)]  # noqa: PTH113
    return name, _texts(parent, files, PARAMS)


def _is_parent(home: Path, files: Sequence[File]) -> bool:
    """Whether other runs are nested in this one, and it has no metric of several records."""
    metrics = [file for _, file in _named(home, files, METRICS)]
    if any(file.head().count(b"\n") > 1 for file in metrics):
        return False
    nested = home.absolute().parent.glob(f"*/{TAGS}/{PARENT_ID}")
    return any(File(tag).first_line() == home.absolute().name for tag in nested)


def _named(home: Path, files: Sequence[File], place: str) -> Iterator[tuple[str, File]]:
    """Yield the files of a sub-folder; a slash in a name is a folder below it."""
    for file in files:
        if file.path.is_relative_to(home / place):
            yield file.path.relative_to(home / place).as_posix(), file


def _metric(file: File, name: str, notes: list[str]) -> array[float]:
    """Read lines of time, value and step; MLflow before 1.0 wrote no step."""
    metric = array("d")
    for place, line in whole_lines(file, notes, name):
        fields = line.split()
        try:
            step = float(int(fields[2])) if len(fields) > 2 else 0.0
            metric.extend((float(int(fields[0])), float(fields[1]), step))
        except (IndexError, ValueError, OverflowError):
            if fields:
                notes.append(f"line {place} of {name} is damaged and was left out")
    return metric


def _text(file: File) -> str:
    with file.path.open("rb") as stream:  # a parameter may be called what.gz
        return stream.read(MAX_TEXT_SIZE).decode("utf-8-sig", errors="replace").strip()


def _document(meta: File) -> dict[str, Any]:
    """Return what meta.yaml holds; nothing if it is missing or damaged."""
    try:
        found = load_yaml(_text(meta))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


# MLflow's database: an SQLite file, such as mlflow.db, that holds all runs.
#
# Recognised by its tables. Read with the standard library, for reading only.

MLFLOW_TABLES = frozenset({"runs", "metrics", "params", "experiments"})


def mlflow_database_claims(folder: Folder) -> Iterator[Claim]:
    """Yield the databases of MLflow, and those that cannot be opened: `read` says why."""
    yield from database_claims(folder, MLFLOW_TABLES, unreadable=True)


def mlflow_database_runs(file: File, wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the runs in the order in which they began, each with its id as the key.

    Raises CurvesError where the database cannot be read; runs before that are yielded.
    """
    with opened(file) as database:
        params, tags = _texts_of_runs(database, "params"), _texts_of_runs(database, "tags")
        parents = {values[PARENT_ID] for values in tags.values() if PARENT_ID in values}
        names = dict(database.execute("SELECT run_uuid, name FROM runs"))
        rows = database.execute(
            "SELECT run_uuid, status, runs.lifecycle_stage, start_time, runs.name, "
            "experiments.name, experiments.lifecycle_stage FROM runs "
            "LEFT JOIN experiments USING (experiment_id) ORDER BY start_time, runs.rowid"
        )
        for run_id, status, stage, start, name, experiment, experiment_stage in rows.fetchall():
            parent = tags[run_id].get(PARENT_ID, "")
            is_deleted = DELETED in {stage, experiment_stage}
            run = MlflowRun(
                status=status or "",
                is_deleted=is_deleted,
                is_parent=run_id in parents and not _has_curve(database, run_id),
                start=start,
                name=name or "",
                parent=tags[parent].get(RUN_NAME) or names.get(parent) or "",
                experiment=experiment or "",
                params=params[run_id],
                parent_params=params[parent],
                tags=tags[run_id],
                metrics={} if is_deleted else _metrics(database, run_id, wanted),
            )
            yield run.logged(wanted, key=run_id)


def _has_curve(database: sqlite3.Connection, run_id: str) -> bool:
    """Whether a run has a metric of several records."""
    rows = database.execute(
        "SELECT 1 FROM metrics WHERE run_uuid = ? GROUP BY key HAVING COUNT(*) > 1 LIMIT 1",
        (run_id,),
    )
    return rows.fetchone() is not None


def _texts_of_runs(database: sqlite3.Connection, table: str) -> dict[str, dict[str, str]]:
    """Return the keys and values of each run in a table of texts, if there is one."""
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    if columns_of(database, table):
        query = f"SELECT run_uuid, key, value FROM {table}"  # noqa: S608 (our own names)
        for run_id, key, value in database.execute(query):
            texts[run_id][key] = "" if value is None else str(value)
    return texts


def _metrics(database: sqlite3.Connection, run_id: str, wanted: Wanted) -> dict[str, array[float]]:
    """Read the records of a run, as they were written.

    A database holds no NaN, which is a mark beside the value, and no infinity, which is
    MLflow's largest number.
    """
    database.create_function("is_wanted", 1, wanted.__contains__, deterministic=True)
    columns = columns_of(database, "metrics")
    step = "step" if "step" in columns else "0"  # before MLflow 1.0
    is_nan = "is_nan" if "is_nan" in columns else "0"
    rows = database.execute(
        f"SELECT key, timestamp, value, {step}, {is_nan} FROM metrics "  # noqa: S608
        "WHERE run_uuid = ? AND is_wanted(key) ORDER BY rowid",
        (run_id,),
    )
    metrics: dict[str, array[float]] = defaultdict(lambda: array("d"))
    for key, time, value, at, is_not_a_number in rows:
        try:
            score = math.nan if is_not_a_number else value
            if abs(score) >= sys.float_info.max:
                score = math.copysign(math.inf, score)
            metrics[key].extend((time, score, at))
        except (TypeError, OverflowError):  # SQLite does not hold columns to their types
            refuse(f"The database is damaged: {key!r} of run {run_id!r} is no number.")
    return dict(metrics)


# What Optuna's storages share: a trial with its parameters and intermediate values.

# What `trial.report` reports has no name of its own.
INTERMEDIATE = "intermediate"
OPTUNA_STATUSES = {"RUNNING": "running", "PRUNED": "pruned", "FAIL": "failed"}
WAITING = "WAITING"


@dataclass
class Trial:
    """A trial of a study.

    Attributes
    ----------
    study : str
        The name of the study.
    number : int
        Its number in the study.
    state : str
        "RUNNING", "COMPLETE", "PRUNED", "FAIL" or "WAITING".
    params, attributes : dict
        What was suggested to it, and what the user noted.
    values : dict from step to score
        What it reported, in this order; a step that is reported again holds the later score.
    lower_is_better : bool or None
        Whether the study minimizes; None if it does not say.
    """

    study: str
    number: int
    state: str
    params: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    values: dict[int, float] = field(default_factory=dict)
    lower_is_better: bool | None = None


def logged_trials(
    trials: Iterable[Trial], n_studies: int, wanted: Wanted, notes: Iterable[str] = ()
) -> Iterator[LoggedRun]:
    """Yield trials as runs, those that are only queued left out.

    The key is the number of the trial, with the study before it where there are several.
    """
    for trial in trials:
        if trial.state == WAITING:
            continue
        recorder = Recorder()
        if INTERMEDIATE in wanted:
            for step, score in trial.values.items():
                recorder.add(INTERMEDIATE, step, score)
        number = f"trial {trial.number}"
        yield LoggedRun(
            series=recorder.series(),
            x=chosen_x(wanted, ("step",))[0],
            key=number if n_studies == 1 else f"{trial.study}/{number}",
            config={"study": trial.study, **trial.attributes, **trial.params},
            status=OPTUNA_STATUSES.get(trial.state, ""),
            lower_is_better=trial.lower_is_better,
            notes=list(notes),
        )


def parameter(stored: float, distribution: str) -> Any:
    """Return the value of a parameter, as Optuna stores it with its distribution.

    >>> parameter(1.0, '{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}')
    'b'
    >>> parameter(3.0, '{"name": "IntDistribution", "attributes": {"low": 1, "high": 9}}')
    3
    """
    try:
        document = parsed(distribution)
        name = str(document["name"])
        if name.startswith("Categorical"):
            return document["attributes"]["choices"][int(stored)]
        return int(stored) if name.startswith("Int") else stored
    except (ValueError, TypeError, LookupError, OverflowError):
        return stored


# Optuna's journal: a JSON object on each line for each thing that was done to a study.
#
# Recognised by the ``op_code`` of its first line. The lines are replayed as Optuna does it:
# studies and trials are numbered in the order of their creation.

# What a line does.
CREATE_STUDY, DELETE_STUDY, CREATE_TRIAL, SET_PARAM = 0, 1, 4, 5
SET_STATE, SET_INTERMEDIATE_VALUE, SET_USER_ATTRIBUTE = 6, 7, 8
MINIMIZE = 1  # a direction
STATES = ("RUNNING", "COMPLETE", "PRUNED", "FAIL", "WAITING")
FINISHED = {"COMPLETE", "PRUNED", "FAIL"}


def optuna_journal_claims(folder: Folder) -> Iterator[Claim]:
    """Yield the journals in a folder."""
    for file in folder.files.values():
        if file.head().lstrip()[:1] == b"{" and '"op_code"' in file.first_line():
            yield Claim(file.path, (file,))


def optuna_journal_runs(file: File, wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the trials of all studies that have begun and were not deleted.

    Raises CurvesError if a line other than the last is damaged: those after it could not be
    told apart.
    """
    journal = _Journal()
    for place, line in json_lines(file, journal.notes):
        try:
            journal.apply(line)
        except (ValueError, TypeError, LookupError):
            raise damaged(file, f"line {place} cannot be read") from None
    trials = [trial for trial in journal.trials if trial.study in journal.names]
    yield from logged_trials(trials, len(journal.names), wanted, journal.notes)


@dataclass
class _Journal:
    """Studies and trials as they are after the lines so far; a deleted study is None."""

    studies: list[str | None] = field(default_factory=list)
    trials: list[Trial] = field(default_factory=list)
    minimizes: dict[str, bool] = field(default_factory=dict)
    n_trials: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        return {study for study in self.studies if study is not None}

    def apply(self, line: dict[str, Any]) -> None:
        """Do what a line says; what concerns finished or deleted things is passed over."""
        code = line["op_code"]
        if code == CREATE_STUDY:
            if line["study_name"] not in self.names:
                self.studies.append(line["study_name"])
                directions = line.get("directions") or [MINIMIZE]
                self.minimizes[line["study_name"]] = directions[0] == MINIMIZE
        elif code == DELETE_STUDY:
            name, self.studies[line["study_id"]] = self.studies[line["study_id"]], None
            if name is not None:  # which a later study may have again
                self.n_trials.pop(name, None)
                for trial in self.trials:
                    trial.study = "" if trial.study == name else trial.study
        elif code == CREATE_TRIAL:
            self._create_trial(line)
        elif SET_PARAM <= code <= SET_USER_ATTRIBUTE and line["trial_id"] < len(self.trials):
            trial = self.trials[line["trial_id"]]
            if trial.state not in FINISHED:
                _change(trial, code, line)

    def _create_trial(self, line: dict[str, Any]) -> None:
        study = self.studies[line["study_id"]]
        if study is None:
            return
        trial = Trial(study, self.n_trials[study], STATES[line.get("state", 0)])
        trial.lower_is_better = self.minimizes[study]
        self.n_trials[study] += 1
        distributions = line.get("distributions") or {}
        for name, stored in (line.get("params") or {}).items():
            trial.params[name] = parameter(stored, distributions.get(name, ""))
        trial.attributes.update(line.get("user_attrs") or {})
        for step, value in (line.get("intermediate_values") or {}).items():
            _report(trial, int(step), value)
        self.trials.append(trial)


def _change(trial: Trial, code: int, line: dict[str, Any]) -> None:
    if code == SET_PARAM:
        stored, distribution = line["param_value_internal"], line["distribution"]
        trial.params[line["param_name"]] = parameter(stored, distribution)
    elif code == SET_STATE:
        trial.state = STATES[line["state"]]
    elif code == SET_INTERMEDIATE_VALUE:
        _report(trial, line["step"], line["intermediate_value"])
    elif code == SET_USER_ATTRIBUTE:
        trial.attributes.update(line["user_attr"])


def _report(trial: Trial, step: int, value: Any) -> None:
    score = as_number(value)
    if score is not None:
        trial.values[step] = score


# Optuna's database: an SQLite file of studies, whose trials reported intermediate values.
#
# Recognised by its tables. Read with the standard library, for reading only.

OPTUNA_TABLES = frozenset({"studies", "trials", "trial_params", "trial_intermediate_values"})
NOT_FINITE = {"NAN": math.nan, "INF_POS": math.inf, "INF_NEG": -math.inf}


def optuna_database_claims(folder: Folder) -> Iterator[Claim]:
    """Yield the databases of Optuna."""
    yield from database_claims(folder, OPTUNA_TABLES)


def optuna_database_runs(file: File, wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the trials of all studies that have begun."""
    with opened(file) as database:
        n_studies = database.execute("SELECT count(*) FROM studies").fetchone()[0]
        yield from logged_trials(_trials(database), n_studies, wanted)


def _trials(database: sqlite3.Connection) -> Iterator[Trial]:
    params: dict[int, dict[str, Any]] = defaultdict(dict)
    for trial, name, value, distribution in database.execute(
        "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params "
        "ORDER BY param_id"
    ):
        params[trial][name] = parameter(value, distribution)
    attributes: dict[int, dict[str, Any]] = defaultdict(dict)
    if columns_of(database, "trial_user_attributes"):
        for trial, name, value in database.execute(
            "SELECT trial_id, key, value_json FROM trial_user_attributes"
        ):
            attributes[trial][name] = _attribute(value)
    minimizes = _minimizes(database)
    rows = database.execute(
        "SELECT trial_id, study_id, study_name, number, state FROM trials JOIN studies "
        "USING (study_id) ORDER BY trial_id"
    ).fetchall()
    for trial, study_id, study, place, state in rows:
        settings = params[trial], attributes[trial], _values(database, trial)
        yield Trial(study, place, state, *settings, minimizes.get(study_id))


def _minimizes(database: sqlite3.Connection) -> dict[int, bool]:
    """Tell of each study whether it minimizes. Before Optuna 2.4 studies had one direction."""
    for table in ("study_directions", "studies"):
        if {"study_id", "direction"} <= set(columns_of(database, table)):
            rows = database.execute(f"SELECT study_id, direction FROM {table}")  # noqa: S608
            return {study: direction == "MINIMIZE" for study, direction in rows}
    return {}


def _values(database: sqlite3.Connection, trial: int) -> dict[int, float]:
    """Read what a trial reported. Before Optuna 3 there was no type: no value was NaN."""
    columns = columns_of(database, "trial_intermediate_values")
    kind = "intermediate_value_type" if "intermediate_value_type" in columns else "''"
    rows = database.execute(
        f"SELECT step, intermediate_value, {kind} FROM trial_intermediate_values "  # noqa: S608
        "WHERE trial_id = ? ORDER BY trial_intermediate_value_id",
        (trial,),
    )
    values = {}
    for step, value, kind in rows:
        score = NOT_FINITE.get(kind, math.nan) if value is None else as_number(value)
        if score is None or as_number(step) is None:  # columns are not held to their types
            refuse(f"The database is damaged: what trial {trial} reported is no number.")
        values[step] = score
    return values


def _attribute(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return text
