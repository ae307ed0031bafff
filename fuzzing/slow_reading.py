"""An independent reading of tables, cell by cell, of those that leave no doubt.

None of it is shared with the readers: the standard library, and pyarrow for Parquet. A table that
leaves any doubt, such as one with a missing cell or a column too many, is read as None.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import math
import re
import struct
import unicodedata
import zipfile
from typing import TYPE_CHECKING, Any

from fuzzing.truths import Truth

if TYPE_CHECKING:
    from pathlib import Path

    from fuzzing.truths import Row

__all__ = ["beyond_doubt", "slow_reading"]

COLUMNS = {"agent", "seed", "step", "score"}
NUMBER = re.compile(r"-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?")
MAX_STEP = 2.0**53
# Squares of scores beyond these cannot be told from infinity, or from nothing.
MIN_SIZE, MAX_SIZE = 1e-140, 1e140
# How the columns of a wide table name their steps.
PREFIXES = ("", "step_", "t=", "epoch ")
ITEMS = {"<f8": "d", "<f4": "f", "<i8": "q", "<i4": "i", "|u1": "B", "|i1": "b"}


def slow_reading(path: Path) -> Truth | None:
    """Return what a table says, if that is beyond doubt."""
    try:
        if path.suffix == ".npz":
            return beyond_doubt(_archive(path))
        if path.suffix == ".parquet":
            rows = _parquet(path)
        elif path.suffix == ".jsonl":
            rows = _json_lines(path)
        else:
            rows = _delimited(path, "\t" if path.suffix == ".tsv" else ",")
        return beyond_doubt(Truth.of_rows(rows))
    except Exception:  # noqa: BLE001 (whatever cannot be read leaves doubt)
        return None


def beyond_doubt(truth: Truth | None) -> Truth | None:
    """Return curves that any reader must accept: names, several runs of each, finite numbers."""
    if truth is None or len(truth.algorithms) < 2:
        return None
    names = [name for who in truth.curves for name in who]
    counts = [sum(algorithm == each for each, _ in truth.curves) for algorithm in truth.algorithms]
    numbers = [*truth.steps, *(score for own in truth.curves.values() for score in own)]
    is_clear = (
        all(map(_is_name, names))
        and min(counts) >= 2
        and all(map(math.isfinite, numbers))
        and max(map(abs, truth.steps)) < MAX_STEP
        and all(number == 0 or MIN_SIZE < abs(number) < MAX_SIZE for number in numbers)
    )
    return truth if is_clear else None


def _is_name(name: str) -> bool:
    """Whether a name is text that can be seen, and means itself."""
    categories = {unicodedata.category(character) for character in name}
    return (
        bool(name)
        and name == name.strip()
        and not categories & {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}
        and unicodedata.normalize("NFC", name) == name
    )


def _number(text: str) -> float:
    if not NUMBER.fullmatch(text) or not text.isascii():
        raise ValueError(text)
    return float(text)


def _delimited(path: Path, separator: str) -> list[Row]:
    text = path.read_bytes().decode("utf-8")
    # What quotes mean inside a cell, and what a lone carriage return means, is a matter of taste.
    if re.search(r'[^"\n\r,\t]"[^"\n\r,\t]|\r(?!\n)|\x00|""', text):
        raise ValueError(path)
    header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    if any(len(row) != len(header) for row in rows):
        raise ValueError(path)
    if header[:2] == ["agent", "seed"] and not COLUMNS & set(header[2:]):
        steps = _steps(header[2:])
        return [
            (row[0], row[1], step, _number(cell))
            for row in rows
            for step, cell in zip(steps, row[2:], strict=True)
        ]
    if sorted(header) != sorted(COLUMNS):
        raise ValueError(path)
    records = [dict(zip(header, row, strict=True)) for row in rows]
    return [
        (row["agent"], row["seed"], _number(row["step"]), _number(row["score"])) for row in records
    ]


def _steps(columns: list[str]) -> list[float]:
    """Return the steps that the columns of a wide table are named after, all in one way."""
    for prefix in PREFIXES:
        if all(column.startswith(prefix) for column in columns):
            numbers = [column.removeprefix(prefix) for column in columns]
            if all(NUMBER.fullmatch(number) for number in numbers):
                return [_number(number) for number in numbers]
    raise ValueError(columns)


def _json_lines(path: Path) -> list[Row]:
    text = path.read_bytes().decode("utf-8")
    if re.search(r"\r(?!\n)", text):
        raise ValueError(path)  # whether that ends a line is a matter of taste
    lines = text.split("\n")
    records = [json.loads(line, object_pairs_hook=_pairs) for line in lines if line.strip()]
    return [_row(record) for record in records]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError(pairs)
    return record


def _parquet(path: Path) -> list[Row]:
    from pyarrow import parquet

    return [_row(record) for record in parquet.read_table(path).to_pylist()]


def _row(record: dict[str, Any]) -> Row:
    """Return a row of typed cells: names are text or whole numbers, numbers are numbers."""
    if set(record) != COLUMNS:
        raise ValueError(record)
    agent, seed, step, score = (record[name] for name in ("agent", "seed", "step", "score"))
    if type(agent) is not str or type(seed) not in {str, int}:
        raise TypeError(record)
    if not {type(step), type(score)} <= {int, float}:
        raise TypeError(record)
    return agent, str(seed), float(step), float(score)


def _archive(path: Path) -> Truth | None:
    """Read arrays from an uncompressed archive by the letter of the format."""
    arrays: dict[str, tuple[tuple[int, ...], list[float]]] = {}
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if len(set(names)) < len(names):
            return None
        for name in names:
            arrays[name.removesuffix(".npy")] = _array(archive.read(name))
    shape, steps = arrays.pop("steps")
    if len(shape) != 1 or list(steps) != sorted(set(steps)):
        return None
    curves = {}
    for name, (shape, values) in arrays.items():
        n_runs, n_steps = shape
        # Of a square nobody can tell which way round it is.
        if n_steps != len(steps) or n_runs < 1 or n_runs == n_steps:
            return None
        for run in range(n_runs):
            curves[name, str(run)] = tuple(values[run * n_steps : (run + 1) * n_steps])
    return Truth(tuple(steps), curves)


def _array(data: bytes) -> tuple[tuple[int, ...], list[float]]:
    magic, major, minor, length = struct.unpack_from("<6sBBH", data)
    if magic != b"\x93NUMPY" or (major, minor) != (1, 0):
        raise ValueError(magic)
    head = ast.literal_eval(data[10 : 10 + length].decode("latin-1"))
    if set(head) != {"descr", "fortran_order", "shape"} or head["fortran_order"] is not False:
        raise ValueError(head)
    shape: tuple[int, ...] = head["shape"]
    if not all(type(size) is int for size in shape):
        raise TypeError(shape)
    count = math.prod(shape)
    code = ITEMS[head["descr"]]
    body = data[10 + length :]
    values = struct.unpack(f"<{count}{code}", body)  # raises unless the size is right
    return shape, [float(value) for value in values]
