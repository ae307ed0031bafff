"""A picture of how often tests cry wolf: a bar for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.data.choices import check_drawn
from curvewise.questions.calibrate.result import Calibration
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.looks import COLOURS
from curvewise.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.calibrate.result import ProcedureRate

__all__ = ["figure", "plot_calibration"]

MEASURED, CONSTRUCTED = COLOURS[6], "0.45"
MAX_NAMED = 3  # algorithms that the legend names


def plot_calibration(result: Calibration, ax: Axes | None = None) -> Axes:
    """Draw a bar for each procedure: in which share of splits it found a difference.

    Lines are how far that varies between sets of runs, dots the algorithms by themselves. What
    holds by construction is not filled; the line is what the tests promise.
    """
    check_drawn(result, Calibration, "plot_calibration() draws what calibrate() found")
    ax = axes_or_current(ax, (8, 3.4))
    for place, row in enumerate(result.rows):
        _bar(ax, place, row)
    if len(result.algorithms) > 1:
        _dots(ax, result)
    ax.axvline(
        result.alpha,
        color="black",
        linewidth=1,
        linestyle="--",
        label=f"promised: {percent(result.alpha)}",
        zorder=4,
    )
    ax.set_yticks(range(len(result.rows)), [row.title for row in result.rows])
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    ax.set_xlabel("splits in which a difference was found, though there is none")
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    legend = ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        title=_whose(result),
        ncols=4,
        alignment="left",
        fontsize="small",
        title_fontsize="small",
        frameon=False,
        borderaxespad=0.3,
    )
    legend.get_title().set_parse_math(False)
    return ax


def figure(result: Calibration, _curves: Curves | None = None) -> Figure:
    """Draw what `plot_calibration` draws."""
    return one_axes(plot_calibration, result, (8, 3.6))


def _bar(ax: Axes, place: int, row: ProcedureRate) -> None:
    if row.by_construction:
        ax.barh(
            place,
            row.rate,
            height=0.62,
            facecolor="none",
            edgecolor=CONSTRUCTED,
            hatch="////",
            label="by construction",
        )
    else:
        ax.barh(
            place,
            row.rate,
            height=0.62,
            color=MEASURED,
            alpha=0.75,
            label="measured" if place == 0 else None,
        )
    if row.is_rate and not row.by_construction:
        low, high = max(row.rate - row.sd, 0.0), min(row.rate + row.sd, 1.0)
        ax.plot([low, high], [place, place], color="0.2", linewidth=1.4, zorder=3)
    text = (
        f"{row.rate:.1%}"
        if row.is_rate
        else f"{row.n_found:,} of {row.n_splits:,} splits"
    )
    ax.annotate(
        text,
        (1, place),
        xycoords=("axes fraction", "data"),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        fontsize="small",
    )


def _dots(ax: Axes, result: Calibration) -> None:
    """Draw each algorithm by itself."""
    places, rates = [], []
    for own in result.algorithms.values():
        for place, row in enumerate(own.rates):
            if not row.by_construction:
                places.append(place + 0.2)
                rates.append(row.rate)
    ax.plot(
        rates,
        places,
        "o",
        color="white",
        markeredgecolor="0.2",
        markersize=4.5,
        label="each algorithm",
        clip_on=False,
        zorder=5,
    )


def _whose(result: Calibration) -> str:
    names = [
        f"{label_text(name, 24).strip()} ({own.n_runs} runs)"
        for name, own in list(result.algorithms.items())[:MAX_NAMED]
    ]
    more = len(result.algorithms) - len(names)
    return f"Halves of {', '.join(names)}" + (f" and {more} more" if more else "")
