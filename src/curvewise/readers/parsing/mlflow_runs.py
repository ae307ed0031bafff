"""What MLflow's stores share: what a run is, how it ended, and which steps it has."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.readers.logged import LoggedRun, Series
from curvewise.readers.parsing.recording import chosen_x
from curvewise.text import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.kernels import Floats
    from curvewise.readers.logged import Wanted

__all__ = ["DELETED", "PARENT_ID", "RUN_NAME", "MlflowMetric", "MlflowRun"]

# Numbers in files, names in databases.
STATUSES = {
    "1": "running",
    "2": "running",
    "4": "failed",
    "5": "killed",
    "RUNNING": "running",
    "SCHEDULED": "running",
    "FAILED": "failed",
    "KILLED": "killed",
}
DELETED = "deleted"
OWN_TAGS = "mlflow."  # what MLflow itself notes, such as the user and the program
RUN_NAME = "mlflow.runName"
PARENT_ID = "mlflow.parentRunId"  # the tag of a nested run
MAX_NAMED = 3


@dataclass(frozen=True)
class MlflowMetric:
    """The records of a metric in the order in which they were written."""

    times: array[float] = field(default_factory=lambda: array("d"))
    scores: array[float] = field(default_factory=lambda: array("d"))
    steps: array[float] = field(default_factory=lambda: array("d"))

    def add(self, time: float, score: float, step: float) -> None:
        """Add a record; the time is in milliseconds. Raises TypeError for what is no number."""
        self.times.append(time)
        self.scores.append(score)
        self.steps.append(step)

    @property
    def lacks_steps(self) -> bool:
        """Whether nobody gave steps: there are several records, and all are at step 0."""
        return len(self.steps) > 1 and not any(self.steps)


@dataclass
class MlflowRun:
    """A run of a store.

    Attributes
    ----------
    status : str
        The number or the name that the store has for it.
    stage : str
        "active" or "deleted".
    is_parent : bool
        Whether other runs are nested in it, and none of its metrics has several records.
    start : float or None
        When it began, in milliseconds.
    name, parent, experiment : str
        What it, the run it is nested in and its experiment are called.
    params, parent_params, tags : dict from str to str
    metrics : dict from name to MlflowMetric
    notes : list of str
    """

    status: str = ""
    stage: str = ""
    is_parent: bool = False
    start: float | None = None
    name: str = ""
    parent: str = ""
    experiment: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    parent_params: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    metrics: dict[str, MlflowMetric] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def is_deleted(self) -> bool:
        """Whether the run was deleted: what it holds is not read."""
        return self.stage == DELETED

    def logged(self, wanted: Wanted, key: str = "") -> LoggedRun:
        """Return the run as every log gives it.

        The steps are MLflow's, where the user gave any. Metrics without are numbered in order
        of time ("record"), and the notes say so. "time" is in seconds since the run began.
        """
        run = LoggedRun(
            key=key,
            config=self._config(),
            status=self._status,
            notes=self.notes,
        )
        if self.is_deleted or not self.metrics:
            return run
        several = [metric for metric in self.metrics.values() if len(metric.steps) > 1]
        if several and all(metric.lacks_steps for metric in several):
            offered: tuple[str, ...] = ("record", "time")
        else:
            offered = ("step", "time", "record")
        run.x, run.other_x = chosen_x(wanted, offered)
        run.series = {
            name: self._series(metric, run.x) for name, metric in self.metrics.items()
        }
        numbered = [name for name, metric in self.metrics.items() if metric.lacks_steps]
        if numbered and run.x != "time":
            run.notes.append(
                f"{listed(numbered, MAX_NAMED)}: logged without steps; the records are "
                "numbered in order of time"
            )
        return run

    @property
    def _status(self) -> str:
        if self.is_deleted:
            return DELETED
        return "parent" if self.is_parent else STATUSES.get(self.status, "")

    def _series(self, metric: MlflowMetric, x: str) -> Series:
        times = np.array(metric.times)
        order = np.argsort(times, kind="stable")
        steps: Floats
        if x == "time":
            start = self.start if self.start is not None else self._first_time
            steps = (times[order] - start) / 1000
        elif x == "record" or metric.lacks_steps:
            steps = np.arange(len(times), dtype=np.float64)
        else:
            steps = np.array(metric.steps)[order]
        return Series(steps, np.array(metric.scores)[order])

    @property
    def _first_time(self) -> float:
        return min(min(each.times) for each in self.metrics.values())

    def _config(self) -> dict[str, Any]:
        """Return what the run was started with, parameters before tags and names."""
        names = {
            "run_name": self.tags.get(RUN_NAME) or self.name,
            "parent": self.parent,
            "experiment": self.experiment,
        }
        tags = {
            key: value for key, value in self.tags.items() if not key.startswith(OWN_TAGS)
        }
        names = {key: value for key, value in names.items() if value}
        return {**names, **self.parent_params, **tags, **self.params}
