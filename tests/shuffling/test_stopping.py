"""When enough has been shuffled: looks that mislead no more often than is allowed for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from curvewise.kernels.pvalues import clopper_pearson
from curvewise.shuffling.visit import (
    FIRST_LOOK,
    MAX_SHUFFLES,
    MIN_EXTREME,
    N_LOOKS,
    RISK_SHARE,
    StoppingRule,
)

LOOKS = [FIRST_LOOK * 2**look for look in range(N_LOOKS)]


def settled(rule: StoppingRule, *n_extreme: int, count: int = FIRST_LOOK) -> bool:
    return rule.is_settled(np.array(n_extreme), count)


def largest_settled_below(rule: StoppingRule, count: int, level: float) -> int:
    """The largest count that settles that p is below a level; -1 if none does."""
    low, high = -1, int(count * level)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if settled(rule, middle, count=count) else (low, middle)
    return low


def smallest_settled_above(rule: StoppingRule, count: int, level: float) -> int:
    low, high = int(count * level), count
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if settled(rule, middle, count=count) else (middle, high)
    return high


def test_the_looks_double_up_to_the_most_shuffles() -> None:
    assert LOOKS[-1] == MAX_SHUFFLES
    assert len(LOOKS) == 17


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_no_p_is_misjudged_more_often_than_a_thousandth_of_alpha(alpha: float) -> None:
    """The chance of any false decision, summed over all looks, where it is largest."""
    rule = StoppingRule("auto", (alpha,))
    bar = alpha * (1 - RISK_SHARE)
    below = [largest_settled_below(rule, count, bar) for count in LOOKS]
    above = [smallest_settled_above(rule, count, bar) for count in LOOKS]
    # A true p just above the bar said to be below it, and the other way round.
    falsely_below = np.sum(stats.binom.cdf(below, LOOKS, bar))
    falsely_above = np.sum(stats.binom.sf(np.array(above) - 1, LOOKS, bar))
    assert falsely_below <= RISK_SHARE * alpha / 2
    assert falsely_above <= RISK_SHARE * alpha / 2
    # The bound is used up, but for whole numbers: the rule is no slower than it must be.
    assert falsely_below >= 0.5 * RISK_SHARE * alpha / 2


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_p_is_held_against_alpha_less_a_thousandth(alpha: float) -> None:
    """An interval that holds that bar settles nothing, though it lies below alpha."""
    rule, count = StoppingRule("auto", (alpha,)), MAX_SHUFFLES
    error = math.sqrt(alpha * (1 - alpha) / count)
    bar = alpha * (1 - RISK_SHARE)
    confidence = 1 - RISK_SHARE * alpha / N_LOOKS

    def interval(n_extreme: int) -> tuple[float, float]:
        return clopper_pearson(n_extreme, count, confidence)

    near_bar = int(count * (bar + error))
    low, high = interval(near_bar)
    assert low < bar < high < alpha
    assert not settled(rule, near_bar, count=count)
    # And one that holds alpha, but not the bar, does settle it.
    near_alpha = int(count * (alpha - error))
    low, high = interval(near_alpha)
    assert bar < low < alpha < high
    assert settled(rule, near_alpha, count=count)


def test_auto_waits_for_every_p_that_decides() -> None:
    auto = StoppingRule("auto")
    close = int(0.05 * FIRST_LOOK)
    assert settled(auto, 10, 9_000, 12_000)
    assert not settled(auto, 10, 9_000, close)
    assert not settled(auto, close)
    assert settled(auto, 16 * 10, 16 * 9_000, count=16 * FIRST_LOOK)


@pytest.mark.slow
def test_each_of_several_p_has_its_part_of_the_risk() -> None:
    auto = StoppingRule("auto")
    one = largest_settled_below(auto, FIRST_LOOK, 0.05)
    assert settled(auto, one)
    assert not settled(auto, one, *[0] * 10_000)


def test_auto_settles_every_level() -> None:
    both = StoppingRule("auto", (0.05, 0.005))
    assert settled(both, 1)
    assert settled(both, int(0.02 * FIRST_LOOK))
    assert not settled(both, int(0.005 * FIRST_LOOK))
    assert not settled(both, int(0.05 * FIRST_LOOK))
    assert settled(StoppingRule("auto", (0.05,)), int(0.005 * FIRST_LOOK))


def test_precise_waits_for_a_hundred_of_each() -> None:
    precise = StoppingRule("precise")
    assert settled(precise, MIN_EXTREME, 5_000)
    assert not settled(precise, MIN_EXTREME - 1, 5_000)
    # A hundred are known to within ten in a hundred: one standard error.
    p = MIN_EXTREME / FIRST_LOOK
    assert math.sqrt(p * (1 - p) / FIRST_LOOK) <= 0.1 * p
