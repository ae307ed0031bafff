"""What a reader must know before believing the comparison of pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from curvewise.inference.caveats import Caveat
from curvewise.text import argument, p_text, plural

__all__ = ["LeftOut", "TooManyPairs"]


@dataclass(frozen=True)
class TooManyPairs(Caveat):
    """No adjusted p can be as small as alpha, whatever the data.

    ``by_runs`` tells whether runs are too few, not shuffles; ``n_enough`` runs of each would
    do, where that is known, or the adjustment ``instead``, where there is one.
    """

    n_pairs: int
    smallest_pvalue: float
    alpha: float
    by_runs: bool
    n_enough: int | None
    instead: str | None

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        remedy = "Use more blocks that hold both algorithms of a pair"
        if not self.by_runs:
            enough = math.ceil(self.n_pairs / self.alpha) - 1
            remedy = f"Use at least {argument('n_shuffles', enough)}"
        elif self.n_enough is not None:
            remedy = f"Use {self.n_enough} runs of each algorithm"
        if self.by_runs and self.instead is not None:
            remedy += f", or {argument('adjust', self.instead)}"
        return (
            f"With these runs the smallest p possible is {p_text(self.smallest_pvalue)} after "
            f"adjustment for {plural(self.n_pairs, 'pair')}, which is above alpha = "
            f"{self.alpha:g}: no data could be significant. {remedy}."
        )


@dataclass(frozen=True)
class LeftOut(Caveat):
    """Some pairs could not be compared."""

    pairs: tuple[str, ...]
    reason: str

    def sentence(self) -> str:
        """Say which, and why."""
        shown = "; ".join(self.pairs[:3])
        if len(self.pairs) > 3:
            shown += f"; and {len(self.pairs) - 3:,} other pairs"
        return f"Left out: {shown}. {self.reason}"
