"""Errors in the report's text that a computation can show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from studies.piater1997.published import ALPHA, PUBLISHED
from studies.report import Claim, judge

if TYPE_CHECKING:
    import curvewise as cw

__all__ = ["errata_claims"]

N_TOSSES = 20
N_VALUES = 1000


def errata_claims(example: cw.Comparison) -> list[Claim]:
    """Judge the coin example, the place of the critical value, and the degrees of freedom."""
    critical = next(count for count in range(N_TOSSES + 1) if _chance_of_heads(count) <= ALPHA)
    index = round((1 - ALPHA) * N_VALUES)
    df = tuple(int(each) for each in example.effects["pooled"]["algorithm"].df)
    return [
        Claim(
            "Section 2",
            "Chance of 16 or more heads in 20 tosses of a fair coin",
            "0.006",
            f"{_chance_of_heads(16):.4f}",
            judge(round(_chance_of_heads(16), 3) == 0.006),
        ),
        Claim(
            "Section 2",
            "Fewest heads in 20 tosses that are significant at 0.05",
            "14",
            f"{critical}; 14 or more have a chance of {_chance_of_heads(14):.3f}",
            judge(critical == 14),
        ),
        Claim(
            "Section 3",
            "Place of the critical value among 1000 sorted F, by the general rule",
            f"α 1000 = {ALPHA * N_VALUES:.0f}",
            f"(1 − α) 1000 = {index}",
            judge(index == round(ALPHA * N_VALUES)),
            f"A slip of the pen: the report's own example has the {index}th.",
        ),
        Claim(
            "Section 4.1",
            "Degrees of freedom of F of the algorithm effect of A1 and A2",
            "2 and 144",
            f"{df[0]} and {df[1]}",
            judge(df == (2, 144)),
            f"Table 1 itself has {PUBLISHED['Table 1']['algorithm']['df']:g}.",
        ),
    ]


def _chance_of_heads(minimum: int) -> float:
    """Return the probability of at least ``minimum`` heads in 20 tosses of a fair coin."""
    ways = sum(math.comb(N_TOSSES, count) for count in range(minimum, N_TOSSES + 1))
    return ways / 2**N_TOSSES
