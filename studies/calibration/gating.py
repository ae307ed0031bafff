"""What is claimed by `gate`: the first algorithm is the candidate, worse by just the margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import curvewise as cw
from studies.calibration.claims import ALPHA, N_SHUFFLES, Claim, Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.calibration.data_sets import DataSet

__all__ = ["QUESTIONS"]

PAGE = "gate.md"


def _gate(data: DataSet) -> cw.Gate:
    return cw.gate(
        data.curves,
        candidate="A",
        baseline="B",
        margin=data.heights[1] - data.heights[0],
        alpha=ALPHA,
        n_shuffles=N_SHUFFLES,
        exact=data.design.exact,
        rng=data.rng,
    )


def _answered(answer: str) -> Callable[[cw.Gate, DataSet], bool]:
    def is_wrong(found: cw.Gate, _: DataSet) -> bool:
        return found.answer == answer

    return is_wrong


def _limit_missed(found: cw.Gate, data: DataSet) -> bool:
    """Tell whether the lower limit, which is one-sided, lies above the true difference."""
    return found.limits.low > data.heights[0] - data.heights[1] + data.tolerance


QUESTIONS = (
    Question(
        "gate",
        _gate,
        (
            Claim("a candidate worse by the margin passes", _answered("pass"), PAGE),
            Claim("a candidate within the margin fails", _answered("fail"), PAGE),
            Claim("lower limit above the difference", _limit_missed, PAGE),
        ),
    ),
)
