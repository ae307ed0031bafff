"""Histories of training in one JSON object: a list per metric, as ``History.history`` of Keras.

Settings may stand beside the lists: ``{"algo": "ppo", "seed": 3, "returns": [...]}``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.readers.logged import Claim, LoggedRun
from curvewise.readers.parsing.homes import homes_of, stem_of
from curvewise.readers.parsing.json_documents import (
    as_number,
    beginning,
    curve,
    document,
    flattened,
    is_curve,
)
from curvewise.readers.parsing.log_tables import header_of
from curvewise.readers.parsing.recording import chosen_x
from curvewise.readers.parsing.score_names import is_score_name
from curvewise.readers.tables.columns import USUAL_NAMES, step_names, time_names
from curvewise.text import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

EPOCH = "epoch"
OF_RUNS = {*USUAL_NAMES["algorithm"], *USUAL_NAMES["run"]}
TABLES = (".csv", ".tsv", ".log", ".txt")
# What the name of a history has besides that of its run.
AFFIX = re.compile(
    r"(?:^|[ _.-])(?:training[ _.-]?)?(?:history|hist)(?=$|[ _.-])", re.IGNORECASE
)


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each history.

    One that repeats a table in its folder is claimed as the same run again, and not read.
    """
    logs = [
        file
        for file in folder.files.values()
        if file.name.lower().endswith(".json") and _is_history(beginning(file))
    ]
    tables = [
        file for file in folder.files.values() if file.name.lower().endswith(TABLES)
    ]
    repeated = {file: _table_of(file, tables, is_alone=len(logs) == 1) for file in logs}
    for home, file in homes_of(folder, logs):
        table = repeated[file]
        # The home of what is the same run again is that of the run: `read` passes over it.
        yield Claim(home if table is None else table.path, (file,))


def _is_history(start: Any) -> bool:
    """Whether a document is an object of lists of numbers, one of them named as a score.

    All else in it must be settings, which other lists with the name of a score are not.
    """
    if not isinstance(start, dict):
        return False
    lists, others = _parts(start)
    return (
        any(lists.values())
        and any(map(is_score_name, lists))
        and not any(
            isinstance(value, list) and is_score_name(name)
            for name, value in flattened(others)
        )
    )


def _parts(found: dict[str, Any]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return the curves of a history, and what else there is.

    Beside settings, curves may be in an object of their own, {"seed": 3, "history": {...}}, or
    in a list of records, {"seed": 3, "log": [{"epoch": 0, "loss": 2.5}, ...]}.
    """
    found = {
        name: _columns(value) if _are_records(value) else value
        for name, value in found.items()
    }
    lists = _lists(found)
    others = {name: value for name, value in found.items() if name not in lists}
    inner = {
        name: value
        for name, value in others.items()
        if isinstance(value, dict) and value and _lists(value).keys() == value.keys()
    }
    if not lists and len(inner) == 1 and len(others) > 1:
        ((name, value),) = inner.items()
        lists = _lists(value)
        del others[name]
    return lists, others


def _are_records(value: Any) -> bool:
    """Whether a value is a list of objects with steps, all of one run."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return False
    names = list(value[0]) if value else []
    return bool(step_names(names)) and OF_RUNS.isdisjoint(map(str.lower, names))


def _columns(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the numbers in records by name; None where a record has none."""
    rows = [dict(flattened(record)) for record in records]
    names = dict.fromkeys(
        name for row in rows for name in row if as_number(row[name]) is not None
    )
    return {name: [_number(row.get(name)) for row in rows] for name in names}


def _number(value: Any) -> Any:
    return value if as_number(value) is not None else None


def _lists(found: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the lists in an object; pandas writes {"0": value, "1": value} for a list."""
    lists = {}
    for name, values in found.items():
        if isinstance(values, dict) and all(key.isdecimal() for key in values):
            values = [values[key] for key in sorted(values, key=int)]  # noqa: PLW2901
        if is_curve(values, may_be_empty=True):
            lists[name] = values
    return lists


def _table_of(file: File, tables: list[File], *, is_alone: bool) -> File | None:
    """Return the table that a history repeats: of the same name, or the only one beside it."""
    metrics = {name for name in _parts(beginning(file))[0] if is_score_name(name)}
    name = AFFIX.sub("", stem_of(file))
    for table in tables:
        is_of_same_run = AFFIX.sub("", stem_of(table)) == name or (
            is_alone and len(tables) == 1
        )
        if is_of_same_run and metrics <= set(header_of(table)):
            return table
    return None


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of each history that no table repeats; an epoch is a place in the lists."""
    for claim in claims:
        file = claim.files[0]
        if claim.home not in {file.path, file.path.parent}:
            continue
        lists, settings = _parts(document(file))
        length = max(map(len, lists.values()), default=0)
        whole = [name for name, values in lists.items() if len(values) == length]
        steps = [name for name in step_names(whole) if None not in lists[name]]
        x, others = chosen_x(wanted, steps or [EPOCH])
        at = np.array([as_number(step) for step in lists[x]]) if steps else None
        never = {*steps, *time_names(whole)}
        run = LoggedRun(
            {
                name: curve(lists[name], at)
                for name in whole
                if name not in never and name in wanted
            },
            x,
            others,
            config=settings,
        )
        shorter = [name for name in lists if name not in whole and name in wanted]
        if shorter:
            run.notes.append(
                f"{listed(shorter, most=3)} left out: shorter than the other metrics, so that "
                "the epochs of the values are not known"
            )
        yield run
