"""Pictures of contrasts with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.questions.contrast.result import Contrasts
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.forest import (
    CLEAR,
    UNCLEAR,
    Row,
    forest,
    forest_size,
    legend_of_significance,
    p_cell,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.contrast.result import Contrast

__all__ = ["figure", "plot_contrasts"]

WEIGHTS = {
    "mean": "of means over training",
    "trend": "of trends over training",
    "area": "of areas under the curve",
}


def plot_contrasts(contrasts: Contrast | Contrasts, ax: Axes | None = None) -> Axes:
    """Draw contrasts with their intervals and p."""
    ax = axes_or_current(ax, _size(contrasts))
    family = isinstance(contrasts, Contrasts)
    named = (
        dict(contrasts)
        if isinstance(contrasts, Contrasts)
        else {contrasts.formula: contrasts}
    )
    rows = [
        Row(
            label=label_text(name).strip(),
            value=each.value,
            low=each.interval.low,
            high=each.interval.high,
            colour=CLEAR if each.significant else UNCLEAR,
            marker="o",
            filled=each.significant,
            right=p_cell(
                each.pvalue if each.pvalue_adjusted is None else each.pvalue_adjusted
            ),
        )
        for name, each in named.items()
    ]
    p = "adjusted p" if family else "p"
    forest(ax, rows, p)
    some = next(iter(named.values()))
    over = "as weighted"
    if isinstance(some.weights, str):
        over = WEIGHTS.get(some.weights, some.weights)
    alone = " of each alone" if family else ""
    sided = "" if some.alternative == "two-sided" else "one-sided "
    level = f"{100 * some.confidence:.6g}%"
    ax.set_xlabel(f"contrast {over}, with the {sided}{level} interval{alone}")
    words = {"two-sided": "differs from 0", "greater": "above 0", "less": "below 0"}
    clear = f"{words[some.alternative]} ({p} ≤ {some.alpha:g})"
    legend_of_significance(ax, rows, clear, "not significant")
    return ax


def figure(contrasts: Contrast | Contrasts, _curves: Curves | None = None) -> Figure:
    """Draw contrasts in a figure of fitting size; the curves are not needed."""
    return one_axes(plot_contrasts, contrasts, _size(contrasts))


def _size(contrasts: Contrast | Contrasts) -> tuple[float, float]:
    return forest_size(len(contrasts) if isinstance(contrasts, Contrasts) else 1)
