"""What a contrast is made of: coefficients over algorithms, weights over steps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.data.steps import trapezoids
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.measures import mean_weights, window_weights
from curvewise.inference.requirements import check_choice
from curvewise.text import did_you_mean, in_python

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats

    Weights = Literal["trend", "area"] | tuple[str, float, float] | npt.ArrayLike | None

__all__ = ["coefficient_array", "weight_array"]


def coefficient_array(curves: Curves, coefficients: object) -> Floats:
    """Return a coefficient for each algorithm, or say why there is none."""
    example = in_python("{'A': 1, 'B': -0.5, 'C': -0.5}") or "-c A=1 -c B=-0.5 -c C=-0.5"
    if not isinstance(coefficients, Mapping) or not coefficients:
        msg = f"Coefficients are a mapping from algorithms to numbers, such as {example}."
        raise OptionError(msg)
    for name, number in coefficients.items():
        if name not in curves.algorithms:
            msg = f"No algorithm is called {name!r}; {did_you_mean(str(name), curves.algorithms)}"
            raise CurvesError(msg)
        if not isinstance(number, Real) or not math.isfinite(number):
            msg = (
                f"The coefficient of {name!r} must be a finite number; it is {number!r}."
            )
            raise OptionError(msg)
    numbers = np.array([float(coefficients.get(a, 0.0)) for a in curves.algorithms])
    if not numbers.any():
        msg = f"All coefficients are 0: there is nothing to contrast. Give some as in {example}."
        raise OptionError(msg)
    size = float(np.abs(numbers).max())
    total = float((numbers / size).sum())
    if abs(total) > 1e-9 * float(np.abs(numbers / size).sum()):
        msg = (
            f"The coefficients of a contrast sum to 0; these sum to {total * size:.4g}. "
            f"Set a mean against another, as in {example}."
        )
        raise OptionError(msg)
    return numbers


def weight_array(curves: Curves, weights: Weights) -> tuple[Floats, Floats | str]:
    """Return a weight for each step, and how the weights are labelled."""
    n_steps, steps = curves.n_steps, curves.steps.astype(np.float64)
    if weights is None:
        return mean_weights(curves.steps)[0], "mean"
    if isinstance(weights, str):
        check_choice("weights", weights, ("trend", "area"))
        if n_steps == 1:
            msg = (
                f"There is a single step, so curves have no {weights}. Leave weights out."
            )
            raise CurvesError(msg)
        if weights == "trend":
            span = float(np.ptp(steps))
            x = (steps - steps.mean()) / span
            return x / (x @ x) / span, "trend"
        return trapezoids(steps), "area"
    if isinstance(weights, tuple) and weights and isinstance(weights[0], str):
        if weights[0] != "window" or len(weights) != 3:
            msg = f"A window is ('window', start, stop), in steps; it is {weights!r}."
            raise OptionError(msg)
        return window_weights(curves.steps, *weights[1:])
    try:
        numbers = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.full(1, np.nan)
    if numbers.shape != (n_steps,) or not np.isfinite(numbers).all():
        shape = "×".join(map(str, numbers.shape)) or "1"
        msg = (
            f"weights must be 'trend', 'area', ('window', start, stop), or {n_steps} finite "
            f"numbers, one for each step; there are {shape} of them, "
            f"{int(np.isfinite(numbers).sum())} finite."
        )
        raise OptionError(msg)
    if not numbers.any():
        msg = "All weights are 0: nothing is left of the curves. Give a step some weight."
        raise OptionError(msg)
    numbers.setflags(write=False)
    return numbers, numbers
