"""Optuna's journal: a JSON object on each line for each thing that was done to a study.

Recognised by the ``op_code`` of its first line. The lines are replayed as Optuna does it:
studies and trials are numbered in the order of their creation.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim
from curvewise.readers.parsing.json_documents import as_number
from curvewise.readers.parsing.json_records import json_lines
from curvewise.readers.parsing.optuna_trials import Trial, logged_trials, parameter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import LoggedRun, Wanted

__all__ = ["claims", "read"]

# What a line does.
CREATE_STUDY, DELETE_STUDY, CREATE_TRIAL, SET_PARAM = 0, 1, 4, 5
SET_STATE, SET_INTERMEDIATE_VALUE, SET_USER_ATTRIBUTE = 6, 7, 8
MINIMIZE = 1  # a direction
STATES = ("RUNNING", "COMPLETE", "PRUNED", "FAIL", "WAITING")
FINISHED = {"COMPLETE", "PRUNED", "FAIL"}


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield the journals in a folder."""
    for file in folder.files.values():
        if file.head().lstrip()[:1] == b"{" and '"op_code"' in file.first_line():
            yield Claim(file.path, (file,))


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the trials of all studies that have begun and were not deleted.

    Raises CurvesError if a line other than the last is damaged: those after it could not be
    told apart.
    """
    for claim in claims:
        journal = _replayed(claim.files[0])
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
            self._delete_study(line["study_id"])
        elif code == CREATE_TRIAL:
            self._create_trial(line)
        elif SET_PARAM <= code <= SET_USER_ATTRIBUTE and line["trial_id"] < len(
            self.trials
        ):
            trial = self.trials[line["trial_id"]]
            if trial.state not in FINISHED:
                _change(trial, code, line)

    def _delete_study(self, study_id: int) -> None:
        name, self.studies[study_id] = self.studies[study_id], None
        if name is not None:  # which a later study may have again
            self.n_trials.pop(name, None)
            for trial in self.trials:
                trial.study = "" if trial.study == name else trial.study

    def _create_trial(self, line: dict[str, Any]) -> None:
        study = self.studies[line["study_id"]]
        if study is None:
            return
        state = STATES[line.get("state", 0)]
        trial = Trial(study, self.n_trials[study], state)
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


def _replayed(file: File) -> _Journal:
    journal = _Journal()
    for place, line in json_lines(file, journal.notes):
        try:
            journal.apply(line)
        except (ValueError, TypeError, LookupError):
            msg = f"{file.path.name} is damaged: line {place} cannot be read."
            raise CurvesError(msg) from None
    return journal
