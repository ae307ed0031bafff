"""What a reader must know before believing a contrast."""

from __future__ import annotations

from dataclasses import dataclass

from curvewise.inference.caveats import Caveat
from curvewise.text import argument, p_text

__all__ = ["EqualRuns", "InfiniteT", "TooManyContrasts"]


@dataclass(frozen=True)
class EqualRuns(Caveat):
    """All runs have the same weighted sum."""

    def sentence(self) -> str:
        """Say that there is nothing to contrast."""
        return "All runs have the same weighted sum: there is nothing to contrast."


@dataclass(frozen=True)
class InfiniteT(Caveat):
    """All runs of an algorithm have the same weighted sum."""

    def sentence(self) -> str:
        """Say what to check."""
        return (
            "All runs of an algorithm have the same weighted sum, so t is infinite. Check that "
            "the runs are separate runs."
        )


@dataclass(frozen=True)
class TooManyContrasts(Caveat):
    """No adjusted p can be as small as alpha."""

    n_contrasts: int
    smallest_pvalue: float
    alpha: float

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        return (
            f"The smallest p possible, adjusted for {self.n_contrasts} contrasts, is "
            f"{p_text(self.smallest_pvalue)}, which is above alpha = {self.alpha:g}: nothing "
            f"can be significant. Use more runs, or {argument('adjust', 'max-t')}."
        )
