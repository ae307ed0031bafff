"""Mean scores of all runs of A1, A2 and A3, and the differences between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studies.report import Claim, judge
from studies.sources.td_tictactoe import LEARNING_RATES, STEPS

__all__ = ["Heights", "height_claims", "heights"]

Floats = npt.NDArray[np.float64]

MAX_RELATIVE_GAP = 0.2  # relative to the best: final scores within it count as equal


@dataclass(frozen=True)
class Heights:
    """By algorithm: the mean score of every run, and the mean curve of all runs."""

    runs: dict[str, Floats]
    curves: dict[str, Floats]

    def gap(self, one: str, other: str) -> tuple[float, float]:
        """Return the mean score of ``one`` minus that of ``other``, and two standard errors."""
        first, second = self.runs[one], self.runs[other]
        variance = first.var(ddof=1) / first.size + second.var(ddof=1) / second.size
        return float(first.mean() - second.mean()), 2 * float(np.sqrt(variance))

    def gap_text(self, one: str, other: str) -> str:
        """Return the difference of two algorithms as text."""
        gap, error = self.gap(one, other)
        return (
            f"{one} minus {other} is {gap:.2f} ± {error:.2f} (two standard errors) over all "
            f"{self.runs[one].size:,} runs of each"
        )


def heights(pool: Floats) -> Heights:
    """Return the heights of curves with axes (algorithms, runs, steps)."""
    sets = dict(zip(LEARNING_RATES, pool, strict=True))
    return Heights(
        {name: curves.mean(axis=1) for name, curves in sets.items()},
        {name: curves.mean(axis=0) for name, curves in sets.items()},
    )


def height_claims(all_runs: Heights) -> list[Claim]:
    """Judge what the report says about its algorithms, from all runs."""
    gap, error = all_runs.gap("A1", "A2")
    final = {name: float(curve[-1]) for name, curve in all_runs.curves.items()}
    rates = [f"{rate:g}" for rate in LEARNING_RATES.values()]
    return [
        Claim(
            "Figure 3",
            "A1 and A2 are different in height",
            "different, with high confidence",
            all_runs.gap_text("A1", "A2"),
            judge(abs(gap) > error),
            "Agrees if the difference is more than two standard errors.",
        ),
        Claim(
            "Appendix",
            "Learning is robust to the learning rate",
            f"robust, for rates of {', '.join(rates)}",
            f"mean score after {STEPS[-1]:,} games: "
            + "; ".join(f"{name} {score:.1f}" for name, score in final.items()),
            judge(min(final.values()) >= (1 - MAX_RELATIVE_GAP) * max(final.values())),
            "The report names no measure. Agrees if the lowest is at least "
            f"{100 * (1 - MAX_RELATIVE_GAP):.0f} % of the highest.",
        ),
    ]
