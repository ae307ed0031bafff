"""The obvious, slow way: what the fast code is compared with."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.kernels import Floats, Integers


def sums_of_squares(scores: Floats, labels: Integers) -> dict[str, float]:
    """Every sum of squares by its definition, one cell at a time."""
    n_runs, n_steps = scores.shape
    grand = scores.mean()
    steps = scores.mean(axis=0)
    ss = dict.fromkeys(("algorithm", "interaction", "curves", "residual"), 0.0)
    for group in np.unique(labels):
        rows = scores[labels == group]
        cell, mean = rows.mean(axis=0), rows.mean()
        ss["algorithm"] += n_steps * len(rows) * (mean - grand) ** 2
        ss["interaction"] += len(rows) * np.sum((cell - mean - steps + grand) ** 2)
        for row in rows:
            ss["curves"] += n_steps * (row.mean() - mean) ** 2
            ss["residual"] += np.sum((row - cell - row.mean() + mean) ** 2)
    ss["training"] = n_runs * np.sum((steps - grand) ** 2)
    ss["error"] = ss["curves"] + ss["residual"]
    ss["total"] = np.sum((scores - grand) ** 2)
    return {source: float(value) for source, value in ss.items()}


def f_ratios(scores: Floats, labels: Integers) -> dict[str, float]:
    """Overall F, and both effects under both error terms."""
    n_runs, n_steps = scores.shape
    m = len(np.unique(labels))
    ss = sums_of_squares(scores, labels)

    def ratio(effect: float, df: int, error: float, df_error: int) -> float:
        return (effect / df) / (error / df_error)

    error, df_error = ss["error"], n_steps * (n_runs - m)
    return {
        "overall": ratio(ss["algorithm"] + ss["interaction"], (m - 1) * n_steps, error, df_error),
        "algorithm split": ratio(ss["algorithm"], m - 1, ss["curves"], n_runs - m),
        "interaction split": ratio(
            ss["interaction"], (m - 1) * (n_steps - 1), ss["residual"], (n_runs - m) * (n_steps - 1)
        ),
        "algorithm pooled": ratio(ss["algorithm"], m - 1, error, df_error),
        "interaction pooled": ratio(ss["interaction"], (m - 1) * (n_steps - 1), error, df_error),
    }


def all_relabellings(sizes: Sequence[int]) -> Iterator[Integers]:
    """Every way to give the algorithms their numbers of runs, names told apart."""

    def deal(left: tuple[int, ...], group: int) -> Iterator[dict[int, int]]:
        if group == len(sizes):
            yield {}
            return
        for chosen in combinations(left, sizes[group]):
            rest = tuple(run for run in left if run not in chosen)
            for others in deal(rest, group + 1):
                yield {**dict.fromkeys(chosen, group), **others}

    n_runs = sum(sizes)
    for where in deal(tuple(range(n_runs)), 0):
        yield np.array([where[run] for run in range(n_runs)])


def exact_pvalues(scores: Floats, sizes: Sequence[int]) -> dict[str, float]:
    """Exact p-values by visiting every relabelling, one at a time."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    observed = f_ratios(scores, labels)
    counts = dict.fromkeys(observed, 0)
    total = 0
    for relabelled in all_relabellings(sizes):
        total += 1
        for name, value in f_ratios(scores, relabelled).items():
            counts[name] += value >= observed[name] * (1 - 1e-9)
    return {name: count / total for name, count in counts.items()}


def combined_shares(scores: Floats, labels: Integers, blocks: Integers | None = None) -> Floats:
    """The four shares of the combined statistic by least squares; (4,).

    All steps, height, shape, and the largest of single steps: each is what the algorithms
    explain of a column once the blocks have been taken out.
    """
    blocks = np.zeros(len(labels), dtype=int) if blocks is None else blocks
    nuisance = (blocks[:, None] == np.unique(blocks)).astype(float)
    full = np.hstack([nuisance, (labels[:, None] == np.unique(labels)).astype(float)])

    def left(columns: Floats, model: Floats) -> Floats:
        return columns - model @ np.linalg.lstsq(model, columns, rcond=None)[0]

    def explained(columns: Floats) -> tuple[Floats, Floats]:
        total = np.sum(left(columns, nuisance) ** 2, axis=0)
        return total - np.sum(left(columns, full) ** 2, axis=0), total

    heights = scores.mean(axis=1, keepdims=True)
    shares = []
    for columns in (scores, heights, scores - heights):
        effect, total = explained(columns)
        shares.append(effect.sum() / total.sum())
    effect, total = explained(scores)
    varies = total > 1e-9 * total.max()
    return np.array([*shares, np.max(effect[varies] / total[varies])])
