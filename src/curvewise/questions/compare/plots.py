"""Pictures of what `compare` and `compare_many` found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.choices import check_drawn
from curvewise.inference.effects import EFFECTS, Effect
from curvewise.questions.compare.result import Comparison, Comparisons
from curvewise.rendering.curve_plot import plot_curves
from curvewise.rendering.figures import (
    OBSERVED_COLOUR,
    axes_or_current,
    label_text,
    new_figure,
)
from curvewise.rendering.forest import forest_size, legend_above, row_font
from curvewise.rendering.looks import COLOURS
from curvewise.text import number_text, p_text

if TYPE_CHECKING:
    from typing import Unpack

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.rendering.curve_plot import CurveOptions

__all__ = ["figure", "plot_comparison", "plot_null_distribution"]

N_BINS = 60
LOGARITHMIC_FROM = 5  # times the critical value, where the observed one makes the axis so
HISTOGRAM_HEIGHT = 0.78  # of the Axes; the legend stands above


def figure(
    result: Comparison | Comparisons,
    curves: Curves | None = None,
    **drawing: Unpack[CurveOptions],
) -> Figure:
    """Draw the curves and null distributions of a comparison, or the p of many."""
    if isinstance(result, Comparisons):
        return _many(result)
    return plot_comparison(curves, result, **drawing)


def plot_null_distribution(effect: Effect, ax: Axes | None = None) -> Axes:
    """Draw where the observed statistic falls among those of the relabellings."""
    check_drawn(
        effect,
        Effect,
        "plot_null_distribution() draws what compare() found of an effect, such as .overall",
    )
    ax = axes_or_current(ax)
    null = effect.null_distribution[np.isfinite(effect.null_distribution)]
    edge = _right_edge(null, effect)
    beyond = int(np.sum(effect.null_distribution > edge))
    bins = _bins(null, effect, edge)
    if bins[0] > 0:
        ax.set_xscale("log")
        null = np.maximum(null, bins[0])
    ax.hist(null[null <= edge], bins=list(bins), color="0.75", edgecolor="0.6")
    p = f"{'exact ' if effect.exact else ''}p = {p_text(effect.pvalue)}"
    if np.isfinite(effect.statistic):
        label = f"observed {effect.symbol} = {number_text(effect.statistic)}, {p}"
        ax.axvline(
            effect.statistic,
            0,
            HISTOGRAM_HEIGHT,
            color=OBSERVED_COLOUR,
            linewidth=2,
            label=label,
        )
    else:
        ax.plot(
            [],
            [],
            color=OBSERVED_COLOUR,
            label=f"observed {effect.symbol} is infinite, {p}",
        )
    if np.isfinite(effect.critical_value):
        ax.axvline(
            effect.critical_value,
            0,
            HISTOGRAM_HEIGHT,
            color="black",
            linestyle="--",
            linewidth=1.2,
            label=f"critical {effect.symbol} = {number_text(effect.critical_value)} (α = {effect.alpha:g})",
        )
    beyond_text = f"; {beyond:,} beyond the edge" if beyond else ""
    ax.set(
        title=f"{EFFECTS[effect.name].title} ({effect.name})",
        xlabel=f"{effect.symbol} of {effect.n_shuffles:,} relabellings{beyond_text}",
        ylabel="relabellings",
    )
    ax.set_ylim(0, ax.get_ylim()[1] / HISTOGRAM_HEIGHT)
    ax.locator_params(axis="y", integer=True)
    ax.legend(fontsize="small", loc="upper center", frameon=False)
    return ax


def plot_comparison(
    curves: Curves | None,
    comparison: Comparison,
    **drawing: Unpack[CurveOptions],
) -> Figure:
    """Draw the curves, and beneath them the null distributions of height and shape.

    Without curves the null distributions are drawn alone, and without ``details`` the curves.
    Curves are drawn as `plot_curves` does it, with the same options.
    """
    check_drawn(comparison, Comparison, "plot_comparison() draws what compare() found")
    effects = [comparison.algorithm]
    if comparison.interaction is not None:
        effects.append(comparison.interaction)
    rows = (2,) if curves is None else (3, 2)
    if curves is not None and not drawing.get("details", True):
        figure = new_figure((9, 5.4))
        plot_curves(curves, ax=figure.subplots(), **drawing)
        return figure
    figure = new_figure((9, 1.6 * sum(rows)))
    grid = figure.add_gridspec(len(rows), len(effects), height_ratios=rows)
    if curves is not None:
        plot_curves(curves, ax=figure.add_subplot(grid[0, :]), **drawing)
    for place, effect in enumerate(effects):
        plot_null_distribution(effect, ax=figure.add_subplot(grid[-1, place]))
    return figure


def _many(comparisons: Comparisons) -> Figure:
    """Draw the adjusted p of every table, for each effect, on a logarithmic axis."""
    names = list(comparisons)
    figure = new_figure(forest_size(len(names)))
    ax = figure.subplots()
    # The overall mark is an open ring, so that the others are seen inside it where p is equal.
    looks = (("o", 11, "none"), ("s", 6, "full"), ("^", 6, "full"))
    handles = []
    for (effect, words), colour, look in zip(
        EFFECTS.items(), COLOURS, looks, strict=False
    ):
        adjusted = comparisons.pvalues_adjusted[effect]
        rows = [names.index(name) for name in adjusted]
        marker, size, fill = look
        handles += ax.plot(
            list(adjusted.values()),
            rows,
            marker,
            color=colour,
            markersize=size,
            fillstyle=fill,
            label=words.title,
        )
    alpha = comparisons.alpha
    handles.append(ax.axvline(alpha, color="0.5", linewidth=0.8, label=f"α = {alpha:g}"))
    ax.set_xscale("log")
    font = row_font(ax, len(names) + 1)
    labels = [label_text(name, 32).strip() for name in names]
    ax.set_yticks(range(len(names)), labels, fontsize=font, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlabel(f"adjusted p (significant at or left of α = {alpha:g})")
    legend_above(ax, handles, n_columns=4)
    return figure


def _bins(null: Floats, effect: Effect, edge: float) -> Floats:
    """Return the edges of the bins: geometric where the observed one lies far out.

    A bar at 0 and a line at 284 would tell nothing. Geometric bins start at the 1% quantile.
    """
    far = LOGARITHMIC_FROM * effect.critical_value
    low = float(np.quantile(null, 0.01)) if null.size else 0.0
    if np.isfinite(effect.statistic) and effect.statistic > far > 0 and low > 0:
        return np.geomspace(low, edge, N_BINS + 1)
    return np.linspace(min(0.0, float(null.min(initial=0.0))), edge, N_BINS + 1)


def _right_edge(null: Floats, effect: Effect) -> float:
    """Choose where the histogram ends: a few far values must not flatten the rest."""
    marks = [
        value for value in (effect.statistic, effect.critical_value) if np.isfinite(value)
    ]
    if null.size:
        bulk = float(np.quantile(null, 0.995))
        marks.append(min(float(null.max()), 2 * bulk))
    return 1.05 * max(marks, default=1.0) or 1.0
