"""The interval of a probability of winning, averaged over strata.

Write p for the share of pairs that the first of two groups wins in a stratum, and P = Σ w p for
its mean over strata with weights that sum to 1. If runs of both groups vary alike, the variance of
p depends on its expectation θ, very nearly as Hanley & McNeil (1982) say,

    v(θ) = θ (1 − θ) (1 + n̄ (1 − θ) / (2 − θ) + n̄ θ / (1 + θ)) / (n₁ n₂),   n̄ = (n₁ + n₂) / 2 − 1,

which at θ = ½ is that of the rank sum. The interval holds all θ with |P − θ| ≤ c √(λ Σ w² v(θ)),
as Wilson's of a proportion does (Newcombe 2006, of a single stratum): it stays inside 0 and 1, and
has a width where all runs of one group win.

λ is what the runs themselves say of that variance: the variance of placement values (DeLong,
DeLong & Clarke-Pearson 1988) over Σ w² v(P). It is below 1 where tasks differ in θ, and above 1
where runs vary differently. Few runs say little, so λ is drawn towards 1 as if `PRIOR_DF` degrees
of freedom had said so, and c is a quantile of Student's t.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curvewise.kernels import Floats
    from curvewise.kernels.tasks.van_elteren import Stratum

__all__ = ["probability_interval", "winning_probability"]

PRIOR_DF = 5.0
N_HALVINGS = 60


def winning_probability(strata: Sequence[Stratum]) -> float:
    """Return how often a run of the first group wins, strata weighted as in V."""
    weights = [own.weight for own in strata]
    wins = sum(own.weight * own.probability for own in strata)
    return wins / sum(weights)


def probability_interval(strata: Sequence[Stratum], alpha: float) -> tuple[float, float]:
    """Return the interval of `winning_probability`, at confidence 1 − alpha."""
    from scipy.special import stdtrit

    centre = winning_probability(strata)
    weights = np.array([own.weight for own in strata])
    weights /= weights.sum()
    sizes = np.array([own.sizes for own in strata], dtype=np.float64)
    known = [place for place, own in enumerate(strata) if min(own.sizes) > 1]
    df = float(np.sum(sizes[known].sum(axis=1) - 2)) / 2
    ratio = 1.0
    if 0 < centre < 1 and df > 0:
        placed = [_placement_variance(strata[place]) for place in known]
        expected = _variance(centre, weights[known], sizes[known])
        ratio = float(weights[known] ** 2 @ placed) / expected
    scale = (df * ratio + PRIOR_DF) / (df + PRIOR_DF)
    # Without runs that tell, such as single ones in blocks, the variance is taken as known.
    quantile = float(stdtrit(df + PRIOR_DF if df > 0 else math.inf, 1 - alpha / 2))

    def is_inside(theta: float) -> bool:
        spread = quantile**2 * scale * _variance(theta, weights, sizes)
        return (centre - theta) ** 2 <= spread

    return _end(is_inside, centre, 0.0), _end(is_inside, centre, 1.0)


def _variance(theta: float, weights: Floats, sizes: Floats) -> float:
    """Return Σ w² v(θ)."""
    extra = sizes.sum(axis=1) / 2 - 1
    pairs = 1 + extra * ((1 - theta) / (2 - theta) + theta / (1 + theta))
    own = theta * (1 - theta) * pairs / sizes.prod(axis=1)
    return float(weights**2 @ own)


def _placement_variance(stratum: Stratum) -> float:
    """Return the variance of a stratum's share of wins, from how runs are placed."""
    ours = stratum.doubled[stratum.first][:, None]
    wins = (1 + np.sign(ours - stratum.doubled[~stratum.first])) / 2
    return sum(
        float(np.var(wins.mean(axis=axis), ddof=1)) / wins.shape[1 - axis]
        for axis in (0, 1)
    )


def _end(is_inside: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return where the interval ends between its centre and 0 or 1, by halving."""
    if inside == outside or is_inside(outside):
        return outside
    for _ in range(N_HALVINGS):
        middle = (inside + outside) / 2
        if is_inside(middle):
            inside = middle
        else:
            outside = middle
    return inside
