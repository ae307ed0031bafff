"""Table 1 of Gorski & Laird (2009), and a relation that its digits must satisfy."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "HALF_DIGIT",
    "METRICS",
    "PUBLISHED",
    "RISES",
    "Row",
    "rule_constant",
    "rule_constant_range",
]

Row = dict[str, float]

METRICS = {
    "transfer_ratio": "transfer ratio",
    "transfer_regret": "transfer regret",
    "calibrated_transfer_ratio": "CTR",
    "average_relative_reduction": "ARR",
}
PUBLISHED: dict[str, Row] = {
    "4x4": dict(zip(METRICS, (1.2172, 0.1739, 0.8278, 0.6339), strict=True)),
    "3x3": dict(zip(METRICS, (1.4205, 0.2739, 0.7856, 0.6236), strict=True)),
}
RISES = dict(zip(METRICS, (True, True, False, False), strict=True))  # from 4x4 to 3x3
HALF_DIGIT = 0.00005  # the largest error of a number rounded to four decimals


def rule_constant(row: Mapping[str, float]) -> float:
    """Return b = R (1/CTR + 1/(TR − 1)), the height of the optimum in units of regret's box.

    With D the area between the curves, R = D / (box · T), CTR = D / (p_opt T − ∫C) and
    TR − 1 = D / (∫C + shift · T), so b = (p_opt + shift) / box for any curves.
    """
    ratio, regret, calibrated = (row[name] for name in list(METRICS)[:3])
    return regret * (1 / calibrated + 1 / (ratio - 1))


def rule_constant_range(world: str) -> tuple[float, float]:
    """Return the lowest and the highest b compatible with the rounding of a row."""
    row = PUBLISHED[world]
    corners = [
        rule_constant({name: row[name] + sign * HALF_DIGIT for name, sign in signs})
        for signs in itertools.product(*([(name, -1), (name, 1)] for name in row))
    ]
    return min(corners), max(corners)
