"""Claims about power (Figure 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.piater1998.closed_form import ALPHA
from studies.piater1998.counting import ALGORITHM, CONVENTIONAL, INTERACTION, SHUFFLE, SPLIT
from studies.piater1998.formatting import span
from studies.report import Claim, judge
from studies.sources.modifications import CASES

if TYPE_CHECKING:
    from studies.piater1998.counting import Counts

__all__ = ["claims_on_power"]


def claims_on_power(counts: Counts) -> tuple[Claim, ...]:
    """Judge the paper's claims about Figure 6."""
    cases, last = list(CASES), counts.factors[-1]
    shuffle, conventional = counts.power[:, :, SHUFFLE], counts.power[:, :, CONVENTIONAL]
    a, b = cases.index("a"), cases.index("b")
    bent = [cases.index("c"), cases.index("d")]
    positions = [counts.factors.index(f) for f in (0, 1, 2, 4)]
    shares_a = ", ".join(f"{shuffle[a, index, ALGORITHM]:.2f}" for index in positions)
    excess = conventional[:, :, ALGORITHM] - shuffle[:, :, ALGORITHM]
    false_a, false_b = shuffle[a, -1, INTERACTION], shuffle[b, -1, ALGORITHM]
    split_a = counts.power[a, -1, SPLIT, INTERACTION]
    split_b = counts.power[b, -1, SPLIT, ALGORITHM]
    at_zero, disjoint_at_zero = shuffle[0, 0], counts.disjoint[0, 0, SHUFFLE]
    gaps = np.concatenate([excess[0, :1], excess[:, 1:].ravel()])
    n_above, n_below = (gaps > 0).sum(), (gaps < 0).sum()
    below_at = [
        counts.factors[index] for index in range(len(counts.factors)) if excess[b, index] < 0
    ]
    return (
        Claim(
            "Figure 6, cases a, c, d",
            "Where there is an algorithm effect, the shuffle test finds it.",
            "found handily",
            f"a at f = 0, 1, 2, 4: {shares_a}; c and d from f = 1: "
            f"{span(shuffle[bent, 1:, ALGORITHM], '.2f')}",
            judge(
                shuffle[a, positions[-1], ALGORITHM] >= 0.9
                and shuffle[bent, 1:, ALGORITHM].min() >= 0.9
            ),
            "Agrees if .9 is reached at f = 4 in case a and from f = 1 in c and d.",
        ),
        Claim(
            "Figure 6, cases b, c, d",
            "Where there is an interaction, the shuffle test finds it.",
            "quite powerful",
            f"from f = 1: {span(shuffle[[b, *bent], 1:, INTERACTION], '.2f')}",
            judge(shuffle[[b, *bent], 1:, INTERACTION].min() >= 0.9),
            "Agrees if .9 is reached from f = 1.",
        ),
        Claim(
            "Figure 6, case b",
            "The shuffle test reports no algorithm effect, for there is none.",
            "none reported",
            f"f = {last}: {false_b:.2f} by the pooled error term, {split_b:.2f} by the split one",
            judge(false_b <= 0.1),
            "Agrees if at most .1 is found by the papers' pooled error term at the largest "
            "factor. See the study error_terms.",
        ),
        Claim(
            "Figure 6, case a",
            "The shuffle test detects no interaction, for there is none.",
            "none detected",
            f"f = {last}: {false_a:.2f} by the pooled error term, {split_a:.2f} by the split one",
            judge(false_a <= 0.1),
            "Agrees if at most .1 is found by the papers' pooled error term at the largest "
            "factor. See the study error_terms.",
        ),
        Claim(
            "Section 5.2",
            "In this experiment the shuffle test errs in about 5 of 100 draws.",
            "approximately .05",
            f"f = 0: {at_zero[ALGORITHM]:.3f} and {at_zero[INTERACTION]:.3f}; with disjoint draws "
            f"{disjoint_at_zero[ALGORITHM]:.3f} and {disjoint_at_zero[INTERACTION]:.3f}",
            judge(np.abs(at_zero - ALPHA).max() <= 0.02),
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
            judge(n_above > n_below),
            "Agrees if it is above the shuffle test at more points than below; f = 0, the same "
            "in all cases, counts once."
            + (
                f" In case b it is below at f = {', '.join(map(str, below_at))}."
                if below_at
                else ""
            ),
        ),
    )
