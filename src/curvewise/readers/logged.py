"""What a log holds: claims on files, and the runs that were read from them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from curvewise.kernels import Floats, Integers
    from curvewise.readers.folders import File

__all__ = [
    "DOUBLE",
    "SINGLE",
    "UNREADABLE",
    "Claim",
    "LoggedRun",
    "NoSuchStepsError",
    "NotALogError",
    "Series",
    "Wanted",
    "counts_episodes",
    "unreadable",
]

DOUBLE = float(np.finfo(np.float64).eps)
SINGLE = float(np.finfo(np.float32).eps)
# The status of a run whose points cannot be read.
UNREADABLE = "unreadable"

# Names that loggers give to what one episode brought; means of many are called otherwise.
EPISODE_METRIC = re.compile(
    r"(?:^|[/.: ])(?:episod(?:e|ic)|ep)[_ ]?(?:return|reward|rew|ret|score|length|len)s?$",
    re.IGNORECASE,
)
EVALUATION = re.compile(r"(?:^|[^a-z])(?:eval|test|val)", re.IGNORECASE)


def counts_episodes(metric: str) -> bool:
    """Whether the name of a metric says that each record of it is an episode of training.

    >>> [counts_episodes(name) for name in ("charts/episodic_return", "rollout/ep_rew_mean")]
    [True, False]
    """
    return bool(EPISODE_METRIC.search(metric)) and not EVALUATION.search(metric)


class NotALogError(CurvesError):
    """A file is claimed only to say why it is not read; no run is lost with it."""


class NoSuchStepsError(CurvesError):
    """A log does not have what is wanted as steps, and the message lists what it has."""


def unreadable(name: str, error: OSError) -> CurvesError:
    """Return the error for a file that cannot be opened, or not be read to its end."""
    return CurvesError(f"{name} cannot be read: {error.strerror or error}.")


@dataclass(frozen=True)
class Claim:
    """Files that a format takes as the log of a run, or of several runs.

    Attributes
    ----------
    home : Path
        The folder or the file that stands for the run: its place names it, and the logs of
        several formats with the same home are of the same run.
    files : tuple of File
        What is read; no other format may claim it. The first file is what the claim is about.
    prefix : str
        What is put before the names of its metrics, such as ``train/``.
    """

    home: Path
    files: tuple[File, ...]
    prefix: str = ""


@dataclass(frozen=True)
class Wanted:
    """What is to be read of a log.

    Attributes
    ----------
    metrics : frozenset of str, optional
        The names of the metrics; all of them by default.
    x : str, optional
        What counts as the step: a column, "step", "epoch", "time" and so on, as the log has
        them; the usual one of the format by default.
    """

    metrics: frozenset[str] | None = None
    x: str | None = None

    def __contains__(self, metric: str) -> bool:
        """Whether a metric is wanted: by its name, or by the part after a ``source:``."""
        if self.metrics is None:
            return True
        return metric in self.metrics or metric.partition(":")[2] in self.metrics


@dataclass(frozen=True)
class Series:
    """The records of one metric of one run, in the order in which they were written.

    Attributes
    ----------
    steps, scores : array, (n_records,)
        A score may be NaN: training diverged. A record without a score is not a record.
    sessions : array of int, (n_records,), optional
        Which session wrote a record, where the log tells: a run that is resumed begins a new
        one. Steps that go back tell it as well.
    of_episodes : bool
        Whether a record is an episode, so that steps are wherever episodes ended.
    precision : float
        The machine epsilon of the type that scores were stored in.
    x : str
        What the steps are, where they are not those of the run.
    """

    steps: Floats
    scores: Floats
    sessions: Integers | None = None
    of_episodes: bool = False
    precision: float = DOUBLE
    x: str = ""


@dataclass
class LoggedRun:
    """A run as one log has it.

    Attributes
    ----------
    series : dict from metric to Series
        Those that were wanted and are there.
    x : str
        What the steps are, as the log calls it; a series may have others.
    other_x : tuple of str
        What else could be the steps.
    key : str
        The name of the run inside a store that holds several: an id, a column, a number.
    labels : mapping
        What the log itself says a run is: "algorithm", "run", "task", "block". It goes before
        what paths and configurations tell.
    config : mapping
        The configuration, where the log holds it; may be nested.
    status : str
        "failed", "killed", "running", "pruned", "deleted", "parent" (it only holds other runs
        together), or nothing.
    lower_is_better : bool or None
        Whether low scores are good, where the log itself says so; None where only the names of
        metrics can tell.
    notes : list of str
        What was left out or mended, in a sentence each without the name of the run.
    """

    series: dict[str, Series] = field(default_factory=dict)
    x: str = "step"
    other_x: tuple[str, ...] = ()
    key: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    status: str = ""
    lower_is_better: bool | None = None
    notes: list[str] = field(default_factory=list)
