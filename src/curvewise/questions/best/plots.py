"""Pictures of which algorithms may be the best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.data.choices import check_drawn
from curvewise.questions.best.bests import Bests
from curvewise.questions.best.heat_map import map_size, plot_bests
from curvewise.questions.best.result import Best
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    WORSE_COLOUR,
    Row,
    forest,
    forest_size,
    legend_above,
    p_cell,
    point,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.best.result import Contender

__all__ = ["figure", "plot_best"]


def plot_best(best: Best, ax: Axes | None = None) -> Axes:
    """Draw how far each algorithm is from the leader, and which may be the best.

    Draws on the current Axes if none are given, and returns the Axes.
    """
    check_drawn(best, Best, "plot_best() draws what best() found")
    ax = axes_or_current(ax, forest_size(len(best.rows)))

    def row(contender: Contender) -> Row:
        low, high = contender.interval or (math.nan, math.nan)
        marker = "o" if contender.contends else "s"
        right = p_cell(contender.pvalue_adjusted)
        if contender.name == best.leader:
            marker = "D"
        elif contender.difference is None:
            right = "not compared"
        return Row(
            label=label_text(contender.name, 32).strip(),
            value=contender.difference,
            low=low,
            high=high,
            colour=CLEAR_COLOUR if contender.contends else WORSE_COLOUR,
            marker=marker,
            filled=marker != "o",
            right=right,
        )

    forest(ax, [row(contender) for contender in best.rows], "adjusted p")
    level = f"{100 * (1 - best.alpha):.6g}%"
    side = "" if best.higher_is_better else "; lower is better"
    intervals = f"one-sided interval\n({level} for all of them together"
    if best.adjust == "closed":
        intervals = f"{level} interval\n(of the two alone; without 0 only where ruled out"
    ax.set_xlabel(f"difference in height to the leader, with {intervals}{side})")
    handles = [point("leader", CLEAR_COLOUR, "D")]
    if len(best.contenders) > 1:
        handles.append(point("may be the best too", CLEAR_COLOUR, filled=False))
    if best.worse:
        label = f"worse (adjusted p ≤ {best.alpha:g})"
        handles.append(point(label, WORSE_COLOUR, "s"))
    legend_above(ax, handles)
    return ax


def figure(best: Best | Bests, _curves: Curves | None = None) -> Figure:
    """Draw the contenders, or the map of all tasks, in a figure of fitting size."""
    if isinstance(best, Bests):
        return one_axes(plot_bests, best, map_size(best))
    return one_axes(plot_best, best, forest_size(len(best.rows)))
