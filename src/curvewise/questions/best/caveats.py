"""What a reader must know before believing who may be the best."""

from __future__ import annotations

import math
from dataclasses import dataclass

from curvewise.inference.caveats import Caveat
from curvewise.text import argument, listed, p_text

__all__ = ["KeptUncompared", "TooFewToRuleOut"]


@dataclass(frozen=True)
class TooFewToRuleOut(Caveat):
    """No data could rule out some algorithms.

    ``factor`` is what p is multiplied by; ``by_runs`` tells whether runs are too few, not
    shuffles; ``n_enough`` runs of each would do, where that is the same for all.
    """

    algorithms: tuple[str, ...]
    smallest_pvalue: float
    alpha: float
    factor: int
    by_runs: bool
    n_enough: int | None

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        enough = math.ceil(self.factor / self.alpha) - 1
        remedy = f"Use at least {argument('n_shuffles', enough)}"
        if self.by_runs:
            remedy = "Use more runs"
            if self.n_enough is not None:
                remedy = f"Use {self.n_enough} runs of each algorithm"
            if self.factor > 2:
                remedy += f", or {argument('adjust', 'max-t')}"
        return (
            f"With these runs the smallest p possible is {p_text(self.smallest_pvalue)} after "
            f"adjustment, which is above alpha = {self.alpha:g}: no data could rule out "
            f"{listed(self.algorithms, 6)} as the best. {remedy}."
        )


@dataclass(frozen=True)
class KeptUncompared(Caveat):
    """An algorithm is kept because it cannot be compared with the leader."""

    algorithm: str
    leader: str
    reason: str

    def sentence(self) -> str:
        """Say why it cannot be compared."""
        return (
            f"{self.algorithm} is kept, since it cannot be compared with {self.leader}: "
            f"{self.reason}"
        )
