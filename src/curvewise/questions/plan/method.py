"""Whether it would pay to pair runs by what they share: the correlation that pilots show."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.result import Interval
from curvewise.questions.power.method import COUNTED, claim_of
from curvewise.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.data.curves import Curves
    from curvewise.inference.result import EffectName
    from curvewise.kernels import Integers
    from curvewise.kernels.many_tables import Tests
    from curvewise.questions.power.method import Model
    from curvewise.records import Count, Extended, Probability


MIN_PAIRS = 4  # from which on the correlation has an interval
# Pairing pays from so many pairs on, if runs of a pair correlate at least so much.
BREAK_EVEN = {8: 0.2, 6: 0.5}


@dataclass(frozen=True)
class Pairing(Record):
    """How the curve means of paired pilots correlate.

    Attributes
    ----------
    n_pairs : int
    correlation : float
    interval : Interval
        By Fisher's z; from -1 to 1 where there are too few pairs.
    confidence : float
    """

    n_pairs: Count
    correlation: Extended
    interval: Interval
    confidence: Probability

    def pays(self, n_runs: int) -> bool:
        """Whether so many pairs find more than as many runs of each that are not paired."""
        return any(
            n_runs >= n_pairs and self.correlation >= least for n_pairs, least in BREAK_EVEN.items()
        )


def pairing_of(pilots: Curves, confidence: float = 0.95) -> Pairing | None:
    """Return how paired pilots correlate; None where they are not paired, or do not vary."""
    if (
        pilots.blocks is None
        or len(pilots.algorithms) != 2
        or not np.all(pilots.block_counts == 1)
        or pilots.n_runs < 2 * 3
    ):
        return None
    means = pilots.scores.mean(axis=1)
    order = np.argsort(pilots.blocks.astype(str), kind="stable")
    first, second = (
        means[order][pilots.codes[order] == code] - means[pilots.codes == code].mean()
        for code in (0, 1)
    )
    scale = math.sqrt(float(first @ first) * float(second @ second))
    if scale == 0:
        return None
    correlation = float(np.clip(float(first @ second) / scale, -1, 1))
    interval = _interval(correlation, len(first), confidence)
    return Pairing(len(first), correlation, interval, confidence)


def _interval(correlation: float, n_pairs: int, confidence: float) -> Interval:
    if n_pairs < MIN_PAIRS or abs(correlation) == 1:
        return Interval(-1.0, 1.0)
    from scipy.special import ndtri

    width = float(ndtri((1 + confidence) / 2)) / math.sqrt(n_pairs - 3)
    z = math.atanh(correlation)
    return Interval(math.tanh(z - width), math.tanh(z + width))


# --- How often a difference is claimed with some number of runs: roughly first, then for sure.
#
# Few experiments tell about how many runs it takes, and all of them are simulated with those. A
# difference in height is claimed where its test and the overall test are significant. The test of
# height is quickly simulated by itself, in all experiments; so the few need only tell in how many
# of them there is height and no more.

N_ROUGHLY = 500  # experiments


@dataclass
class Claims:
    """How often a difference is claimed, by the number of runs; what was simulated is kept.

    Attributes
    ----------
    model : Model
    question : "algorithm", "interaction" or "overall"
    times : float
        What the effect is multiplied by.
    n_jobs : int
    power_at, test_power_at : dict
        How often the difference is claimed, and how often found by its test alone, with every
        number of runs that was tried; as well as it is known.
    """

    model: Model
    question: EffectName
    times: float
    n_jobs: int
    power_at: dict[int, float] = field(default_factory=dict)
    test_power_at: dict[int, float] = field(default_factory=dict)
    _counts: dict[int, tuple[int, Integers]] = field(default_factory=dict)
    _of_heights: dict[int, float] = field(default_factory=dict)

    def of_heights(self, n_runs: int) -> float:
        """Return how often the test of height is significant, in all experiments."""
        if n_runs not in self._of_heights:
            counts = self._rejected(self.model.of_heights(), n_runs, 0, self.n_all, "height")
            self._of_heights[n_runs] = float(counts[COUNTED.index("algorithm")]) / self.n_all
        return self._of_heights[n_runs]

    def roughly(self, n_runs: int) -> float:
        """Return how often the difference is claimed, by a few experiments."""
        return self._claimed(n_runs, min(N_ROUGHLY, self.n_all))

    def surely(self, n_runs: int) -> float:
        """Return how often the difference is claimed, by all experiments."""
        return self._claimed(n_runs, self.n_all)

    @property
    def n_all(self) -> int:
        """How many experiments there are."""
        return self.model.assumptions.n_experiments

    def _claimed(self, n_runs: int, n_wanted: int) -> float:
        """Note what at least so many experiments tell; return how often it is claimed."""
        n_done, counts = self._counts.get(n_runs, (0, np.zeros(len(COUNTED), np.int64)))
        if n_done < n_wanted:
            tests: Tests = "height first" if self.question == "algorithm" else "all"
            counts = counts + self._rejected(self.model, n_runs, n_done, n_wanted, tests)
            n_done = n_wanted
            self._counts[n_runs] = n_done, counts
        places = [COUNTED.index(self.question), claim_of(self.question)]
        found, claimed = (counts[places] / n_done).tolist()
        if self.question == "algorithm" and n_done < self.n_all:
            alone = self.of_heights(n_runs)
            found, claimed = alone, max(alone - (found - claimed), 0.0)
        self.test_power_at[n_runs], self.power_at[n_runs] = found, claimed
        return claimed

    def _rejected(self, model: Model, n_runs: int, first: int, last: int, tests: Tests) -> Integers:
        case = model.truth, self.times, last
        return model.n_rejected(n_runs, [case], first=first, n_jobs=self.n_jobs, tests=tests)[0]


# --- The smallest number of runs whose simulated power is enough.

N_SPACED = 5  # enough to draw a line through


def smallest_enough(
    power_of: Callable[[int], float], enough: float, smallest: int, largest: int, start: int
) -> int | None:
    """Return the smallest number of runs with enough power; None if the largest is not enough.

    ``power_of`` gives the power with a number of runs, and should rise with it. From ``start`` on
    numbers are tried that are one, two, four and so on further down while these are enough, or
    further up until one is; then the one in the middle between enough and not enough, until they
    are neighbours. A number is enough if the next one is as well, so that luck does not decide.
    """

    def is_enough(n_runs: int) -> bool:
        following = range(n_runs, min(n_runs + 1, largest) + 1)
        return all(power_of(n) >= enough for n in following)

    low, step = smallest - 1, 1  # not enough
    high = min(max(start, smallest), largest)
    if is_enough(high):
        while high - low > 1 and is_enough(lower := max(high - step, low + 1)):
            high, step = lower, 2 * step
        if high - low > 1:
            low = lower
    else:
        while not is_enough(high):
            if high == largest:
                return None
            low, high, step = high, min(high + step, largest), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def spaced(smallest: int, largest: int) -> list[int]:
    """Return some whole numbers between two, in proportion.

    >>> spaced(4, 200)
    [4, 11, 28, 75, 200]
    """
    ratio = (largest / smallest) ** (1 / (N_SPACED - 1))
    return sorted({round(smallest * ratio**place) for place in range(N_SPACED)})


def starting_n(effect: float, enough: float, alpha: float, ratio: float, largest: int) -> int:
    """Return the runs that two normal samples need, for an effect in standard deviations.

    The power of Student's t test; ``ratio`` is how many times larger the first sample is.
    """
    from scipy.special import nctdtr, stdtrit

    if effect == 0 or not math.isfinite(effect):
        return largest

    def is_enough(n_runs: int) -> bool:
        first = max(math.floor(ratio * n_runs + 0.5), 1)
        df = first + n_runs - 2
        shift = abs(effect) * math.sqrt(first * n_runs / (first + n_runs))
        critical = float(stdtrit(df, 1 - alpha / 2))
        return 1 - float(nctdtr(df, shift, critical)) >= enough

    numbers = range(2, largest)
    return 2 + bisect_left(numbers, True, key=is_enough)  # noqa: FBT003 (what is looked for)
