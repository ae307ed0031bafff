"""What `contrast` and `contrast_many` found, in words a person can quote."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.data.checks import check_drawn
from curvewise.inference.work import ADJUSTMENTS
from curvewise.questions.contrast.result import Contrast, Contrasts
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.forest import finding, forest, forest_size, legend_of_significance
from curvewise.text import interval_text, number_text, p_short, percent, plural, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves


MAX_NAMED = 6  # contrasts that a sentence can hold
# What was taken of each curve, by the name of the weights: in a sentence, and on an axis.
MEASURES = {
    "mean": ("averaged {}", "of means {}"),
    "trend": ("in the slope {}", "of trends {}"),
    "area": ("in the area under the curve", "of areas under the curve"),
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


def describe(result: Contrast | Contrasts) -> str:
    """Say how large contrasts are, and how sure their sign is."""
    if isinstance(result, Contrast):
        return _alone(result)
    return _together(result) if len(result) > 1 else _alone(next(iter(result.values())))


def _alone(contrast: Contrast) -> str:
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
        note = " With more than two algorithms residuals are shuffled, and p is approximate."
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
    measure = MEASURES.get(contrast.weights, (window,))[0].format(contrast.period)
    return measure if contrast.higher_is_better else f"{measure} (lower is better)"


def _together(contrasts: Contrasts) -> str:
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


# --- Pictures of contrasts with their intervals.

# How the runs are summed up, where not by their mean.
CENTER_LABELS = {"trimmed": "typical run", "ranks": "median difference of two runs"}


def plot_contrasts(contrasts: Contrast | Contrasts, ax: Axes | None = None) -> Axes:
    """Draw contrasts with their intervals and p; one alone is labelled by its formula.

    Draws on the current Axes if none are given, and returns the Axes.
    """
    check_drawn(
        contrasts,
        (Contrast, Contrasts),
        "plot_contrasts() draws what contrast() or contrast_many() found",
    )
    ax = axes_or_current(ax, _size(contrasts))
    family = isinstance(contrasts, Contrasts)
    named = dict(contrasts) if isinstance(contrasts, Contrasts) else {contrasts.formula: contrasts}
    first = next(iter(named.values()))  # all were asked in the same way
    adjusted = first.pvalue_adjusted is not None
    rows = [
        finding(
            label_text(name).strip(),
            own.value,
            own.interval,
            own.pvalue_adjusted if adjusted else own.pvalue,
            clear=own.significant,
        )
        for name, own in named.items()
    ]
    p = "adjusted p" if adjusted else "p"
    forest(ax, rows, p)
    measure = "as weighted"
    if isinstance(first.weights, str):
        labels = MEASURES.get(first.weights, (f"of the {first.weights}",))
        measure = labels[-1].format(first.period)
    if first.center != "mean":
        measure = f"{measure} ({CENTER_LABELS[first.center]})"
    sided = "" if first.alternative == "two-sided" else "one-sided "
    interval = f"the {sided}{percent(first.confidence)} interval"
    if family:
        interval = f"{sided}intervals at the levels of adjusted p"
    ax.set_xlabel(f"contrast {measure}, with {interval}")
    clear = f"{VERDICTS[first.alternative][0].removeprefix('is ')} ({p} ≤ {first.alpha:g})"
    legend_of_significance(ax, rows, clear, "not significant")
    return ax


def figure(contrasts: Contrast | Contrasts, _curves: Curves | None = None) -> Figure:
    """Draw contrasts in a figure of fitting size; the curves are not needed."""
    return one_axes(plot_contrasts, contrasts, _size(contrasts))


def _size(contrasts: Contrast | Contrasts) -> tuple[float, float]:
    """Return the size of a figure, in inches, with room for every contrast."""
    return forest_size(len(contrasts) if isinstance(contrasts, Contrasts) else 1)
