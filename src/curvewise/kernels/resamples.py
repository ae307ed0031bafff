"""The bootstrap: whole curves drawn again, with replacement, as matrix products.

A resample is a row of counts, how often each unit was drawn; means and variances of all
resamples are products of counts and scores. Units are runs, drawn within their algorithm,
or whole blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.streams import stream_key, words

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = ["resample_counts", "resampled_means"]


def resample_counts(strata: Integers, n_resamples: int, seed: int) -> Floats:
    """Count how often each unit is drawn, within its stratum; (n_resamples, n_units)."""
    counts = np.zeros((n_resamples, len(strata)))
    rows = np.arange(n_resamples)[:, None]
    for stratum in np.unique(strata):
        units = np.flatnonzero(strata == stratum)
        drawn = words(stream_key(seed, int(stratum)), 0, n_resamples * len(units))
        # 53 bits of each word, as a number from 0 up to 1.
        chance = (drawn >> np.uint64(11)).astype(np.float64) * 2.0**-53
        chosen = units[(chance * len(units)).astype(np.int64)]
        np.add.at(counts, (rows, chosen.reshape(n_resamples, len(units))), 1.0)
    return counts


def resampled_means(
    values: Floats, weights: Floats, counts: Floats
) -> tuple[Floats, Floats]:
    """Return the weighted mean over units, and its variance, in each resample.

    ``values`` is (n_units, n_steps), ``counts`` (n_resamples, n_units); both results are
    (n_resamples, n_steps). Counts of 1 give the mean and variance of the data.
    """
    n_units = len(values)
    weighted, squared = counts * weights, counts * weights**2
    total = weighted.sum(axis=1, keepdims=True)
    means = weighted @ values / total
    around = squared @ values**2
    around -= 2 * means * (squared @ values)
    around += means**2 * squared.sum(axis=1, keepdims=True)
    variances = np.maximum(around, 0.0) / total**2 * (n_units / max(n_units - 1, 1))
    return means, variances
