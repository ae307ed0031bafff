"""Charts exported from the pages of Weights & Biases: a column per run, one file per metric.

The table of runs that its pages export is claimed too, only to say that it holds no curves.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim, LoggedRun, NotALogError, Series
from curvewise.readers.parsing.log_tables import CUT_LINE, header_of
from curvewise.readers.parsing.recording import chosen_x
from curvewise.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.kernels import Floats
    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

STEP, RUN_STEP = "Step", "_step"
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


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each chart; those of a folder show metrics of the same runs."""
    tables = {
        file: header_of(file)
        for file in folder.files.values()
        if file.name.lower().endswith(".csv")
        and (SEPARATOR.encode() in file.head() or b"State" in file.head())
    }
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


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the runs of all charts of a folder, each with its metrics.

    Raises CurvesError if a chart shows groups of runs, or if the file is the table of runs.
    """
    runs: dict[str, LoggedRun] = {}
    notes: list[str] = []
    charts = [_chart(claim.files[0], notes) for claim in claims]
    axes = {chart.x: None for chart in charts}
    if any(column.metric == RUN_STEP for chart in charts for column in chart.columns):
        axes[RUN_STEP] = None
    x, others = chosen_x(wanted, sorted(axes, key=lambda name: name != STEP))
    for chart in charts:
        _check_runs(chart, notes)
        for column, steps in _with_steps(chart, x, notes):
            run = runs.setdefault(column.run, LoggedRun({}, x, others, column.run))
            if column.metric not in wanted:
                continue
            if column.metric in run.series:
                notes.append(
                    f"{column.metric} is also in {chart.file.path.name}, which was left out"
                )
                continue
            scores = _numbers(chart, column.place)
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
        base = next(
            (name.removesuffix(band) for band in BANDS if name.endswith(band)), None
        )
        if place == 0 or base in header:
            continue
        run, _, metric = name.rpartition(SEPARATOR)
        seen[name] += 1
        number = f" ({seen[name]})" if seen[name] > 1 else ""
        bands = tuple(
            later
            for later in range(place + 1, min(place + 3, len(header)))
            if header[later] in {f"{name}{band}" for band in BANDS}
        )
        columns.append(Column(place, f"{run}{number}", metric, bands))
    return columns


def _numbers(chart: Chart, place: int) -> Floats:
    """Return a column as numbers; empty cells are NaN."""
    try:
        return np.array([float(row[place] or "nan") for row in chart.rows], np.float64)
    except ValueError as error:
        msg = f"{chart.file.path.name} is damaged: {error}."
        raise CurvesError(msg) from None


def _are_filled(chart: Chart, place: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([bool(row[place].strip()) for row in chart.rows], dtype=bool)


def _with_steps(
    chart: Chart, x: str, notes: list[str]
) -> Iterator[tuple[Column, Floats]]:
    """Yield each column of scores with its steps; note the chart if it does not have them."""
    own = {column.run: column for column in chart.columns if column.metric == RUN_STEP}
    lacking = False
    for column in chart.columns:
        if column.metric == RUN_STEP:
            continue
        if x == chart.x:
            yield column, _numbers(chart, 0)
        elif x in {STEP, RUN_STEP} and column.run in own:
            yield column, _numbers(chart, own[column.run].place)
        elif {x, chart.x} == {STEP, RUN_STEP}:
            yield column, _numbers(chart, 0)
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
            notes.append(
                f"{name} was exported in buckets: its points are means of several"
            )
    again = [
        column.run for column in chart.columns if re.search(r" \(\d+\)$", column.run)
    ]
    again = [
        run for run in again if run.rpartition(" (")[0] in {c.run for c in chart.columns}
    ]
    if again:
        notes.append(f"several runs have the same name: {listed(again, most=3)}")


def _has_band(chart: Chart, column: Column) -> bool:
    """Whether the band of a column is wider than rounding makes it."""
    scores = _numbers(chart, column.place)
    for place in column.bands:
        for score, edge in zip(scores, _numbers(chart, place), strict=True):
            if math.isfinite(score + edge) and not math.isclose(
                score, edge, rel_tol=1e-6
            ):
                return True
    return False
