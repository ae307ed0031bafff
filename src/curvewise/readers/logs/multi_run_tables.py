"""Tables that hold several runs: columns tell the algorithm, the run, the task.

A row is a step of a run, with a column per metric, or with the metric and its value in two
columns; or it is a whole run, with a column per step or lists in its cells.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim
from curvewise.readers.logs import json_lines
from curvewise.readers.parsing.binary_tables import (
    columns_of_binary,
    is_binary_table,
    read_binary_table,
)
from curvewise.readers.parsing.homes import homes_of
from curvewise.readers.parsing.json_documents import flattened
from curvewise.readers.parsing.json_records import objects
from curvewise.readers.parsing.log_tables import (
    LogTable,
    has_rows,
    header_of,
    read_log_table,
)
from curvewise.readers.parsing.run_columns import Layout, run_of_table
from curvewise.readers.parsing.score_names import is_score_name
from curvewise.readers.tables.columns import (
    METRICS,
    NAMES_OF_TOOLS,
    TASKS,
    USUAL_NAMES,
    VALUES,
    step_columns,
    step_names,
)
from curvewise.text import plural, step_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import LoggedRun, Series, Wanted

__all__ = ["claims", "read"]

TEXT = ".txt"
TABLES = (".csv", ".tsv", TEXT)
JSON = (*json_lines.ENDINGS, ".json")
BLOCKS = ("block",)
# What may be the name of a metric, of an algorithm or of a run.
NAME = "name"
CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
ABOUT_RUNS = re.compile(r"^(?:run|meta|info)/")
STEP, SCORE = "step", "score"
LAYOUT = Layout()


class Parts(NamedTuple):
    """Which columns of a table tell what.

    Attributes
    ----------
    algorithm, run, task, block : list of str
        The columns that tell it, the most usual first.
    metric, value : str
        The columns of a table with a row per metric; empty if it has none.
    wide : dict from column to step
        The columns that are steps, where a row is a run.
    """

    algorithm: list[str]
    run: list[str]
    task: list[str]
    block: list[str]
    metric: str
    value: str
    wide: dict[str, float]

    @property
    def identity(self) -> list[str]:
        """The columns that together tell one run from another."""
        return [*self.task, *self.algorithm, *self.run, *self.block]


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each table with columns of algorithms, of runs, or of metrics."""
    logs = [file for file in folder.files.values() if _holds_runs(_header(file))]
    for home, file in homes_of(folder, logs, of_several_runs=True):
        yield Claim(home, (file,))


def _holds_runs(header: list[str]) -> bool:
    """Whether columns tell algorithms, runs or metrics, and others steps or scores."""
    parts = _parts(header)
    rest = [name for name in header if name not in parts.identity]
    if not (parts.algorithm or parts.run or (parts.metric and step_names(rest))):
        return False
    has_scores = bool(parts.value) or any(map(is_score_name, rest))
    return bool(step_names(rest) and len(rest) > 1) or bool(parts.wide) or has_scores


def _header(file: File) -> list[str]:
    """Return the columns of a table, none if the file is not one."""
    name = file.name.lower()
    if name.endswith(TABLES):
        return header_of(file) if not name.endswith(TEXT) or has_rows(file) else []
    if name.endswith(JSON):
        rows = json_lines.first_objects(file)
        return list(dict.fromkeys(key for row in rows for key, _ in flattened(row)))
    return columns_of_binary(file) if is_binary_table(file) else []


def _parts(header: list[str], metrics: Sequence[str] = METRICS) -> Parts:
    """Recognise the columns by their usual names; ``metrics`` are those of a column of metrics."""
    value = _first(header, VALUES)
    metric = _first([name for name in header if name != value], metrics) if value else ""
    rest = [name for name in header if name not in {value, metric}]
    algorithm = _named(rest, USUAL_NAMES["algorithm"])
    run = _named(rest, (*USUAL_NAMES["run"], *NAMES_OF_TOOLS["run"]))
    if run and not algorithm:
        algorithm = _named(rest, NAMES_OF_TOOLS["algorithm"])[:1]
    task, block = _named(rest, TASKS), _named(rest, BLOCKS)
    taken = {*algorithm, *run, *task, *block}
    left = [name for name in rest if name not in taken]
    wide = {} if step_names(left) else step_columns(left)
    return Parts(
        algorithm, run, task, block, metric, value, wide if len(wide) > 1 else {}
    )


def _named(header: list[str], names: Sequence[str]) -> list[str]:
    """Return the columns with one of some names, in the order of the names."""
    words = {column: _word(column) for column in header}
    return [column for name in names for column in header if words[column] == name]


def _word(column: str) -> str:
    """Return the name of a column in letters and digits, in lower case.

    Of what stands in an object of its own about the run, it is the last part: run/seed.
    """
    return re.sub(r"[^a-z0-9]", "", ABOUT_RUNS.sub("", column.lower()))


def _first(header: list[str], names: Sequence[str]) -> str:
    return next(iter(_named(header, names)), "")


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the runs of a table, labelled by what its columns tell.

    Raises CurvesError if it has one score per run, or if runs cannot be told apart.
    """
    for claim in claims:
        yield from _runs(claim, wanted)


def _runs(claim: Claim, wanted: Wanted) -> Iterator[LoggedRun]:
    file = claim.files[0]
    notes: list[str] = []
    frame = _frame(file, notes)
    parts = _parts(frame.columns)
    if _word(parts.metric) == NAME and not _names_metrics(frame, parts):
        parts = _parts(frame.columns, [each for each in METRICS if each != NAME])
    if parts.wide:
        frame, parts = _long(frame, parts)
    frame = _named_rows(frame, parts.identity, file, notes)
    names = _telling(frame, parts.run), _telling(frame, parts.algorithm)
    groups = [frame]
    if parts.identity and frame.height:
        groups = frame.partition_by(parts.identity, maintain_order=True)
    has_steps = bool(step_names([c for c in frame.columns if c not in parts.identity]))
    if not has_steps and frame.height and all(group.height == 1 for group in groups):
        msg = f"{file.path.name} has one row per run and no steps: scores of whole runs, not curves."
        raise CurvesError(msg)
    runs = [_run(group, parts, names, wanted, claim, notes) for group in groups]
    if frame.height and wanted.metrics is None and not any(run.series for run in runs):
        msg = (
            f"{file.path.name} has no column of numbers besides the steps. Write decimals with a "
            "point."
        )
        raise CurvesError(msg)
    yield from runs


def _names_metrics(frame: pl.DataFrame, parts: Parts) -> bool:
    """Whether what is taken for a column of metrics is one, where it is only called a name.

    It is if most of its names are usual for scores, or if a run has several of them at one
    step. Where no other column tells algorithms apart, but one tells runs, they are theirs.
    """
    names = [CAPITAL.sub(" ", name) for name in frame[parts.metric].unique() if name]
    if 2 * sum(map(is_score_name, names)) > len(names):
        return True
    if not parts.algorithm:
        return not parts.run
    at = [*parts.identity, *step_names(frame.columns)]
    return frame.n_unique([*at, parts.metric]) > frame.n_unique(at)


def _named_rows(
    frame: pl.DataFrame, identity: list[str], file: File, notes: list[str]
) -> pl.DataFrame:
    """Return the rows that tell which run they belong to."""
    import polars as pl

    frame = frame.with_columns(pl.col(identity).fill_null("").str.strip_chars())
    named = frame.filter(*(pl.col(column) != "" for column in identity))
    if named.height < frame.height:
        n_left_out = plural(frame.height - named.height, "row")
        notes.append(
            f"{n_left_out} of {file.path.name} without the name of a run left out"
        )
    return named


def _run(
    group: pl.DataFrame,
    parts: Parts,
    names: tuple[list[str], list[str]],
    wanted: Wanted,
    claim: Claim,
    notes: list[str],
) -> LoggedRun:
    """Return the run that a part of the table holds."""
    name = claim.files[0].path.name
    values = {column: str(group[column][0]) for column in parts.identity if group.height}
    rest = group.drop(parts.identity)
    tables = {"": rest}
    if parts.metric:
        tables = {
            str(metric).strip(): table.drop(parts.metric)
            for (metric,), table in rest.partition_by(
                parts.metric, maintain_order=True, as_dict=True
            ).items()
            if metric is not None and str(metric).strip() in wanted
        }
    merged: LoggedRun | None = None
    for metric, table in tables.items():
        renamed = table.rename({parts.value: metric}) if metric else table
        run = run_of_table(
            LogTable(renamed), wanted, LAYOUT, name=name, prefix=claim.prefix
        )
        if metric:
            run.series = {
                key: run.series[key] for key in run.series if key.endswith(metric)
            }
        _check_steps(run, parts, values, name)
        run.series = {key: _in_order(series) for key, series in run.series.items()}
        if merged is None:
            merged = run
        merged.series.update(run.series)
        merged.notes.extend(note for note in run.notes if note not in merged.notes)
    if merged is None:
        merged = run_of_table(LogTable(rest[:0]), wanted, LAYOUT, name=name)
    runs, algorithms = names
    merged.key = " ".join(values.values())
    merged.labels = {
        part: " ".join(values[column] for column in columns)
        for part, columns in (
            ("algorithm", algorithms),
            ("run", runs),
            ("task", parts.task[:1]),
            ("block", parts.block[:1]),
        )
        if columns and values
    }
    merged.config = _settings(rest, {parts.metric, parts.value})
    merged.notes = [*notes, *merged.notes]
    return merged


def _check_steps(run: LoggedRun, parts: Parts, values: dict[str, str], name: str) -> None:
    """Raise if rows of several runs cannot be told apart."""
    if parts.run or not parts.algorithm:
        return
    for metric, series in run.series.items():
        steps = sorted(series.steps)
        again = next((a for a, b in pairwise(steps) if a == b), None)
        if again is not None:
            msg = (
                f"{name} has several values of {metric!r} for {' '.join(values.values())!r} at "
                f"step {step_text(again)}, and no column that tells runs apart. Add one called "
                "run or seed."
            )
            raise CurvesError(msg)


def _in_order(series: Series) -> Series:
    """Sort records by their steps: rows of a table have no order.

    Unless a step has several scores: then the run may have been resumed, and the order tells
    which of them holds.
    """
    if series.sessions is not None:
        return series
    order = np.argsort(series.steps, kind="stable")
    steps, scores = series.steps[order], series.scores[order]
    differs = (scores[1:] != scores[:-1]) & ~(
        np.isnan(scores[1:]) & np.isnan(scores[:-1])
    )
    if (differs & (steps[1:] == steps[:-1])).any():
        return series
    return replace(series, steps=steps, scores=scores)


def _telling(frame: pl.DataFrame, columns: list[str]) -> list[str]:
    """Return the columns whose values differ, or the first if none do."""
    return [name for name in columns if frame[name].n_unique() > 1] or columns[:1]


def _settings(frame: pl.DataFrame, without: set[str]) -> dict[str, Any]:
    """Return what columns of words say of a run as a whole."""
    table = LogTable(frame)
    settings = {}
    for column in frame.columns:
        if column in without or table.numbers(column)[1].any():
            continue
        words = set(table.texts(column))
        if len(words) == 1 and "" not in words:
            settings[column] = words.pop()
    return settings


def _long(frame: pl.DataFrame, parts: Parts) -> tuple[pl.DataFrame, Parts]:
    """Turn a table with a column per step into one with a row per step."""
    import polars as pl

    index = [name for name in (*parts.identity, parts.metric) if name]
    ordered = sorted(parts.wide, key=lambda column: parts.wide[column])
    steps = {column: str(step) for column, step in parts.wide.items()}
    frame = frame.unpivot(ordered, index=index, variable_name=STEP, value_name=SCORE)
    frame = frame.with_columns(pl.col(STEP).replace(steps))
    return frame, parts._replace(wide={}, value=SCORE if parts.metric else "")


def _frame(file: File, notes: list[str]) -> pl.DataFrame:
    """Read a table as text; lists in its cells become a row per item."""
    import polars as pl

    name = file.name.lower()
    if name.endswith(TABLES):
        # Nothing tells that it is still being written, as little as of any other table.
        table = read_log_table(file, is_finished=True)
        notes += table.notes
        return table.frame
    if name.endswith(JSON):
        rows = [
            row
            for item in objects(file, notes)
            for row in _unrolled(dict(flattened(item)))
        ]
        keys = dict.fromkeys(key for row in rows for key in row)
        return pl.DataFrame(
            {key: [_text(row.get(key)) for row in rows] for key in keys},
            schema=dict.fromkeys(keys, pl.String),
        )
    return _as_text(read_binary_table(file))


def _text(value: Any) -> str | None:
    return None if value is None or isinstance(value, dict | list) else str(value)


def _unrolled(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row per item of the lists in a row; items are numbered if none is a step."""
    lists = {key: value for key, value in row.items() if isinstance(value, list)}
    if not lists:
        yield row
        return
    has_steps = bool(step_names(list(row)))
    for place in range(max(map(len, lists.values()))):
        items = {
            key: values[place] for key, values in lists.items() if place < len(values)
        }
        yield {**row, **dict.fromkeys(lists), **items} | (
            {} if has_steps else {STEP: place}
        )


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn the columns of a frame into text; whole numbers lose their decimals."""
    import polars as pl

    lists = [
        name
        for name, kind in frame.schema.items()
        if isinstance(kind, pl.List | pl.Array)
    ]
    if lists:
        frame = frame.with_columns(
            pl.col(name).arr.to_list()
            for name in lists
            if isinstance(frame.schema[name], pl.Array)
        )
        if not step_names(frame.columns):
            places = pl.int_ranges(pl.col(lists[0]).list.len()).alias(STEP)
            frame, lists = frame.with_columns(places), [*lists, STEP]
        frame = frame.explode(lists)
    identity = set(_parts(frame.columns).identity)
    whole = [
        name
        for name in frame.columns
        if name in identity
        and frame[name].dtype.is_float()
        and (frame[name].drop_nulls() % 1 == 0).all()
    ]
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    return (
        frame.drop(nested)
        .with_columns(pl.col(whole).cast(pl.Int64))
        .with_columns(pl.all().cast(pl.String, strict=False))
    )
