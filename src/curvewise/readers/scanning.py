"""Runs in files and folders: found, read and named; listed by `scan`, as run logs for `read`."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError, OptionError
from curvewise.readers.broken import broken_logs
from curvewise.readers.copies import copies, copies_note
from curvewise.readers.finding import find_homes
from curvewise.readers.folders import File, Skipped, walk
from curvewise.readers.logged import Wanted
from curvewise.readers.naming.configurations import Configurations, flattened
from curvewise.readers.naming.identity import identify
from curvewise.readers.naming.runs_and_tasks import part_of_tables
from curvewise.readers.naming.traits import Clues
from curvewise.readers.parsing.homes import stem_of
from curvewise.readers.parsing.run_columns import TIME, steps_to_choose
from curvewise.readers.request import Naming, as_paths
from curvewise.readers.scan import MetricSpan, Scan, ScannedRun, said_of
from curvewise.readers.settling import logs_of, settled_metrics
from curvewise.shuffling.parallel import track_items
from curvewise.text import did_you_mean, listed, plural, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.data.records import Settled
    from curvewise.data.run_log import RunLog
    from curvewise.readers.finding import FoundRun, Home
    from curvewise.readers.folders import Walk
    from curvewise.readers.naming.identity import Identity
    from curvewise.readers.request import PathLike

__all__ = ["Logs", "ReadRuns", "scan"]

MAX_ENDINGS = 6  # of files that are no logs, in a message
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
        What counts as training, where logs offer several: a column, "epoch", "time".
    group_by, run_by : str, optional
        What tells algorithms, and runs, apart: a key of the configuration, a part of the
        path, several joined by commas, or a pattern such as ``{task}/{algorithm}/seed{run}``.
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
            raise CurvesError(logs._nothing_read() if broken else logs._nothing_found())
        return logs

    def scan(self) -> Scan:
        """Read everything once, and keep only how much there is of it."""
        runs: list[FoundRun] = []
        spans: list[dict[str, MetricSpan]] = []
        for run in self._read(Wanted(x=self.naming.x)):
            self._has_points[run.place] = run.has_points
            found = {
                metric: _span(points, run.axes[metric])
                for metric, points in settled_metrics(run).items()
                if len(points.steps)
            }
            run.logged.series.clear()
            runs.append(run)
            spans.append(found)
        if not any(spans) and self.skipped:
            raise CurvesError(self._nothing_read())
        named = self._named(runs)
        notes = named.notes
        axes = {span.x for found in spans for span in found.values()}
        if axes == {TIME} and self.naming.x is None:
            notes += (steps_to_choose(),)
        scanned = tuple(
            ScannedRun(
                who.algorithm,
                who.run,
                who.task,
                self._below(run),
                run.formats,
                found,
                run.logged.status or ("" if found else "empty"),
                tuple(run.logged.notes),
            )
            for run, found, who in zip(runs, spans, named.whos, strict=True)
        )
        return Scan(
            self.place,
            tuple(scanned[row] for row in self._kept(named)),
            tuple(
                Skipped(Path(*self._parts(each.path)), each.reason)
                for each in self.skipped
            ),
            named.explanation,
            notes,
            named.candidates,
            tuple(dict.fromkeys(x for run in runs for x in run.logged.other_x)),
            named.problem,
            named.differences,
            self.run_logs,
        )

    def run_logs(self, metric: str | None = None) -> list[RunLog]:
        """Read a metric, or all of them, of every run; see `read`."""
        return self.read(metric).logs

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
        named.check()
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
            raise CurvesError(self._nothing_read())

    def _named(self, runs: Sequence[FoundRun]) -> Identity:
        """Tell who is who; with the block of each run, if one is asked for."""
        taken = {
            file.path
            for home in self.homes
            for claims in home.logs.values()
            for claim in claims
            for file in claim.files
        }
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
        shared = tuple(
            replace(who, block=block.algorithm.removeprefix(key)) for who, block in whos
        )
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
            msg = f"No task is called {task!r}; {did_you_mean(task, tasks)} {error}"
            raise OptionError(msg, option="task") from None

    def _kept(self, named: Identity) -> list[int]:
        """Return the places of the runs of the task to keep; all, if none is asked for."""
        keep = self.naming.task
        tasks = [who.task for who in named.whos]
        if keep is None or keep not in tasks:
            return list(range(len(tasks)))
        return [row for row, task in enumerate(tasks) if task == keep]

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
        config = {**beside, **logged}
        return Clues(
            parts,
            run.logged.key,
            run.logged.labels,
            config,
            self._is_filled(run),
            self.walk.root.name,
        )

    def _is_filled(self, run: FoundRun) -> bool:
        """Whether a run has points of any metric, not only of the one that was read."""
        if run.place not in self._has_points:
            if run.has_points:
                self._has_points[run.place] = True
            else:
                for whole in run.home.read(Wanted(x=self.naming.x), []):
                    self._has_points[whole.place] = whole.has_points
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
        files = [file for folder in self.walk.folders for file in folder.files.values()]
        if not files and self.skipped:
            return self._nothing_read()
        if not files:
            return f"{self.place} holds no file. Name the folder that the logs are in."
        endings = Counter(
            file.path.suffix.lower() or "without an ending" for file in files
        )
        reasons = {NOT_READ.get(ending) for ending in endings}
        if len(reasons) == 1 and None not in reasons:
            return f"Nothing in {self.place} can be read: {reasons.pop()}"
        shown = listed([ending for ending, _ in endings.most_common()], MAX_ENDINGS)
        is_one = len(files) == 1
        what = "The file" if is_one else f"None of the {plural(len(files), 'file')}"
        return (
            f"{what} in {self.place} is {'not ' if is_one else ''}a training log or a table that "
            f"curvewise knows ({shown}). Name the folder that the logs are in; "
            "docs/training-logs.md lists the formats."
        )

    def _nothing_read(self) -> str:
        """Say that no log could be read, and why the first ones could not."""
        reasons = list(
            dict.fromkeys(said_of([each.path.name], each.reason) for each in self.skipped)
        )
        if not reasons:
            return (
                f"The logs in {self.place} hold no run so far. Wait until one has logged a score, "
                "or name another folder."
            )
        more = len(reasons) - MAX_REASONS
        lines = reasons[:MAX_REASONS] + ([f"and {more} more"] if more > 0 else [])
        return "\n  ".join([f"Nothing in {self.place} can be read:", *lines])


def _span(points: Settled, x: str) -> MetricSpan:
    return MetricSpan(
        len(points.steps), float(points.steps[0]), float(points.steps[-1]), x
    )
