"""Whether it would pay to pair runs by what they share: the correlation that pilots show."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.inference.effects import Interval, json_ready

if TYPE_CHECKING:
    from curvewise.data.curves import Curves

__all__ = ["Pairing", "pairing_of"]

MIN_PAIRS = 4  # from which on the correlation has an interval
# Pairing pays from so many pairs on, if runs of a pair correlate at least so much.
BREAK_EVEN = {8: 0.2, 6: 0.5}


@dataclass(frozen=True)
class Pairing:
    """How the curve means of paired pilots correlate.

    Attributes
    ----------
    n_pairs : int
    correlation : float
    interval : Interval
        By Fisher's z; from -1 to 1 where there are too few pairs.
    confidence : float
    """

    n_pairs: int
    correlation: float
    interval: Interval
    confidence: float

    def pays(self, n_runs: int) -> bool:
        """Whether so many pairs find more than as many runs of each that are not paired."""
        return any(
            n_runs >= n_pairs and self.correlation >= least
            for n_pairs, least in BREAK_EVEN.items()
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        values = {name: json_ready(value) for name, value in vars(self).items()}
        return values | {"interval": list(self.interval)}


def pairing_of(pilots: Curves, confidence: float) -> Pairing | None:
    """Return how paired pilots correlate; None where they are not paired, or do not vary."""
    if (
        pilots.blocks is None
        or len(pilots.algorithms) != 2
        or not np.all(pilots.block_counts == 1)
        or pilots.n_runs < 2 * 3
    ):
        return None
    means = pilots.scores.mean(axis=1)
    order = np.argsort(pilots.blocks.astype(str), kind="stable")
    first, second = (
        means[order][pilots.codes[order] == code] - means[pilots.codes == code].mean()
        for code in (0, 1)
    )
    scale = math.sqrt(float(first @ first) * float(second @ second))
    if scale == 0:
        return None
    correlation = float(np.clip(float(first @ second) / scale, -1, 1))
    return Pairing(
        len(first),
        correlation,
        _interval(correlation, len(first), confidence),
        confidence,
    )


def _interval(correlation: float, n_pairs: int, confidence: float) -> Interval:
    if n_pairs < MIN_PAIRS or abs(correlation) == 1:
        return Interval(-1.0, 1.0)
    from scipy.special import ndtri

    width = float(ndtri((1 + confidence) / 2)) / math.sqrt(n_pairs - 3)
    z = math.atanh(correlation)
    return Interval(math.tanh(z - width), math.tanh(z + width))
