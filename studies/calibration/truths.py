"""Truths: which differences are planted between the mean curves of the algorithms.

To add a truth, write a function (number of algorithms, number of steps) -> mean curves, in
units of the process, and give it a row in `TRUTHS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TRUTHS", "Truth"]

Floats = npt.NDArray[np.float64]

OFFSET = 25.0  # keeps learning curves above 0, as the transfer ratio needs


@dataclass(frozen=True)
class Truth:
    """One truth.

    Attributes
    ----------
    name : str
    effects : function
        (number of algorithms, number of steps) -> mean curves, one row for each algorithm,
        in units of the process.
    on_tasks : tuple of float
        How many times that is planted in each of several tasks, in turn; in none or once by
        chance where it is empty.
    """

    name: str
    effects: Callable[[int, int], Floats]
    on_tasks: tuple[float, ...] = ()


def nothing(n_algorithms: int, n_steps: int) -> Floats:
    """Plant no difference at all."""
    return np.zeros((n_algorithms, n_steps))


def height(n_algorithms: int, n_steps: int) -> Floats:
    """Raise the last algorithm at all steps."""
    effects = nothing(n_algorithms, n_steps)
    effects[-1] = 2
    return effects


def crossing(n_algorithms: int, n_steps: int) -> Floats:
    """Let the last algorithm begin lower and end higher, with the same mean."""
    effects = nothing(n_algorithms, n_steps)
    effects[-1] = np.linspace(-4, 4, n_steps)
    return effects


def planted(n_algorithms: int, n_steps: int) -> Floats:
    """Raise the last algorithm in the second quarter of training."""
    effects = nothing(n_algorithms, n_steps)
    effects[-1, n_steps // 4 : n_steps // 2] = 4
    return effects


def one_different(n_algorithms: int, n_steps: int) -> Floats:
    """Let the last algorithm differ in height and shape."""
    effects = nothing(n_algorithms, n_steps)
    effects[-1] = 4 * (0.3 + np.arange(n_steps) / n_steps)
    return effects


def two_groups(n_algorithms: int, n_steps: int) -> Floats:
    """Let the second half of the algorithms differ from the first in height and shape."""
    effects = nothing(n_algorithms, n_steps)
    effects[n_algorithms // 2 :] = 4 * (0.3 + np.arange(n_steps) / n_steps)
    return effects


def two_tie(n_algorithms: int, n_steps: int) -> Floats:
    """Leave the first two algorithms equally good, and make the others worse."""
    effects = nothing(n_algorithms, n_steps)
    effects[2:] = -2
    return effects


def near_tie(n_algorithms: int, n_steps: int) -> Floats:
    """Make each algorithm a little worse than the one before."""
    levels = -0.1 * np.arange(n_algorithms)
    return np.repeat(levels[:, None], n_steps, axis=1)


def balanced(n_algorithms: int, n_steps: int) -> Floats:
    """Put the others as far above the first algorithm as below it."""
    levels = np.zeros(n_algorithms)
    levels[1:] = 4 * (-1.0) ** np.arange(n_algorithms - 1)
    if n_algorithms % 2 == 0:
        levels[-1] = 0
    return np.repeat(levels[:, None], n_steps, axis=1)


def learning(n_algorithms: int, n_steps: int) -> Floats:
    """Let all algorithms learn alike."""
    return np.tile(_learning_curve(n_steps, 4.0), (n_algorithms, 1))


def learning_faster(n_algorithms: int, n_steps: int) -> Floats:
    """Let the last algorithm learn faster than the others, to the same asymptote."""
    effects = learning(n_algorithms, n_steps)
    effects[-1] = _learning_curve(n_steps, 9.0)
    return effects


def _learning_curve(n_steps: int, rate: float) -> Floats:
    at = np.arange(1, n_steps + 1) / n_steps
    return np.asarray(OFFSET + 8 * (1 - np.exp(-rate * at)))


TRUTHS: dict[str, Truth] = {
    truth.name: truth
    for truth in (
        Truth("nothing differs", nothing),
        Truth("height differs", height),
        Truth("curves cross", crossing),
        Truth("a quarter differs", planted),
        Truth("one differs", one_different),
        Truth("two groups", two_groups),
        Truth("two tie", two_tie),
        Truth("near ties", near_tie),
        Truth("others balance", balanced),
        Truth("all tasks alike", height, (0.5,)),
        Truth("half each way", height, (1, -1)),
        Truth("one task in five", height, (1.5, 0, 0, 0, 0)),
        Truth("learn alike", learning),
        Truth("one learns faster", learning_faster),
    )
}
