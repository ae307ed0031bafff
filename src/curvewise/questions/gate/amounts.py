"""Amounts in the unit of a margin, as text."""

from __future__ import annotations

import math

from curvewise.text import number_text

__all__ = ["amount_text", "limits_text", "margin_text"]


def amount_text(value: float, unit: str) -> str:
    """Write a difference in the unit of the margin.

    >>> amount_text(-1.5, "score"), amount_text(0.0312, "relative"), amount_text(2.0, "sd")
    ('-1.500', '3.12%', '2.000 SD')
    """
    if unit == "relative":
        shown = 100 * value
        return f"{shown:.0f}%" if math.isinf(shown) else f"{shown:.3g}%"
    return {"sd": "{} SD", "factor": "{} times"}.get(unit, "{}").format(
        number_text(value)
    )


def limits_text(limits: tuple[float, float], unit: str) -> str:
    """Write limits in the unit of the margin.

    >>> limits_text((-0.125, 0.5), "relative"), limits_text((-0.5, 1.0), "sd")
    ('-12.5% to 50%', '-0.5000 to 1.000 SD')
    """
    low, high = limits
    first = amount_text(low, unit) if unit == "relative" else number_text(low)
    return f"{first} to {amount_text(high, unit)}"


def margin_text(margin: float, unit: str, margin_score: float | None = None) -> str:
    """Write a margin as it was given, and in units of the score where that is another number.

    >>> margin_text(2.0, "score"), margin_text(0.1, "relative"), margin_text(1.5, "sd", 3.2)
    ('2', '10%', '1.5 SD = 3.200')
    """
    shown = f"{100 * margin:.6g}%" if unit == "relative" else f"{margin:.6g}"
    shown += {"sd": " SD", "factor": " times"}.get(unit, "")
    if unit == "sd" and margin_score is not None:
        shown += f" = {number_text(margin_score)}"
    return shown
