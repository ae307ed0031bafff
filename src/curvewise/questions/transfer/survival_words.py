"""When runs reach a threshold, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.text import about_step, p_short, plural, printable, threshold_text

if TYPE_CHECKING:
    from curvewise.questions.transfer.result import Transfer

__all__ = ["goal", "notes", "sentence"]


def goal(transfer: Transfer) -> str:
    """Say what there is to reach, and for how long it must be held."""
    found = transfer.survival
    held = f" at {found.hold} consecutive steps" if found.hold > 1 else ""
    return f"a score of {threshold_text(found.threshold)}{held}"


def sentence(transfer: Transfer) -> str:
    """Say how many runs of whom reach the threshold, by when, and how sure a difference is."""
    found = transfer.survival
    n_control, n_experimental = transfer.n_runs
    ours = _reached(transfer, 1, plural(n_experimental, "run"))
    others = _reached(transfer, 0, str(n_control))
    text = f"Reaching {goal(transfer)}: {ours}, {others}"
    if found.pvalue is None:
        return f"{text}."
    exact = "exact " if found.exact else ""
    tested = f"{text}; log-rank test, {exact}p = {p_short(found.pvalue)}."
    return f"{tested} {_crossing(transfer)}".rstrip()


def _reached(transfer: Transfer, place: int, runs: str) -> str:
    """Say how many runs of a condition, the control at place 0, reach it by when."""
    found = transfer.survival
    name = (transfer.control, transfer.experimental)[place]
    median = found.medians[place]
    by = "not reached" if math.isinf(median) else f"step {about_step(median)}"
    return f"{found.n_reached[place]} of {runs} of {printable(name)} (median {by})"


def _crossing(transfer: Transfer) -> str:
    """Say that curves cross, and what follows from it; "" where they do not."""
    found = transfer.survival
    if found.crossing is None:
        return ""
    names = [transfer.control, transfer.experimental]
    if found.ahead_at_last == "control":
        names.reverse()
    first, last = map(printable, names)
    return (
        f"{first} is ahead at first, and {last} by step {about_step(found.crossing)}: where such "
        "curves cross, neither the medians nor the means nor p tell all, and the log-rank test "
        "finds little; look at the Kaplan–Meier curves."
    )


def notes(transfer: Transfer) -> tuple[str, ...]:
    """Return what stands under the table of the threshold."""
    found = transfer.survival
    where = "" if transfer.threshold_given else ", where the runs of both end on average"
    first = f"Reaching {goal(transfer)}{where}."
    if found.pvalue is not None:
        exact = "exact " if found.exact else ""
        first += (
            f" Log-rank test of the times, {exact}p = {p_short(found.pvalue)}; a run that never "
            "reaches it counts as one that takes longer than it was trained."
        )
    failed = ""
    if found.failed_never_reach:
        failed = (
            "A run that failed counts as one that never reaches it, as it counts as the worst "
            "score of all."
        )
    return tuple(filter(None, (first, failed, _crossing(transfer))))
