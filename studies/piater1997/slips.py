"""Small statements of the report's text, held against what follows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from studies.piater1997.published import ALPHA, PUBLISHED
from studies.report import Claim, judged

if TYPE_CHECKING:
    import curvewise as cw

__all__ = ["slip_claims"]

N_TOSSES = 20
N_VALUES = 1000


def slip_claims(example: cw.Comparison) -> list[Claim]:
    """Hold the coin, the critical value and the df of the text against what follows."""
    critical = next(count for count in range(N_TOSSES + 1) if _heads(count) <= ALPHA)
    place = round((1 - ALPHA) * N_VALUES)
    df = tuple(int(each) for each in example.effects["pooled"]["algorithm"].df)
    return [
        Claim(
            "Section 2",
            "Chance of 16 or more heads in 20 tosses of a fair coin",
            "0.006",
            f"{_heads(16):.4f}",
            judged(round(_heads(16), 3) == 0.006),
        ),
        Claim(
            "Section 2",
            "Fewest heads in 20 tosses that are significant at 0.05",
            "14",
            f"{critical}; 14 or more have a chance of {_heads(14):.3f}",
            judged(critical == 14),
        ),
        Claim(
            "Section 3",
            "Place of the critical value among 1000 sorted F, by the general rule",
            f"α 1000 = {ALPHA * N_VALUES:.0f}",
            f"(1 − α) 1000 = {place}",
            judged(place == round(ALPHA * N_VALUES)),
            f"A slip of the pen: the report's own example has the {place}th.",
        ),
        Claim(
            "Section 4.1",
            "Degrees of freedom of F of the algorithm effect of A1 and A2",
            "2 and 144",
            f"{df[0]} and {df[1]}",
            judged(df == (2, 144)),
            f"Table 1 itself has {PUBLISHED['Table 1']['algorithm']['df']:g}.",
        ),
    ]


def _heads(least: int) -> float:
    """Return the chance of at least so many heads of a fair coin."""
    ways = sum(math.comb(N_TOSSES, count) for count in range(least, N_TOSSES + 1))
    return ways / 2**N_TOSSES
