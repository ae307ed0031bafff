"""JSON of training logs: documents, told by how they begin, and lines, of which the last may be cut."""

from __future__ import annotations

import json
import math
import re
from array import array
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import refuse
from curvewise.readers.parsing.files import damaged
from curvewise.readers.parsing.text_tables import CUT_LINE, lines_left_out
from curvewise.readers.walk import Series, unreadable
from curvewise.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.readers.walk import File


# JSON documents of training logs: told by how they begin, read whole, walked as numbers.

# Numbers that some writers put in quotes, because JSON has no word for them.
QUOTED_NUMBERS = {"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"}
# Objects inside objects; a log has two or three.
MAX_DEPTH = 16
# Brackets inside brackets: no log has more, and walking them takes the stack.
MAX_NESTING = 100
CLOSING = {"{": "}", "[": "]"}
# A text, to its end or that of the document, a bracket or a comma.
MARK = re.compile(r'"(?:[^"\\]|\\.)*+"?|[][{},]', re.DOTALL)


def beginning(file: File) -> Any:
    """Return the JSON document in a file as far as its first 4,096 bytes show it.

    What is cut there is closed: ``{"loss": [1, 2, 3.`` is ``{"loss": [1, 2]}``. None if the
    file does not begin with one object or list, if another one follows on the next line, or if
    it is nested as no log is.
    """
    return _beginning(file.head())


@lru_cache(maxsize=1024)  # every format of JSON documents asks
def _beginning(head: bytes) -> Any:
    text = head.decode("utf-8-sig", errors="ignore").lstrip()
    kept, rest = _closed(text) if text.startswith(("{", "[")) else ("", "")
    return None if rest.strip() else parsed(kept)


def parsed(text: str | bytes) -> Any:
    """Return the value that a text is in JSON, or None if it is none, or nested too deeply.

    NaN and Infinity are accepted, as Python writes them.

    >>> parsed('{"loss": 1}'), parsed('{"loss": 1')
    ({'loss': 1}, None)
    """
    try:
        # Bytes would be taken for UTF-16 line by line, of which only the first begins so.
        return json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except (ValueError, RecursionError):
        return None


def _closed(text: str) -> tuple[str, str]:
    """Return the first value, closed after its last whole part, and what follows it."""
    kept = closing = ""
    for match in MARK.finditer(text):
        mark, before, after = match[0], text[: match.start()], text[match.end() :]
        if mark in CLOSING:
            closing = CLOSING[mark] + closing
            if len(closing) > MAX_NESTING:
                return "", text
            kept = before + mark + closing
        elif mark == ",":
            kept = before + closing
        elif mark in CLOSING.values():
            if not closing.startswith(mark):
                return text, ""
            closing = closing[1:]
            kept = before + mark + closing
            if not closing:
                return kept, after
    return kept, ""


def document(file: File) -> Any:
    """Return the JSON document in a file; raise CurvesError with the reason if it is none."""
    name = file.path.name
    try:
        return file.json()
    except UnicodeDecodeError:
        raise damaged(file, "it is not text in UTF-8") from None
    except json.JSONDecodeError as error:
        is_cut = not error.doc[error.pos :].strip() or "Unterminated" in error.msg
        where = "it ends in the middle" if is_cut else f"line {error.lineno} is not JSON"
        raise damaged(file, where) from None
    except ValueError as error:
        text = str(error)
        refuse(text if name in text else f"{name} has a number of too many digits.")
    except OSError as error:
        raise unreadable(name, error) from None


def as_number(value: Any) -> float | None:
    """Return a value of a JSON document as a number, or None if it is none.

    "NaN" and "Infinity" are numbers also when they are written as text; true and false, and
    texts with other numbers, are not.

    >>> as_number(3), as_number("NaN"), as_number("3"), as_number(True), as_number(None)
    (3.0, nan, None, None, None)
    """
    if type(value) is float:
        return value
    if isinstance(value, str):
        return float(value) if value.strip().lower() in QUOTED_NUMBERS else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_curve(value: Any, *, may_be_empty: bool = False) -> bool:
    """Whether a value is a list of numbers; nulls among them are holes."""
    if not isinstance(value, list) or not (value or may_be_empty):
        return False
    return all(item is None or as_number(item) is not None for item in value)


def curve(values: Sequence[Any], steps: Floats | None = None) -> Series:
    """Return a list of numbers as records, at steps or else at their places from 0.

    >>> curve([0.5, None, 0.75]).steps
    array([0., 2.])
    """
    scores = [as_number(value) for value in values]
    present = np.array([score is not None for score in scores], dtype=bool)
    at = np.arange(len(scores), dtype=np.float64) if steps is None else steps
    return Series(at[present], np.array([score for score in scores if score is not None]))


def flattened(row: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of nested objects, each with its keys joined by ``/``.

    >>> dict(flattened({"val": {"loss": 1.0, "top": {"1": 0.5}}, "step": 3}))
    {'val/loss': 1.0, 'val/top/1': 0.5, 'step': 3}
    """
    for key, value in row.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and name.count("/") < MAX_DEPTH:
            yield from flattened(value, f"{name}/")
        else:
            yield name, value


# JSON lines as loggers write them: keys come and go, the last line may be cut.


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
    # The row and the value of each number, one after the other.
    _numbers: dict[str, array[float]] = field(
        default_factory=lambda: defaultdict(lambda: array("d"))
    )
    _texts: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))

    @property
    def columns(self) -> list[str]:
        """The keys, those of nested objects joined by ``/``."""
        return list(dict.fromkeys([*self._numbers, *self._texts]))

    def numbers(self, column: str) -> tuple[Floats, Booleans]:
        """Return the numbers under a key, and which rows have one."""
        rows, found = np.array(self._numbers.get(column, ())).reshape(-1, 2).T
        values, present = np.full(self.n_rows, np.nan), np.zeros(self.n_rows, dtype=bool)
        values[rows.astype(int)], present[rows.astype(int)] = found, True
        return values, present

    def texts(self, column: str) -> list[str]:
        """Return what is written under a key where it is no number, else nothing."""
        found = self._texts.get(column, {})
        return [found.get(row, "") for row in range(self.n_rows)]

    def n_words(self, column: str) -> int:
        """Return how many rows have something under a key that is no number."""
        return len(self._texts.get(column, {}))

    def add(self, record: dict[str, Any], is_kept: Callable[[str], bool]) -> None:
        """Add an object, of which only some keys are kept."""
        self.first = self.first or record
        self.last = record
        for key, value in flattened(record):
            if value is None or not is_kept(key):
                continue
            number = as_number(value)
            if number is not None:
                self._numbers[key].extend((self.n_rows, number))
            elif not isinstance(value, list | dict):
                self._texts[key][self.n_rows] = str(value)
        self.n_rows += 1


def read_json_records(file: File, is_kept: Callable[[str], bool]) -> JsonRecords:
    """Read a JSON object from each line, of which only some keys are kept; see `objects`."""
    records = JsonRecords()
    for record in objects(file, records.notes):
        records.add(record, is_kept)
    return records


def objects(file: File, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects on the lines of a file, or in its one list; note what is none.

    Raises CurvesError if no line holds an object.
    """
    if isinstance(beginning(file), list):
        yield from (row for row in document(file) if isinstance(row, dict))
        return
    wrong: list[int] = []
    has_any, number = False, 0
    for number, row in json_lines(file, notes):
        if isinstance(row, dict):
            has_any = True
            yield row
        else:
            wrong.append(number)
    if wrong and not has_any:
        raise damaged(file, f"none of its {plural(number, 'line')} is a JSON object")
    if wrong:
        notes.append(lines_left_out(wrong, file.path.name, "no JSON object"))


def json_lines(file: File, notes: list[str], name: str | None = None) -> Iterator[tuple[int, Any]]:
    """Yield the value on each line that is not blank, None if it is no JSON, with its number.

    A last line that is cut is left out, and noted under the name of the file. Closed by its
    bracket, a line is whole even if the newline is not there yet.
    """
    for number, (line, is_whole) in enumerate(file.lines(), start=1):
        text = line.strip()
        if line and not text:
            continue
        value = parsed(text)
        if is_whole or isinstance(value, dict | list):
            yield number, value
        else:
            notes.append(CUT_LINE.format(name=name or file.path.name))
