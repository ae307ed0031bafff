"""Modifications of learning curves that change their height, their shape, or both.

Piater, Cohen, Zhang & Atighetchi (1998), appendix, modify each curve in one of four ways, in
proportion to a factor f and to the rise of the curve, r = L_k - L_1:

- a  raises it by a constant;
- b  tilts it about its middle, with the same mean (the number of steps must be even);
- c  raises it by more the longer it has learned;
- d  raises its middle, with the same ends.

Piater & Cohen (1997) stretch curves, and add a vector of mean zero for their Table 4.
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
    """Return M_case(L, f) of each curve (n_curves, n_steps), for one or several factors.

    Several factors add a first axis: (n_factors, n_curves, n_steps).

    >>> modified([[0.0, 40.0, 60.0, 80.0]], "a", [0, 1, 2])[:, 0]
    array([[ 0., 40., 60., 80.],
           [ 1., 41., 61., 81.],
           [ 2., 42., 62., 82.]])
    """
    if case not in CASES:
        msg = f"case must be one of {sorted(CASES)}, not {case!r}."
        raise OptionError(msg)
    scores = np.asarray(curves, dtype=np.float64)
    factors = np.asarray(factor, dtype=np.float64)[..., None, None]
    return scores + factors * CASES[case](scores)


def stretched(curves: npt.ArrayLike, factor: npt.ArrayLike) -> Floats:
    """Return the curves times a factor; several factors add a first axis."""
    factors = np.asarray(factor, dtype=np.float64)[..., None, None]
    return factors * np.asarray(curves, dtype=np.float64)


def tilted(curves: npt.ArrayLike, tilt: npt.ArrayLike = TILT) -> Floats:
    """Return the curves plus the vector v of Table 4, which changes their shape only."""
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
        msg = f"Case b needs an even number of steps, and these curves have {k}: drop a step."
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
