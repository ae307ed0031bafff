"""Many tables at once: one per task, dataset or pair, with p adjusted across them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.comparison import compare
from curvewise.errors import CurvewiseError, OptionError
from curvewise.kernels.adjustments import holm
from curvewise.kernels.memory import remembered
from curvewise.results import Comparisons

if TYPE_CHECKING:
    from curvewise.curves import Curves
    from curvewise.refusals import RNGLike
    from curvewise.results import ErrorTerm

__all__ = ["compare_many"]


def compare_many(
    tables: Mapping[str, Curves],
    *,
    error: ErrorTerm = "split",
    alpha: float = 0.05,
    n_shuffles: int = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
) -> Comparisons:
    """Compare the algorithms of each of several tables, and adjust across the tables.

    Tables of the same shape share their shuffles, which are drawn once.

    Parameters
    ----------
    tables : mapping from name to Curves
        One table per task or dataset, or per pair of algorithms.
    error, alpha, n_shuffles, exact, n_jobs, rng
        As in `compare`.

    Returns
    -------
    Comparisons

    Examples
    --------
    >>> import curvewise as cw
    >>> example = cw.load_example("tictactoe")
    >>> pairs = {f"A1, {b}": example.select("A1", b) for b in ("A2", "A3")}
    >>> cw.compare_many(pairs).significant("algorithm")
    ('A1, A2',)
    """
    given: object = tables
    if not isinstance(given, Mapping) or not tables:
        msg = "Give a mapping from names to Curves, with at least one of them."
        raise OptionError(msg)
    # One seed for all, so that tables of one shape are shuffled alike.
    seed = int(np.random.default_rng(rng).integers(2**63))
    found = {}
    options: dict[str, Any] = {"error": error, "alpha": alpha, "n_shuffles": n_shuffles}
    with remembered():
        for name, curves in tables.items():
            try:
                found[name] = compare(
                    curves, exact=exact, n_jobs=n_jobs, rng=seed, **options
                )
            except CurvewiseError as refused:
                msg = f"{name}: {refused}"
                raise type(refused)(msg) from None
    return Comparisons(found, _adjusted(found), float(alpha))


def _adjusted(found: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    adjusted = {}
    for effect in ("overall", "algorithm", "interaction"):
        pvalues = {
            name: comparison.effects[comparison.error][effect].pvalue
            for name, comparison in found.items()
            if effect in comparison.effects[comparison.error]
        }
        values = holm(np.array(list(pvalues.values()), dtype=np.float64))
        adjusted[effect] = dict(zip(pvalues, values.tolist(), strict=True))
    return adjusted
