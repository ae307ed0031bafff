"""Records of metrics as a log is read, and the folder or file that stands for their run."""

from __future__ import annotations

import math
import re
from array import array
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.readers.walk import Claim, NoSuchStepsError, Series
from curvewise.text import argument, did_you_mean, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from curvewise.readers.walk import File, Folder, LoggedRun, Wanted


# Records of metrics as a log is read: series, sessions, the axis that is wanted.


class Recorder:
    """Collects records, metric by metric, in the order in which they were written."""

    def __init__(self) -> None:
        # Step and score of each record, one after the other.
        self._records: dict[str, array[float]] = defaultdict(lambda: array("d"))

    def add(self, metric: str, step: float | None, score: float | None) -> None:
        """Add a record of a metric; one without a finite step and a score is none."""
        if step is not None and score is not None and math.isfinite(step):
            self._records[metric].extend((step, score))

    def series(self) -> dict[str, Series]:
        """Return what was collected."""
        return {
            metric: Series(*np.array(records).reshape(-1, 2).T.copy())
            for metric, records in self._records.items()
        }


def chosen_x(wanted: Wanted, offered: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return what counts as the step, and what else could.

    Parameters
    ----------
    wanted : Wanted
    offered : sequence of str
        What the log has, the usual one first.

    Raises
    ------
    NoSuchStepsError
        If the log does not have what is wanted.
    """
    x = offered[0] if wanted.x is None else wanted.x
    if x not in offered:
        msg = (
            f"The log has no {x!r} to count steps in: {did_you_mean(x, offered)} "
            f"Choose with {argument('x')}."
        )
        raise NoSuchStepsError(msg)
    return x, tuple(name for name in offered if name != x)


def resumed(parts: Sequence[LoggedRun]) -> LoggedRun:
    """Return one run of its sessions in order: one part for each.

    Settings and status are those of the last session, as far as it has any.
    """
    *_, last = parts
    if len(parts) == 1:
        return last
    found: dict[str, list[tuple[int, Series]]] = defaultdict(list)
    for session, part in enumerate(parts):
        for metric, series in part.series.items():
            found[metric].append((session, replace(series, x=series.x or part.x)))
    last.series = {
        metric: replace(
            pieces[0][1],
            steps=np.concatenate([piece.steps for _, piece in pieces]),
            scores=np.concatenate([piece.scores for _, piece in pieces]),
            sessions=np.concatenate([np.full(len(piece.steps), k) for k, piece in pieces]),
        )
        for metric, pieces in found.items()
    }
    last.config = {key: part.config[key] for part in parts for key in part.config}
    last.notes = list(dict.fromkeys(note for part in parts for note in part.notes))
    axes = dict.fromkeys(x for part in parts for x in (part.x, *part.other_x))
    last.other_x = tuple(x for x in axes if x != last.x)
    return last


def over_metric(run: LoggedRun, x: str) -> LoggedRun:
    """Return a run whose steps are the values of one of its metrics.

    A record stands at the value that the metric has at its step, in its session; records at
    steps where it has none are left out, and that is noted.
    """
    axis = run.series.get(x, Series(np.zeros(0), np.zeros(0)))
    last = dict(zip(_keys(axis), axis.scores.tolist(), strict=True))
    series, n_lost = {}, 0
    for metric, records in run.series.items():
        if metric == x:
            continue
        # The last value of the axis at each step, NaN if there is none.
        values = np.array([last.get(key, np.nan) for key in _keys(records)], dtype=np.float64)
        kept = np.isfinite(values)
        n_lost += int((~kept).sum())
        series[metric] = replace(records, steps=values, x="").rows(kept)
    if n_lost:
        run.notes.append(f"{plural(n_lost, 'record')} at steps without {x!r} left out")
    others = tuple(other for other in (run.x, *run.other_x) if other != x)
    return replace(run, series=series, x=x, other_x=others)


def _keys(series: Series) -> list[tuple[int, float]]:
    """Return the session and the step of each record."""
    sessions = [0] * len(series.steps) if series.sessions is None else series.sessions
    return list(zip(map(int, sessions), series.steps.tolist(), strict=True))


# What stands for a run: the folder that its log lies in, or the file itself.

# seed3, ppo_1, run-12: a name that tells this run from others. A date is longer.
NUMBERED = re.compile(r"(?:.*[^\d])?\d{1,4}", re.DOTALL)
DATED = re.compile(r"\D*\d{4,8}[-_T.]?\d{2,}.*", re.DOTALL)
# What loggers call the log of a run.
OF_ONE_RUN = {"progress", "metrics", "log", "logs", "history", "train", "training", "stats"}


def log_claims(
    folder: Folder, logs: Sequence[File], *, of_several_runs: bool = False
) -> Iterator[Claim]:
    """Yield a claim on each log of a format in a folder.

    The only one stands for its folder, unless its name ends in a number, as in ``seed0.jsonl``;
    several stand for themselves.

    Parameters
    ----------
    folder : Folder
    logs : sequence of File
    of_several_runs : bool
        Whether each may hold several runs: then it stands for itself, unless it is called as
        logs of one run are, such as ``progress.csv``.
    """
    for file in logs:
        stem = stem_of(file)
        is_numbered = NUMBERED.fullmatch(stem) and not DATED.fullmatch(stem)
        is_named = is_numbered or (of_several_runs and stem.lower() not in OF_ONE_RUN)
        yield Claim(folder.path if len(logs) == 1 and not is_named else file.path, (file,))


def stem_of(file: File) -> str:
    """Return the name of a file without its ending, nor ``.gz``, nor ``.log`` before it."""
    stem = file.name.rpartition(".")[0] or file.name
    return stem.removesuffix(".log")


# Files and folders that are part of a run: its evaluation beside its training.

PART = re.compile(
    r"(train|training|learn|rollout|eval|evals|evaluation|evaluations|test|testing|val|valid"
    r"|validation)(?:[_-]?(?:logs?|results?|metrics|env|history|data))?",
    re.IGNORECASE,
)
# Names of logs that tell that a folder is a run.
LOG = re.compile(
    r"(?:.*monitor\.(?:csv|json)|progress\.(?:csv|txt|json)|(?:metrics|log|logs)\.(?:csv|jsonl)"
    r"|evaluations\.npz)(?:\.gz)?|.*tfevents.*",
    re.IGNORECASE,
)


def part_of(name: str) -> str:
    """Return which part of a run a file or folder is by its name, nothing if it is none.

    >>> part_of("eval"), part_of("eval_logs"), part_of("Test"), part_of("ppo")
    ('eval', 'eval', 'test', '')
    """
    match = PART.fullmatch(name)
    return match[1].lower() if match else ""


def home_above(folder: Folder) -> Path | None:
    """Return the run that a folder is a part of: the one above it.

    That holds logs itself, or has folders for several parts with logs in them.
    """
    part = part_of(folder.path.name)
    if folder.parent is None or not part:
        return None
    others = [other.path for other in folder.beside]
    parts = [path for path in others if part_of(path.name) not in {"", part}]
    above = folder.parent.path
    return above if any(map(_holds_logs, [above, *parts])) else None


def _holds_logs(path: Path) -> bool:
    """Whether a folder holds logs, also those that another format has claimed."""
    try:
        return any(LOG.fullmatch(entry.name) for entry in path.iterdir())
    except OSError:
        return False
