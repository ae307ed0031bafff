"""Tables that loggers write for each run: a header, then a row each time something is logged.

SB3, baselines, Spinning Up, garage, rlpyt, Acme, Tianshou, Lightning, Keras, timm, fastai,
Ultralytics and home-made ones alike: `loggers` knows some by their headers, the rest is told
by the usual names of steps, times and scores.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim
from curvewise.readers.parsing.binary_tables import is_binary_table
from curvewise.readers.parsing.homes import homes_of, stem_of
from curvewise.readers.parsing.json_records import read_json_records
from curvewise.readers.parsing.log_tables import (
    EMPTY_CELLS,
    cells_of,
    has_rows,
    header_of,
    is_number,
    read_log_table,
    separator_of,
)
from curvewise.readers.parsing.loggers import logger_of
from curvewise.readers.parsing.parts import home_above, part_of
from curvewise.readers.parsing.run_columns import Layout, is_needed, run_of_table
from curvewise.readers.parsing.score_names import is_score_name
from curvewise.readers.tables.columns import step_names, time_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import LoggedRun, Wanted
    from curvewise.readers.parsing.run_columns import RunTable

__all__ = ["claims", "read"]

TABLES = (".csv", ".tsv", ".tab")
# Files that hold other things as well: only known columns tell them.
OTHERS = (".txt", ".log", ".dat")
# Names that tell nothing about a run, so that its folder does; the main one first.
NAMES = (
    "progress",
    "metrics",
    "logs",
    "log",
    "results",
    "history",
    "training",
    "summary",
)
SETTINGS = re.compile(
    r"(?:config|params|parameters|args|hparams|hyperparameters|settings|requirements)\.\w+",
    re.IGNORECASE,
)
# Acme: RUN/logs/LABEL/logs.csv.
ACME_FOLDER, ACME_FILE = "logs", "logs.csv"
# JSON lines with the same rows as the table beside them.
PROGRESS, PROGRESS_COPY = "progress.csv", "progress.json"
SPINNING_UP = "progress.txt"
COMMA = re.compile(r"[-+]?\d+,\d+(?:e[-+]?\d+)?", re.IGNORECASE)  # 0,5 for a half
MAX_NAME = 200
MAX_ROWS_SEEN = 5
# Counters that tables of other things have as well: a score must stand beside them.
WEAK = {"index", "level", "samples", "frame", "batch", "round", "rounds", "generation"}
# Names of which a table without steps is a log as well.
N_LOGS = NAMES.index("results")


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each table of a run in a folder.

    Tables with names that many runs share stand for their folder, as does a table alone in it,
    and tables of different columns that a folder beside it has as well. Others stand for
    themselves: tables with the same columns are of different runs.
    """
    tables = [file for file in folder.files.values() if _is_table(file)]
    shared = [file for file in tables if _is_shared(stem_of(file))]
    yield from _claims_of_shared(folder, shared)
    headers = {file: header_of(file) if file.head() else [] for file in tables}
    rest = [file for file in tables if file not in shared]
    parts = [
        file
        for file in rest
        if [*headers.values()].count(headers[file]) == 1 and _is_in_sibling(folder, file)
    ]
    for file in parts:
        prefix = f"{stem_of(file)}/" if len(tables) > 1 else ""
        yield Claim(folder.path, (file,), prefix)
    others = [file for file in rest if file not in parts]
    for home, file in homes_of(folder, others):
        yield Claim(file.path if shared or parts else home, (file,))


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
        if _is_acme(folder, file):
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
    if logger_of(header):
        return True
    has_score = any(map(is_score_name, header))
    steps = step_names(header)
    if {step.lower() for step in steps} <= WEAK and not has_score:
        steps = []
    if steps or name.endswith(OTHERS):
        is_text = name.endswith(OTHERS)
        return len(header) > 1 and bool(steps) and (not is_text or has_rows(file))
    times = time_names(header)
    is_log = has_score or rank < N_LOGS or bool(times and len(header) > 1)
    return is_log and _has_only_numbers(file, without=times)


def _has_only_numbers(file: File, without: Sequence[str]) -> bool:
    """Whether the first rows hold no words, as tables of results do."""
    text, _, _ = file.head().decode("utf-8-sig", errors="replace").rpartition("\n")
    header, separator = header_of(file), separator_of(file)
    rows = [line for line in text.splitlines() if line.strip() and line[0] != "#"][1:]
    for row in rows[:MAX_ROWS_SEEN]:
        for column, cell in zip(header, cells_of(row, separator), strict=False):
            is_empty = cell.strip().lower() in EMPTY_CELLS
            if column not in without and not is_empty and not is_number(cell):
                return False
    return True


def _is_shared(stem: str) -> bool:
    """Whether many runs have a file of this name."""
    return _rank(stem) < len(NAMES) or bool(part_of(stem))


def _rank(stem: str) -> int:
    """Return how much a name is that of the main log of a run; the main one is 0."""
    lowered = stem.lower()
    return NAMES.index(lowered) if lowered in NAMES else len(NAMES)


def _is_in_sibling(folder: Folder, file: File) -> bool:
    """Whether another folder beside this one has a file of the same name."""
    others = folder.parent.folders.values() if folder.parent else ()
    name = file.path.name
    return any((other.path / name).exists() for other in others if other is not folder)


def _is_acme(folder: Folder, file: File) -> bool:
    return (
        file.name == ACME_FILE
        and folder.parent is not None
        and folder.parent.path.name == ACME_FOLDER
    )


def _label(folder: Folder) -> str:
    """Return what tells the tables of an Acme run apart, where it has several."""
    siblings = folder.parent.folders.values() if folder.parent else ()
    # On disk: what is claimed is no longer among the files of a folder.
    tables = [one for one in siblings if any(one.path.glob(f"{ACME_FILE}*"))]
    return f"{folder.path.name}/" if len(tables) > 1 else ""


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
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
    table, layout, name = _table(claim.files[0], wanted, claim.prefix)
    for copy in claim.files[1:]:
        n_lines = sum(is_whole for _, is_whole in copy.lines())
        if n_lines > table.n_rows:  # else it is not worth reading
            other = _table(copy, wanted, claim.prefix)
            if other[0].n_rows > table.n_rows:
                table, layout, name = other
    run = run_of_table(table, wanted, layout, name=name, prefix=claim.prefix)
    if not run.series and any(map(COMMA.fullmatch, _first_cells(table))):
        msg = f"{name} has no column of numbers besides the steps. Write decimals with a point."
        raise CurvesError(msg)
    logger = logger_of(table.columns)
    if logger and table.n_rows == logger.n_sampled > 0:
        run.notes.append(
            f"{name} has {table.n_rows} rows, as many as {logger.name} keeps of a longer log: "
            "it may be a sample"
        )
    return run


def _first_cells(table: RunTable) -> list[str]:
    """Return the first cell of each column that has one."""
    columns = [table.texts(column) for column in table.columns]
    return [next(filter(None, cells), "") for cells in columns]


def _table(file: File, wanted: Wanted, prefix: str) -> tuple[RunTable, Layout, str]:
    """Return a table, how its columns are to be taken, and its name."""
    name = file.path.name
    if file.name.endswith(".json"):
        records = read_json_records(file, is_needed(wanted, Layout(), prefix))
        return records, _layout(records.columns), name
    header = header_of(file)
    layout = _layout(header)
    needed = is_needed(wanted, layout, prefix)
    return read_log_table(file, [*filter(needed, header)]), layout, name


def _layout(header: Iterable[str]) -> Layout:
    columns = list(header)
    logger = logger_of(columns)
    return Layout() if logger is None else logger.layout(columns)
