"""What a reader must know before believing a location."""

from __future__ import annotations

from dataclasses import dataclass

from curvewise.inference.caveats import Caveat
from curvewise.text import plural

__all__ = ["InfiniteFAtSteps"]


@dataclass(frozen=True)
class InfiniteFAtSteps(Caveat):
    """At some steps all runs of an algorithm have the same score."""

    n_steps: int

    def sentence(self) -> str:
        """Say what to check."""
        return (
            f"At {plural(self.n_steps, 'step')} all runs of an algorithm have the same score, "
            "so F is infinite there. Check that the runs are separate runs; p is still valid."
        )
