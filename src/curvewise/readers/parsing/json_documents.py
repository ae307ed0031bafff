"""JSON documents of training logs: told by how they begin, read whole, walked as numbers."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.logged import Series, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.kernels import Floats
    from curvewise.readers.folders import File

__all__ = [
    "as_number",
    "beginning",
    "curve",
    "document",
    "flattened",
    "is_curve",
    "parsed",
]

# Numbers that some writers put in quotes, because JSON has no word for them.
QUOTED_NUMBERS = {"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"}
# Objects inside objects; a log has two or three.
MAX_DEPTH = 16
# Brackets inside brackets: no log has more, and walking them takes the stack.
MAX_NESTING = 100
CLOSING = {"{": "}", "[": "]"}


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
    if not text.startswith(("{", "[")):
        return None
    kept, rest = _closed(text)
    if rest.strip():
        return None
    return parsed(kept)


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
    stack: list[str] = []
    kept = ""
    in_text = is_escaped = False
    for place, character in enumerate(text):
        if in_text:
            in_text = is_escaped or character != '"'
            is_escaped = not is_escaped and character == "\\"
        elif character == '"':
            in_text = True
        elif character in "{[":
            stack.append(CLOSING[character])
            if len(stack) > MAX_NESTING:
                return "", text
            kept = text[: place + 1] + "".join(reversed(stack))
        elif character in "}]":
            if not stack or stack.pop() != character:
                return text, ""
            if not stack:
                return text[: place + 1], text[place + 1 :]
            kept = text[: place + 1] + "".join(reversed(stack))
        elif character == ",":
            kept = text[:place] + "".join(reversed(stack))
    return kept, ""


def document(file: File) -> Any:
    """Return the JSON document in a file; raise CurvesError with the reason if it is none."""
    name = file.path.name
    try:
        return file.json()
    except UnicodeDecodeError:
        msg = f"{name} is damaged: it is not text in UTF-8."
    except json.JSONDecodeError as error:
        is_cut = not error.doc[error.pos :].strip() or "Unterminated" in error.msg
        where = "it ends in the middle" if is_cut else f"line {error.lineno} is not JSON"
        msg = f"{name} is damaged: {where}."
    except ValueError as error:
        msg = str(error)
    except OSError as error:
        raise unreadable(name, error) from None
    raise CurvesError(msg)


def as_number(value: Any) -> float | None:
    """Return a value of a JSON document as a number, or None if it is none.

    "NaN" and "Infinity" are numbers also when they are written as text; true and false, and
    texts with other numbers, are not.

    >>> as_number(3), as_number("NaN"), as_number("3"), as_number(True), as_number(None)
    (3.0, nan, None, None, None)
    """
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
