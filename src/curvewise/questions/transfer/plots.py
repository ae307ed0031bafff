"""Pictures of how much one condition gains on another: curves over metrics, or tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curvewise.data.choices import check_drawn
from curvewise.questions.transfer.gain_plot import plot_gain
from curvewise.questions.transfer.metrics_plot import (
    draw_metrics,
    metrics_height,
    plot_tasks,
)
from curvewise.questions.transfer.result import Transfer
from curvewise.questions.transfer.survival_plot import plot_survival
from curvewise.questions.transfer.transfers import Transfers
from curvewise.rendering.figures import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves

__all__ = ["figure", "plot_transfer"]


def plot_transfer(result: Transfer | Transfers) -> Figure:
    """Draw the curves of a task over its metrics; of several tasks, what is comparable.

    Where a threshold was given, the share of runs that have not reached it stands between the
    two, as `plot_survival` draws it.

    Across tasks those are the calibrated transfer ratio, where the optimum is known, and
    the average relative reduction, with their means over tasks.
    """
    if isinstance(result, Transfers):
        return plot_tasks(result)
    source = "transfer() or transfer_many()"
    check_drawn(result, Transfer, f"plot_transfer() draws what {source} found")
    heights = [5.2, *([3.6] if result.threshold_given else []), metrics_height(result)]
    figure = new_figure((8, sum(heights)))
    parts: Any = figure.subfigures(len(heights), height_ratios=heights)
    plot_gain(result, ax=parts[0].subplots())
    if result.threshold_given:
        plot_survival(result, ax=parts[1].subplots())
    draw_metrics(parts[-1], result)
    return figure


def figure(result: Transfer | Transfers, _curves: Curves | None = None) -> Figure:
    """Draw what `plot_transfer` draws; the result holds the mean curves."""
    return plot_transfer(result)
