"""References: for each task the score that counts as 0 and the one that counts as 1."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from curvewise.errors import OptionError
from curvewise.text import did_you_mean, listed, number_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["RAW", "Reference", "references"]

RAW = "raw"
Reference = Mapping[str, tuple[float, float]] | str | os.PathLike[str] | None

# What the columns of a file may be called.
TASK_COLUMNS = ("task", "game", "env", "environment", "dataset", "benchmark", "problem")
LOW_COLUMNS = ("low", "random", "min", "minimum")
HIGH_COLUMNS = ("high", "human", "expert", "max", "maximum")
MAX_NAMED = 6  # tasks that a message lists


def references(
    given: object, tasks: Sequence[str], *, higher_is_better: bool
) -> dict[str, tuple[float, float]]:
    """Return the two scores of each task, from a mapping or a file.

    Raises
    ------
    OptionError
        If a task has none, a name in a mapping is that of no task, or the scores of a task are
        not finite or not in order: the second must be the better one.
    """
    if isinstance(given, Mapping):
        pairs, where = _from_mapping(given, "the reference"), "The reference"
        unknown = [name for name in pairs if name not in tasks]
        if unknown:
            close = did_you_mean(unknown[0], tasks)
            _refuse(
                f"The reference has {listed(unknown, MAX_NAMED)}, which "
                f"{'is' if len(unknown) == 1 else 'are'} not among the tasks; {close}"
            )
    elif isinstance(given, str | os.PathLike):
        path = Path(given)
        pairs, where = _from_file(path), path.name
    else:
        _refuse(
            "reference must be a mapping from task to two scores (what counts as 0, what "
            f"counts as 1), the path of a file with them, or {RAW!r}; it is {given!r}."
        )
    missing = [name for name in tasks if name not in pairs]
    if missing:
        close = did_you_mean(missing[0], pairs, most=MAX_NAMED)
        _refuse(
            f"{where} lacks {listed(missing, MAX_NAMED)}; {close} Give the two scores of every "
            "task."
        )
    found = {}
    for name in tasks:
        low, high = (_number(own, name, where) for own in pairs[name])
        found[name] = (low, high)
        if (high <= low) if higher_is_better else (high >= low):
            better, since = "higher", ""
            if not higher_is_better:
                better, since = "lower", ", since lower scores are better"
            _refuse(
                f"The reference of {name!r} is {number_text(low)} and {number_text(high)}: the "
                f"score that counts as 1 must be {better} than the one that counts as 0{since}. "
                "Swap or correct them."
            )
    return found


Pairs = dict[str, tuple[Any, Any]]


def _from_mapping(given: Mapping[Any, Any], where: str) -> Pairs:
    found: Pairs = {}
    for task, own in given.items():
        pair = own
        if isinstance(own, Mapping):
            pair = [
                own[_column(own, names, where)] for names in (LOW_COLUMNS, HIGH_COLUMNS)
            ]
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            _refuse(
                f"The reference of {str(task)!r} must be two scores, what counts as 0 and what "
                f"counts as 1; it is {own!r}."
            )
        found[str(task)] = (pair[0], pair[1])
    return found


def _from_file(path: Path) -> Pairs:
    if not os.path.isfile(path):  # noqa: PTH113 (unlike Path.is_file it never raises)
        _refuse(
            f"There is no file {str(path)!r} with the reference. Check the name and the "
            f"folder, or use {RAW!r} for scores that are on one scale already."
        )
    try:
        if path.suffix.lower() == ".json":
            content = json.loads(path.read_text(encoding="utf-8-sig"))
            if isinstance(content, Mapping):
                return _from_mapping(content, path.name)
            if not isinstance(content, list) or not all(
                isinstance(row, Mapping) for row in content
            ):
                _refuse(
                    f"{path.name} must hold an object from task to two scores, or a list of "
                    "objects with task, low and high."
                )
            rows: Iterable[Mapping[Any, Any]] = content
        else:
            from curvewise.readers.tables.delimited import open_text, separator

            with open_text(path) as file:
                rows = list(csv.DictReader(file, delimiter=separator(path)))
    except OSError as error:
        _refuse(f"{path.name} cannot be read: {error.strerror or error}.")
    except UnicodeDecodeError:
        _refuse(f"{path.name} is not text in UTF-8. Save it with that encoding.")
    except (ValueError, csv.Error) as error:
        if isinstance(error, OptionError):
            raise
        _refuse(f"{path.name} cannot be read: {error}. Write the file again.")
    return _from_rows(list(rows), path.name)


def _from_rows(rows: Sequence[Mapping[Any, Any]], where: str) -> Pairs:
    if not rows:
        _refuse(f"{where} has no rows; it needs one for each task.")
    found: Pairs = {}
    for row in rows:
        task, low, high = (
            row[_column(row, names, where)]
            for names in (TASK_COLUMNS, LOW_COLUMNS, HIGH_COLUMNS)
        )
        name = str(task).strip()
        if found.setdefault(name, (low, high)) != (low, high):
            _refuse(f"{where} has two rows for {name!r} that differ. Keep one of them.")
    return found


def _column(row: Mapping[Any, Any], names: Sequence[str], where: str) -> Any:
    """Return the key of a row that is called one of ``names``."""
    keys = {str(key).strip().lower(): key for key in row}
    found = [name for name in names if name in keys]
    if not found:
        others = ", ".join(map(repr, names[1:]))
        _refuse(
            f"{where} needs a column called {names[0]!r} (or {others}); it has "
            f"{listed([repr(str(key)) for key in row], MAX_NAMED)}."
        )
    return keys[found[0]]


def _number(value: object, task: str, where: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or isinstance(value, bool):
        _refuse(
            f"{where} has {value!r} for {task!r}, which is not a finite number. Write scores "
            "with a decimal point, and without separators of thousands."
        )
    return number


def _refuse(text: str) -> NoReturn:
    raise OptionError(text, option="reference")
