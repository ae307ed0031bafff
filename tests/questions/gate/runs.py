"""Small runs of a candidate and a baseline, and gates by brute force."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise import Curves, gate

if TYPE_CHECKING:
    from curvewise import Gate
    from curvewise.kernels import Floats

__all__ = ["asked", "brute_force", "curves_of", "subsets"]


def curves_of(candidate: Any, baseline: Any, **options: Any) -> Curves:
    """Curves of a single step, with these scores."""
    scores = [*candidate, *baseline]
    labels = ["candidate"] * len(candidate) + ["baseline"] * len(baseline)
    return Curves(np.array(scores, dtype=float)[:, None], labels, **options)


def asked(curves: Curves, **options: Any) -> Gate:
    return gate(curves, candidate="candidate", baseline="baseline", **{"rng": 0, **options})


def subsets(n: int, size: int) -> list[list[int]]:
    return [list(chosen) for chosen in combinations(range(n), size)]


def brute_force(candidate: Floats, baseline: Floats) -> tuple[float, float]:
    """One-sided p of whether the candidate is above, and below, over every relabelling."""
    values = np.concatenate([candidate, baseline])
    sums = np.array([values[own].sum() for own in subsets(len(values), len(candidate))])
    observed, slack = candidate.sum(), 1e-9 * np.abs(values).sum()
    return float(np.mean(sums >= observed - slack)), float(np.mean(sums <= observed + slack))
