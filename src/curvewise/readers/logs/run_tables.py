"""Tables that loggers write for each run: a header, then a row each time something is logged.

SB3, baselines, Spinning Up, garage, rlpyt, Acme, Tianshou, Lightning, Keras, timm, fastai,
Ultralytics and home-made ones alike: `loggers` knows some by their headers, the rest is told
by the usual names of steps, times and scores.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from curvewise.readers.columns import step_names, time_names
from curvewise.readers.homes import homes_of, stem_of
from curvewise.readers.json_records import read_json_records
from curvewise.readers.log_tables import header_of, read_log_table
from curvewise.readers.logged import Claim
from curvewise.readers.loggers import logger_of
from curvewise.readers.parts import home_above, part_of
from curvewise.readers.run_columns import Layout, is_needed, run_of_table
from curvewise.readers.score_names import is_score_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import LoggedRun, Wanted
    from curvewise.readers.run_columns import RunTable

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
    r"(?:config|params|parameters|args|hparams|hyperparameters|settings|requirements).*",
    re.IGNORECASE,
)
# Acme: RUN/logs/LABEL/logs.csv.
ACME_FOLDER, ACME_FILE = "logs", "logs.csv"
# JSON lines with the same rows as the table beside them.
PROGRESS, PROGRESS_COPY = "progress.csv", "progress.json"
MAX_NAME = 200


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each table of a run in a folder.

    Tables with names that many runs share stand for their folder, as does a table alone in it;
    several others stand for themselves.
    """
    tables = [file for file in folder.files.values() if _is_table(file)]
    copy = next((f for f in folder.files.values() if f.name == PROGRESS_COPY), None)
    if copy is not None and not any(file.name == PROGRESS for file in tables):
        empty = [f for f in folder.files.values() if f.name == PROGRESS]
        is_log = bool(step_names(re.findall(r'"([^"]+)":', copy.first_line())))
        if is_log or (empty and not copy.first_line()):
            yield Claim(folder.path, (copy, *empty))
    shared = [file for file in tables if _is_shared(stem_of(file))]
    shared.sort(key=lambda file: _rank(stem_of(file)))
    above = home_above(folder)
    for file in shared:
        part = "" if _rank(stem_of(file)) < len(NAMES) else part_of(stem_of(file))
        if file.name == PROGRESS and copy is not None:
            files: tuple[File, ...] = (file, copy)
        else:
            files = (file,)
        if _is_acme(folder, file):
            yield Claim(folder.path.parent.parent, files, _label(folder))
        elif above is not None:
            yield Claim(above, files, f"{part_of(folder.path.name)}/")
        elif part or file is not shared[0]:
            yield Claim(folder.path, files, f"{part or stem_of(file)}/")
        else:
            yield Claim(folder.path, files)
    # Beside the log of a run, others are runs of their own.
    rest = [file for file in tables if file not in shared]
    if len(rest) == 1 and not shared and _is_in_sibling(folder, rest[0]):
        yield Claim(folder.path, (rest[0],))
        return
    for home, file in homes_of(folder, rest):
        yield Claim(file.path if shared else home, (file,))


def _is_table(file: File) -> bool:
    """Whether a file is the table of a run: by its name, its header and its first row."""
    name = file.name.lower()
    if not name.endswith((*TABLES, *OTHERS)) or SETTINGS.fullmatch(name):
        return False
    head = file.head()
    if b"\0" in head or head.lstrip().startswith((b"{", b"[", b"<")):
        return False
    is_shared = _is_shared(stem_of(file)) and name.endswith(TABLES)
    header = header_of(file)
    if not header:
        return is_shared and not head.strip()
    if any(len(column) > MAX_NAME or _is_number(column) for column in header):
        return False
    steps = logger_of(header) is not None or bool(step_names(header))
    if name.endswith(OTHERS):
        return len(header) > 1 and steps
    return (
        steps
        or (bool(time_names(header)) and len(header) > 1)
        or any(map(is_score_name, header))
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
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
    tables = [one for one in siblings if (one.path / ACME_FILE).exists()]
    return f"{folder.path.name}/" if len(tables) > 1 else ""


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of one home; the metrics of several tables are those of one run.

    Raises CurvesError if a table is damaged, or does not have the steps that are wanted.
    """
    parts = [_read_table(claim, wanted) for claim in claims]
    run = parts[0]
    for claim, part in zip(claims[1:], parts[1:], strict=True):
        run.series = {**part.series, **run.series}
        run.notes += part.notes
        if part.x != run.x and part.series:
            name = claim.files[0].path.name
            run.notes.append(f"the steps of {name} are {part.x!r}, not {run.x!r}")
    yield run


def _read_table(claim: Claim, wanted: Wanted) -> LoggedRun:
    """Return the run in a table, or in the copy of it that holds more."""
    tables = [_table(file, wanted, claim.prefix) for file in claim.files]
    # The first unless another has more rows.
    table, layout, name = max(tables, key=lambda found: found[0].n_rows)
    return run_of_table(table, wanted, layout, name=name, prefix=claim.prefix)


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
