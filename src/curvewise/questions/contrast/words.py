"""What `contrast` and `contrast_many` found, in words a person can quote."""

from __future__ import annotations

import math
from functools import singledispatch
from typing import TYPE_CHECKING

from curvewise.inference.families import ADJUSTMENTS
from curvewise.questions.contrast.result import Contrast, Contrasts
from curvewise.text import (
    interval_text,
    number_text,
    p_short,
    percent,
    plural,
    printable,
)

if TYPE_CHECKING:
    from curvewise.inference.result import Result

__all__ = ["describe"]

MAX_NAMED = 6  # contrasts that a sentence can hold
MEASURES = {
    "mean": "averaged over training",
    "trend": "in the slope over training",
    "area": "in the area under the curve",
}
# How the runs are taken, before what is taken of each.
CENTERS = {"mean": "", "trimmed": "of typical runs ", "ranks": "by ranks of runs "}
# What a significant contrast does, and what one that is not does not, by alternative.
VERDICTS = {
    "two-sided": ("differs from 0", "does not differ detectably from 0"),
    "greater": ("is above 0", "is not detectably above 0"),
    "less": ("is below 0", "is not detectably below 0"),
}
# The same of one and of several.
FAMILY_VERDICTS = {
    "two-sided": ("differs from 0", "differ from 0"),
    "greater": ("exceeds 0", "exceed 0"),
    "less": ("lies below 0", "lie below 0"),
}


@singledispatch
def describe(result: Result) -> str:
    """Say how large contrasts are, and how sure their sign is."""
    raise TypeError(type(result).__name__)


@describe.register
def _(contrast: Contrast) -> str:
    kind, p = "exact " if contrast.exact else "", contrast.pvalue
    if contrast.pvalue_adjusted is not None:
        kind, p = "adjusted ", contrast.pvalue_adjusted
    verdict = VERDICTS[contrast.alternative][0 if contrast.significant else 1]
    ends = f"{percent(contrast.confidence)} interval {interval_text(contrast.interval)}"
    if all(map(math.isinf, contrast.interval)):
        tied = contrast.center == "trimmed" and contrast.smallest_pvalue <= contrast.alpha
        ends = f"{'too many ties' if tied else 'too few runs'} for an interval"
    note = ""
    if contrast.approximate:
        note = (
            " With more than two algorithms residuals are shuffled, and p is approximate."
        )
    size = f"is {number_text(contrast.value)} ({ends}) and "
    return (
        f"{printable(contrast.formula)}, {CENTERS[contrast.center]}{_measure(contrast)}, "
        f"{size if contrast.quotes_scores else ''}{verdict} ({kind}p = {p_short(p)}).{note}"
    )


def _measure(contrast: Contrast) -> str:
    """Name what was taken of each curve."""
    if not isinstance(contrast.weights, str):
        return "weighted as given"
    # Of a window the label says which: "mean from step 10 to 30".
    window = contrast.weights.replace("mean", "averaged", 1)
    measure = MEASURES.get(contrast.weights, window)
    return measure if contrast.higher_is_better else f"{measure} (lower is better)"


@describe.register
def _(contrasts: Contrasts) -> str:
    if len(contrasts) == 1:
        return describe(next(iter(contrasts.values())))
    found = contrasts.significant()
    how = ADJUSTMENTS[contrasts.adjust].title
    total = plural(len(contrasts), "contrast")
    verb, verbs = FAMILY_VERDICTS[next(iter(contrasts.values())).alternative]
    if not found:
        return f"After {how}, none of {total} detectably {verb}."
    named = [_named(name, contrasts[name]) for name in found[:MAX_NAMED]]
    if len(found) > MAX_NAMED:
        named.append(f"and {len(found) - MAX_NAMED} more")
    does = verb if len(found) == 1 else verbs
    return f"After {how}, {len(found)} of {total} {does}: {'; '.join(named)}."


def _named(name: str, contrast: Contrast) -> str:
    """Name a contrast of a family with its size and its adjusted p."""
    size = f"{number_text(contrast.value)}, " if contrast.quotes_scores else ""
    p = p_short(contrast.pvalue_adjusted or contrast.pvalue)
    return f"{printable(name)} ({size}p = {p})"
