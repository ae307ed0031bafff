"""Tables in every format, as people and programs write them, and mutated."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import struct
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzzing.mutating import mutated_bytes, mutated_json, mutated_text
from fuzzing.truths import HOSTILE_NAMES

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from fuzzing.truths import Row, Truth

__all__ = ["FORMATS", "write_plain", "write_table"]

FORMATS = ("csv", "tsv", "jsonl", "parquet", "npz")
HEADER = ("agent", "seed", "step", "score")


def write_plain(path: Path, rows: list[Row], extra: dict[str, Any] | None = None) -> Path:
    """Write a CSV as simple as can be; ``extra`` are columns with one value throughout."""
    extra = extra or {}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*HEADER, *extra])
        writer.writerows([*map(_text, row), *extra.values()] for row in rows)
    return path


def _text(cell: object) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)


def write_table(rng: Random, folder: Path, truth: Truth) -> Path:
    """Write a table in some format, and do something to most of them."""
    kind = rng.choice(FORMATS)
    path = folder / f"runs.{kind}"
    {
        "csv": _write_delimited,
        "tsv": _write_delimited,
        "jsonl": _write_json_lines,
        "parquet": _write_parquet,
        "npz": _write_arrays,
    }[kind](rng, path, truth)
    if rng.random() < 0.3:
        path.write_bytes(mutated_bytes(rng, path.read_bytes()))
    return path


def _write_delimited(rng: Random, path: Path, truth: Truth) -> None:
    """Write a long table, or a wide one; quotes, line ends and the order of columns vary."""
    separator = "\t" if path.suffix == ".tsv" else ","
    rows: list[list[Any]] = [list(map(_text, row)) for row in truth.rows]
    header = list(HEADER)
    if rng.random() < 0.2:
        prefix = rng.choice(["", "step_", "t=", "epoch ", "step"])
        header = ["agent", "seed", *(f"{prefix}{_text(step)}" for step in truth.steps)]
        rows = [[*who, *scores] for who, scores in truth.curves.items()]
    elif rng.random() < 0.3:
        order = rng.sample(range(4), 4)
        header = [header[place] for place in order]
        rows = [[row[place] for place in order] for row in rows]
    if rng.random() < 0.3:
        rng.shuffle(rows)
    file = io.StringIO(newline="")
    writer = csv.writer(
        file,
        delimiter=separator,
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
        lineterminator=rng.choice(["\n", "\n", "\r\n"]),
    )
    writer.writerows([header, *rows])
    text = file.getvalue()
    if rng.random() < 0.35:
        text = mutated_text(rng, text)
    encoding = rng.choice(["utf-8"] * 12 + ["utf-8-sig", "utf-16", "latin-1"])
    data = text.encode(encoding, errors="replace")
    path.write_bytes(gzip.compress(data) if rng.random() < 0.03 else data)


def _write_json_lines(rng: Random, path: Path, truth: Truth) -> None:
    records: list[dict[str, Any]] = [dict(zip(HEADER, row, strict=True)) for row in truth.rows]
    if rng.random() < 0.15:
        records = [
            {"agent": algorithm, "seed": run, "step": list(truth.steps), "score": list(own)}
            for (algorithm, run), own in truth.curves.items()
        ]
    if rng.random() < 0.45:
        records = mutated_json(rng, records)
    lines = [json.dumps(record) for record in records]
    if rng.random() < 0.05:
        lines.insert(rng.randrange(len(lines) + 1), '{"agent": ' * rng.choice([50, 100_000]))
    text = "\n".join(lines) + "\n"
    if rng.random() < 0.2:
        text = mutated_text(rng, text)
    path.write_text(text, encoding="utf-8", errors="replace")


def _write_parquet(rng: Random, path: Path, truth: Truth) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    columns = dict(zip(HEADER, zip(*truth.rows, strict=True), strict=True))
    table = pa.table({name: list(values) for name, values in columns.items()})
    if rng.random() < 0.5:
        name = rng.choice(HEADER)
        table = _retyped(rng, table, name)
    parquet.write_table(table, path, compression=rng.choice(["snappy", "zstd", "none"]))


def _retyped(rng: Random, table: Any, name: str) -> Any:
    """Give a column another type, as far as its values allow it, or other values."""
    import pyarrow as pa

    n_rows = table.num_rows
    others = [
        *(pa.float32(), pa.int64(), pa.string(), pa.large_string(), pa.decimal128(38, 6)),
        *(pa.dictionary(pa.int32(), pa.string()), pa.timestamp("ns"), pa.bool_(), pa.int8()),
        *(pa.binary(), pa.float16(), pa.date32(), pa.duration("s"), pa.uint64()),
    ]
    made = [
        pa.array([[1, 2]] * n_rows),
        pa.array([{"x": 1, "y": None}] * n_rows),
        pa.array([[("k", 1)]] * n_rows, type=pa.map_(pa.string(), pa.int64())),
        pa.nulls(n_rows),
        pa.array([None, *range(n_rows - 1)]),
        pa.array([rng.choice(HOSTILE_NAMES) for _ in range(n_rows)]),
    ]
    place = table.column_names.index(name)
    if rng.random() < 0.6:
        try:
            column = table[name].cast(rng.choice(others))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return table
    else:
        column = rng.choice(made)
    return table.set_column(place, name, column)


def _write_arrays(rng: Random, path: Path, truth: Truth) -> None:
    arrays: dict[str, Any] = {}
    for (algorithm, _), scores in truth.curves.items():
        arrays.setdefault(algorithm.replace("/", "|") or "x", []).append(scores)
    arrays = {name: np.array(rows) for name, rows in arrays.items()}
    arrays["steps"] = np.array(truth.steps)
    if rng.random() < 0.5:
        name = rng.choice(list(arrays))
        arrays[name] = _rearranged(rng, arrays[name])
    if rng.random() < 0.2:
        _write_odd_archive(rng, path, arrays)
        return
    save = rng.choice([np.savez, np.savez, np.savez_compressed])
    with path.open("wb") as file:
        save(file, **arrays)


def _write_odd_archive(rng: Random, path: Path, arrays: dict[str, Any]) -> None:
    """Write an archive whose headers promise something else than what follows them."""
    odd = rng.choice(list(arrays))
    packing = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, array in arrays.items():
            shape = repr(array.shape)
            kind, order, version = repr(array.dtype.str), "False", b"\x01\x00"
            if name == odd:
                shape = rng.choice([shape, "(True, 3)", "(-1, 3)", "(10**9, 10**9)", "(2,)", "()"])
                kind = rng.choice([kind, "'<f16'", "'|O'", "'<U1000000000'", "[('a', '<f8')]", "x"])
                order = rng.choice([order, "True", "1", "None"])
                version = rng.choice([version, b"\x02\x00", b"\x09\x00", b"\x00\x00"])
            head = f"{{'descr': {kind}, 'fortran_order': {order}, 'shape': {shape}, }}\n"
            size = struct.pack("<H" if version[0] < 2 else "<I", len(head))
            data = b"\x93NUMPY" + version + size + head.encode() + array.tobytes()
            # zipfile ends names at a null, and takes none that are empty.
            archive.writestr(f"{name.lstrip(chr(0))}.npy", data)
    if rng.random() < 0.2:  # the flag of encrypted files, in every header
        data = path.read_bytes()
        path.write_bytes(
            re.sub(rb"(PK\x03\x04..|PK\x01\x02....).", b"\\g<1>\x01", data, flags=re.DOTALL)
        )


def _rearranged(rng: Random, array: Any) -> Any:
    """Return an array of another type, shape or order."""
    kinds = ["f4", "i8", ">f8", "g", "c16", "U9", "S9", "?", "O", "M8[s]", "f2", "u1"]
    kind = rng.choice(["type", "transpose", "flat", "deep", "empty", "fortran", "hole"])
    with np.errstate(all="ignore"):
        if kind == "type":
            kind = rng.choice(kinds)
            if kind == "M8[s]":
                return array.astype("i8").astype(kind)
            return array.astype(kind)
    if kind == "transpose":
        return array.T
    if kind == "flat":
        return array.ravel()
    if kind == "deep":
        return array[None]
    if kind == "empty":
        return array[:0]
    if kind == "fortran":
        return np.asfortranarray(array)
    changed = array.astype(float).copy()
    changed.flat[rng.randrange(array.size)] = rng.choice([np.nan, np.inf, 1e308, -1e-320])
    return changed
