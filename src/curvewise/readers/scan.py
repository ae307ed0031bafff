"""What is in a folder of training logs: runs, metrics, algorithms, tasks, what was skipped."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from curvewise.data.selection import check_algorithms
from curvewise.errors import CurvesError
from curvewise.readers.naming.metric_choice import choose_metric
from curvewise.readers.scan_tables import algorithm_table, metric_table
from curvewise.text import html_text, listed, plural, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curvewise.data.run_log import RunLog
    from curvewise.readers.folders import Skipped
    from curvewise.readers.naming.grouping import Candidate
    from curvewise.readers.naming.metric_choice import MetricChoice
    from curvewise.rendering.tables import Table

__all__ = ["MetricSpan", "Scan", "ScannedMetric", "ScannedRun", "said_of"]

MAX_NAMED = 6  # formats that a line holds
MAX_LINES = 8  # about what was left out of runs, and about what was skipped
MAX_PLACES = 3  # that such a line names

# How many a note is about; runs differ in it where episodes end together by chance.
COUNTED = re.compile(r"([\d,]+) (step|record)s?(?= (?:logged|superseded))")


@dataclass(frozen=True)
class MetricSpan:
    """How much of a metric a run has.

    Attributes
    ----------
    n_points : int
        How many steps have a score.
    first, last : float
        The first and the last of these steps.
    x : str
        What the steps are, as the log calls it.
    """

    n_points: int
    first: float
    last: float
    x: str


@dataclass(frozen=True)
class ScannedRun:
    """One run that was found.

    Attributes
    ----------
    algorithm, run : str
        As inferred, or as asked for.
    task : str or None
    path : str
        Where it is, below the folder that was scanned; for stores with the name inside.
    formats : tuple of str
        In which formats it is logged.
    metrics : dict from name to MetricSpan
    status : str
        "failed", "killed", "running", "pruned", "empty", "unreadable", or nothing.
    notes : tuple of str
        What was left out or mended, in a sentence each.
    """

    algorithm: str
    run: str
    task: str | None
    path: str
    formats: tuple[str, ...]
    metrics: dict[str, MetricSpan]
    status: str = ""
    notes: tuple[str, ...] = ()

    @property
    def last_step(self) -> float | None:
        """The last step of any metric on the axis that most metrics have; None without one."""
        if not self.metrics:
            return None
        axes = Counter(span.x for span in self.metrics.values())
        x = axes.most_common(1)[0][0]
        return max(span.last for span in self.metrics.values() if span.x == x)

    @property
    def n_points(self) -> int:
        """How many points there are of the metric that has most."""
        return max((span.n_points for span in self.metrics.values()), default=0)


@dataclass(frozen=True)
class ScannedMetric:
    """One metric, in all runs that have it.

    Attributes
    ----------
    name : str
    n_runs : int
        How many runs have it.
    n_points : tuple of int
        The fewest and the most points that a run has.
    first, last : float
        The first and the last step of any run.
    x : tuple of str
        What the steps are.
    """

    name: str
    n_runs: int
    n_points: tuple[int, int]
    first: float
    last: float
    x: tuple[str, ...]


@dataclass(frozen=True)
class Scan:
    """What is in the files and folders that were scanned.

    Attributes
    ----------
    place : str
        What was scanned.
    runs : tuple of ScannedRun
    skipped : tuple of Skipped
        ``path`` and ``reason`` of what was not read.
    explanation : str
        What algorithm, run and task were inferred from.
    notes : tuple of str
        What a reader should know of how runs were named.
    candidates : tuple of Candidate
        What else could tell algorithms apart.
    other_x : tuple of str
        What else the logs offer as steps.
    ambiguity : str
        Why runs could not be told apart into algorithms; empty if they could.
    differences : str
        What runs differ in: names that can be typed, with some of their values.
    """

    place: str
    runs: tuple[ScannedRun, ...]
    skipped: tuple[Skipped, ...]
    explanation: str
    notes: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    other_x: tuple[str, ...] = ()
    ambiguity: str = ""
    differences: str = ""
    _run_logs: Callable[[str | None], list[RunLog]] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def metrics(self) -> dict[str, ScannedMetric]:
        """The metrics by name, those that most runs have first."""
        spans: dict[str, list[MetricSpan]] = {}
        for run in self.runs:
            for name, span in run.metrics.items():
                spans.setdefault(name, []).append(span)
        found = {name: _metric(name, all_spans) for name, all_spans in spans.items()}
        order = sorted(found, key=lambda name: -found[name].n_runs)
        return {name: found[name] for name in order}

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, in the order in which they were found."""
        return tuple(dict.fromkeys(run.algorithm for run in self.runs))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order in which they were found; none if there is nothing to tell."""
        return tuple(dict.fromkeys(run.task for run in self.runs if run.task is not None))

    def choose_metric(
        self, asked: str | None = None, only: Sequence[str] | None = None
    ) -> MetricChoice:
        """Choose the metric to compare: the one asked for, or else the one that stands out.

        ``only`` are the algorithms that are compared; by default all. Raise CurvesError or
        OptionError if there is none of a name, or if no metric stands out.
        """
        check_algorithms(only or (), self.algorithms)
        runs = [run for run in self.runs if not only or run.algorithm in only]
        points = {
            name: [
                run.metrics[name].n_points if name in run.metrics else 0 for run in runs
            ]
            for name in self.metrics
        }
        return choose_metric(points, [run.algorithm for run in runs], asked)

    def check(self) -> None:
        """Raise CurvesError if nothing tells which runs are of which algorithm."""
        if self.ambiguity:
            raise CurvesError(self.ambiguity)

    def run_logs(self, metric: str | None = None) -> list[RunLog]:
        """Read the points of a metric, or of all, as `RunLog` objects of each run's own steps.

        Runs without a point are among them, with none.
        """
        if self._run_logs is None:
            return []
        return self._run_logs(metric)

    def tables(self) -> list[Table]:
        """Return the algorithms, the metrics and what was skipped, as tables."""
        tables = [algorithm_table(self), metric_table(self)]
        return [table for table in tables if table.rows]

    def describe(self) -> str:
        """Return a paragraph: how many runs of what, and what they were told apart by."""
        formats = Counter(name for run in self.runs for name in run.formats)
        kinds = listed([name for name, _ in formats.most_common()], MAX_NAMED)
        parts = [f"{plural(len(self.runs), 'run')} in {self.place} ({kinds})."]
        if self.ambiguity:
            parts.append(self.ambiguity)
        elif self.explanation:
            parts.append(f"{self.explanation[:1].upper()}{self.explanation[1:]}.")
        if self.differences:
            parts.append(f"Runs differ in {self.differences}.")
        return " ".join(parts)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know: records that were left out, logs that were skipped."""
        noted: dict[str, list[str]] = {}
        for run in self.runs:
            for note in run.notes:
                noted.setdefault(note, []).append(run.path)
        reasons: dict[str, list[str]] = {}
        for each in self.skipped:
            # What a run lost with it is among the notes of the run.
            if each.reason not in noted:
                reasons.setdefault(each.reason, []).append(str(each.path))
        return (
            *self.notes,
            *_some(_together(noted), "notes"),
            *_some(reasons, "reasons to skip"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything that was found as JSON-ready data."""
        return {
            "place": self.place,
            "explanation": self.explanation,
            "ambiguity": self.ambiguity,
            "differences": self.differences,
            "algorithms": list(self.algorithms),
            "tasks": list(self.tasks),
            "metrics": {
                name: {
                    **asdict(metric),
                    "n_points": list(metric.n_points),
                    "x": list(metric.x),
                }
                for name, metric in self.metrics.items()
            },
            "runs": [
                {**asdict(run), "formats": list(run.formats), "notes": list(run.notes)}
                for run in self.runs
            ],
            "notes": list(self.notes),
            "candidates": [
                {
                    "group_by": each.name,
                    "values": list(each.values),
                    "sizes": list(each.sizes),
                }
                for each in self.candidates
            ],
            "other_x": list(self.other_x),
            "skipped": [
                {"path": str(each.path), "reason": each.reason} for each in self.skipped
            ],
        }

    def __str__(self) -> str:
        parts = [printable(self.describe()), *(table.text() for table in self.tables())]
        parts += [f"Warning: {printable(warning)}" for warning in self.warnings]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{html_text(warning)}</p>" for warning in self.warnings)
        tables = "".join(table.html() for table in self.tables())
        return f"<p>{html_text(self.describe())}</p>{tables}{lines}"


def _metric(name: str, spans: list[MetricSpan]) -> ScannedMetric:
    counts = [span.n_points for span in spans]
    return ScannedMetric(
        name,
        len(spans),
        (min(counts), max(counts)),
        min(span.first for span in spans),
        max(span.last for span in spans),
        tuple(dict.fromkeys(span.x for span in spans)),
    )


def _together(places: dict[str, list[str]]) -> dict[str, list[str]]:
    """Put notes together that differ only in how many steps or records they count."""
    alike: dict[str, list[str]] = {}
    for note in places:
        alike.setdefault(COUNTED.sub("", note), []).append(note)
    found = {}
    for notes in alike.values():
        text = notes[0]
        if len(notes) > 1:
            matches = [match for note in notes for match in COUNTED.finditer(note)]
            counts = sorted(int(match[1].replace(",", "")) for match in matches)
            text = COUNTED.sub(rf"{counts[0]:,} to {counts[-1]:,} \g<2>s", text)
        found[text] = [path for note in notes for path in places[note]]
    return found


def _some(places: dict[str, list[str]], what: str) -> list[str]:
    """Return what is said of which places, of many only the first, and how many more."""
    shown = [said_of(paths, text) for text, paths in list(places.items())[:MAX_LINES]]
    more = len(places) - MAX_LINES
    return [*shown, f"And {more:,} more {what}."] if more > 0 else shown


def said_of(paths: list[str], text: str) -> str:
    """Return a sentence about places; one about a file that begins with its name has its path."""
    name = paths[0].rpartition("/")[2]
    if len(paths) == 1 and text.startswith(f"{name} "):
        return f"{paths[0]}{text.removeprefix(name)}."
    return f"{listed(paths, MAX_PLACES)}: {text}."
