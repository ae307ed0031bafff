"""Amounts in the unit of a margin."""

from __future__ import annotations

import math

from curvewise.questions.gate.result import amount_text, limits_text, margin_text


def test_infinite_amounts_are_written_without_digits() -> None:
    assert amount_text(math.inf, "relative") == "inf%"
    assert amount_text(-math.inf, "score") == "-inf"
    assert limits_text((-math.inf, 0.25), "factor") == "-inf to 0.2500 times"


def test_a_margin_is_written_as_it_was_given() -> None:
    assert margin_text(0.05, "relative") == "5%"
    assert margin_text(1.2, "factor") == "1.2 times"
    assert margin_text(2.0, "sd") == "2 SD"
