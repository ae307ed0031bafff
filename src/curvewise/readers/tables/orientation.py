"""Which way round an array of curves lies: runs × steps, or transposed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from curvewise.kernels import Floats

__all__ = ["Orientation", "orientation"]

N_SHUFFLES = 1_999
MIN_ROWS = 5
# Rows beyond these change nothing.
MAX_ROWS = 500
# Rows are taken for steps when chance brings an order so smooth this rarely, and columns, or
# rows, are in no order when it does so more often. Runs are in no order, so of arrays that lie
# right at most one in a thousand is suspected, and none whose scores change along the steps.
MAX_P_STEPS_IN_ROWS = 0.001
MIN_P_IN_NONE = 0.01

Orientation = Literal["runs × steps", "steps × runs"]


def orientation(arrays: Collection[Floats]) -> Orientation | None:
    """Tell from scores whether rows are runs and columns steps, or the other way round.

    The rows are shuffled: runs can be told in any order, but steps that are out of order are
    farther apart than neighbours. The same is done to columns. None if neither is in an order,
    or both are, or scores are not finite. Fewer than five rows are not taken for steps.

    Parameters
    ----------
    arrays : collection of array, (n_rows, n_columns)
        One per algorithm, all of the same orientation.
    """
    finite = [
        np.asarray(array, dtype=np.float64)
        for array in arrays
        if min(array.shape) > 1 and np.isfinite(array).all()
    ]
    if not finite:
        return None
    rows, columns = _p_in_order(finite), _p_in_order([array.T for array in finite])
    if columns > MIN_P_IN_NONE:
        n_rows = max(len(array) for array in finite)
        is_in_order = rows <= MAX_P_STEPS_IN_ROWS and n_rows >= MIN_ROWS
        return "steps × runs" if is_in_order else None
    return "runs × steps" if rows > MIN_P_IN_NONE else None


def _p_in_order(arrays: list[Floats]) -> float:
    """Return the share of orders of the rows whose neighbours are as close as they are."""
    rng = np.random.default_rng(0)
    observed, shuffled = 0.0, np.zeros(N_SHUFFLES)
    for array in arrays:
        largest = np.abs(array).max()
        rows = array[:MAX_ROWS] / (
            largest or 1.0
        )  # squares of very large scores overflow
        rows = rows - rows.mean(axis=0)
        products = rows @ rows.T
        sizes = np.diag(products)
        if sizes.sum() == 0:
            continue
        distances = (sizes[:, None] + sizes - 2 * products) / sizes.sum()
        order = np.arange(len(rows))
        orders = rng.permuted(np.tile(order, (N_SHUFFLES, 1)), axis=1)
        observed += distances[order[:-1], order[1:]].sum()
        shuffled += distances[orders[:, :-1], orders[:, 1:]].sum(axis=1)
    n_as_close = np.count_nonzero(shuffled <= observed * (1 + 1e-9) + 1e-12)
    return float((1 + n_as_close) / (1 + N_SHUFFLES))
