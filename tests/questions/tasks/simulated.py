"""Tasks with known truths."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise import Curves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.questions.tasks.method import OneTask


def some_tasks(
    seed: int,
    shifts: Sequence[float],
    sizes: Sequence[int] = (5, 5),
    n_steps: int = 6,
    **options: Any,
) -> dict[str, Curves]:
    """A task for each shift, by which the last algorithm is above the others, in SD of runs.

    Tasks have scales of their own, as games have.
    """
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    labels = np.array(list("ABCDEFGH"))[codes]
    tasks = {}
    for number, shift in enumerate(shifts):
        heights = rng.normal(size=len(codes)) + shift * (codes == codes.max())
        curves = heights[:, None] + 0.3 * rng.normal(size=(len(codes), n_steps))
        scale = np.exp(rng.normal())
        tasks[f"task {number}"] = Curves(scale * curves, labels, **options)
    return tasks


def unlisted(task: OneTask) -> OneTask:
    """The same task, as if it had too many relabellings to be listed."""
    other = copy(task)
    other.listed = None
    return other
