"""What a reader must know before believing what monitoring found."""

from __future__ import annotations

from dataclasses import dataclass

from curvewise.inference.caveats import Caveat
from curvewise.text import listed, plural, step_text

__all__ = ["OtherSteps", "SmallerBatches"]

MAX_NAMED = 3  # batches


@dataclass(frozen=True)
class SmallerBatches(Caveat):
    """Some batches have fewer runs of an algorithm than were planned.

    ``n_runs`` has the fewest runs of an algorithm in each of the ``batches``.
    """

    batches: tuple[str, ...]
    n_runs: tuple[int, ...]
    n_planned: int

    def sentence(self) -> str:
        """Say which batches, and what p takes for granted."""
        shown = [
            f"batch {batch!r} ({n})"
            for batch, n in zip(self.batches, self.n_runs, strict=True)
        ]
        return (
            f"Fewer than the {plural(self.n_planned, 'run')} planned of each algorithm are in "
            f"{listed(shown, MAX_NAMED)}. p holds if that does not depend on their scores, and if "
            "no run is added to a batch once it was looked at."
        )


@dataclass(frozen=True)
class OtherSteps(Caveat):
    """At the first look the curves had other ends: ``before``, and ``now``."""

    before: tuple[float, float]
    now: tuple[float, float]

    def sentence(self) -> str:
        """Say how they changed, and what that does to alpha."""
        before, now = (
            " to ".join(map(step_text, ends)) for ends in (self.before, self.now)
        )
        return (
            f"Steps {now} were looked at, and at the first look steps {before}. That keeps alpha "
            "where it follows from the logs of new runs, and not where the steps were chosen after "
            "a look."
        )
