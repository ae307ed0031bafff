"""One data set as an effect grows: F of the absent effect, and its critical value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from studies.anovas import f_ratios
from studies.error_terms.autoregression import autoregressive, profile
from studies.error_terms.designs import ABSENT_EFFECT, KINDS
from studies.error_terms.shuffles import ALPHA, ERRORS, Design, p_values, shuffled_halves

__all__ = ["EXAMPLE", "UNREMARKABLE", "Mechanism", "mechanism"]

Floats = npt.NDArray[np.float64]

EXAMPLE = Design(10, 8, 4_999)
UNREMARKABLE = (0.1, 0.4)  # all p of the data set at size 0 lie between these


class Mechanism(NamedTuple):
    """The observed F and its critical value, by (kind, error), at each size.

    ``expected``, by kind, is the pooled critical value relative to size 0 if all shuffled F
    fell in proportion as the mean of MS_error* over all labellings,
    (T_h + T_s) / (k (n − 1)), rises.
    """

    sizes: Floats
    observed: dict[tuple[str, str], Floats]
    critical: dict[tuple[str, str], Floats]
    expected: dict[str, Floats]


def mechanism(rng: np.random.Generator) -> Mechanism:
    """Follow one data set: the first drawn in which both effects are far from significant."""
    n_runs, n_steps, n_shuffles = EXAMPLE
    halves = shuffled_halves(EXAMPLE, rng)
    low, high = UNREMARKABLE
    curves = autoregressive(rng, 2 * n_runs, n_steps)
    while not all(low < p < high for p in p_values(curves, halves)):
        curves = autoregressive(rng, 2 * n_runs, n_steps)
    sizes = np.linspace(0, 4, 17)
    rank = int(np.ceil((1 - ALPHA) * n_shuffles)) - 1
    observed, critical, expected = {}, {}, {}
    for kind in KINDS:
        added = halves[0][:, None] * profile(kind, n_steps)
        grown = [curves + size * added for size in sizes]
        every = [f_ratios(each, halves)._asdict() for each in grown]
        totals = np.array([each.var(axis=0).sum() for each in grown])
        expected[kind] = totals[0] / totals
        for error in ERRORS:
            f = np.array([each[f"{ABSENT_EFFECT[kind]}_{error}"] for each in every])
            observed[kind, error] = f[:, 0]
            critical[kind, error] = np.sort(f[:, 1:], axis=1)[:, rank]
    return Mechanism(sizes, observed, critical, expected)
