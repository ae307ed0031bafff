"""When runs reach a threshold, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.text import number_text, p_short, plural, printable, step_text

if TYPE_CHECKING:
    from curvewise.questions.transfer.result import Transfer

__all__ = ["notes", "sentence"]


def sentence(transfer: Transfer) -> str:
    """Say how many runs of whom reach the threshold, by when, and how sure a difference is."""
    found = transfer.survival
    parts = [
        f"{reached} of {n if place else plural(n, 'run')} of {printable(name)}"
        f"{_median(median)}"
        for place, (name, reached, n, median) in enumerate(
            zip(
                (transfer.experimental, transfer.control),
                found.n_reached[::-1],
                transfer.n_runs[::-1],
                found.medians[::-1],
                strict=True,
            )
        )
    ]
    text = (
        f"A score of {number_text(found.threshold)} is reached by {' and '.join(parts)}"
    )
    if found.pvalue is None:
        return f"{text}."
    exact = "exact " if found.exact else ""
    crosses = f" {_crossing(transfer)}" if found.crossing is not None else ""
    return f"{text} (log-rank test, {exact}p = {p_short(found.pvalue)}).{crosses}"


def _median(median: float) -> str:
    by = (
        "median not reached" if math.isinf(median) else f"median step {step_text(median)}"
    )
    return f" ({by})"


def _crossing(transfer: Transfer) -> str:
    """Say that curves cross, and what follows from it."""
    found = transfer.survival
    step = step_text(found.crossing) if found.crossing is not None else ""
    return (
        "One condition is ahead at first and the other by step "
        f"{step}: where the curves cross, neither the medians nor the means nor p "
        "tell all, and the log-rank test finds little; look at the Kaplan–Meier curves."
    )


def notes(transfer: Transfer) -> tuple[str, ...]:
    """Return what stands under the table of the threshold."""
    found = transfer.survival
    score = number_text(found.threshold)
    where = "" if transfer.threshold_given else ", where the runs of both end on average"
    held = f" at {found.hold} consecutive steps" if found.hold > 1 else ""
    first = f"Reaching a score of {score}{where}{held}."
    lines = [first]
    if found.pvalue is not None:
        exact = "exact " if found.exact else ""
        lines[0] += (
            f" Log-rank test of the times, {exact}p = {p_short(found.pvalue)}; a run that never "
            "reaches it counts as one that takes longer than it was trained."
        )
    if found.failed_never_reach:
        lines.append(
            "A run that failed counts as one that never reaches it, as it counts as the worst "
            "score of all."
        )
    if found.crossing is not None:
        lines.append(_crossing(transfer))
    return tuple(lines)
