"""Pictures of contrasts with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.data.choices import check_drawn
from curvewise.questions.contrast.result import Contrast, Contrasts
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    UNCLEAR_COLOUR,
    Row,
    forest,
    forest_size,
    legend_of_significance,
    p_cell,
)
from curvewise.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves

__all__ = ["figure", "plot_contrasts"]

# How the runs are summed up, where not by their mean.
CENTERS = {"trimmed": "typical run", "ranks": "median difference of two runs"}
# What was taken of each curve, by the name of the weights.
MEASURES = {
    "mean": "of means over training",
    "trend": "of trends over training",
    "area": "of areas under the curve",
}


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
    named = (
        dict(contrasts)
        if isinstance(contrasts, Contrasts)
        else {contrasts.formula: contrasts}
    )
    first = next(iter(named.values()))  # all were asked in the same way
    adjusted = first.pvalue_adjusted is not None
    rows = [
        Row(
            label=label_text(name).strip(),
            value=contrast.value,
            low=contrast.interval.low,
            high=contrast.interval.high,
            colour=CLEAR_COLOUR if contrast.significant else UNCLEAR_COLOUR,
            marker="o",
            filled=contrast.significant,
            right=p_cell(contrast.pvalue_adjusted if adjusted else contrast.pvalue),
        )
        for name, contrast in named.items()
    ]
    p = "adjusted p" if adjusted else "p"
    forest(ax, rows, p)
    measure = "as weighted"
    if isinstance(first.weights, str):
        measure = MEASURES.get(first.weights, f"of the {first.weights}")
    if first.center != "mean":
        measure = f"{measure} ({CENTERS[first.center]})"
    sided = "" if first.alternative == "two-sided" else "one-sided "
    interval = f"the {sided}{percent(first.confidence)} interval"
    if family:
        interval = f"{sided}intervals at the levels of adjusted p"
    ax.set_xlabel(f"contrast {measure}, with {interval}")
    words = {"two-sided": "differs from 0", "greater": "above 0", "less": "below 0"}
    clear = f"{words[first.alternative]} ({p} ≤ {first.alpha:g})"
    legend_of_significance(ax, rows, clear, "not significant")
    return ax


def figure(contrasts: Contrast | Contrasts, _curves: Curves | None = None) -> Figure:
    """Draw contrasts in a figure of fitting size; the curves are not needed."""
    return one_axes(plot_contrasts, contrasts, _size(contrasts))


def _size(contrasts: Contrast | Contrasts) -> tuple[float, float]:
    """Return the size of a figure, in inches, with room for every contrast."""
    return forest_size(len(contrasts) if isinstance(contrasts, Contrasts) else 1)
