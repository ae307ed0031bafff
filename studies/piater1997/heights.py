"""All runs of A1, A2 and A3 together: how high each learns, and how far they are apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from studies.report import Claim, judged
from studies.sources.td_tictactoe import LEARNING_RATES, STEPS

__all__ = ["Heights", "height_claims", "heights"]

Floats = npt.NDArray[np.float64]

CLOSE = 0.2  # final scores this near to the best one, in parts of it, count as alike


@dataclass(frozen=True)
class Heights:
    """The mean score of every run by algorithm, and the mean curve of each algorithm."""

    runs: dict[str, Floats]
    curves: dict[str, Floats]

    def gap(self, one: str, other: str) -> tuple[float, float]:
        """Return how much higher one algorithm is, and two standard errors of it."""
        first, second = self.runs[one], self.runs[other]
        variance = first.var(ddof=1) / first.size + second.var(ddof=1) / second.size
        return float(first.mean() - second.mean()), 2 * float(np.sqrt(variance))

    def gap_text(self, one: str, other: str) -> str:
        """Tell the gap of two algorithms."""
        gap, error = self.gap(one, other)
        return (
            f"{one} minus {other} is {gap:.2f} ± {error:.2f} (two standard errors) over all "
            f"{self.runs[one].size:,} runs of each"
        )


def heights(pool: Floats) -> Heights:
    """Return the heights of all curves: (algorithms, runs, steps)."""
    sets = dict(zip(LEARNING_RATES, pool, strict=True))
    return Heights(
        {name: curves.mean(axis=1) for name, curves in sets.items()},
        {name: curves.mean(axis=0) for name, curves in sets.items()},
    )


def height_claims(found: Heights) -> list[Claim]:
    """Hold what the report says of its algorithms against all runs of them."""
    gap, error = found.gap("A1", "A2")
    final = {name: float(curve[-1]) for name, curve in found.curves.items()}
    rates = [f"{rate:g}" for rate in LEARNING_RATES.values()]
    return [
        Claim(
            "Figure 3",
            "A1 and A2 are different in height",
            "different, with high confidence",
            found.gap_text("A1", "A2"),
            judged(abs(gap) > error),
            "Agrees if the difference is more than two standard errors.",
        ),
        Claim(
            "Appendix",
            "Learning is robust to the learning rate",
            f"robust, for rates of {', '.join(rates)}",
            f"mean score after {STEPS[-1]:,} games: "
            + "; ".join(f"{name} {score:.1f}" for name, score in final.items()),
            judged(min(final.values()) >= (1 - CLOSE) * max(final.values())),
            "The report names no measure. Agrees if the lowest is at least "
            f"{100 * (1 - CLOSE):.0f} % of the highest.",
        ),
    ]
