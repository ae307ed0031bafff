"""Frames and arrays as programs hand them over: any type of cell, any library."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw
from fuzzing.slow_reading import beyond_doubt

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fuzzing.truths import Truth

__all__ = ["frame_call"]

HEADER = ("agent", "seed", "step", "score")


def frame_call(rng: Random, truth: Truth) -> tuple[Callable[[], Any], Truth | None, str]:
    """Return a call that builds curves, what it must say if that is clear, and its kind."""
    kind = rng.choice(["pandas", "polars", "pyarrow", "dict", "arrays"])
    if kind == "dict":
        return _of_dict(rng, truth)
    if kind == "arrays":
        return _of_arrays(rng, truth)
    columns = {
        name: list(cells) for name, cells in zip(HEADER, zip(*truth.rows, strict=True), strict=True)
    }
    clear = beyond_doubt(truth)
    if rng.random() < 0.7:
        _change(rng, columns)
        clear = None
    make = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}[kind]
    try:
        frame = make(rng, columns)
    except Exception:  # noqa: BLE001 (the library itself refuses such a column)
        frame, clear = _pandas(rng, {"agent": []}), None
    named: dict[str, Any] = dict(zip(("algorithm", "run", "step", "score"), HEADER, strict=True))
    if rng.random() < 0.1:
        named[rng.choice(list(named))] = rng.choice(["none", "", "agent", "SCORE"])
        clear = None
    if kind == "pandas" and (frame.isna().to_numpy().any() or not frame.columns.is_unique):
        clear = None
    return lambda: cw.Curves.from_frame(frame, **named), clear, kind


def _odd_cells(n_rows: int) -> list[Any]:
    """Return columns of cells that are odd for a table of scores."""
    return [
        [None] * n_rows,
        [2**70] * n_rows,
        [10**400] * n_rows,
        [-(2**63)] * n_rows,
        [{"x": 1}] * n_rows,
        [[1, 2]] * n_rows,
        [(1, 2)] * n_rows,
        [b"bytes"] * n_rows,
        [1 + 2j] * n_rows,
        [float("nan")] * n_rows,
        [float("inf")] * n_rows,
        [decimal.Decimal("1.5")] * n_rows,
        [dt.datetime(2024, 1, 1)] * n_rows,
        [dt.timedelta(1)] * n_rows,
        [np.float32(1.5)] * n_rows,
        [np.longdouble("1.5")] * n_rows,
        [True] * n_rows,
        ["1,5"] * n_rows,
        ["\ud800"] * n_rows,
        [object()] * n_rows,
        [np.array([1.0, 2.0])] * n_rows,
        [range(3)] * n_rows,
        [{1, 2}] * n_rows,
    ]


def _change(rng: Random, columns: dict[str, list[Any]]) -> None:
    """Put odd cells into one column, all of them or a few; or drop some of it."""
    name = rng.choice(HEADER)
    n_rows = len(columns[name])
    odd = rng.choice(_odd_cells(n_rows))
    kind = rng.choice(["column", "cell", "cells", "drop"])
    if kind == "column":
        columns[name] = odd
    elif kind == "drop":
        del columns[name]
    else:
        for _ in range(1 if kind == "cell" else 3):
            columns[name][rng.randrange(n_rows)] = odd[0]


def _pandas(rng: Random, columns: dict[str, list[Any]]) -> Any:
    import pandas as pd

    frame = pd.DataFrame({name: pd.Series(cells) for name, cells in columns.items()})
    kind = rng.choice(["plain", "plain", "NA", "category", "index", "twice", "extension"])
    if kind == "NA" and len(frame):
        frame = frame.astype(object)
        frame.iloc[rng.randrange(len(frame)), rng.randrange(frame.shape[1])] = pd.NA
    elif kind == "category" and "agent" in frame:
        frame["agent"] = frame["agent"].astype("category")
    elif kind == "index":
        frame.index = frame.index[::-1] * 7
    elif kind == "twice":
        frame = pd.concat([frame, frame.iloc[:, :1]], axis=1)
    elif kind == "extension":
        frame = frame.convert_dtypes()
    return frame


def _polars(rng: Random, columns: dict[str, list[Any]]) -> Any:
    import polars as pl

    frame = pl.DataFrame(columns, strict=False)
    return frame.lazy() if rng.random() < 0.1 else frame


def _pyarrow(_rng: Random, columns: dict[str, list[Any]]) -> Any:
    import pyarrow as pa

    return pa.table(columns)


def _by_algorithm(truth: Truth) -> dict[str, list[tuple[float, ...]]]:
    arrays: dict[str, list[tuple[float, ...]]] = {}
    for (algorithm, _), scores in truth.curves.items():
        arrays.setdefault(algorithm, []).append(scores)
    return arrays


def _of_dict(rng: Random, truth: Truth) -> tuple[Callable[[], Any], Truth | None, str]:
    arrays: dict[Any, Any] = dict(_by_algorithm(truth))
    steps: Any = truth.steps
    # Of a square nobody can tell which way round it is.
    is_square = any(len(own) == len(steps) for own in arrays.values())
    clear = None if is_square else beyond_doubt(truth)
    if rng.random() < 0.6:
        clear = None
        name = rng.choice(list(arrays))
        odd: list[Any] = [
            None,
            1.5,
            "text",
            [],
            [[]],
            [[1], [1, 2]],
            [[None]],
            [["a"]],
            [[10**400]],
        ]
        odd += [np.zeros((2, 3, 4)), np.array([["a"]], dtype=object), [[np.inf]], {}, object()]
        arrays[rng.choice([name, None, 5, ("a", 1)])] = rng.choice(odd)
        steps = rng.choice([steps, None, "x", [1], [[1]], [np.nan], [2, 1], 5])
    return lambda: cw.Curves.from_dict(arrays, steps), clear, "dict"


def _of_arrays(rng: Random, truth: Truth) -> tuple[Callable[[], Any], Truth | None, str]:
    scores: Any = list(truth.curves.values())
    labels: Any = [algorithm for algorithm, _ in truth.curves]
    steps: Any = truth.steps
    clear = beyond_doubt(truth)
    if rng.random() < 0.6:
        clear = None
        odd = rng.choice(_odd_cells(len(labels)))
        scores, labels, steps = rng.choice(
            [
                (odd, labels, steps),
                (scores, odd, steps),
                (scores, labels, odd),
                (scores, labels[:1], steps),
            ]
        )
    runs = [run for _, run in truth.curves]
    return lambda: cw.Curves(scores, labels, steps, runs), clear, "arrays"
