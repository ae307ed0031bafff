"""What a reader must know before believing how often tests cry wolf."""

from __future__ import annotations

from dataclasses import dataclass

from curvewise.inference.caveats import Caveat
from curvewise.text import listed, plural

__all__ = ["BlocksNotUsed", "TooFewToSplit", "TooFewToTell"]


@dataclass(frozen=True)
class TooFewToTell(Caveat):
    """Some algorithms have so few runs that their splits give no rate."""

    algorithms: tuple[str, ...]
    n_enough: int

    def sentence(self) -> str:
        """Say what is counted instead, and how many runs would do."""
        have = "has" if len(self.algorithms) == 1 else "have"
        return (
            f"{listed(self.algorithms, 6)} {have} fewer than {self.n_enough} runs: so few splits "
            "are counted only, and tell no rate by themselves. "
            f"{self.n_enough} runs or more would do."
        )


@dataclass(frozen=True)
class TooFewToSplit(Caveat):
    """Some algorithms have too few runs to be split at all."""

    algorithms: tuple[str, ...]
    n_enough: int

    def sentence(self) -> str:
        """Say who is left out."""
        are = "is" if len(self.algorithms) == 1 else "are"
        return (
            f"{listed(self.algorithms, 6)} {are} left out: with fewer than "
            f"{plural(self.n_enough, 'run')} there are no two halves to compare."
        )


@dataclass(frozen=True)
class BlocksNotUsed(Caveat):
    """The curves have blocks, which these tests do not know."""

    def sentence(self) -> str:
        """Say what is split, and when that misleads."""
        return (
            "Runs are split without regard to blocks, since these tests do not know any. Where "
            "blocks differ much, as tasks do, split the runs of one block at a time."
        )
