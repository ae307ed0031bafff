"""What is in a folder of training logs: runs, metrics, algorithms, tasks, what was skipped."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.checks import check_names
from curvewise.data.tables import check_algorithms, grouped, natural_order
from curvewise.errors import CurvesError, OptionError, refuse
from curvewise.readers import Naming, as_paths
from curvewise.readers.naming.config import Configurations, flattened
from curvewise.readers.naming.identity import identify
from curvewise.readers.naming.metric import choose_metric
from curvewise.readers.naming.rules import part_of_tables
from curvewise.readers.naming.traits import Clues
from curvewise.readers.parsing.columns import TIME, steps_to_choose
from curvewise.readers.parsing.series import stem_of
from curvewise.readers.points import logs_of, settled_metrics
from curvewise.readers.recognise import broken_logs, find_homes
from curvewise.readers.walk import File, Skipped, Wanted, files_given, walk
from curvewise.records import UNTOLD, Record, told
from curvewise.rendering.tables import Table
from curvewise.shuffling.visit import track_items
from curvewise.text import argument, did_you_mean, html_text, listed, plural, printable, step_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from curvewise.data.points import RunLog
    from curvewise.readers import PathLike
    from curvewise.readers.naming.identity import Identity, Who
    from curvewise.readers.naming.metric import MetricChoice
    from curvewise.readers.naming.rules import Candidate
    from curvewise.readers.recognise import FoundRun, Home
    from curvewise.readers.walk import Walk
    from curvewise.records import Count


MAX_METRICS = 40  # rows of the table of metrics
MIN_SHARE = 0.9  # of the longest run, for one that does not end early

# The last step of each metric on its axis in any run; under None, that of the longest run.
_Ends = dict[tuple[str, str] | None, float]


def algorithm_table(scan: Scan) -> Table:
    """Lay the runs of each algorithm out, with what is not whole; of several tasks, of each."""
    has_tasks = len(scan.tasks) > 1
    first = 0 if has_tasks else 1  # of the columns
    groups = grouped(((run.task if has_tasks else None, run.algorithm), run) for run in scan.runs)
    ends_of: dict[str | None, _Ends] = {}
    for (task, _), runs in groups.items():
        _add_ends(ends_of.setdefault(task, {}), runs)
    rows = []
    for (task, algorithm), members in groups.items():
        named = {run.run: run for run in members}
        runs = [named[name] for name in natural_order(named)]
        ends = [run.last_step for run in runs if run.last_step is not None]
        points = [run.n_points for run in runs if run.metrics]
        names, lack = listed([run.run for run in runs], 6), _not_whole(runs, ends_of[task])
        row = (task or "", algorithm, f"{len(runs)}", _range(points), _range(ends), names, lack)
        rows.append(row[first:])
    header = ("task", "algorithm", "runs", "points", "last step", "run names", "incomplete")
    return Table(header[first:], tuple(rows), n_text_columns=2 - first)


def metric_table(scan: Scan) -> Table:
    """Lay the metrics out, the one that is compared by default first."""
    chosen, notes = _default_metric(scan)
    metrics = sorted(scan.metrics.values(), key=lambda own: own.name != chosen)
    rows = tuple(
        (
            metric.name,
            f"{metric.n_runs}",
            _range(metric.n_points),
            f"{step_text(metric.first)} to {step_text(metric.last)}",
            listed(metric.x, 2),
        )
        for metric in metrics[:MAX_METRICS]
    )
    more = len(metrics) - MAX_METRICS
    if more > 0:
        notes.insert(0, f"and {plural(more, 'metric')} more")
    if scan.other_x:
        others = listed(scan.other_x, 6)
        notes.append(f"Steps can also be counted in {others}, by {argument('x')}.")
    header = ("metric", "runs", "points", "steps", "counted in")
    return Table(header, rows, notes=tuple(notes))


def _default_metric(scan: Scan) -> tuple[str | None, list[str]]:
    """Return the metric that is compared by default, if there is one, and what to say."""
    if scan.ambiguity:
        return None, []
    try:
        chosen = scan.choose_metric()
    except CurvesError:
        asked = argument("metric")
        return None, [f"None stands out: say which one to compare by {asked}."]
    return chosen.name, [f"Compared by default: {chosen.name} ({chosen.reason})."]


def _range(values: Iterable[float]) -> str:
    """Write the smallest and the largest of some numbers, or the one there is."""
    found = sorted(values)
    return " to ".join(dict.fromkeys(map(step_text, (*found[:1], *found[-1:]))))


def _add_ends(ends: _Ends, runs: list[ScannedRun]) -> None:
    """Put in where the longest run ends, and where each metric does in the run it is longest."""
    for run in runs:
        found: _Ends = {(name, s.x): s.last for name, s in run.metrics.items()}
        if run.last_step is not None:
            found[None] = run.last_step
        for what, last in found.items():
            ends[what] = max(ends.get(what, last), last)


def _ends_early(run: ScannedRun, last_step: float, ends: _Ends) -> bool:
    """Whether a run ends before nine tenths of the longest, and most of its metrics do.

    Metrics are looked at, too, because one of them may be counted in something else.
    """
    early = [span.last < MIN_SHARE * ends[name, span.x] for name, span in run.metrics.items()]
    return last_step < MIN_SHARE * ends[None] and 2 * sum(early) >= len(early)


def _not_whole(runs: list[ScannedRun], ends: _Ends) -> str:
    """Say which runs failed, are empty or end early."""
    found = []
    for run in runs:
        if run.last_step is None:
            how = "unreadable" if run.status == "unreadable" else "empty"
            failed = run.status not in {"", "empty", "unreadable"}
            status = f" ({run.status})" if failed else ""
            found.append(f"{run.run} is {how}{status}")
        elif _ends_early(run, run.last_step, ends) or run.status:
            status = f" ({run.status})" if run.status else ""
            found.append(f"{run.run} ends at {step_text(run.last_step)}{status}")
    return listed(found, 3)


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

    n_points: Count
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
    n_runs: Count
    n_points: tuple[int, int]
    first: float
    last: float
    x: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Scan(Record):
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
    explanation: str
    ambiguity: str = ""
    differences: str = ""
    runs: tuple[ScannedRun, ...]
    notes: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    other_x: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...]
    _run_logs: Callable[[str | None], list[RunLog]] | None = field(
        default=None, repr=False, compare=False, metadata=UNTOLD
    )

    @property
    @told(after="differences")
    def metrics(self) -> dict[str, ScannedMetric]:
        """The metrics by name, those that most runs have first."""
        spans = grouped(own for run in self.runs for own in run.metrics.items())
        order = sorted(spans, key=lambda name: -len(spans[name]))
        return {name: _metric(name, spans[name]) for name in order}

    @property
    @told(after="differences")
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, in the order in which they were found."""
        return tuple(dict.fromkeys(run.algorithm for run in self.runs))

    @property
    @told(after="differences")
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
            name: [run.metrics[name].n_points if name in run.metrics else 0 for run in runs]
            for name in self.metrics
        }
        return choose_metric(points, [run.algorithm for run in runs], asked)

    def check(self) -> None:
        """Raise CurvesError if nothing tells which runs are of which algorithm."""
        if self.ambiguity:
            refuse(self.ambiguity)

    def run_logs(self, metric: str | None = None) -> list[RunLog]:
        """Read the points of a metric, or of all, as `RunLog` objects of each run's own steps.

        Runs without a point are among them, with none.
        """
        return self._run_logs(metric) if self._run_logs else []

    def tables(self) -> list[Table]:
        """Return the algorithms, the metrics and what was skipped, as tables."""
        tables = [algorithm_table(self), metric_table(self)]
        return [table for table in tables if table.rows]

    def describe(self) -> str:
        """Return a paragraph: how many runs of what, and what they were told apart by."""
        formats = Counter(name for run in self.runs for name in run.formats)
        kinds = listed([name for name, _ in formats.most_common()], 6)
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
        noted = grouped((note, run.path) for run in self.runs for note in run.notes)
        # What a run lost with it is among the notes of the run.
        others = [each for each in self.skipped if each.reason not in noted]
        reasons = grouped((each.reason, str(each.path)) for each in others)
        return (*self.notes, *_some(_together(noted), "notes"), *_some(reasons, "reasons to skip"))

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
    ends = min(span.first for span in spans), max(span.last for span in spans)
    axes = tuple(dict.fromkeys(span.x for span in spans))
    return ScannedMetric(name, len(spans), (min(counts), max(counts)), *ends, axes)


def _together(places: dict[str, list[str]]) -> dict[str, list[str]]:
    """Put notes together that differ only in how many steps or records they count."""
    found = {}
    for notes in grouped((COUNTED.sub("", note), note) for note in places).values():
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


# How far the scores of a copy may be off: event files keep seven digits, exports often fewer.
MAX_RELATIVE_ERROR = 1e-5
MIN_SHARED_STEPS = 2


def copies(whos: Sequence[Who], logs: Sequence[Sequence[RunLog]]) -> set[int]:
    """Return which runs are all or a part of another one with the same name.

    A run is if it has the algorithm, task and name of another, a metric in common with it, no
    steps that the other lacks, and the same scores at all steps they share, of which there are
    two or more. Counted as runs of their own they would make differences look surer than they
    are. Of equal runs the first one is not counted as a copy.
    """
    metrics = [{log.metric: log for log in each if log.n_points} for each in logs]
    n_points = [sum(log.n_points for log in each.values()) for each in metrics]
    known: dict[tuple[str | None, str, str], list[dict[str, RunLog]]] = {}
    found = set()
    for row in sorted(range(len(whos)), key=lambda row: -n_points[row]):
        who = whos[row]
        same_name = known.setdefault((who.task, who.algorithm, who.name_of or who.run), [])
        if any(_are_the_same(metrics[row], other) for other in same_name):
            found.add(row)
        else:
            same_name.append(metrics[row])
    return found


def copies_note(n_copies: int) -> str:
    """Say how many runs were left out."""
    are, count = ("is", "counts") if n_copies == 1 else ("are", "count")
    return (
        f"{plural(n_copies, 'run')} {are} there twice, with the same name and the same scores, "
        f"and {count} once"
    )


def _are_the_same(own: dict[str, RunLog], other: dict[str, RunLog]) -> bool:
    """Whether a run is all or a part of another one, in each metric that both have."""
    shared = own.keys() & other.keys()
    return bool(shared) and all(_is_part(own[name], other[name]) for name in shared)


def _is_part(own: RunLog, other: RunLog) -> bool:
    if own.n_points < MIN_SHARED_STEPS or not np.isin(own.steps, other.steps).all():
        return False
    scores = other.scores[np.searchsorted(other.steps, own.steps)]
    return np.allclose(own.scores, scores, rtol=MAX_RELATIVE_ERROR, atol=0, equal_nan=True)


MAX_REASONS = 3  # why logs cannot be read, in a message
_PICKLE = (
    "pickles are not read, because loading one could run code. If you trust it, load it yourself "
    "and save a table (CSV) of the columns algorithm, run, step and score."
)
_SPREADSHEET = "spreadsheets are not read. Save each table as CSV."
# Why files with some endings are no logs.
NOT_READ = {
    **dict.fromkeys((".pkl", ".pickle", ".joblib"), _PICKLE),
    **dict.fromkeys((".xlsx", ".xls", ".ods"), _SPREADSHEET),
}
# Runs that are skipped, by their status, and why.
NO_RUNS = {
    "deleted": "was deleted by its owner",
    "parent": "has no curve of its own and only holds other runs together",
}


@files_given()
def scan(
    path: PathLike | Sequence[PathLike],
    *,
    x: str | None = None,
    group_by: str | None = None,
    run_by: str | None = None,
    task: str | None = None,
) -> Scan:
    """List the runs in files and folders of training logs.

    Formats are recognised by what files hold. Algorithms, runs and tasks are inferred from
    configurations and paths, unless the caller says what tells them apart.

    Parameters
    ----------
    path : path, or several
        Files, folders with all below them, patterns such as ``runs/*ppo*``.
    x : str, optional
        What counts as training, where a log has several: a column, "epoch", "time".
    group_by : str, optional
        What tells algorithms apart: a key of the configuration, a part of the path, several
        joined by commas, or a pattern such as ``'{task}/{algorithm}/seed{run}'``.
    run_by : str, optional
        What tells runs apart; as ``group_by``.
    task : str, optional
        The task to keep; or the key that tells tasks apart.

    Returns
    -------
    Scan
        Runs, metrics, algorithms, tasks, and what was skipped and why.

    Raises
    ------
    CurvesError
        If there is no log, or a key that is asked for tells nothing.
    """
    check_names(x=x, group_by=group_by, run_by=run_by, task=task)
    return Logs.found(as_paths(path), Naming(group_by, run_by, task, x=x)).scan()


@dataclass
class ReadRuns:
    """Runs that were read and named.

    Attributes
    ----------
    logs : list of RunLog
    formats : dict from task, algorithm and run to tuple of str
        The formats of each run.
    axes : list of str
        What the steps are.
    explanation : str
        What algorithm, run and task were inferred from.
    notes : tuple of str
        What a reader should know of how runs were named.
    lower_is_better : bool or None
        Whether low scores are good, if the logs themselves say so, all the same.
    """

    logs: list[RunLog]
    formats: dict[tuple[str | None, str, str], tuple[str, ...]]
    axes: list[str]
    explanation: str
    notes: tuple[str, ...]
    lower_is_better: bool | None = None


@dataclass
class Logs:
    """The logs in files and folders: found once, read as often as needed.

    Attributes
    ----------
    place : str
        What was asked for, for messages.
    walk : Walk
    homes : list of Home
    naming : Naming
    skipped : list of Skipped
        What could not be read, as far as it has been tried.
    """

    place: str
    walk: Walk
    homes: list[Home]
    naming: Naming
    skipped: list[Skipped] = field(default_factory=list)
    # Which runs have points of any metric, as far as that is known.
    _has_points: dict[tuple[Path, str], bool] = field(default_factory=dict)

    @classmethod
    def found(cls, paths: Sequence[PathLike], naming: Naming) -> Logs:
        """Find the logs that paths name; raise CurvesError if there are none."""
        walked = walk(paths)
        homes = find_homes(walked)
        place = listed([os.fspath(path) for path in paths], 3)
        logs = cls(place, walked, homes, naming, list(walked.skipped))
        broken = list(broken_logs(walked, homes))
        logs.skipped += broken
        if not homes:
            refuse(logs._nothing_read() if broken else logs._nothing_found())
        return logs

    def scan(self) -> Scan:
        """Read everything once, and keep only how much there is of it."""
        runs: list[FoundRun] = []
        spans: list[dict[str, MetricSpan]] = []
        for run in self._read(Wanted(x=self.naming.x)):
            self._has_points[run.place] = run.has_points
            found = {
                metric: MetricSpan(
                    *(len(own.steps), float(own.steps[0]), float(own.steps[-1]), run.axes[metric])
                )
                for metric, own in settled_metrics(run).items()
                if len(own.steps)
            }
            run.logged.series.clear()
            runs.append(run)
            spans.append(found)
        if not any(spans) and self.skipped:
            refuse(self._nothing_read())
        named = self._named(runs)
        notes = named.notes
        axes = {span.x for found in spans for span in found.values()}
        if axes == {TIME} and self.naming.x is None:
            notes += (steps_to_choose(),)
        scanned = tuple(
            ScannedRun(
                *(who.algorithm, who.run, who.task, self._below(run), run.formats, found),
                run.logged.status or ("" if found else "empty"),
                tuple(run.logged.notes),
            )
            for run, found, who in zip(runs, spans, named.whos, strict=True)
        )
        return Scan(
            place=self.place,
            runs=tuple(scanned[row] for row in self._kept(named)),
            skipped=tuple(
                Skipped(Path(*self._parts(each.path)), each.reason) for each in self.skipped
            ),
            explanation=named.explanation,
            notes=notes,
            candidates=named.candidates,
            other_x=tuple(dict.fromkeys(x for run in runs for x in run.logged.other_x)),
            ambiguity=named.problem,
            differences=named.differences,
            _run_logs=lambda metric: self.read(metric).logs,
        )

    def read(self, metric: str | None = None) -> ReadRuns:
        """Read a metric, or all of them, of every run of the task to keep.

        A run without a point of it is there, with none.

        Raises
        ------
        CurvesError
            If nothing tells which runs are of which algorithm.
        """
        wanted = Wanted(None if metric is None else frozenset([metric]), self.naming.x)
        runs = list(self._read(wanted))
        named = self._named(runs)
        if named.problem:
            refuse(named.problem)
        found = ReadRuns([], {}, [], named.explanation, named.notes)
        rows = [row for row in self._kept(named) if named.whos[row].is_known]
        logs = [logs_of(runs[row], named.whos[row], metric) for row in rows]
        again = copies([named.whos[row] for row in rows], logs)
        for place, row in enumerate(rows):
            if place in again:
                continue
            run, who = runs[row], named.whos[row]
            found.logs += logs[place]
            found.formats[who.task, who.algorithm, who.run] = run.formats
            found.axes += [x for x in run.axes.values() if x not in found.axes]
        said = {runs[row].logged.lower_is_better for row in rows}
        found.lower_is_better = said.pop() if len(said) == 1 else None
        if again:
            found.notes += (copies_note(len(again)),)
        return found

    def _read(self, wanted: Wanted) -> Iterator[FoundRun]:
        """Yield the runs of every home; what was deleted or only holds runs is skipped.

        Raises CurvesError after the last one if there was none.
        """
        skipped: list[Skipped] = []
        n_runs = 0
        for home in track_items(self.homes):
            for run in home.read(wanted, skipped):
                reason = NO_RUNS.get(run.logged.status)
                if reason is not None:
                    who = run.logged.key or "the run"
                    skipped.append(Skipped(home.path, f"{who} {reason}"))
                    continue
                n_runs += 1
                yield run
        known = set(self.skipped)
        self.skipped += [each for each in skipped if each not in known]
        if not n_runs:
            refuse(self._nothing_read())

    def _named(self, runs: Sequence[FoundRun]) -> Identity:
        """Tell who is who; with the block of each run, if one is asked for."""
        taken = {file.path for home in self.homes for file in home.files}
        configurations = Configurations(self.walk.root, taken)
        clues = [self._clues(run, configurations) for run in runs]
        by = {"group_by": self.naming.group_by, "run_by": self.naming.run_by}
        named = identify(clues, **by)
        task = self.naming.task
        if task is not None and all(who.task != task for who in named.whos):
            named = self._named_by_task(clues, by, named)
        elif self.naming.tables_are_tasks and None in {who.task for who in named.whos}:
            part = part_of_tables(clues)
            if task is None and part is not None:
                named = identify(clues, **by, task_by=part)
        if self.naming.block is None:
            return named
        blocks = identify(clues, group_by=self.naming.block)
        whos = zip(named.whos, blocks.whos, strict=True)
        # By their values alone, as in a single table: "week=3" is the block "3".
        key = f"{self.naming.block.rpartition('.')[2]}="
        shared = tuple(replace(who, block=block.algorithm.removeprefix(key)) for who, block in whos)
        notes = (*named.notes, f"block from {printable(self.naming.block)}")
        return replace(named, whos=shared, notes=notes)

    def _named_by_task(
        self, clues: list[Clues], by: dict[str, str | None], named: Identity
    ) -> Identity:
        """Tell who is who with a task that is no task's name, so that it must be a key."""
        task = str(self.naming.task)
        try:
            return identify(clues, **by, task_by=task)
        except OptionError as error:
            tasks = dict.fromkeys(who.task for who in named.whos if who.task is not None)
            if not tasks:
                raise
            refuse(
                f"No task is called {task!r}; {did_you_mean(task, tasks)} {error}", option="task"
            )

    def _kept(self, named: Identity) -> list[int]:
        """Return the places of the runs of the task to keep; all, if none is asked for."""
        tasks = [who.task for who in named.whos]
        keep = {self.naming.task} & {*tasks} - {None} or {*tasks}
        return [row for row, task in enumerate(tasks) if task in keep]

    def _clues(self, run: FoundRun, configurations: Configurations) -> Clues:
        """Gather what is known of a run: its place, its labels, its configuration."""
        home = run.home
        is_file = home.path != home.folder.path
        stem = stem_of(File(home.path)) if is_file else None
        beside, notes = configurations.of(home.folder.path, stem)
        run.note(notes)
        parts = self._parts(home.path)
        if stem is not None:
            parts = (*parts[:-1], stem)
        # Lightning writes optimizer: {lr: 0.1} as optimizer/lr into event files.
        logged = {
            name: value
            for name, value in flattened(run.logged.config).items()
            if "/" not in name or name.replace("/", ".") not in beside
        }
        about = run.logged.key, run.logged.labels, {**beside, **logged}
        return Clues(parts, *about, self._is_filled(run), self.walk.root.name)

    def _is_filled(self, run: FoundRun) -> bool:
        """Whether a run has points of any metric, not only of the one that was read."""
        if run.place not in self._has_points:
            all_of_it = [run] if run.has_points else run.home.read(Wanted(x=self.naming.x), [])
            self._has_points |= {whole.place: whole.has_points for whole in all_of_it}
        return self._has_points.get(run.place, False)

    def _parts(self, path: Path) -> tuple[str, ...]:
        """Return the parts of a path below the root; of the root itself, its name."""
        below = Path(os.path.relpath(path, self.walk.root)).parts
        return below or (self.walk.root.name,)

    def _below(self, run: FoundRun) -> str:
        """Return the place of a run below the root, with its name inside a store."""
        place = "/".join(self._parts(run.home.path))
        return f"{place}#{run.logged.key}" if run.logged.key else place

    def _nothing_found(self) -> str:
        """Say that there is no log, and what there is instead."""
        files = self.walk.files
        if any(each.is_lost for each in self.skipped) or (self.skipped and not files):
            return self._nothing_read()
        if not files:
            return f"{self.place} holds no file. Name the folder that the logs are in."
        endings = Counter(file.path.suffix.lower() or "without an ending" for file in files)
        reasons = {NOT_READ.get(ending) for ending in endings}
        if len(reasons) == 1 and None not in reasons:
            return f"Nothing in {self.place} can be read: {reasons.pop()}"
        shown = listed([ending for ending, _ in endings.most_common()], 6)
        is_one = len(files) == 1
        what = "The file" if is_one else f"None of the {plural(len(files), 'file')}"
        return (
            f"{what} in {self.place} is {'not ' if is_one else ''}a training log or a table that "
            f"curvewise knows ({shown}). Name the folder that the logs are in; "
            "docs/training-logs.md lists the formats."
        )

    def losses(self) -> list[str]:
        """Say what the system did not give, in a sentence each, of many only the first."""
        return self._reasons([each for each in self.skipped if each.is_lost])

    def _reasons(self, skipped: Sequence[Skipped]) -> list[str]:
        places = grouped((each.reason, "/".join(self._parts(each.path))) for each in skipped)
        reasons = [said_of(paths, reason) for reason, paths in places.items()]
        more = len(reasons) - MAX_REASONS
        return reasons[:MAX_REASONS] + ([f"and {more} more"] if more > 0 else [])

    def _nothing_read(self) -> str:
        """Say that no log could be read, and why the first ones could not."""
        if not self.skipped:
            return (
                f"The logs in {self.place} hold no run so far. Wait until one has logged a score, "
                "or name another folder."
            )
        lines = [f"Nothing in {self.place} can be read:", *self._reasons(self.skipped)]
        return "\n  ".join(lines)
