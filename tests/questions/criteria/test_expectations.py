"""What a criterion can ask of values."""

from __future__ import annotations

import math

import pytest

from curvewise import Interval
from curvewise.questions.criteria.expectations import (
    ALPHA,
    are_defined,
    are_equal,
    are_significant,
    differ,
    rise,
    rise_through_no_effect,
)
from curvewise.questions.criteria.verdict import Outcome


def outcomes(*values: float | None) -> list[Outcome]:
    return [Outcome(value) for value in values]


def test_every_pair_must_have_a_value() -> None:
    assert are_defined(outcomes(1.0, 0.0), 0)
    assert not are_defined(outcomes(1.0, None), 0)


def test_equal_but_for_rounding_is_equal() -> None:
    assert are_equal(outcomes(0.3, 0.1 + 0.2), 0)
    assert are_equal(outcomes(0.0, 1e-12), 0)
    assert not are_equal(outcomes(0.3, 0.3001), 0)
    # Undefined values are a matter of "defined" alone.
    assert are_equal(outcomes(0.3, None, 0.3), 0)
    assert are_equal(outcomes(None), 0)


def test_no_two_may_be_the_same() -> None:
    assert differ(outcomes(0.2, 0.1, 0.3), 0)
    assert not differ(outcomes(0.3, 0.1, 0.1 + 0.2), 0)


def test_each_must_be_larger_than_the_one_before() -> None:
    assert rise(outcomes(0.1, 0.2, 0.3), 0)
    assert not rise(outcomes(0.1, 0.3, 0.2), 0)
    assert not rise(outcomes(0.1, 0.1 + 1e-12), 0)


def test_the_middle_one_must_be_that_of_no_effect() -> None:
    assert rise_through_no_effect(outcomes(0.5, 1.0, 2.0), 1)
    assert not rise_through_no_effect(outcomes(0.5, 1.0, 2.0), 0)
    assert not rise_through_no_effect(outcomes(1.0, 1.0, 2.0), 1)
    assert not rise_through_no_effect(outcomes(0.5, None, 2.0), 1)


@pytest.mark.parametrize(
    ("interval", "pvalue", "holds"),
    [
        (Interval(0.1, 0.3), ALPHA, True),
        (Interval(-0.3, -0.1), 0.01, True),
        (Interval(0.1, 0.3), ALPHA + 0.01, False),
        (Interval(-0.1, 0.3), 0.01, False),
        (Interval(0.0, 0.3), 0.01, False),
        (Interval(0.1, math.inf), 0.01, False),
        (None, 0.01, False),
        (Interval(0.1, 0.3), None, False),
    ],
)
def test_interval_and_p_must_both_exclude_no_effect(
    interval: Interval | None, pvalue: float | None, holds: bool
) -> None:
    assert are_significant([Outcome(0.2, interval, pvalue)], 0) is holds
