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

import numpy as np
import numpy.typing as npt

import curvewise as cw

__all__ = ["CASES", "TILT", "modified", "stretched", "tilted"]

Floats = npt.NDArray[np.float64]

CASES = ("a", "b", "c", "d")
TILT = np.array([-7.0, -5.0, -3.0, -1.0, 1.0, 3.0, 5.0, 7.0])


def modified(curves: npt.ArrayLike, case: str, factor: npt.ArrayLike) -> Floats:
    """Return M_case(L, f) of each curve (n_curves, n_steps), for one or several factors.

    Several factors add a first axis: (n_factors, n_curves, n_steps).

    >>> modified([[0.0, 40.0, 60.0, 80.0]], "a", [0, 1, 2])[:, 0]
    array([[ 0., 40., 60., 80.],
           [ 1., 41., 61., 81.],
           [ 2., 42., 62., 82.]])
    """
    scores = np.asarray(curves, dtype=np.float64)
    factors = np.asarray(factor, dtype=np.float64)[..., None, None]
    return scores + factors * cw.scenario(case).difference(scores)


def stretched(curves: npt.ArrayLike, factor: npt.ArrayLike) -> Floats:
    """Return the curves times a factor; several factors add a first axis."""
    factors = np.asarray(factor, dtype=np.float64)[..., None, None]
    return factors * np.asarray(curves, dtype=np.float64)


def tilted(curves: npt.ArrayLike, tilt: npt.ArrayLike = TILT) -> Floats:
    """Return the curves plus the vector v of Table 4, which changes their shape only."""
    return np.asarray(curves, dtype=np.float64) + np.asarray(tilt, dtype=np.float64)
