"""When enough has been shuffled.

``"auto"`` shuffles until the verdict at alpha is settled: for every effect the interval of p
lies on one side of alpha. It is looked at after 16,384 shuffles and each time their number
has doubled, at most seventeen times. The intervals are so wide that the chance of any look
misleading any of the three effects is below a thousandth of alpha, and p is held against
alpha less that thousandth: so the chance of a false alarm stays below alpha, whatever the
looks (Gandy 2009 bounds the risk in the same way).

``"precise"`` shuffles until every p is known to a tenth: until a hundred relabellings were
as extreme for each effect (Besag & Clifford 1991).

Both give up at 2³⁰ shuffles.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.kernels.pvalues import clopper_pearson
from curvewise.shuffling import FIRST_LOOK

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.kernels import Integers

__all__ = ["MOST_SHUFFLES", "RULES", "stopping_rule"]

MOST_SHUFFLES = 2**30
N_LOOKS = int(math.log2(MOST_SHUFFLES / FIRST_LOOK)) + 1
SHARE = 1e-3  # of alpha, spent on the risk that a look misleads
RULES = ("auto", "precise")


def stopping_rule(rule: str, alpha: float) -> Callable[[Integers, int], bool]:
    """Return ``settled(n_extreme, count)`` for "auto" or "precise"."""

    def is_known(n_extreme: Integers, _: int) -> bool:
        return bool(min(n_extreme) >= 100)

    def is_decided(n_extreme: Integers, count: int) -> bool:
        confidence = 1 - SHARE * alpha / (N_LOOKS * len(n_extreme))
        held = alpha * (1 - SHARE)
        intervals = [clopper_pearson(int(n), count, confidence) for n in n_extreme]
        return all(high < held or low > held for low, high in intervals)

    return is_decided if rule == "auto" else is_known
