"""Curves as tables of several shapes, and as files of several formats."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise import Curves

# The columns of long_frame(), as Curves.from_frame() wants them named.
COLUMNS: dict[str, Any] = {"algorithm": "agent", "run": "seed", "step": "epoch", "score": "return"}


def long_frame(curves: Curves, **extra: Any) -> pl.DataFrame:
    """A row per run and step."""
    n_steps = curves.n_steps
    return pl.DataFrame(
        {
            "agent": np.repeat(curves.labels, n_steps).tolist(),
            "seed": np.repeat(curves.runs, n_steps).tolist(),
            "epoch": np.tile(curves.steps, curves.n_runs),
            "return": curves.scores.ravel(),
            **extra,
        }
    )


def as_frame_of(library: str, frame: pl.DataFrame) -> Any:
    """The same rows as a frame of another library, or the test is skipped for lack of it."""
    if library in {"pandas", "pyarrow"}:
        pytest.importorskip("pyarrow")  # polars makes frames of pandas with it
        pytest.importorskip(library)
    ways = {
        "polars": lambda: frame,
        "lazy": frame.lazy,
        "pandas": frame.to_pandas,
        "pyarrow": frame.to_arrow,
    }
    return ways[library]()


def wide_frame(curves: Curves, prefix: str = "") -> pl.DataFrame:
    """A row per run, and a column per step."""
    return pl.DataFrame(
        {
            "method": curves.labels.tolist(),
            "trial": curves.runs.tolist(),
            **{
                f"{prefix}{step}": curves.scores[:, place]
                for place, step in enumerate(curves.steps)
            },
        }
    )


def write(frame: pl.DataFrame, path: Path) -> Path:
    """Write a frame in the format that the name asks for."""
    name = path.name.removesuffix(".gz")
    writers: dict[str, Any] = {
        ".csv": frame.write_csv,
        ".tsv": lambda p: frame.write_csv(p, separator="\t"),
        ".jsonl": frame.write_ndjson,
        ".ndjson": frame.write_ndjson,
        ".parquet": frame.write_parquet,
        ".pq": frame.write_parquet,
    }
    plain = path.with_name(name)
    writers[plain.suffix](plain)
    if name != path.name:
        path.write_bytes(gzip.compress(plain.read_bytes()))
    return path
