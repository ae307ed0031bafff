"""When enough has been shuffled.

``"auto"`` shuffles until the verdict at alpha is settled: for every p that decides it, the
interval of p lies on one side of alpha. It is looked at after 16,384 shuffles and each time their
number has doubled, at most seventeen times. The intervals are so wide that the chance of any look
misleading any of these p is below a thousandth of alpha, and p is held against alpha less that
thousandth: so the chance of a false alarm stays below alpha, whatever the looks (Gandy 2009 bounds
the risk in the same way).

``"precise"`` shuffles until every p is known to within 10%: until a hundred relabellings were
as extreme for each (Besag & Clifford 1991).

Both give up at 2³⁰ shuffles, or earlier where a question says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curvewise.kernels.pvalues import clopper_pearson
from curvewise.kernels.relabelling.streams import BATCH

if TYPE_CHECKING:
    from curvewise.kernels import Integers

__all__ = ["FIRST_LOOK", "MAX_SHUFFLES", "RULES", "StoppingRule"]

RULES = ("auto", "precise")
MAX_SHUFFLES = 2**30
FIRST_LOOK = 16 * BATCH  # shuffles before it is first asked whether they are enough
N_LOOKS = int(math.log2(MAX_SHUFFLES / FIRST_LOOK)) + 1
RISK_SHARE = 1e-3  # of alpha, spent on the risk that a look misleads
MIN_EXTREME = 100  # relabellings as extreme, for a p that is known to within 10%


@dataclass(frozen=True)
class StoppingRule:
    """When to stop shuffling: "auto", against some levels, or "precise"."""

    name: str
    levels: tuple[float, ...] = (0.05,)

    def is_settled(self, n_extreme: Integers, count: int) -> bool:
        """Tell whether ``count`` shuffles, so many of them extreme, are enough."""
        if self.name == "precise":
            return bool(min(n_extreme) >= MIN_EXTREME)
        return all(self._is_decided(n_extreme, count, level) for level in self.levels)

    def _is_decided(self, n_extreme: Integers, count: int, alpha: float) -> bool:
        confidence = 1 - RISK_SHARE * alpha / (N_LOOKS * len(n_extreme))
        bar = alpha * (1 - RISK_SHARE)
        intervals = [clopper_pearson(int(n), count, confidence) for n in n_extreme]
        return all(high < bar or low > bar for low, high in intervals)
