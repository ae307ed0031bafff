"""What a criterion can ask of the values of a metric, one for each pair of curves.

Undefined values fail "defined" alone; the other rules look at the values there are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curvewise.questions.criteria.verdict import Case, Outcome

    Rule = Callable[[Sequence[Outcome], float], bool]

__all__ = [
    "ALPHA",
    "CriterionTest",
    "are_defined",
    "are_equal",
    "are_significant",
    "differ",
    "rise",
    "rise_through_no_effect",
]

ROUNDING = 1e-9  # values closer than this, of their size, are the same
ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class CriterionTest:
    """A case, and the rule by which the criterion holds there.

    A rule takes the outcomes, one for each pair, and the value for no effect.
    """

    case: Case
    rule: Rule


def are_defined(outcomes: Sequence[Outcome], _: float) -> bool:
    """Tell whether every pair has a value."""
    return all(outcome.value is not None for outcome in outcomes)


def are_equal(outcomes: Sequence[Outcome], _: float) -> bool:
    """Tell whether all pairs have the same value."""
    values = _known(outcomes)
    return all(_same(value, values[0]) for value in values[1:])


def differ(outcomes: Sequence[Outcome], _: float) -> bool:
    """Tell whether no two pairs have the same value."""
    values = sorted(_known(outcomes))
    return not any(_same(low, high) for low, high in pairwise(values))


def rise(outcomes: Sequence[Outcome], _: float) -> bool:
    """Tell whether every pair has a larger value than the one before."""
    values = _known(outcomes)
    return all(low < high and not _same(low, high) for low, high in pairwise(values))


def rise_through_no_effect(outcomes: Sequence[Outcome], no_effect: float) -> bool:
    """Tell whether values increase, and the middle one equals the value for no effect."""
    middle = outcomes[len(outcomes) // 2].value
    centred = middle is not None and _same(middle, no_effect)
    return centred and rise(outcomes, no_effect)


def are_significant(outcomes: Sequence[Outcome], no_effect: float) -> bool:
    """Tell whether bounded intervals exclude no effect, and every p is at most ALPHA."""
    return all(
        outcome.interval is not None
        and all(map(math.isfinite, outcome.interval))
        and not outcome.interval.low <= no_effect <= outcome.interval.high
        and outcome.pvalue is not None
        and outcome.pvalue <= ALPHA
        for outcome in outcomes
    )


def _known(outcomes: Sequence[Outcome]) -> list[float]:
    return [outcome.value for outcome in outcomes if outcome.value is not None]


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=ROUNDING, abs_tol=ROUNDING)
