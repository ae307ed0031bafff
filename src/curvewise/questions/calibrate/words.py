"""How often tests cry wolf, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.questions.calibrate.result import PROCEDURES
from curvewise.text import percent, plural, printable

if TYPE_CHECKING:
    from curvewise.questions.calibrate.result import Calibration, ProcedureRate

__all__ = ["describe"]


def describe(calibration: Calibration) -> str:
    """Say how often each test announced a difference between halves of the same runs."""
    *measured, own = calibration.rows
    first, *others = measured
    *between, last = [
        f"{PROCEDURES[row.procedure].subject} in {_share(row)}" for row in others
    ]
    of_own = (
        f"find one in {_share(own)} by construction (fewer where runs tie), whatever the runs "
        "are: that follows from how many there are, and proves nothing about them."
    )
    if not own.n_found:
        of_own = (
            "find none, by construction, whatever the runs are: between halves of so few no p "
            "can be as small as alpha."
        )
    by_splits = " of splits" if first.is_rate else " splits"
    return (
        f"Splitting {_whose(calibration)} in two at random, as if they were two algorithms, "
        f"{PROCEDURES[first.procedure].subject} would have announced a difference in "
        f"{_share(first)}{by_splits}, {', '.join(between)} and {last}. There is none to find, "
        f"and each test promises one in {percent(calibration.alpha)} at most. curvewise's exact "
        f"tests {of_own}"
    )


def _share(row: ProcedureRate) -> str:
    if not row.is_rate:
        return f"{row.n_found:,} of {row.n_splits:,}"
    share = f"{100 * row.rate:.1f}%"
    return share if row.by_construction else f"{share} (± {100 * row.sd:.0f})"


def _whose(calibration: Calibration) -> str:
    members = calibration.algorithms
    if len(members) > 1:
        return f"the runs of each of {len(members)} algorithms"
    ((name, own),) = members.items()
    return f"the {plural(own.n_runs, 'run')} of {printable(name)}"
