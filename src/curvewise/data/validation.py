"""Checks of what Curves are built from.

Each takes what the caller gave and returns it in its final form, or raises `CurvesError`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.names import name_of
from curvewise.data.steps import as_steps
from curvewise.errors import CurvesError
from curvewise.text import plural, step_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats

__all__ = [
    "Names",
    "check_run_names",
    "check_scores",
    "increasing_steps",
    "names_of",
    "numbered",
    "precision_of",
    "score_matrices",
    "score_matrix",
]

Names = np.ndarray[tuple[int], np.dtype[np.object_]]

# Sums of squares of larger scores would overflow.
MAX_SCORE = 1e140
# What one item of each of these arguments is called in a sentence.
NOUNS = {"labels": "label", "runs": "name", "blocks": "block", "batch": "batch"}


def score_matrix(scores: npt.ArrayLike) -> Floats:
    """Return scores as runs × steps that nobody else can change; raise if they are no numbers."""
    try:
        array = np.asarray(scores)
    except ValueError:
        msg = (
            "The runs differ in length. Give each as a RunLog, and bring them to common steps "
            "with align(run_logs)."
        )
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
        except (TypeError, ValueError, OverflowError):
            msg = f"Scores must be numbers, not {array.dtype}."
            raise CurvesError(msg) from None
    if array.ndim != 2:
        msg = (
            f"Scores must have two dimensions, runs × steps, not {array.ndim} "
            f"(shape {array.shape}). A single run is one row: reshape it to (1, n_steps)."
        )
        raise CurvesError(msg)
    if array.size == 0:
        msg = f"There are no scores: the array is {array.shape[0]} runs × {array.shape[1]} steps."
        raise CurvesError(msg)
    if array.dtype == np.float64 and array.flags.c_contiguous and _is_constant(array):
        return array
    with np.errstate(over="ignore"):  # what is too large for a double is infinite
        return np.array(array, dtype=np.float64, order="C")


def _is_constant(array: np.ndarray[Any, Any]) -> bool:
    """Whether nobody can change the numbers of an array, so that it need not be copied."""
    base: object = array
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        if base.flags.writeable:
            return False
        base = base.base
    # What is left owns the numbers: nobody, or a column of a frame that is never changed.
    return base is None or type(base).__name__ == "PySeries"


def score_matrices(scores: Mapping[str, npt.ArrayLike]) -> dict[str, Floats]:
    """Return the scores of each algorithm as runs × steps; raise unless all fit together."""
    given: object = scores
    if not isinstance(given, Mapping):
        msg = (
            "scores must be a mapping from algorithms to arrays, not a "
            f"{type(scores).__name__}."
        )
        raise CurvesError(msg)
    if len({str(name) for name in scores}) < len(scores):
        msg = "Two algorithms have the same name as text; rename one of them."
        raise CurvesError(msg)
    if not scores:
        msg = "There are no algorithms; give a runs × steps array for each."
        raise CurvesError(msg)
    matrices = {}
    for name, values in scores.items():
        try:
            matrices[name] = score_matrix(values)
        except CurvesError as error:
            msg = f"{name!r}: {error}"
            raise CurvesError(msg) from None
    widths = {name: matrix.shape[1] for name, matrix in matrices.items()}
    if len(set(widths.values())) > 1:
        counts = ", ".join(f"{name!r} has {width}" for name, width in widths.items())
        msg = (
            f"All algorithms need the same steps, but {counts}. Cut the arrays to the steps "
            "that all of them have."
        )
        raise CurvesError(msg)
    return matrices


def precision_of(scores: npt.ArrayLike) -> float:
    """Return the machine epsilon of the type that scores are given in."""
    dtype = np.asarray(scores).dtype
    return float(np.finfo(dtype if dtype.kind == "f" else np.float64).eps)


def names_of(values: Sequence[Any] | npt.ArrayLike, what: str, n_runs: int) -> Names:
    """Return one name per run, as text; raise if there are more, fewer or gaps.

    ``what`` is the argument: labels, runs, blocks or batch.
    """
    noun = NOUNS[what]
    if isinstance(values, str):
        msg = (
            f"{what} must be a sequence with one {noun} per run, not the text {values!r}."
        )
        raise CurvesError(msg)
    given = list(values) if isinstance(values, Iterable) else [values]
    if len(given) != n_runs:
        msg = (
            f"There are {plural(n_runs, 'run')} but {plural(len(given), noun)}; give every "
            f"run a {noun}."
        )
        raise CurvesError(msg)
    names = [name_of(value) for value in given]
    if None in names:
        msg = (
            f"{noun.capitalize()} {names.index(None) + 1} is missing. Give every run a "
            f"{noun}, or drop the run."
        )
        raise CurvesError(msg)
    # An array, so that scores[labels == "A"] selects rows; of objects, so that its items
    # are plain str.
    return np.array(names, dtype=object)


def numbered(labels: Names) -> Names:
    """Return names for runs: numbers from 0 within each algorithm."""
    counts: dict[str, count[int]] = defaultdict(count)
    return np.array([str(next(counts[label])) for label in labels], dtype=object)


def increasing_steps(steps: npt.ArrayLike | None, n_steps: int) -> np.ndarray[Any, Any]:
    """Return increasing steps, 0, 1, 2, … by default; raise if they are not such numbers."""
    if steps is None:
        return np.arange(n_steps)
    try:
        given = np.asarray(steps).ravel()
        values = np.array(
            given if given.dtype.kind not in "mMc" else "", dtype=np.float64
        )
    except (TypeError, ValueError, OverflowError):
        msg = "Steps must be numbers: the amount of training at each column of scores."
        raise CurvesError(msg) from None
    if len(values) != n_steps:
        msg = f"The scores have {plural(n_steps, 'column')} but there are {plural(len(values), 'step')}."
        raise CurvesError(msg)
    if not np.all(np.isfinite(values)):
        msg = "Steps must be finite numbers."
        raise CurvesError(msg)
    falls = np.flatnonzero(np.diff(values) <= 0)
    if falls.size:
        first, second = values[falls[0]], values[falls[0] + 1]
        msg = (
            f"Steps must increase, but {step_text(second)} comes after {step_text(first)}. "
            "Sort the columns by step, and give each step once."
        )
        raise CurvesError(msg)
    return as_steps(values)


def check_run_names(labels: Names, runs: Names) -> None:
    """Raise if two runs of an algorithm have the same name."""
    seen: set[tuple[str, str]] = set()
    for pair in zip(labels, runs, strict=True):
        if pair in seen:
            msg = (
                f"Two runs of {pair[0]!r} are both called {pair[1]!r}. Give each run of an "
                "algorithm a different name."
            )
            raise CurvesError(msg)
        seen.add(pair)


def check_scores(curves: Curves) -> None:
    """Raise if scores are missing, infinite or too large."""
    scores = curves.scores
    largest = max(-float(scores.min()), float(scores.max()))
    if not math.isfinite(largest):
        gaps = np.argwhere(~np.isfinite(scores))
        row, column = gaps[0]
        n_runs = len(np.unique(gaps[:, 0]))
        are = "score is" if len(gaps) == 1 else "scores are"
        msg = (
            f"{len(gaps):,} {are} missing, infinite or not a number, in "
            f"{plural(n_runs, 'run')}; the first in run {curves.runs[row]!r} of "
            f"{curves.labels[row]!r} at step {step_text(curves.steps[column])}. Curves with "
            "gaps cannot be shuffled. Give each run as a RunLog of the scores it has, and say "
            "what runs count as that failed: align(run_logs, short=…)."
        )
        raise CurvesError(msg)
    if largest > MAX_SCORE:
        msg = (
            f"Scores as large as {largest:.3g} overflow when squared. Divide all scores by a "
            "constant; the tests stay the same."
        )
        raise CurvesError(msg)
