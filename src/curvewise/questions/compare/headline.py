"""What `compare` and `compare_many` found, in one line."""

from __future__ import annotations

import math
from functools import singledispatch
from typing import TYPE_CHECKING

from curvewise.inference.families import ADJUSTMENTS
from curvewise.inference.phrases import one_line, p_of
from curvewise.questions.compare.claims import in_what, is_claimed, is_undecidable
from curvewise.questions.compare.result import Comparison, Comparisons
from curvewise.text import interval_text, number_text, p_short, plural

if TYPE_CHECKING:
    from curvewise.inference.effects import Effect
    from curvewise.inference.result import Result
    from curvewise.questions.compare.result import Difference

__all__ = ["headline"]

# What is compared of an algorithm's runs, after the difference.
OF_WHAT = {"mean": " on average", "trimmed": " in typical runs", "ranks": " by ranks"}


@singledispatch
def headline(result: Result) -> str:
    """Return one line: the winner first, the difference with its interval, and p."""
    raise TypeError(type(result).__name__)


@headline.register
def _(comparison: Comparison) -> str:
    names = [summary.name for summary in comparison.algorithms]
    if len(names) > 2:
        return _many(comparison)
    if is_undecidable(comparison):
        p = p_short(comparison.smallest_pvalue)
        return one_line(
            lambda a, b: (
                f"Whether {a} and {b} differ cannot be decided: no p below {p} is possible."
            ),
            *names,
        )
    overall = p_of(comparison.overall)
    if not comparison.overall.significant:
        return one_line(
            lambda a, b: f"No difference detected between {a} and {b} ({overall}).",
            *names,
        )
    difference = comparison.difference
    if (
        difference is not None
        and difference.value
        and is_claimed(comparison, "algorithm")
    ):
        return _winner(comparison, difference)
    doubt = in_what(comparison)
    if is_claimed(comparison, "interaction") and not doubt:
        shape = comparison.interaction
        return one_line(
            lambda a, b: (
                f"{a} and {b} differ in shape ({_p(shape)}); no difference in height detected."
            ),
            *names,
        )
    return one_line(lambda a, b: f"{a} and {b} differ{doubt} ({overall}).", *names)


def _winner(comparison: Comparison, difference: Difference) -> str:
    """Say who is ahead, by how much and how surely."""
    low, high = difference.interval
    size = f" by {number_text(abs(difference.value))}" if comparison.quotes_scores else ""
    if size and not any(map(math.isinf, (low, high))):
        # The winner is the subject, so the difference is a positive one.
        ends = (low, high) if difference.value > 0 else (-high, -low)
        size += f" ({interval_text(ends)})"
    a_wins = (difference.value > 0) == comparison.higher_is_better
    names = (difference.a, difference.b) if a_wins else (difference.b, difference.a)
    p = p_of(comparison.algorithm)
    doubt = in_what(comparison)
    if doubt:
        return one_line(
            lambda a, b: f"{a} is ahead of {b}{size}; they differ{doubt} ({p}).", *names
        )
    what = OF_WHAT[comparison.center] if comparison.n_steps > 1 else ""
    return one_line(lambda a, b: f"{a} beats {b}{size}{what}; {p}.", *names)


def _p(effect: Effect | None) -> str:
    assert effect is not None  # noqa: S101 (a shape that is claimed was tested)
    return p_of(effect)


def _many(comparison: Comparison) -> str:
    """Say whether several algorithms differ, and whose mean is the best."""
    number = len(comparison.algorithms)
    if is_undecidable(comparison):
        p = p_short(comparison.smallest_pvalue)
        return f"Whether the {number} algorithms differ cannot be decided: no p below {p} is possible."
    overall = p_of(comparison.overall)
    if not comparison.overall.significant:
        return f"No difference detected between the {number} algorithms ({overall})."
    found = f"The {number} algorithms differ{in_what(comparison)} ({overall})"
    ranked = sorted(comparison.algorithms, key=lambda summary: summary.mean)
    best = ranked[-1 if comparison.higher_is_better else 0].name
    shown = (
        is_claimed(comparison, "algorithm")
        and comparison.even_blocks
        and comparison.quotes_scores
        and comparison.center == "mean"
    )
    if not shown:
        return f"{found}."
    return one_line(lambda name: f"{found}; {name} has the best mean.", best)


@headline.register
def _(comparisons: Comparisons) -> str:
    how, tables = ADJUSTMENTS[comparisons.adjust].title, plural(len(comparisons), "table")
    if comparisons.smallest_pvalue > comparisons.alpha:
        p = p_short(comparisons.smallest_pvalue)
        return f"In which of {tables} the curves differ cannot be decided: no p below {p} is possible."
    found = len(comparisons.significant())
    if found:
        return f"The curves differ in {found} of {tables}, after {how}."
    smallest = p_short(min(comparisons.pvalues_adjusted["overall"].values()))
    return f"No difference detected in any of {tables}, after {how} (smallest p = {smallest})."
