"""The criteria, decided once for all tests."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from curvewise import check_criteria
from curvewise.questions.criteria.ask import CRITERIA
from curvewise.questions.criteria.result import JUDGED

if TYPE_CHECKING:
    from curvewise import Criteria
    from curvewise.questions.criteria.result import CaseResult

__all__ = ["CELLS", "DIFFERENCES", "case_result", "decided"]

CELLS = [(criterion, metric) for criterion in CRITERIA for metric in JUDGED]
# Where computation gives a cross and the paper a tick.
DIFFERENCES = [
    ("defined", "transfer_regret"),
    ("consistent", "transfer_regret"),
    ("distinguishing", "transfer_ratio"),
    ("distinguishing", "average_relative_reduction"),
    ("parameter-free", "average_relative_reduction"),
    ("degenerate", "transfer_regret"),
]


@cache
def decided() -> Criteria:
    return check_criteria()


def case_result(criterion: str, metric: str, case: str) -> CaseResult:
    """The one case whose name has these words in it."""
    (only,) = [result for result in decided()[criterion, metric].tried if case in result.case.name]
    return only
