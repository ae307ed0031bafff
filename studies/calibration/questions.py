"""All questions whose claims are measured: the one list to extend.

A new option of a question that makes claims of its own is a new `Question` in the module of
its kind, beside the present ones, and gets its rows in `plan`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.calibration import (
    aggregating,
    choosing,
    comparing,
    gating,
    judging,
    locating,
    transferring,
    watching,
)

if TYPE_CHECKING:
    from studies.calibration.claims import Question

__all__ = ["QUESTIONS"]

QUESTIONS: dict[str, Question] = {
    question.name: question
    for module in (
        *(comparing, judging, locating, choosing, transferring, gating, watching),
        aggregating,
    )
    for question in module.QUESTIONS
}
