"""JSON lines as loggers write them: keys come and go, the last line may be cut."""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.parsing.json_documents import (
    as_number,
    beginning,
    document,
    flattened,
    parsed,
)
from curvewise.readers.parsing.log_tables import CUT_LINE
from curvewise.text import listed, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers
    from curvewise.readers.folders import File

__all__ = ["BOM", "JsonRecords", "json_lines", "objects", "read_json_records"]

BOM = b"\xef\xbb\xbf"


@dataclass
class JsonRecords:
    """The values of JSON objects, one on each line, by key.

    Attributes
    ----------
    n_rows : int
        How many objects there are.
    first, last : dict
        The first object and the last, as they are.
    notes : list of str
        What was left out, in a sentence each.
    sessions : array of int, optional
        None: JSON lines do not tell them.
    """

    n_rows: int = 0
    first: dict[str, Any] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    sessions: Integers | None = None
    _rows: dict[str, array[int]] = field(default_factory=lambda: defaultdict(_places))
    _values: dict[str, array[float]] = field(
        default_factory=lambda: defaultdict(_numbers)
    )
    _texts: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))

    @property
    def columns(self) -> list[str]:
        """The keys, those of nested objects joined by ``/``."""
        return list(dict.fromkeys([*self._rows, *self._texts]))

    def numbers(self, column: str) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return the numbers under a key, and which rows have one."""
        values = np.full(self.n_rows, np.nan)
        present = np.zeros(self.n_rows, dtype=bool)
        if column in self._rows:
            rows = np.frombuffer(self._rows[column], dtype=np.int64)
            values[rows] = np.frombuffer(self._values[column], dtype=np.float64)
            present[rows] = True
        return values, present

    def texts(self, column: str) -> list[str]:
        """Return what is written under a key where it is no number, else nothing."""
        found = self._texts.get(column, {})
        return [found.get(row, "") for row in range(self.n_rows)]

    def n_words(self, column: str) -> int:
        """Return how many rows have something under a key that is no number."""
        return len(self._texts.get(column, {}))

    def add(
        self,
        record: dict[str, Any],
        is_kept: Callable[[str], bool],
        without: frozenset[str] = frozenset(),
    ) -> None:
        """Add an object, of which only some keys are kept, and nothing below some others."""
        self.first = self.first or record
        self.last = record
        looked_at = {key: value for key, value in record.items() if key not in without}
        for key, value in flattened(looked_at):
            if value is None or not is_kept(key):
                continue
            number = as_number(value)
            if number is not None:
                self._rows[key].append(self.n_rows)
                self._values[key].append(number)
            elif not isinstance(value, list | dict):
                self._texts[key][self.n_rows] = str(value)
        self.n_rows += 1


def _places() -> array[int]:
    return array("q")


def _numbers() -> array[float]:
    return array("d")


def read_json_records(
    file: File, is_kept: Callable[[str], bool], without: frozenset[str] = frozenset()
) -> JsonRecords:
    """Read a JSON object from each line, of which only some keys are kept; see `objects`.

    Nothing below the keys ``without`` is looked at.
    """
    records = JsonRecords()
    for record in objects(file, records.notes):
        records.add(record, is_kept, without)
    return records


def objects(file: File, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects on the lines of a file, or in its one list; note what is none.

    Raises CurvesError if no line holds an object.
    """
    if isinstance(beginning(file), list):
        yield from (row for row in document(file) if isinstance(row, dict))
        return
    name = file.path.name
    wrong: list[int] = []
    n_found = number = 0
    for number, row in json_lines(file, notes):
        if isinstance(row, dict):
            n_found += 1
            yield row
        else:
            wrong.append(number)
    if wrong and not n_found:
        msg = f"{name} is damaged: none of its {plural(number, 'line')} is a JSON object."
        raise CurvesError(msg)
    if wrong:
        which = listed([str(place) for place in wrong], most=5)
        are = (
            "lines {} of {} are no JSON objects and were"
            if len(wrong) > 1
            else "line {} of {} is no JSON object and was"
        )
        notes.append(f"{are.format(which, name)} left out")


def json_lines(
    file: File, notes: list[str], name: str | None = None
) -> Iterator[tuple[int, Any]]:
    """Yield the value on each line that is not blank, None if it is no JSON, with its number.

    A last line that is cut is left out, and noted under the name of the file. Closed by its
    bracket, a line is whole even if the newline is not there yet.
    """
    for number, (line, is_whole) in enumerate(file.lines(), start=1):
        text = line.removeprefix(BOM).strip()
        if line and not text:
            continue
        value = parsed(text)
        if is_whole or isinstance(value, dict | list):
            yield number, value
        else:
            notes.append(CUT_LINE.format(name=name or file.path.name))
