"""Learning curves made to differ from themselves in height, in shape, or in both.

Piater, Cohen, Zhang & Atighetchi (1998), appendix, change every curve by one of four cases,
in proportion to a factor f and to what the curve itself learns, r = L_k - L_1:

- a  raises it as a whole;
- b  turns it about its middle and leaves its mean as it is (the number of steps is even);
- c  raises it the more, the longer it has been learning;
- d  raises its middle, and leaves both ends as they are.

Piater & Cohen (1997) stretch curves, and in their Table 4 add a vector of mean zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from curvewise import CurvesError, OptionError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CASES", "TILT", "modified", "stretched", "tilted"]

Floats = npt.NDArray[np.float64]

TILT = np.array([-7.0, -5.0, -3.0, -1.0, 1.0, 3.0, 5.0, 7.0])


def modified(curves: npt.ArrayLike, case: str, factor: npt.ArrayLike) -> Floats:
    """Return M_case(L, f) of each curve (n_curves, n_steps), for one f or for several.

    Several factors give one more axis, the first: (n_factors, n_curves, n_steps).

    >>> modified([[0.0, 40.0, 60.0, 80.0]], "a", [0, 1, 2])[:, 0]
    array([[ 0., 40., 60., 80.],
           [ 1., 41., 61., 81.],
           [ 2., 42., 62., 82.]])
    """
    if case not in CASES:
        msg = f"No modification is called {case!r}; choose from {sorted(CASES)}."
        raise OptionError(msg)
    scores = np.asarray(curves, dtype=np.float64)
    factors = np.asarray(factor, dtype=np.float64)[..., None, None]
    return scores + factors * CASES[case](scores)


def stretched(curves: npt.ArrayLike, factor: npt.ArrayLike) -> Floats:
    """Return the curves multiplied by a factor, or by several along a new first axis."""
    factors = np.asarray(factor, dtype=np.float64)[..., None, None]
    return factors * np.asarray(curves, dtype=np.float64)


def tilted(curves: npt.ArrayLike, tilt: npt.ArrayLike = TILT) -> Floats:
    """Return the curves with the vector v of Table 4 added: the same height, another shape."""
    return np.asarray(curves, dtype=np.float64) + np.asarray(tilt, dtype=np.float64)


def _rise(scores: Floats) -> Floats:
    return scores[..., -1:] - scores[..., :1]


def _steps(scores: Floats) -> tuple[Floats, int]:
    """Return the steps i, counted from 1, and their number k."""
    n_steps = scores.shape[-1]
    return np.arange(1.0, n_steps + 1), n_steps


def _raised(scores: Floats) -> Floats:
    return np.broadcast_to(_rise(scores) / 80, scores.shape)


def _turned(scores: Floats) -> Floats:
    i, k = _steps(scores)
    if k % 2:
        msg = (
            f"Curves of {k} steps cannot be turned about their middle, which lies between "
            "two steps only if their number is even: drop a step."
        )
        raise CurvesError(msg)
    return _rise(scores) / 100 * np.where(i <= k / 2, k / 2 - i + 1, k / 2 - i)


def _fanned(scores: Floats) -> Floats:
    i, _ = _steps(scores)
    return (scores - scores[..., :1]) / 100 * (i - 1)


def _bent(scores: Floats) -> Floats:
    i, k = _steps(scores)
    return _rise(scores) / 100 * np.where(i <= k / 2, i - 1, k - i)


CASES: dict[str, Callable[[Floats], Floats]] = {
    "a": _raised,
    "b": _turned,
    "c": _fanned,
    "d": _bent,
}
