"""What a shuffle costs against runs, steps, algorithms and shuffles."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.contestants import curvewise
from benchmarks.designs import random_walks
from benchmarks.timing import best_seconds

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["cost_plot"]

SWEEPS: dict[str, list[tuple[float, tuple[int, int, int], int]]] = {
    "runs per algorithm (2 algorithms, 50 steps)": [
        (n, (2, n, 50), 3_000_000 if n < 50 else 300_000)
        for n in (5, 8, 10, 11, 15, 20, 30, 31, 50, 100, 200)
    ],
    "steps (2 × 10 runs)": [(k, (2, 10, k), 20_000_000) for k in (2, 8, 32, 128, 1_000, 10_000)],
    "algorithms (5 runs each, 50 steps)": [
        (m, (m, 5, 50), 200_000 if m < 50 else 20_000) for m in (2, 3, 5, 10, 20, 50, 100, 200)
    ],
    "shuffles (2 × 10 runs, 8 steps)": [
        (z, (2, 10, 8), z) for z in (10**3, 10**4, 10**5, 10**6, 10**7, 10**8)
    ],
}


def cost_plot(path: Path) -> None:
    """Draw the cost of a shuffle, and the time of all against their number; CPU time."""
    from matplotlib.figure import Figure

    for shape in ((2, 10, 8), (2, 20, 8), (3, 6, 20)):
        curvewise(*random_walks(*shape), 5_000_000)  # compiled before anything is timed
    figure = Figure(figsize=(10, 7), layout="constrained")
    for ax, (name, sweep) in zip(figure.subplots(2, 2).flat, SWEEPS.items(), strict=True):
        total = name.startswith("shuffles")
        heights = []
        for _, shape, n_shuffles in sweep:
            scores, labels = random_walks(*shape)
            seconds = best_seconds(partial(curvewise, scores, labels, n_shuffles), 2)
            heights.append(seconds * 1e3 if total else seconds / n_shuffles * 1e9)
        ax.plot([x for x, _, _ in sweep], heights, "o-", color="#0072B2")
        label = "milliseconds in all" if total else "nanoseconds per shuffle"
        ax.set(xlabel=name, ylabel=label, xscale="log", yscale="log")
        ax.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
