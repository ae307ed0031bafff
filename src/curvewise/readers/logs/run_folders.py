"""A folder for each run: of Sacred, of ClearML offline, of Hugging Face's Trainer, of Ray Tune."""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from curvewise.errors import refuse
from curvewise.readers.parsing.columns import Layout, is_needed, run_of_table
from curvewise.readers.parsing.json_files import as_number, json_lines, read_json_records
from curvewise.readers.parsing.series import Recorder, chosen_x
from curvewise.readers.parsing.text_tables import header_of, read_log_table
from curvewise.readers.tables import step_names
from curvewise.readers.walk import MAX_UNPACKED_SIZE, UNREADABLE, Claim, File, LoggedRun
from curvewise.text import pairs, step_text, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import BufferedReader
    from pathlib import Path

    from curvewise.readers.parsing.columns import RunTable
    from curvewise.readers.walk import Folder, Series, Wanted


# Sacred's FileStorageObserver: a numbered folder for each run, with JSON documents.
#
# Recognised by ``run.json`` or by ``metrics.json``, which holds steps, timestamps and values of
# each metric. The number of a folder is only the order of starting.

METRICS, SACRED_CONFIG, RUN = "metrics.json", "config.json", "run.json"
SACRED_FILES = ("cout.txt", "info.json")
LISTS = ("steps", "values", "timestamps")  # of each metric
# How a run ended, as the trackers call it in any case of letters.
STATUSES = pairs(
    """failed failed died failed interrupted killed timeout killed stopped killed aborted killed
    running running queued running in_progress running"""
)
# {"loss": {"steps": [, with the keys of a metric in any order.
METRIC = re.compile(rb'^\s*\{\s*"[^"]+":\s*\{\s*"(?:steps|timestamps|values)":\s*\[')


def sacred_claims(folder: Folder) -> Iterator[Claim]:
    """Yield the run whose folder this is."""
    run, metrics = folder.files.get(RUN), folder.files.get(METRICS)
    head = run.head() if run else b""
    is_whole = b'"experiment"' in head or SACRED_CONFIG in folder.files
    is_run = b'"artifacts"' in head and is_whole
    if is_run or (metrics is not None and METRIC.match(metrics.head())):
        found = (folder.files.get(name) for name in (METRICS, RUN, SACRED_CONFIG, *SACRED_FILES))
        yield Claim(folder.path, tuple(file for file in found if file is not None))


def sacred_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run.

    If metrics.json is damaged, its points cannot be read, but who it is: Sacred writes the file
    anew at each heartbeat, so that it is whole or of no use.
    """
    for claim in claims:
        files = {file.name: file for file in claim.files}
        notes: list[str] = []
        info = _document(files.get(RUN), notes)
        config = _document(files.get(SACRED_CONFIG), notes)
        experiment = info.get("experiment")
        name = experiment.get("name") if isinstance(experiment, dict) else None
        status = STATUSES.get(str(info.get("status")).lower(), "")
        config = {"experiment": name, **config} if name else config
        run = LoggedRun(config=config, status=status, notes=notes)
        metrics = _metrics(files.get(METRICS), notes)
        if metrics is None:
            run.status = UNREADABLE
        if metrics:
            run.x, run.other_x = chosen_x(wanted, ("step", "time"))
            start = _seconds(info.get("start_time"))
            if start is None:
                times = (each["timestamps"] for each in metrics.values())
                first = (_seconds(time[0]) for time in times if time)
                start = min(filter(None, first), default=0.0)
            recorder = Recorder()
            for metric in filter(wanted.__contains__, metrics):
                steps, values, stamps = (metrics[metric][key] for key in LISTS)
                at = [as_number(step) for step in steps]
                if run.x == "time":
                    seconds = map(_seconds, stamps)
                    at = [None if own is None else own - start for own in seconds]
                for step, value in zip(at, values, strict=True):
                    recorder.add(metric, step, as_number(value))
            run.series = recorder.series()
        yield run


def _metrics(file: File | None, notes: list[str]) -> dict[str, dict[str, list[Any]]] | None:
    """Return the lists of each metric, checked; nothing, with a note, if they are damaged."""
    if file is None:
        return {}
    try:
        metrics = file.json()
        lengths = [{len(each[key]) for key in LISTS} for each in metrics.values()]
        if all(len(each) == 1 for each in lengths):
            return dict(metrics)
    except (ValueError, TypeError, LookupError, AttributeError):
        pass
    notes.append(
        f"{file.path.name} is damaged: it is cut, or no list of steps and values. Sacred "
        "writes it anew at each heartbeat; if the run goes on, read it again later"
    )
    return None


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


def _seconds(time: Any) -> float | None:
    """Return a time in ISO format, without a zone as Sacred writes it, in seconds."""
    try:
        return (datetime.fromisoformat(time) - datetime(1970, 1, 1)).total_seconds()
    except (TypeError, ValueError):
        return None


# ClearML's offline sessions: ``task.json`` and ``metrics.jsonl`` in a folder, or in a zip.
#
# Each line of metrics.jsonl is a list of events. ClearML packs the folder when a task ends and
# leaves both: they are one run.

TASK, EVENTS, CONSOLE = "task.json", "metrics.jsonl", "log.jsonl"
TASK_KEYS = (b'"hyperparams"', b'"execution"', b'"offline_folder"', b'"script"')
ZIP, ZIP_MAGIC = ".zip", b"PK\x03\x04"
SESSION = "offline-"  # how ClearML begins their names
BAD_ZIP = (zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError)
SCALAR = "training_stats_scalar"
# Where `report_single_value` puts what has no step, and what ClearML measures of the machine.
NO_STEP = -(2**31)
MACHINE = ":monitor:"
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


def clearml_claims(folder: Folder) -> Iterator[Claim]:
    """Yield the session whose folder this is, and those that are zips in it."""
    task, metrics = folder.files.get(TASK), folder.files.get(EVENTS)
    has_events = metrics is not None and metrics.head().lstrip().startswith(b"[{")
    if task is not None and (has_events or any(key in task.head() for key in TASK_KEYS)):
        found = (task, metrics, folder.files.get(CONSOLE))
        yield Claim(folder.path, tuple(file for file in found if file is not None))
    for name, file in folder.files.items():
        if name.lower().endswith(ZIP) and file.head().startswith(ZIP_MAGIC):
            beside = folder.folders.get(name[: -len(ZIP)])
            if beside is not None and TASK in beside.files:
                yield Claim(beside.path, (file,))
            elif _is_zipped_session(file):
                yield Claim(file.path, (file,))


def clearml_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
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
            refuse(f"{zipped.path.name} is damaged or encrypted: {error}.")
        yield run


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
    if EVENTS in files:
        _read_metrics(run, files[EVENTS], wanted)
    return run


def _read_metrics(run: LoggedRun, file: File, wanted: Wanted) -> None:
    if isinstance(file, _Member) and file.size > MAX_UNPACKED_SIZE:
        refuse(f"{file.path.name} holds more than a log does when it is unpacked.")
    run.x, run.other_x = chosen_x(wanted, ("step", "time"))
    recorder, start = Recorder(), None
    for event in _events(run, file):
        metric, at = event.get("metric"), event.get("iter")
        time = as_number(event.get("timestamp"))
        start = time if start is None else start
        step = as_number(at)
        is_curve = event.get("type", SCALAR) == SCALAR and at != NO_STEP
        if not is_curve or metric is None or str(metric).startswith(MACHINE):
            continue
        name = "/".join(str(part) for part in (metric, event.get("variant")) if part)
        if run.x == "time" and step is not None and time is not None and start is not None:
            step = (time - start) / 1000
        if name in wanted:
            recorder.add(name, step, as_number(event.get("value")))
    run.series = recorder.series()


def _events(run: LoggedRun, file: File) -> Iterator[dict[str, Any]]:
    """Yield the events of all lines, and note what is left out."""
    for place, events in json_lines(file, run.notes, EVENTS):
        if events is None:
            run.notes.append(f"line {place} of {EVENTS} is damaged and was left out")
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


# Hugging Face's Trainer: ``trainer_state.json`` with a ``log_history``.
#
# Each ``checkpoint-N`` holds the state so far of the run above it. Records of training and of
# evaluation are mixed, and the last one is a summary of the whole run.

STATE, ARGUMENTS, MODEL = "trainer_state.json", "training_args.bin", "config.json"
# Last values, which the scripts of transformers write beside the state.
RESULTS = re.compile(r"(all|train|eval|test|predict)_results\.json")
# The first is its name while it is written.
CHECKPOINT = re.compile(r"(tmp-)?checkpoint-\w+")
GLOBAL_STEP = re.compile(rb'"global_step":\s*(\d+)')
HISTORY = b'"log_history"'
# What only the configuration of a model has.
MODEL_KEYS = (b'"architectures"', b'"model_type"', b'"transformers_version"')
CLOSING = "train_runtime"  # a key of the summary at the end
STEP, EPOCH = "step", "epoch"


def hugging_face_claims(folder: Folder) -> Iterator[Claim]:
    """Yield the states in a folder; that of a checkpoint is of the run above it.

    What else is in a checkpoint, and the configuration of a model, is claimed and not read.
    """
    state = folder.files.get(STATE)
    if state is not None and _is_state(state):
        if CHECKPOINT.fullmatch(folder.path.name):
            others = [file for name, file in folder.files.items() if name != STATE]
            yield Claim(folder.path.parent, (state, *others))
        else:
            yield Claim(folder.path, (state, *_belongings(folder)))
    else:
        inside = [below for name, below in folder.folders.items() if CHECKPOINT.fullmatch(name)]
        belongings = tuple(_belongings(folder))
        if belongings and any(STATE in below.files for below in inside):
            yield Claim(folder.path, belongings)
    for name, file in folder.files.items():
        if name != STATE and file.name.endswith(".json") and HISTORY in file.head():
            yield Claim(file.path, (file,))


def hugging_face_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run, from the state that has come furthest.

    Raises CurvesError if no state can be read.
    """
    home = claims[0].home
    files = [file for claim in claims for file in claim.files]
    states = [file for file in files if file.name == STATE or file.path == home]
    notes: list[str] = []
    state, document = _furthest(home, states, notes)
    run = LoggedRun(config=_state_config(document), notes=notes)
    records = [each for each in document["log_history"] if isinstance(each, dict)]
    if records:
        run.x, run.other_x = chosen_x(wanted, (STEP, EPOCH))
    run.series = _series(records, run.x, wanted, notes)
    last, planned = _step(state), as_number(document.get("max_steps")) or 0
    if last < planned and not any(CLOSING in record for record in records):
        notes.append(
            f"training has not ended: the last state is of step {step_text(last)} of "
            f"{step_text(planned)}"
        )
    if any(file.name == ARGUMENTS for file in files):
        notes.append(f"{ARGUMENTS} is a pickle, and was not read for the seed in it")
    yield run


def _series(
    records: Sequence[dict[str, Any]], x: str, wanted: Wanted, notes: list[str]
) -> dict[str, Series]:
    """Return the curves in the records of training and evaluation.

    What is evaluated again when training has ended, maybe with the best model and not the
    last, is no point of a curve.
    """
    recorder, has_ended, is_left_out = Recorder(), False, False
    last: dict[str, float] = {}
    for record in records:
        at = as_number(record.get(x))
        has_ended |= CLOSING in record
        if CLOSING in record or at is None:
            continue
        for metric, value in record.items():
            score = as_number(value)
            if metric in {STEP, EPOCH} or score is None or metric not in wanted:
                continue
            if has_ended and last.get(metric) == at:
                is_left_out = True
            else:
                last[metric] = at
                recorder.add(metric, at, score)
    if is_left_out:
        notes.append("evaluations after the end of training were left out")
    return recorder.series()


def _is_state(file: File) -> bool:
    """Whether a file is a state, or was to become one when the run broke off."""
    head = file.head()
    return not head or HISTORY in head or GLOBAL_STEP.search(head) is not None


def _belongings(folder: Folder) -> Iterator[File]:
    """Yield what lies beside a state and is no log, nor a configuration of the run."""
    for name, file in folder.files.items():
        is_model = name == MODEL and any(key in file.head() for key in MODEL_KEYS)
        if name == ARGUMENTS or is_model or RESULTS.fullmatch(name):
            yield file


def _step(state: File) -> int:
    """Return the step of a state, from its beginning; -1 if it cannot be told."""
    found = GLOBAL_STEP.search(state.head())
    return int(found[1]) if found else -1


def _furthest(home: Path, states: Sequence[File], notes: list[str]) -> tuple[File, dict[str, Any]]:
    """Return the state of the highest step that can be read, and what it holds.

    Of two at the same step the one that is no checkpoint is taken, as it may hold more.
    """
    order = sorted(states, key=lambda file: (_step(file), file.path.parent == home))
    for state in reversed(order):
        name = str(state.path.relative_to(home)) if state.path != home else state.path.name
        try:
            document = state.json()
        except ValueError:
            notes.append(f"{name} is damaged and was left out")
            continue
        if isinstance(document, dict) and isinstance(document.get("log_history"), list):
            break
    else:
        refuse(f"{STATE} is damaged: it is cut, or holds no log_history.")
    if any(_step(file) < _step(state) for file in states if file.path.parent == home):
        notes.append(
            f"{name} goes on where {STATE} has ended: of two trainings in one folder, the longer "
            "was read"
        )
    return state, document


def _state_config(document: dict[str, Any]) -> dict[str, Any]:
    """Return what the state says of the setting: the trial of a search, the batch size."""
    trial = document.get("trial_params")
    config = {"train_batch_size": document.get("train_batch_size")}
    config |= trial if isinstance(trial, dict) else {}
    return {key: value for key, value in config.items() if value is not None}


# Ray Tune and RLlib: a folder for each trial with result.json, progress.csv and event files.
#
# All three hold the same results. ``result.json`` is read where it is there: the columns of
# ``progress.csv`` are those of the first result, so that it lacks what is reported later.

TRIAL_RESULTS, TABLE, PARAMETERS = "result.json", "progress.csv", "params.json"
ERRORS = ("error.txt", "error.pkl")
PICKLES = ("params.pkl",)
CONFIG = "config"
# Steps of the environment in all; what users report themselves; what Ray counts.
OF_ENVIRONMENT = ("num_env_steps_sampled_lifetime",)
OF_RAY = ("timesteps_total", "training_iteration")
OTHER_COUNTERS = words(
    "num_env_steps_sampled num_env_steps_trained num_agent_steps_sampled_lifetime "
    "agent_timesteps_total episodes_total"
)
# What Ray adds to each result for its own use.
OWN = words(
    "pid timestamp done trial_id experiment_id date hostname node_ip time_since_restore "
    "timesteps_since_restore warmup_time iterations_since_restore experiment_tag "
    "checkpoint_dir_name should_checkpoint time_this_iter_s num_training_step_calls_per_iteration"
)
# What every result of Ray has, and no other log.
MARKS = ("training_iteration", "time_total_s")


def ray_tune_claims(folder: Folder) -> Iterator[Claim]:
    """Yield the trial in a folder, if it is one."""
    files = {file.name: file for file in folder.files.values()}
    results, table = files.get(TRIAL_RESULTS), files.get(TABLE)
    logs = [results] if results and results.head() and _is_result(results) else []
    if table and table.head() and set(MARKS) <= set(header_of(table)):
        logs.append(table)
    # A trial that has not reported anything leaves empty files beside its parameters, and a
    # loss of power files of zeros.
    if not logs and results and PARAMETERS in files and _is_empty(results):
        logs = [results, *([table] if table and _is_empty(table) else [])]
    if logs:
        others = (PARAMETERS, *ERRORS, *PICKLES)
        beside = [files[name] for name in others if name in files]
        yield Claim(folder.path, (*logs, *beside))


def _is_empty(file: File) -> bool:
    return not file.first_line() or file.head().startswith(b"\0")


def _is_result(file: File) -> bool:
    line = b"".join(file.first_lines(1))
    return line.startswith(b"{") and all(f'"{mark}"'.encode() in line for mark in MARKS)


def ray_tune_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the trial: its results, its parameters, and whether it failed.

    Raises CurvesError if it does not have the steps that are wanted.
    """
    needed = is_needed(wanted, Layout(steps=(*OF_ENVIRONMENT, *OF_RAY)))
    for claim in claims:
        files = {file.name: file for file in claim.files}
        table: RunTable
        is_done = False
        if TRIAL_RESULTS in files:
            name = TRIAL_RESULTS
            table = records = read_json_records(
                files[name], lambda key: key.partition("/")[0] != CONFIG and needed(key)
            )
            first = records.first.get(CONFIG)
            config = first if isinstance(first, dict) else {}
            is_done = records.last.get("done") is True
        else:
            name = TABLE
            table = read_log_table(files[name], needed)
            config = {} if PARAMETERS in files else _config_columns(files[name])
        run = run_of_table(table, wanted, _layout(table), name=name)
        run.config = _parameters(files.get(PARAMETERS), run) or config
        run.status = "" if is_done or not any(e in files for e in ERRORS) else "failed"
        yield run


def _layout(table: RunTable) -> Layout:
    """Return what counts as the step: of the environment, the user's own, Ray's."""
    rays = {*OF_ENVIRONMENT, *OF_RAY, *OTHER_COUNTERS, *OWN}
    named = [column for column in step_names(table.columns) if "/" not in column]
    own = [column for column in named if column not in rays]
    return Layout(
        steps=(*OF_ENVIRONMENT, *own, *OF_RAY, *OTHER_COUNTERS),
        is_sure=False,
        ignored=lambda column: column in OWN or column.startswith(f"{CONFIG}/"),
    )


def _config_columns(file: File) -> dict[str, Any]:
    """Return the configuration that the columns of a table repeat in each row."""
    table = read_log_table(file, lambda name: name.startswith(f"{CONFIG}/"))
    rows = table.frame.head(1).rows(named=True)
    return {name.removeprefix(f"{CONFIG}/"): value for row in rows for name, value in row.items()}


def _parameters(file: File | None, run: LoggedRun) -> dict[str, Any]:
    """Return the parameters of a trial; if they cannot be read, that is noted."""
    if file is None:
        return {}
    try:
        found = file.json()
    except (ValueError, OSError):
        run.notes.append(f"{file.path.name} cannot be read as JSON")
        return {}
    return found if isinstance(found, dict) else {}
