"""The bootstrap: whole curves drawn with replacement, computed as matrix products.

A resample is a row of counts, how often each unit was drawn; means of all resamples are products
of counts and scores. Units are runs, drawn within their algorithm, or whole blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.codes import distinct
from curvewise.kernels.relabelling.streams import random_words, stream_key, unit_interval

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers

__all__ = ["resample_counts"]


def resample_counts(strata: Integers, n_resamples: int, seed: int) -> Floats:
    """Draw units within their stratum; return how often each is drawn, (n_resamples, n_units).

    ``strata`` is the stratum of each unit. The same seed gives the same resamples.
    """
    counts = np.zeros((n_resamples, len(strata)))
    rows = np.arange(n_resamples)[:, None]
    for stratum in distinct(strata):
        units = np.flatnonzero(strata == stratum)
        words = random_words(stream_key(seed, int(stratum)), 0, n_resamples * len(units))
        chosen = units[(unit_interval(words) * len(units)).astype(np.int64)]
        np.add.at(counts, (rows, chosen.reshape(n_resamples, len(units))), 1.0)
    return counts
