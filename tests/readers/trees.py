"""Small folders of training logs, as loggers write them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

__all__ = ["a_table", "jsonl", "progress", "study"]


def a_table(path: Path, columns: Mapping[str, Sequence[Any]]) -> Path:
    """Write a CSV; None is an empty cell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = zip(*columns.values(), strict=True)
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    path.write_text("\n".join([",".join(columns), *lines, ""]), encoding="utf-8")
    return path


def progress(folder: Path, **columns: Sequence[Any]) -> Path:
    """Write the progress.csv of a run."""
    return a_table(folder / "progress.csv", columns)


def jsonl(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    """Write a record a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in records), encoding="utf-8")
    return path


def study(
    root: Path,
    algorithms: Sequence[str] = ("dqn", "ppo"),
    n_runs: int = 3,
    steps: Sequence[int] = range(0, 500, 100),
    *,
    tasks: Sequence[str] = ("",),
) -> Path:
    """Write ``task/algorithm/seedN/progress.csv`` with two metrics of every run.

    The evaluation return of run r of the a-th algorithm at the i-th step is 100 a + 10 r + i, on
    the t-th task 1,000 t more; the loss is its negative.
    """
    for t, task in enumerate(tasks):
        for a, algorithm in enumerate(algorithms):
            for r in range(n_runs):
                score = 1_000 * t + 100 * a + 10 * r + np.arange(len(steps))
                progress(
                    root / task / algorithm / f"seed{r}",
                    step=steps,
                    eval_return=score.tolist(),
                    loss=(-score).tolist(),
                )
    return root
