"""Tasks with known scores, for tests of aggregates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise import Curves

if TYPE_CHECKING:
    from collections.abc import Sequence


def some_tasks(
    seed: int = 0,
    n_tasks: int = 12,
    sizes: Sequence[int] = (4, 4, 4),
    n_steps: int = 5,
    lead: float = 0.8,
    **options: Any,
) -> dict[str, Curves]:
    """Tasks of different heights and scales; each algorithm is ahead of the one before."""
    rng = np.random.default_rng(seed)
    tasks = {}
    codes = np.repeat(np.arange(len(sizes)), sizes)
    for number in range(n_tasks):
        scale = rng.lognormal()
        noise = rng.normal(size=(len(codes), 1)) + rng.normal(size=(len(codes), n_steps))
        learning = np.linspace(0, 2, n_steps)
        scores = 10 * rng.normal() + scale * (noise + learning + lead * codes[:, None])
        labels = ["ABCDEFGH"[code] for code in codes]
        tasks[f"task {number}"] = Curves(scores, labels, **options)
    return tasks
