"""What may become part of Curves: each check returns it in its final form, or refuses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import CurvesError
from curvewise.steps import as_steps, step_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from curvewise.kernels import Floats

__all__ = [
    "Names",
    "names_of",
    "numbered",
    "precision_of",
    "rising_steps",
    "score_matrix",
]

Names = np.ndarray[tuple[int], np.dtype[np.object_]]


def score_matrix(scores: npt.ArrayLike) -> Floats:
    """Return scores as runs × steps, copied; refuse what has no such shape."""
    try:
        array = np.asarray(scores)
    except ValueError:
        msg = "The runs differ in length. Cut them to the steps they share."
        raise CurvesError(msg) from None
    filled: Any = getattr(scores, "filled", None)
    if filled is not None:  # a masked array; naming its type would import numpy.ma
        array = np.asarray(
            filled(np.nan) if array.dtype.kind == "f" else scores, dtype=float
        )
        array = np.where(np.asarray(getattr(scores, "mask", False)), np.nan, array)
    if array.dtype.kind in "mMc":
        # NumPy would turn dates into nanoseconds and drop imaginary parts.
        msg = f"Scores must be numbers, not {array.dtype}."
        raise CurvesError(msg)
    if array.dtype.kind not in "fiub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            msg = f"Scores must be numbers, not {array.dtype}."
            raise CurvesError(msg) from None
    if array.ndim != 2:
        msg = (
            f"Scores must be runs × steps, two dimensions, but they have {array.ndim}"
            f" (shape {array.shape}). A single run is one row: reshape it to (1, n_steps)."
        )
        raise CurvesError(msg)
    if array.size == 0:
        msg = f"There are no scores: the array is {array.shape[0]} runs × {array.shape[1]} steps."
        raise CurvesError(msg)
    return np.array(array, dtype=np.float64, order="C")


def precision_of(scores: npt.ArrayLike) -> float:
    """Return the machine epsilon of the type that scores are given in."""
    dtype = np.asarray(scores).dtype
    return float(np.finfo(dtype if dtype.kind == "f" else np.float64).eps)


def names_of(values: Sequence[Any] | npt.ArrayLike, what: str, n_runs: int) -> Names:
    """Return one name per run, as text; refuse too many or too few."""
    if isinstance(values, str):
        msg = f"{what} must be a sequence with one name per run, not the text {values!r}."
        raise CurvesError(msg)
    given = list(values) if isinstance(values, Iterable) else [values]
    if len(given) != n_runs:
        msg = f"There are {n_runs} runs but {len(given)} {what}: give one for each run."
        raise CurvesError(msg)
    for place, value in enumerate(given):
        if value is None or value != value:  # noqa: PLR0124 (NaN differs from itself)
            msg = (
                f"The {place + 1}. of the {what} is missing. Name each run's, or drop it."
            )
            raise CurvesError(msg)
    # An array, so that scores[labels == "A"] means what it says; of objects, so that its
    # items are plain text.
    return np.array([str(value) for value in given], dtype=object)


def numbered(labels: Names) -> Names:
    """Give the runs of each algorithm numbers from 0."""
    counts: dict[str, count[int]] = defaultdict(count)
    return np.array([str(next(counts[label])) for label in labels], dtype=object)


def rising_steps(steps: npt.ArrayLike | None, n_steps: int) -> np.ndarray[Any, Any]:
    """Return steps as rising numbers, 0, 1, 2, … when none are given."""
    if steps is None:
        return np.arange(n_steps)
    try:
        given = np.asarray(steps).ravel()
        values = np.array(
            given if given.dtype.kind not in "mMc" else "", dtype=np.float64
        )
    except (TypeError, ValueError):
        msg = "Steps must be numbers: how much training each column of scores stands for."
        raise CurvesError(msg) from None
    if len(values) != n_steps:
        msg = f"The scores have {n_steps} columns but there are {len(values)} steps."
        raise CurvesError(msg)
    if not np.all(np.isfinite(values)):
        msg = "Steps must be finite numbers."
        raise CurvesError(msg)
    falls = np.flatnonzero(np.diff(values) <= 0)
    if falls.size:
        first, second = values[falls[0]], values[falls[0] + 1]
        msg = (
            f"Steps must rise, but {step_text(second)} comes after {step_text(first)}. Sort the columns by "
            "step, and give each step once."
        )
        raise CurvesError(msg)
    return as_steps(values)
