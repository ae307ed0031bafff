"""Which way round an array of curves lies: runs × steps, or transposed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from curvewise.kernels import Floats

__all__ = ["looks_transposed"]

N_SHUFFLES = 1_999
# Rows beyond these change nothing.
MAX_ROWS = 500
# Rows are in an order when chance brings one so smooth this rarely, and columns are in none
# when it does so more often. Runs are in no order, so of arrays that lie right at most one
# in a thousand is suspected, and none whose scores change along the steps.
MAX_P_ROWS = 0.001
MIN_P_COLUMNS = 0.01


def looks_transposed(arrays: Collection[Floats]) -> bool:
    """Whether rows follow one another as steps do, while columns are in no order, as runs are.

    The rows are shuffled: runs can be told in any order, but steps that are out of order are
    farther apart than neighbours. Arrays with fewer than five rows, or with scores that are not
    finite, tell nothing.

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
    if not any(len(array) >= 5 for array in finite):
        return False
    return (
        _p_in_order(finite) <= MAX_P_ROWS
        and _p_in_order([array.T for array in finite]) > MIN_P_COLUMNS
    )


def _p_in_order(arrays: list[Floats]) -> float:
    """Return the share of orders of the rows whose neighbours are as close as they are."""
    rng = np.random.default_rng(0)
    observed, shuffled = 0.0, np.zeros(N_SHUFFLES)
    for array in arrays:
        rows = array[:MAX_ROWS]
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
