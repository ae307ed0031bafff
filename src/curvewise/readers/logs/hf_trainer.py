"""Hugging Face's Trainer: ``trainer_state.json`` with a ``log_history``.

Each ``checkpoint-N`` holds the state so far of the run above it. Records of training and of
evaluation are mixed, and the last one is a summary of the whole run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim, LoggedRun
from curvewise.readers.parsing.json_documents import as_number
from curvewise.readers.parsing.recording import Recorder, chosen_x
from curvewise.text import step_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Series, Wanted

__all__ = ["claims", "read"]

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


def claims(folder: Folder) -> Iterator[Claim]:
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
    elif any(STATE in below.files for below in _checkpoints(folder)):
        belongings = tuple(_belongings(folder))
        if belongings:
            yield Claim(folder.path, belongings)
    for name, file in folder.files.items():
        if name != STATE and file.name.endswith(".json") and HISTORY in file.head():
            yield Claim(file.path, (file,))


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run, from the state that has come furthest.

    Raises CurvesError if no state can be read.
    """
    home = claims[0].home
    files = [file for claim in claims for file in claim.files]
    states = [file for file in files if file.name == STATE or file.path == home]
    notes: list[str] = []
    state, document = _furthest(home, states, notes)
    run = LoggedRun(config=_config(document), notes=notes)
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
                continue
            last[metric] = at
            recorder.add(metric, at, score)
    if is_left_out:
        notes.append("evaluations after the end of training were left out")
    return recorder.series()


def _is_state(file: File) -> bool:
    """Whether a file is a state, or was to become one when the run broke off."""
    head = file.head()
    return not head or HISTORY in head or GLOBAL_STEP.search(head) is not None


def _checkpoints(folder: Folder) -> list[Folder]:
    return [below for name, below in folder.folders.items() if CHECKPOINT.fullmatch(name)]


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


def _furthest(
    home: Path, states: Sequence[File], notes: list[str]
) -> tuple[File, dict[str, Any]]:
    """Return the state of the highest step that can be read, and what it holds.

    Of two at the same step the one that is no checkpoint is taken, as it may hold more.
    """
    order = sorted(states, key=lambda file: (_step(file), file.path.parent == home))
    for state in reversed(order):
        name = (
            str(state.path.relative_to(home)) if state.path != home else state.path.name
        )
        try:
            document = state.json()
        except ValueError:
            notes.append(f"{name} is damaged and was left out")
            continue
        if isinstance(document, dict) and isinstance(document.get("log_history"), list):
            if any(
                _step(file) < _step(state) for file in states if file.path.parent == home
            ):
                notes.append(
                    f"{name} goes on where {STATE} has ended: of two trainings in one "
                    "folder, the longer was read"
                )
            return state, document
    msg = f"{STATE} is damaged: it is cut, or holds no log_history."
    raise CurvesError(msg)


def _config(document: dict[str, Any]) -> dict[str, Any]:
    """Return what the state says of the setting: the trial of a search, the batch size."""
    config = {"train_batch_size": document.get("train_batch_size")}
    trial = document.get("trial_params")
    if isinstance(trial, dict):
        config.update(trial)
    return {key: value for key, value in config.items() if value is not None}
