"""Tables: of one run as loggers write them, JSON lines among them, and of several runs."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.errors import refuse
from curvewise.readers.parsing.columns import (
    is_needed,
    is_score_name,
    layout_of,
    run_of_table,
    score_name_in,
)
from curvewise.readers.parsing.json_files import (
    JsonRecords,
    as_number,
    beginning,
    flattened,
    objects,
    parsed,
    read_json_records,
)
from curvewise.readers.parsing.series import home_above, log_claims, part_of, stem_of
from curvewise.readers.parsing.text_tables import (
    BINARY_TABLES,
    EMPTY_CELLS,
    LogTable,
    cells_of,
    columns_of_binary,
    has_rows,
    head_lines,
    header_of,
    is_binary_table,
    is_number,
    read_binary_table,
    read_log_table,
    separator_of,
)
from curvewise.readers.tables import (
    METRICS,
    NAMES_OF_TOOLS,
    TASKS,
    USUAL_NAMES,
    VALUES,
    step_columns,
    step_names,
    time_names,
)
from curvewise.readers.walk import Claim
from curvewise.text import plural, step_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

    from curvewise.readers.parsing.columns import Layout, RunTable
    from curvewise.readers.walk import File, Folder, LoggedRun, Series, Wanted


# Tables that loggers write for each run: a header, then a row each time something is logged.
#
# SB3, baselines, Spinning Up, garage, rlpyt, Acme, Tianshou, Lightning, Keras, timm, fastai,
# Ultralytics and home-made ones alike: `LOGGERS` has some by their headers, the rest is told
# by the usual names of steps, times and scores.

TABLES = (".csv", ".tsv", ".tab")
# Files that hold other things as well: only known columns tell them.
OTHERS = (".txt", ".log", ".dat")
# Names that tell nothing about a run, so that its folder does; the main one first.
NAMES = ("progress", "metrics", "logs", "log", "results", "history", "training", "summary")
SETTINGS = re.compile(
    r"(?:config|params|parameters|args|hparams|hyperparameters|settings|requirements)\.\w+",
    re.IGNORECASE,
)
# Acme: RUN/logs/LABEL/logs.csv.
ACME_FOLDER, ACME_FILE = "logs", "logs.csv"
# JSON lines with the same rows as the table beside them.
PROGRESS, PROGRESS_COPY = "progress.csv", "progress.json"
SPINNING_UP = "progress.txt"
MAX_NAME = 200
MAX_ROWS_SEEN = 5
# Counters that tables of other things have as well: a score must stand beside them.
WEAK = {"index", "level", "samples", "frame", "batch", "round", "rounds", "generation"}
# Names of which a table without steps is a log as well.
N_LOGS = NAMES.index("results")


def logger_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each table of a run in a folder.

    Tables with names that many runs share stand for their folder, as does a table alone in it,
    and tables of different columns that a folder beside it has as well. Others stand for
    themselves: tables with the same columns are of different runs.
    """
    tables = folder.files_that(_is_table)
    stems = {file: stem_of(file) for file in tables}
    shared = [file for file in tables if _rank(stems[file]) < len(NAMES) or part_of(stems[file])]
    yield from _claims_of_shared(folder, shared)
    headers = {file: header_of(file) if file.head() else [] for file in tables}
    rest = [file for file in tables if file not in shared]
    once = [file for file in rest if [*headers.values()].count(headers[file]) == 1]
    parts = [file for file in once if _is_in_sibling(folder, file)]
    for file in parts:
        yield Claim(folder.path, (file,), f"{stems[file]}/" if len(tables) > 1 else "")
    for claim in log_claims(folder, [file for file in rest if file not in parts]):
        home = claim.files[0].path if shared or parts else claim.home
        yield Claim(home, claim.files)


def _claims_of_shared(folder: Folder, tables: list[File]) -> Iterator[Claim]:
    """Yield a claim for each table whose name many runs share: the folder is its run."""
    copies = [file for file in folder.files.values() if file.name == PROGRESS_COPY]
    if not any(file.name == PROGRESS for file in tables):
        for copy in copies:
            first = copy.first_line()
            if not first.strip() or step_names(re.findall(r'"([^"]+)":', first)):
                yield Claim(folder.path, (copy,))
    above = home_above(folder)
    tables = sorted(tables, key=lambda file: _rank(stem_of(file)))
    for file in tables:
        stem = stem_of(file)
        part = "" if _rank(stem) < len(NAMES) else part_of(stem)
        files = (file, *(copies if file.name == PROGRESS else ()))
        if file.name == ACME_FILE and folder.path.parent.name == ACME_FOLDER and folder.parent:
            yield Claim(folder.path.parent.parent, files, _label(folder))
        elif above is not None:
            yield Claim(above, files, f"{part_of(folder.path.name)}/")
        elif part or file is not tables[0]:
            yield Claim(folder.path, files, f"{part or stem}/")
        else:
            yield Claim(folder.path, files)


def _is_table(file: File) -> bool:
    """Whether a file is the table of a run: by its name, its header and its first row."""
    name = file.name.lower()
    if is_binary_table(file):
        return bool(step_names(header := header_of(file))) and len(header) > 1
    if not name.endswith((*TABLES, *OTHERS)) or SETTINGS.fullmatch(name):
        return False
    head = file.head()
    if b"\0" in head or head.lstrip().startswith((b"{", b"[", b"<")):
        return False
    rank = _rank(stem_of(file))
    if not head.strip():  # just opened
        return (name.endswith(TABLES) and rank < len(NAMES)) or name == SPINNING_UP
    header = header_of(file)
    if any(len(column) > MAX_NAME or is_number(column) for column in header):
        return False
    if layout_of(header).logger:
        return True
    has_score = any(map(is_score_name, header))
    steps = step_names(header)
    if {step.lower() for step in steps} <= WEAK and not has_score:
        steps = []
    if steps or name.endswith(OTHERS):
        return len(header) > 1 and bool(steps) and (name.endswith(TABLES) or has_rows(file))
    times = time_names(header)
    is_log = has_score or rank < N_LOGS or bool(times and len(header) > 1)
    return is_log and _has_only_numbers(file, without=times)


def _has_only_numbers(file: File, without: Sequence[str]) -> bool:
    """Whether the first rows hold no words, as tables of results do."""
    header, separator = header_of(file), separator_of(file)
    for row in head_lines(file)[1 : MAX_ROWS_SEEN + 1]:
        for column, cell in zip(header, cells_of(row, separator), strict=False):
            is_empty = cell.strip().lower() in EMPTY_CELLS
            if column not in without and not is_empty and not is_number(cell):
                return False
    return True


def _rank(stem: str) -> int:
    """Return how much a name is that of the main log of a run; the main one is 0."""
    lowered = stem.lower()
    return NAMES.index(lowered) if lowered in NAMES else len(NAMES)


def _is_in_sibling(folder: Folder, file: File) -> bool:
    """Whether another folder beside this one has a file of the same name."""
    beside = [other.path / file.path.name for other in folder.beside]
    return any(map(os.path.exists, beside))  # never raises


def _label(folder: Folder) -> str:
    """Return what tells the tables of an Acme run apart, where it has several."""
    # On disk: what is claimed is no longer among the files of a folder.
    has_others = any(any(other.path.glob(f"{ACME_FILE}*")) for other in folder.beside)
    return f"{folder.path.name}/" if has_others else ""


def logger_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of one home; the metrics of several tables are those of one run.

    Raises CurvesError if a table is damaged, or does not have the steps that are wanted.
    """
    parts = [_read_table(claim, wanted) for claim in claims]
    run = parts[0]
    for part in parts[1:]:
        for metric, series in part.series.items():
            run.series.setdefault(metric, replace(series, x=series.x or part.x))
        run.notes += part.notes
    yield run


def _read_table(claim: Claim, wanted: Wanted) -> LoggedRun:
    """Return the run in a table, or in the copy of it that holds more."""
    file, *copies = claim.files
    table, layout = _table(file, wanted, claim.prefix)
    for copy in copies:
        n_lines = sum(is_whole for _, is_whole in copy.lines())
        if n_lines > table.n_rows:  # else it is not worth reading
            other, other_layout = _table(copy, wanted, claim.prefix)
            if other.n_rows > table.n_rows:
                file, table, layout = copy, other, other_layout
    name = file.path.name
    run = run_of_table(table, wanted, layout, name=name, prefix=claim.prefix)
    known = layout_of(table.columns)
    if table.n_rows == known.n_sampled > 0:
        run.notes.append(
            f"{name} has {table.n_rows} rows, as many as {known.logger} keeps of a longer log: "
            "it may be a sample"
        )
    return run


def _table(file: File, wanted: Wanted, prefix: str) -> tuple[RunTable, Layout]:
    """Return a table, and how its columns are to be taken."""
    if file.name.endswith(".json"):
        records = read_json_records(file, is_needed(wanted, prefix=prefix))
        return records, layout_of(records.columns)
    layout = layout_of(header_of(file))
    return read_log_table(file, is_needed(wanted, layout, prefix)), layout


# JSON lines: an object for each call of the logger, or one list of such objects.
#
# Recognised by what the lines hold, whatever the name: detectron2, mmengine and others call such
# files ``metrics.json``, ``scalars.json`` or ``log``.

ENDINGS = (".jsonl", ".ndjson", ".jsonlines", ".json-lines", ".jl", ".log.json")
# Files of such names are opened to see whether they hold objects on lines.
OTHER_ENDINGS = (".json", ".log", ".txt", "log")
# Keys whose text says which curve a record belongs to.
SPLITS = ("split", "mode", "phase", "stage", "subset")
# Objects in a record that are settings, not scores.
SETTING_KEYS = {"config", "hparams", "hyperparameters", "params", "args"}
# Records that are looked at to recognise a log: the first may hold settings only.
N_LOOKED_AT = 3
# Objects that are searched for a step before all are taken for records without one.
N_SEARCHED = 1_000


def json_lines_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each file of records; mmengine writes the same ones into two files."""
    logs = folder.files_that(_holds_records)
    scalars = next((file for file in logs if file.name == "scalars.json"), None)
    others = [file for file in logs if scalars and file != scalars]
    copies = [file for file in others if scalars and file.head() == scalars.head()]
    for claim in log_claims(folder, [file for file in logs if file not in copies]):
        yield Claim(claim.home, (*claim.files, *(copies if claim.files[0] == scalars else ())))


def _holds_records(file: File) -> bool:
    """Whether a file begins with objects that hold numbers and a step or a score."""
    if any(map(_is_record, first_objects(file))):
        return True
    if not file.name.lower().endswith(ENDINGS):
        return False
    if not file.head():
        return True  # empty so far, or it cannot be read, which `read` says
    # Just opened, or cut inside the first record: a run without a point.
    lines = [line for line in file.first_lines(N_LOOKED_AT) if line.strip()]
    return not lines or (len(lines) == 1 and parsed(lines[0]) is None and lines[0][:1] == b"{")


def first_objects(file: File) -> list[dict[str, Any]]:
    """Return the first objects in a file of JSON lines, or with a list of objects.

    There are none if the file is a JSON document of another kind, or no JSON.
    """
    name = file.name.lower()
    if not file.head():
        return []
    start = beginning(file) if name.endswith((*ENDINGS, *OTHER_ENDINGS)) else {}
    found: list[Any] = []
    if isinstance(start, list):
        found = start[:N_LOOKED_AT]
    elif name.endswith(ENDINGS) or (start is None and file.first_line().startswith("{")):
        found = [parsed(line) for line in file.first_lines(N_LOOKED_AT) if line.strip()]
    return [row for row in found if isinstance(row, dict)]


def _is_record(row: dict[str, Any]) -> bool:
    """Whether an object has numbers, and a key that is usual for steps or for scores."""
    keys = [key for key, value in flattened(row) if as_number(value) is not None]
    return bool(step_names(keys)) or any(map(is_score_name, keys))


def json_lines_runs(file: File, wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of a file, its metrics named by their keys and what they were split by."""
    records, config = JsonRecords(), {}
    needed = is_needed(wanted)
    for record, settings in _records(objects(file, records.notes)):
        config.update(settings)
        if record:
            records.add(record, needed)
    run = run_of_table(records, wanted, name=file.path.name)
    run.config = config
    yield run


def _records(rows: Iterator[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield for each object the record in it, and the settings in it.

    Objects without a step before the first that has one are settings: the seed, the machine.
    """
    early: list[dict[str, Any]] = []
    has_step = False
    while not has_step and len(early) < N_SEARCHED and (row := next(rows, None)) is not None:
        early.append(row)
        has_step = any(_is_axis(key) and step_names([key]) for key, _ in flattened(row))
    n_settings = len(early) - 1 if has_step else 0
    for row in early[:n_settings]:
        yield {}, {key: value for key, value in row.items() if not isinstance(value, list)}
    for row in chain(early[n_settings:], rows):
        found = {key: value for key, value in row.items() if isinstance(value, dict)}
        settings = {key: found[key] for key in found if key in SETTING_KEYS}
        yield _record(row, settings), settings


def _record(row: dict[str, Any], without: dict[str, Any]) -> dict[str, Any]:
    """Return the values of an object by name, with what they were split by before it."""
    values = flattened({key: value for key, value in row.items() if key not in without})
    splits = {key: row[key] for key in SPLITS if isinstance(row.get(key), str) and row[key]}
    prefix = "".join(f"{part}/" for part in splits.values())
    own = {key: value for key, value in values if key not in splits}
    return {key if _is_axis(key) else f"{prefix}{key}": value for key, value in own.items()}


@lru_cache(maxsize=4096)
def _is_axis(key: str) -> bool:
    """Whether a key is usual for steps or times, which all curves of a log share."""
    return bool(step_names([key]) or time_names([key]))


# Tables that hold several runs: columns tell the algorithm, the run, the task.
#
# A row is a step of a run, with a column per metric, or with the metric and its value in two
# columns; or it is a whole run, with a column per step or lists in its cells.

TEXT = ".txt"
TEXT_TABLES = (".csv", ".tsv", TEXT)
JSON = (*ENDINGS, ".json")
BLOCKS = ("block",)
# What may be the name of a metric, of an algorithm or of a run.
NAME = "name"
CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
ABOUT_RUNS = re.compile(r"^(?:run|meta|info)/")
STEP, SCORE = "step", "score"
NO_TEXT = (dict, list, type(None))


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


def rows_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each table with columns of algorithms, of runs, or of metrics."""
    logs = folder.files_that(lambda file: _holds_runs(_header(file)))
    yield from log_claims(folder, logs, of_several_runs=True)


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
    if name.endswith(TEXT_TABLES):
        return header_of(file) if not name.endswith(TEXT) or has_rows(file) else []
    if name.endswith(JSON):
        rows = first_objects(file)
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
    return Parts(algorithm, run, task, block, metric, value, wide if len(wide) > 1 else {})


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


def rows_runs(file: File, wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the runs of a table, labelled by what its columns tell.

    Raises CurvesError if it has one score per run, or if runs cannot be told apart.
    """
    notes: list[str] = []
    frame = _frame(file, notes)
    parts = _parts(frame.columns)
    if _word(parts.metric) == NAME and not _names_metrics(frame, parts):
        parts = _parts(frame.columns, [each for each in METRICS if each != NAME])
    if parts.wide:
        frame, parts = _long(frame, parts)
    frame = _named_rows(frame, parts.identity, file, notes)
    names = {"algorithm": _telling(frame, parts.algorithm), "run": _telling(frame, parts.run)}
    names |= {"task": parts.task[:1], "block": parts.block[:1]}
    groups = [frame]
    if parts.identity and frame.height:
        groups = frame.partition_by(parts.identity, maintain_order=True)
    has_steps = bool(step_names([c for c in frame.columns if c not in parts.identity]))
    if not has_steps and frame.height and all(group.height == 1 for group in groups):
        refuse(
            f"{file.path.name} has one row per run and no steps: scores of whole runs, not curves."
        )
    runs = [_run(group, parts, names, wanted, file.path.name) for group in groups]
    for run in runs:
        run.notes = [*notes, *run.notes]
    if frame.height and wanted.metrics is None and not any(run.series for run in runs):
        refuse(
            f"{file.path.name} has no column of numbers besides the steps. Write decimals with a "
            "point."
        )
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
        notes.append(f"{n_left_out} of {file.path.name} without the name of a run left out")
    return named


def _run(
    group: pl.DataFrame, parts: Parts, names: dict[str, list[str]], wanted: Wanted, name: str
) -> LoggedRun:
    """Return the run that a part of the table holds, labelled by columns of names."""
    values = {column: str(group[column][0]) for column in parts.identity if group.height}
    rest = group.drop(parts.identity)
    tables = {"": rest}
    if parts.metric:
        known = rest.filter(rest[parts.metric].is_not_null())
        by_metric = known.partition_by(
            parts.metric, maintain_order=True, include_key=False, as_dict=True
        )
        named = {str(metric).strip(): table for (metric,), table in by_metric.items()}
        tables = {name: named[name] for name in named if name in wanted} or {"": rest[:0]}
    found = []
    for metric, table in tables.items():
        renamed = table.rename({parts.value: metric} if metric else {})
        run = run_of_table(LogTable(renamed), wanted, name=name)
        if metric:
            run.series = {key: run.series[key] for key in run.series if key.endswith(metric)}
        _check_steps(run, parts, values, name)
        run.series = {key: _in_order(series) for key, series in run.series.items()}
        found.append(run)
    merged, *others = found
    for run in others:
        merged.series.update(run.series)
        merged.notes.extend(note for note in run.notes if note not in merged.notes)
    merged.key = " ".join(values.values())
    told = {part: columns for part, columns in names.items() if columns and values}
    merged.labels = {part: " ".join(map(values.__getitem__, told[part])) for part in told}
    merged.config = _settings(rest, {parts.metric, parts.value})
    return merged


def _check_steps(run: LoggedRun, parts: Parts, values: dict[str, str], name: str) -> None:
    """Raise if rows of several runs cannot be told apart."""
    if parts.run or not parts.algorithm:
        return
    for metric, series in run.series.items():
        steps, counts = np.unique(series.steps, return_counts=True)
        for again in steps[counts > 1]:
            refuse(
                f"{name} has several values of {metric!r} for {' '.join(values.values())!r} at "
                f"step {step_text(again)}, and no column that tells runs apart. Add one called "
                "run or seed."
            )


def _in_order(series: Series) -> Series:
    """Sort records by their steps: rows of a table have no order.

    Unless a step has several scores: then the run may have been resumed, and the order tells
    which of them holds.
    """
    if series.sessions is not None:
        return series
    ordered = series.rows(np.argsort(series.steps, kind="stable"))
    steps, scores = ordered.steps, ordered.scores
    differs = (scores[1:] != scores[:-1]) & ~(np.isnan(scores[1:]) & np.isnan(scores[:-1]))
    return series if (differs & (steps[1:] == steps[:-1])).any() else ordered


def _telling(frame: pl.DataFrame, columns: list[str]) -> list[str]:
    """Return the columns whose values differ, or the first if none do."""
    return [name for name in columns if frame[name].n_unique() > 1] or columns[:1]


def _settings(frame: pl.DataFrame, without: set[str]) -> dict[str, Any]:
    """Return what columns of words say of a run as a whole."""
    table = LogTable(frame)
    columns = [name for name in frame.columns if name not in without]
    found = {name: {*table.texts(name)} for name in columns if not table.numbers(name)[1].any()}
    return {
        name: words.pop() for name, words in found.items() if len(words) == 1 and "" not in words
    }


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
    if name.endswith(TEXT_TABLES):
        # Nothing tells that it is still being written, as little as of any other table.
        table = read_log_table(file, is_finished=True)
        notes += table.notes
        return table.frame
    if name.endswith(JSON):
        rows = [row for item in objects(file, notes) for row in _unrolled(dict(flattened(item)))]
        keys = dict.fromkeys(key for row in rows for key in row)
        texts = [
            {k: str(own) for k, own in row.items() if type(own) not in NO_TEXT} for row in rows
        ]
        return pl.DataFrame(texts, schema=dict.fromkeys(keys, pl.String))
    return _as_text(read_binary_table(file))


def _unrolled(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row per item of the lists in a row; items are numbered if none is a step."""
    lists = {key: value for key, value in row.items() if isinstance(value, list)}
    if not lists:
        yield row
        return
    has_steps = bool(step_names(list(row)))
    for place in range(max(map(len, lists.values()))):
        items = {key: values[place] for key, values in lists.items() if place < len(values)}
        yield {**row, **dict.fromkeys(lists), **items} | ({} if has_steps else {STEP: place})


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn the columns of a frame into text; whole numbers lose their decimals."""
    import polars as pl

    arrays = [name for name, kind in frame.schema.items() if isinstance(kind, pl.Array)]
    frame = frame.with_columns(pl.col(arrays).arr.to_list())
    lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    if lists:
        if not step_names(frame.columns):
            places = pl.int_ranges(pl.col(lists[0]).list.len()).alias(STEP)
            frame, lists = frame.with_columns(places), [*lists, STEP]
        frame = frame.explode(lists)
    identity = _parts(frame.columns).identity
    floats = [name for name in identity if frame[name].dtype.is_float()]
    whole = [name for name in floats if (frame[name].drop_nulls() % 1 == 0).all()]
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    return (
        frame.drop(nested)
        .with_columns(pl.col(whole).cast(pl.Int64))
        .with_columns(pl.all().cast(pl.String, strict=False))
    )


# Tables with a column of steps and a column of scores per run: ``step, ppo_seed0, ppo_seed1``.

COLUMN_TABLES = (".csv", ".tsv", ".txt", *BINARY_TABLES)
# The word must be there: "layer_1" and "layer_2" are metrics of one run.
RUN = re.compile(
    r"(?:(.+?)[ _./:-]+)?(?:seed|run|trial|fold|rep|repeat)[ _=:-]*(\d+)", re.IGNORECASE
)
# Numbers alone, beside a column of steps: seeds.
NUMBER = re.compile(r"()(\d+)")


def columns_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each table whose columns are all steps, times or runs."""
    for file in folder.files.values():
        if file.name.lower().endswith(COLUMN_TABLES) and len(_run_columns(header_of(file))) > 1:
            yield Claim(file.path, (file,))


def _run_columns(header: list[str]) -> dict[str, re.Match[str]]:
    """Return the columns of runs; none if there are columns of another kind, or no steps."""
    axes = {*step_names(header), *time_names(header)}
    others = [name for name in header if name and name not in axes]
    pattern = NUMBER if all(name.isdecimal() for name in others) else RUN
    found = {name: pattern.fullmatch(name) for name in others}
    runs = {name: match for name, match in found.items() if match is not None}
    # loss_fold1 is a score of one run, not a run.
    is_other = len(runs) < len(found) or any(is_score_name(name) for name in runs)
    return {} if is_other or not axes else runs


def columns_runs(file: File, wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of each column; the score is called as the name of the file tells."""
    metric = score_name_in(stem_of(file))
    table = read_log_table(file)
    columns = _run_columns(table.columns)
    steps = [name for name in table.columns if name not in columns]
    for column, match in columns.items():
        part = table.frame.select([*steps, column]).rename({column: metric})
        run = run_of_table(LogTable(part, table.notes, table.sessions), wanted, name=file.path.name)
        algorithm = {"algorithm": match[1]} if match[1] else {}
        run.key, run.labels = column, {**algorithm, "run": match[2]}
        yield run
