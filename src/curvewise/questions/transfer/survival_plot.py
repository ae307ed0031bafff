"""A picture of when runs reach the threshold: the Kaplan–Meier curves of both conditions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.choices import check_drawn
from curvewise.questions.transfer.gain_plot import CONTROL, EXPERIMENTAL
from curvewise.questions.transfer.result import Transfer
from curvewise.questions.transfer.survival_words import goal
from curvewise.rendering.figures import axes_or_current, label_text
from curvewise.text import about_step, p_short

if TYPE_CHECKING:
    from typing import Any

    from matplotlib.axes import Axes

    from curvewise.kernels import Floats
    from curvewise.kernels.survival import SurvivalCurve

__all__ = ["plot_survival"]


def plot_survival(result: Transfer, ax: Axes | None = None) -> Axes:
    """Draw the share of runs that have not reached the threshold yet, step by step.

    A line that goes down early is fast. Where it crosses one half is the median, marked; ticks
    are runs that end without having reached it.
    """
    check_drawn(result, Transfer, "plot_survival() draws what transfer() found")
    found = result.survival
    ax = axes_or_current(ax, (8, 4))
    first = min(0.0, float(result.steps[0]))
    last = float(result.steps[-1])
    ax.axhline(0.5, color="0.85", linewidth=0.8, zorder=0)
    for place, look in ((1, EXPERIMENTAL), (0, CONTROL)):
        name = (result.control, result.experimental)[place]
        median = found.medians[place]
        when = "not reached" if math.isinf(median) else f"step {about_step(median)}"
        label = (
            f"{label_text(name, 24)}: {found.n_reached[place]} of {result.n_runs[place]} "
            f"runs, median {when}"
        )
        _line(ax, found.curves[place], (first, last), label, look)
        _ends(ax, found.curves[place], found.censored[place], look)
        if math.isfinite(median):
            # Where the line comes down to one half, or through it.
            ax.plot([median], [0.5], "o", color=look["color"], markersize=5, zorder=4)
    span = (last - first) or 1.0
    ax.set(
        xlabel="step",
        ylabel="share of runs not there yet",
        ylim=(-0.02, 1.04),
        xlim=(first - 0.01 * span, last + 0.02 * span),
    )
    tested = (
        "no run does" if found.pvalue is None else f"log-rank p = {p_short(found.pvalue)}"
    )
    legend = ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        title=f"Reaching {goal(result)} ({tested})",
        fontsize="small",
        title_fontsize="small",
        alignment="left",
        frameon=False,
        borderaxespad=0.3,
        handlelength=2.6,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return ax


def _line(
    ax: Axes,
    curve: SurvivalCurve,
    ends: tuple[float, float],
    label: str,
    look: dict[str, Any],
) -> None:
    steps = np.concatenate([ends[:1], curve.steps, ends[1:]])
    shares = np.concatenate([[1.0], curve.shares])
    ax.step(
        steps,
        np.append(shares, shares[-1]),
        where="post",
        label=label,
        linewidth=2,
        zorder=3,
        **look,
    )


def _ends(ax: Axes, curve: SurvivalCurve, censored: Floats, look: dict[str, Any]) -> None:
    """Mark where runs end that have not reached it."""
    steps = np.unique(censored)
    if len(steps):
        ax.plot(
            steps,
            curve.at(steps),
            "|",
            color=look["color"],
            markersize=9,
            markeredgewidth=1.6,
            zorder=4,
        )
