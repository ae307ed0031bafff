"""What a reader must know before believing a plan."""

from __future__ import annotations

from dataclasses import dataclass

from curvewise.inference.caveats import Caveat
from curvewise.text import argument, plural

__all__ = ["NotReachable", "PairsTooFew"]


@dataclass(frozen=True)
class NotReachable(Caveat):
    """The most runs that were considered are not enough."""

    max_runs: int
    power_there: float
    power: float

    def sentence(self) -> str:
        """Say what power there is, and what to do."""
        return (
            f"With {plural(self.max_runs, 'run')} the power is {self.power_there:.2f}, below the "
            f"{self.power:g} asked for. Look for a larger difference, ask for less power, or "
            f"allow more runs: {argument('max_runs')}."
        )


@dataclass(frozen=True)
class PairsTooFew(Caveat):
    """With pairs more runs are needed before anything can be significant."""

    smallest_n: int
    smallest_unpaired: int

    def sentence(self) -> str:
        """Say how many pairs it takes at least."""
        return (
            f"Paired runs need at least {self.smallest_n} pairs before any data could be "
            f"significant; runs that are not paired need {self.smallest_unpaired} of each."
        )
