"""Curves that differ in a known part of training, and F at each step by its definition."""

from __future__ import annotations

import numpy as np

from curvewise import Curves
from tests.simulation import some_curves


def with_regions(seed: int, sizes: tuple[int, ...], n_steps: int, shift: float) -> Curves:
    """AR(1) curves of which the first algorithm's are lifted in the second third or so."""
    curves = some_curves(seed, sizes, n_steps)
    scores = curves.scores.copy()
    scores[curves.codes == 0, n_steps // 3 : n_steps // 2] += shift
    return Curves(scores, curves.labels, np.arange(n_steps) * 10)


def step_ratios(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """F at each step, one group at a time."""
    n, m = len(scores), len(np.unique(labels))
    between = within = 0.0
    for group in np.unique(labels):
        rows = scores[labels == group]
        between = between + len(rows) * (rows.mean(axis=0) - scores.mean(axis=0)) ** 2
        within = within + np.sum((rows - rows.mean(axis=0)) ** 2, axis=0)
    return np.asarray((between / (m - 1)) / (within / (n - m)))
