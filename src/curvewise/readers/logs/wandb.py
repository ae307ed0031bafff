"""Weights & Biases: the .wandb files of its client, and charts exported from its pages."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.parsing.events import WANDB_MAGIC, BlockLog, message_classes, text_of
from curvewise.readers.parsing.files import damaged
from curvewise.readers.parsing.json_files import JsonRecords, as_number, parsed
from curvewise.readers.parsing.series import chosen_x, resumed, stem_of
from curvewise.readers.parsing.text_tables import CUT_LINE, header_of
from curvewise.readers.tables import step_names
from curvewise.readers.walk import Claim, LoggedRun, NotALogError, Series, Wanted, counts_episodes
from curvewise.text import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from curvewise.kernels import Booleans, Floats
    from curvewise.readers.walk import File, Folder


# Weights & Biases: the .wandb files that its client writes, offline or not.
#
# Read without W&B's package, which has no reader for them and takes 100 MB.

# Of wandb/proto/wandb_internal.proto.
MESSAGES = """
message Record {
    History history = 2; Config config = 5; Metric metric = 12; Run run = 17; Exit exit = 18;
}
message History { repeated Item item = 1; Step step = 2; }
message Step { int64 num = 1; }
message Item {
    bytes key = 1; repeated bytes nested_key = 2; int64 integer = 5; double number = 6;
    bytes value_json = 16;
}
message Config { repeated Item update = 1; repeated Item remove = 2; }
message Metric { bytes name = 1; bytes glob_name = 2; bytes step_metric = 4; }
message Run { Config config = 4; bytes run_group = 6; bytes display_name = 8; }
message Exit { int32 exit_code = 1; }
"""
STEP, RUNTIME, TIMESTAMP = "_step", "_runtime", "_timestamp"
RUN_FOLDER = re.compile(r"(?:offline-)?run-(\d{8}_\d{6})-.+")
RUN_FILE = re.compile(r"run-(.+)\.wandb")
# What W&B calls its link to the run that began last; a copy where links were not kept.
LATEST = "latest-run"
# Records that are looked at for the name of a run; it stands in one of the first.
N_LOOKED_AT = 20
ALIASES = {"step": STEP, "time": RUNTIME}
INTERNAL_CONFIG = "_wandb"


@cache
def wandb_messages() -> Mapping[str, type[Any]]:
    """Return the classes of the messages in .wandb files."""
    return message_classes("curvewise.wandb", MESSAGES)


def offline_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim on each .wandb file; its folder is the run if it is named as a run's is.

    A copy in the folder of the latest run goes with the file that it is a copy of.
    """
    is_of_run = RUN_FOLDER.fullmatch(folder.path.name)
    files = folder.files_that(lambda file: file.name.endswith(".wandb"))
    if not is_of_run:  # where one that is damaged is claimed as well
        files = [file for file in files if file.head().startswith(WANDB_MAGIC) or not file.size]
    beside = folder.parent.folders if folder.parent else {}
    if folder.path.name == LATEST:
        runs = [other for place, other in beside.items() if RUN_FOLDER.fullmatch(place)]
        files = [file for file in files if all(file.path.name not in run.files for run in runs)]
    if len(files) == 1 and is_of_run:
        latest = beside[LATEST].files if LATEST in beside else {}
        copy = latest.get(files[0].path.name)
        yield Claim(folder.path, (files[0], copy) if copy else (files[0],))
    else:
        yield from (Claim(file.path, (file,)) for file in files)


def offline_names(claims: Sequence[Claim]) -> tuple[str, ...]:
    """Return the id of a run, which it keeps when it is resumed, and what it is called."""
    from google.protobuf.message import DecodeError

    file = claims[0].files[0]
    match = RUN_FILE.fullmatch(file.name)
    found = (match[1] if match else stem_of(file),)
    parse = wandb_messages()["Record"].FromString
    # A file that cannot be read is dealt with when it is.
    with suppress(DecodeError, CurvesError):
        for data in islice(BlockLog(file).records(), N_LOOKED_AT):
            name = text_of(parse(data).run.display_name)
            if name:
                return (*found, name)
    return found


def offline_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run in .wandb files: each key of its history with numbers is a metric.

    A metric that was defined with a step of its own is read over that one. Several files are
    of one run that was resumed, each a session. Raises CurvesError if one is no .wandb file.
    """
    # The folder of a run tells when it was begun.
    begun = {
        claim.files[0]: RUN_FOLDER.fullmatch(claim.files[0].path.parent.name) for claim in claims
    }
    files = sorted(begun, key=lambda file: match[1] if (match := begun[file]) else "")
    for file in files:
        if file.size and not file.head().startswith(WANDB_MAGIC):
            raise damaged(file, "it does not begin as such files of W&B do")
    runs = []
    for file in files:
        reading, log = _Reading(wanted), BlockLog(file)
        reading.read(log)
        runs.append(reading.run(log, is_last=file is files[-1]))
        if len(files) > 1 and not reading.table.n_rows:
            runs[-1].notes.append(
                f"the session in {file.path.parent.name} has no history: it logged nothing, or "
                "broke off before that was written"
            )
    yield resumed(runs)


class _Reading:
    """A run while its file is read."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self.table = JsonRecords()
        # The keys of the history, and whether each is needed.
        self._keys: dict[str, bool] = {}
        self._config: dict[str, Any] = {}
        self._run: dict[str, str] = {}
        self._exit_code: int | None = None
        # What define_metric said: the key of the steps, by name or by pattern.
        self._step_metrics: dict[str, str] = {}
        self._step_patterns: dict[str, str] = {}
        self._axes = {STEP, RUNTIME, TIMESTAMP, wanted.x}

    def read(self, log: BlockLog) -> None:
        """Read all records of a file."""
        from google.protobuf.message import DecodeError

        parse = wandb_messages()["Record"].FromString
        n_damaged = 0
        for data in log.records():
            try:
                record = parse(data)
            except DecodeError:
                n_damaged += 1
                continue
            if record.HasField("history"):
                self._add_row(record.history)
            elif record.HasField("metric"):
                self._define(record.metric)
            elif record.HasField("run"):
                self._describe(record.run)
            elif record.HasField("config"):
                self._configure(record.config)
            elif record.HasField("exit"):
                self._exit_code = record.exit.exit_code
        if n_damaged:
            log.notes.append(f"{plural(n_damaged, 'record')} of {log.name} cannot be decoded")

    def _add_row(self, history: Any) -> None:
        """Take the numbers of one row of the history."""
        found: dict[str, float] = {}
        media: tuple[str, ...] = ()
        for item in history.item:
            *above, last = _path(item)
            key = ".".join([*above, last])
            if last == "_type":
                media += (".".join([*above, ""]),)
            elif item.HasField("value_json"):
                found.update(_numbers(key, item.value_json))
            elif item.HasField("number"):
                found[key] = item.number
            elif item.HasField("integer"):
                found[key] = float(item.integer)
        if history.HasField("step"):
            found.setdefault(STEP, float(history.step.num))
        if media:
            found = {key: value for key, value in found.items() if not key.startswith(media)}
        self.table.add(found, self._is_needed)

    def _is_needed(self, key: str) -> bool:
        """Whether a key is wanted, or may count as the steps of one that is."""
        if key not in self._keys:
            is_axis = key in self._axes or bool(step_names([key]))
            self._keys[key] = is_axis or key in self._wanted
        return self._keys[key]

    def _define(self, metric: Any) -> None:
        axis = text_of(metric.step_metric)
        if not axis and metric.name:
            # Defined by name for another reason: patterns do not apply to it.
            self._step_metrics.setdefault(text_of(metric.name), STEP)
        elif axis:
            self._axes.add(axis)
            if metric.glob_name:
                self._step_patterns[text_of(metric.glob_name)] = axis
            elif metric.name:
                self._step_metrics[text_of(metric.name)] = axis

    def _describe(self, run: Any) -> None:
        self._configure(run.config)
        names = {"display_name": run.display_name, "group": run.run_group}
        self._run |= {name: text_of(value) for name, value in names.items() if value}

    def _configure(self, config: Any) -> None:
        for item in config.update:
            path, value = _path(item), parsed(item.value_json)
            if path[0] == INTERNAL_CONFIG or value is None:
                continue
            inner = self._config
            for part in path[:-1]:
                if not isinstance(inner.get(part), dict):
                    inner[part] = {}
                inner = inner[part]
            inner[path[-1]] = value
        for path in map(_path, config.remove):
            if len(path) == 1:
                self._config.pop(path[0], None)

    def _axis_of(self, key: str) -> str:
        """Return the key of the steps of a metric, as defined."""
        if key in self._step_metrics:
            return self._step_metrics[key]
        patterns = self._step_patterns.items()
        return next((axis for glob, axis in patterns if fnmatchcase(key, glob)), STEP)

    def run(self, log: BlockLog, *, is_last: bool) -> LoggedRun:
        """Return what was read, metric by metric; the last file of a run should be closed.

        Raises CurvesError if the history has not what is wanted as steps.
        """
        axes = [*self._step_metrics.values(), *self._step_patterns.values()]
        others = [key for key in (RUNTIME, TIMESTAMP, *axes) if key in self._keys]
        offered = list(dict.fromkeys([STEP, *others, *step_names(list(self._keys))]))
        x = self._wanted.x
        if x is not None and x not in self._keys and self.table.n_rows:
            x = ALIASES.get(x, x)
            chosen_x(Wanted(x=x), offered)
        series, used, notes = {}, Counter[str](), []
        for key in self.table.columns:
            if key.startswith("_") or key in axes or key not in self._wanted:
                continue
            axis = self._axis_of(key) if x is None else x
            scores, present = self.table.numbers(key)
            steps, has_step = self.table.numbers(axis)
            kept = present & has_step & np.isfinite(steps)
            if n_lost := int(present.sum() - kept.sum()):
                lost = plural(n_lost, "record")
                notes.append(f"{lost} of {key!r} in rows without {axis!r} left out")
            if kept.any():
                used[axis] += 1
                episodes = counts_episodes(key)
                series[key] = Series(steps[kept], scores[kept], of_episodes=episodes, x=axis)
        name = used.most_common(1)[0][0] if used else x or STEP
        notes = log.notes + notes
        is_open = self._exit_code is None and not log.is_cut and self.table.n_rows > 0
        if is_open and is_last:
            why = "the run broke off or is still under way"
            notes.append(f"{log.name} has no closing record: {why}")
        other_x = tuple(key for key in offered if key != name)
        status, config = "failed" if self._exit_code else "", {**self._run, **self._config}
        return LoggedRun(series, name, other_x, config=config, status=status, notes=notes)


def _path(item: Any) -> list[str]:
    """Return the keys that lead to an item."""
    return [*map(text_of, item.nested_key or [item.key])]


def _numbers(key: str, written: bytes) -> Iterable[tuple[str, float]]:
    """Return the numbers in a JSON value: one, or those of an object by their keys."""
    # Nearly all values are numbers; NaN and Infinity are written as Python writes them.
    with suppress(ValueError):
        return [(key, float(written))]
    return _numbers_in(key, parsed(written))


def _numbers_in(key: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict) and "_type" not in value:
        for name, inner in value.items():
            yield from _numbers_in(f"{key}.{name}", inner)
    elif (found := as_number(value)) is not None:
        yield key, found


# Charts exported from the pages of Weights & Biases: a column per run, one file per metric.
#
# The table of runs that its pages export is claimed too, only to say that it holds no curves.

CHART_STEP, RUN_STEP = "Step", "_step"
# Columns are called "RUN - METRIC", and with these endings hold the band that is drawn.
SEPARATOR = " - "
BANDS = ("__MIN", "__MAX")
# Columns that the table of runs always has.
RUNS_TABLE = {"Name", "State"}
INDEX = re.compile(r"(?:Unnamed: \d+)?")
GROUP = re.compile(r"group: ", re.IGNORECASE)
SETTING = re.compile(r"[\w./-]+: ")
# Points of a run beyond which the pages draw buckets, whose band is wide also for single runs.
MIN_BUCKETS = 500


class Column(NamedTuple):
    """A column of a chart; of runs with the same name the second is called "NAME (2)"."""

    place: int
    run: str
    metric: str
    bands: tuple[int, ...]


class Chart(NamedTuple):
    """An exported chart: what its first column is, its columns and its cells."""

    file: File
    x: str
    columns: list[Column]
    rows: list[list[str]]


def charts_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each chart; those of a folder show metrics of the same runs."""
    files = folder.files_that(lambda file: file.name.lower().endswith(".csv"))
    marks = (SEPARATOR.encode(), b"State")
    tables = {f: header_of(f) for f in files if any(mark in f.head() for mark in marks)}
    charts = [file for file, header in tables.items() if _is_chart(header)]
    for file, header in tables.items():
        if file in charts:
            yield Claim(folder.path if len(charts) > 1 else file.path, (file,))
        elif set(header) >= RUNS_TABLE and header[0] == "Name":
            yield Claim(file.path, (file,))


def _is_chart(header: list[str]) -> bool:
    columns = header[_n_indices(header) + 1 :]
    return bool(columns) and all(SEPARATOR in name for name in columns)


def _n_indices(header: list[str]) -> int:
    """Return how many columns before the steps only number the rows, as pandas writes them."""
    return next((k for k, name in enumerate(header) if not INDEX.fullmatch(name)), 0)


def charts_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the runs of all charts of a folder, each with its metrics.

    Raises CurvesError if a chart shows groups of runs, or if the file is the table of runs.
    """
    runs: dict[str, LoggedRun] = {}
    notes: list[str] = []
    charts = [_chart(claim.files[0], notes) for claim in claims]
    axes = dict.fromkeys(chart.x for chart in charts)
    if any(column.metric == RUN_STEP for chart in charts for column in chart.columns):
        axes[RUN_STEP] = None
    x, others = chosen_x(wanted, sorted(axes, key=lambda name: name != CHART_STEP))
    for chart in charts:
        _check_runs(chart, notes)
        for column, steps in _with_steps(chart, x, notes):
            run = runs.setdefault(column.run, LoggedRun({}, x, others, column.run))
            if column.metric not in wanted:
                continue
            if column.metric in run.series:
                where = chart.file.path.name
                notes.append(f"{column.metric} is also in {where}, which was left out")
                continue
            scores = _chart_numbers(chart, column.place)
            kept = _are_filled(chart, column.place) & np.isfinite(steps)
            run.series[column.metric] = Series(steps[kept], scores[kept])
    for run in runs.values():
        run.notes.extend(dict.fromkeys(notes))
        yield run


def _chart(file: File, notes: list[str]) -> Chart:
    """Read an exported chart."""
    data, is_cut = file.content()
    text = data.decode("utf-8-sig", errors="replace")
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if any(row)]
    header = [name.strip() for name in rows[0]]
    if not _is_chart(header):
        msg = (
            f"{file.path.name} is the table of runs of Weights & Biases: the last value of each "
            "metric, so there is no curve in it. Export the charts instead."
        )
        raise NotALogError(msg)
    # A row is complete when its last cell is closed; an export need not end in a newline.
    is_open = not text.endswith(("\n", '"') if len(rows) > 1 else "\n")
    if is_cut or is_open or len(rows[-1]) < len(header):
        del rows[max(1, len(rows) - 1) :]
        notes.append(CUT_LINE.format(name=file.path.name))
    first, width = _n_indices(header), len(header)
    header = header[first:]
    cells = [(row + [""] * width)[first:width] for row in rows[1:]]
    return Chart(file, header[0], _columns(header), cells)


def _columns(header: list[str]) -> list[Column]:
    """Return the columns that are neither the steps nor bands."""
    seen: Counter[str] = Counter()
    columns = []
    for place, name in enumerate(header):
        base = next((name.removesuffix(band) for band in BANDS if name.endswith(band)), None)
        if place == 0 or base in header:
            continue
        run, _, metric = name.rpartition(SEPARATOR)
        seen[name] += 1
        number = f" ({seen[name]})" if seen[name] > 1 else ""
        beside = enumerate(header[place + 1 : place + 3], start=place + 1)
        bands = tuple(k for k, other in beside if other in {f"{name}{band}" for band in BANDS})
        columns.append(Column(place, f"{run}{number}", metric, bands))
    return columns


def _chart_numbers(chart: Chart, place: int) -> Floats:
    """Return a column as numbers; empty cells are NaN."""
    try:
        return np.array([float(row[place] or "nan") for row in chart.rows], np.float64)
    except ValueError as error:
        raise damaged(chart.file, str(error)) from None


def _are_filled(chart: Chart, place: int) -> Booleans:
    return np.array([bool(row[place].strip()) for row in chart.rows], dtype=bool)


def _with_steps(chart: Chart, x: str, notes: list[str]) -> Iterator[tuple[Column, Floats]]:
    """Yield each column of scores with its steps; note the chart if it does not have them."""
    own = {column.run: column for column in chart.columns if column.metric == RUN_STEP}
    lacking = False
    for column in chart.columns:
        if column.metric == RUN_STEP:
            continue
        has_own = x in {CHART_STEP, RUN_STEP} and column.run in own
        if x != chart.x and has_own:
            yield column, _chart_numbers(chart, own[column.run].place)
        elif x == chart.x or {x, chart.x} == {CHART_STEP, RUN_STEP}:
            yield column, _chart_numbers(chart, 0)
        else:
            lacking = True
    if lacking:
        notes.append(f"{chart.file.path.name} has no {x!r} and was left out")


def _check_runs(chart: Chart, notes: list[str]) -> None:
    """Raise if columns are means over runs; note what else the names and bands tell."""
    name = chart.file.path.name
    for column in chart.columns:
        has_band = _has_band(chart, column)
        n_points = int(_are_filled(chart, column.place).sum())
        if GROUP.match(column.run) or (
            has_band and (SETTING.match(column.run) or n_points < MIN_BUCKETS)
        ):
            msg = (
                f"{name} shows groups of runs: {column.run!r} is a mean over runs, from which "
                "they cannot be told. Ungroup the runs on the page and export the chart again."
            )
            raise NotALogError(msg)
        if has_band:
            notes.append(f"{name} was exported in buckets: its points are means of several")
    again = [column.run for column in chart.columns if re.search(r" \(\d+\)$", column.run)]
    again = [run for run in again if run.rpartition(" (")[0] in {c.run for c in chart.columns}]
    if again:
        notes.append(f"several runs have the same name: {listed(again, most=3)}")


def _has_band(chart: Chart, column: Column) -> bool:
    """Whether the band of a column is wider than rounding makes it."""
    scores = _chart_numbers(chart, column.place)
    edges = (_chart_numbers(chart, place) for place in column.bands)
    return any(
        math.isfinite(score + edge) and not math.isclose(score, edge, rel_tol=1e-6)
        for each in edges
        for score, edge in zip(scores, each, strict=True)
    )
