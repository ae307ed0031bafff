"""Claims on power: Figure 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.piater1998.cells import span
from studies.piater1998.closed_form import ALPHA
from studies.piater1998.counting import (
    ALGORITHM,
    CONVENTIONAL,
    INTERACTION,
    SHUFFLE,
    SPLIT,
)
from studies.report import Claim, judged
from studies.sources.modifications import CASES

if TYPE_CHECKING:
    from studies.piater1998.counting import Found

__all__ = ["claims_on_power"]


def claims_on_power(found: Found) -> tuple[Claim, ...]:
    """Return the claims, and what was found."""
    cases, last = list(CASES), found.factors[-1]
    shuffle, conventional = found.power[:, :, SHUFFLE], found.power[:, :, CONVENTIONAL]
    a, b = cases.index("a"), cases.index("b")
    bent = [cases.index("c"), cases.index("d")]
    shown = [found.factors.index(f) for f in (0, 1, 2, 4)]
    told = ", ".join(f"{shuffle[a, place, ALGORITHM]:.2f}" for place in shown)
    illusory = conventional[:, :, ALGORITHM] - shuffle[:, :, ALGORITHM]
    none_a, none_b = shuffle[a, -1, INTERACTION], shuffle[b, -1, ALGORITHM]
    split_a = found.power[a, -1, SPLIT, INTERACTION]
    split_b = found.power[b, -1, SPLIT, ALGORITHM]
    zero, disjoint_zero = shuffle[0, 0], found.disjoint[0, 0, SHUFFLE]
    differing = np.concatenate([illusory[0, :1], illusory[:, 1:].ravel()])
    n_above, n_below = (differing > 0).sum(), (differing < 0).sum()
    falls = [
        found.factors[place]
        for place in range(len(found.factors))
        if illusory[b, place] < 0
    ]
    return (
        Claim(
            "Figure 6, cases a, c, d",
            "Where there is an algorithm effect, the shuffle test finds it.",
            "found handily",
            f"a at f = 0, 1, 2, 4: {told}; c and d from f = 1: "
            f"{span(shuffle[bent, 1:, ALGORITHM], '.2f')}",
            judged(
                shuffle[a, shown[-1], ALGORITHM] >= 0.9
                and shuffle[bent, 1:, ALGORITHM].min() >= 0.9
            ),
            "Agrees if .9 is reached at f = 4 in case a and from f = 1 in c and d.",
        ),
        Claim(
            "Figure 6, cases b, c, d",
            "Where there is an interaction, the shuffle test finds it.",
            "quite powerful",
            f"from f = 1: {span(shuffle[[b, *bent], 1:, INTERACTION], '.2f')}",
            judged(shuffle[[b, *bent], 1:, INTERACTION].min() >= 0.9),
            "Agrees if .9 is reached from f = 1.",
        ),
        Claim(
            "Figure 6, case b",
            "The shuffle test reports no algorithm effect, for there is none.",
            "none reported",
            f"f = {last}: {none_b:.2f} by the pooled error term, {split_b:.2f} by the split one",
            judged(none_b <= 0.1),
            "Agrees if at most .1 is found by the papers' pooled error term at the largest "
            "factor. See the study error_terms.",
        ),
        Claim(
            "Figure 6, case a",
            "The shuffle test detects no interaction, for there is none.",
            "none detected",
            f"f = {last}: {none_a:.2f} by the pooled error term, {split_a:.2f} by the split one",
            judged(none_a <= 0.1),
            "Agrees if at most .1 is found by the papers' pooled error term at the largest "
            "factor. See the study error_terms.",
        ),
        Claim(
            "Section 5.2",
            "In this experiment the shuffle test errs in about 5 of 100 draws.",
            "approximately .05",
            f"f = 0: {zero[ALGORITHM]:.3f} and {zero[INTERACTION]:.3f}; with disjoint draws "
            f"{disjoint_zero[ALGORITHM]:.3f} and {disjoint_zero[INTERACTION]:.3f}",
            judged(np.abs(zero - ALPHA).max() <= 0.02),
            "Agrees if both are within .02 of .05. The two draws of ten have about five runs in "
            "common, which makes them more alike than chance would.",
        ),
        Claim(
            "Figure 6",
            "The conventional test usually seems more powerful for the algorithm effect, "
            "as it asserts one without cause.",
            "usually above the shuffle test",
            f"above it at {n_above} points, below it at {n_below}, equal at the others; f = 0: "
            f"{conventional[0, 0, ALGORITHM]:.2f}",
            judged(n_above > n_below),
            "Agrees if it is above the shuffle test at more points than below; f = 0, the same "
            "in all cases, counts once."
            + (
                f" In case b it is below at f = {', '.join(map(str, falls))}."
                if falls
                else ""
            ),
        ),
    )
