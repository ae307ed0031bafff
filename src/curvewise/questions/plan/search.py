"""The smallest number of runs whose simulated power is enough."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Search", "spaced", "starting_n"]

N_SPACED = 5  # enough to draw a line through


@dataclass
class Search:
    """Looks for the smallest number of runs with enough power.

    Attributes
    ----------
    power_of : callable
        From a number of runs to the power; it should rise with their number.
    enough : float
    smallest, largest : int
        Between which numbers of runs to look.
    power_at : dict
        What was found out on the way.
    """

    power_of: Callable[[int], float]
    enough: float
    smallest: int
    largest: int
    power_at: dict[int, float] = field(default_factory=dict)

    def smallest_n(self, start: int) -> int | None:
        """Return the smallest number that is enough; None if the largest is not.

        From ``start`` on numbers are tried that are one, two, four and so on further down while
        these are enough, or further up until one is; then the one in the middle between enough
        and not enough, until they are neighbours.
        """
        low, step = self.smallest - 1, 1  # not enough
        high = min(max(start, self.smallest), self.largest)
        if self._is_enough(high):
            while high - low > 1:
                lower = max(high - step, low + 1)
                if not self._is_enough(lower):
                    low = lower
                    break
                high, step = lower, 2 * step
        else:
            low = high
            while high < self.largest:
                high, step = min(low + step, self.largest), 2 * step
                if self._is_enough(high):
                    break
                low = high
            if low == high:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            if self._is_enough(middle):
                high = middle
            else:
                low = middle
        return high

    def _is_enough(self, n_runs: int) -> bool:
        """Whether a number is enough, and the next one as well, so that luck does not decide."""
        if self.power(n_runs) < self.enough:
            return False
        return n_runs == self.largest or self.power(n_runs + 1) >= self.enough

    def power(self, n_runs: int) -> float:
        """Return the power with a number of runs, found out once."""
        if n_runs not in self.power_at:
            self.power_at[n_runs] = self.power_of(n_runs)
        return self.power_at[n_runs]


def spaced(smallest: int, largest: int) -> list[int]:
    """Return some whole numbers between two, in proportion.

    >>> spaced(4, 200)
    [4, 11, 28, 75, 200]
    """
    ratio = (largest / smallest) ** (1 / (N_SPACED - 1))
    return sorted({round(smallest * ratio**place) for place in range(N_SPACED)})


def starting_n(
    effect: float, enough: float, alpha: float, ratio: float, largest: int
) -> int:
    """Return the runs that two normal samples need, for an effect in standard deviations.

    The power of Student's t test; ``ratio`` is how many times larger the first sample is.
    """
    from scipy.special import nctdtr, stdtrit

    if effect == 0 or not math.isfinite(effect):
        return largest
    low, high = 1, largest
    while high - low > 1:
        n_runs = (low + high) // 2
        first = max(math.floor(ratio * n_runs + 0.5), 1)
        df = first + n_runs - 2
        if df < 1:
            low = n_runs
            continue
        shift = abs(effect) * math.sqrt(first * n_runs / (first + n_runs))
        critical = float(stdtrit(df, 1 - alpha / 2))
        if 1 - float(nctdtr(df, shift, critical)) >= enough:
            high = n_runs
        else:
            low = n_runs
    return high
