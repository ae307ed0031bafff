"""Pictures of aggregates: intervals of the algorithms, curves with bands, performance profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.choices import check_drawn
from curvewise.errors import OptionError
from curvewise.inference.measures import EVERY_STEP
from curvewise.questions.aggregate.profiles import Profiles
from curvewise.questions.aggregate.result import Aggregate
from curvewise.rendering.figures import (
    axes_or_current,
    label_text,
    legend_below,
    one_axes,
)
from curvewise.rendering.forest import Row, forest, forest_size, value_text
from curvewise.rendering.looks import looks_of
from curvewise.rendering.ticks import write_steps
from curvewise.text import argument, percent, plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.rendering.looks import Look

__all__ = ["figure", "plot_aggregate", "plot_aggregate_curves", "plot_profiles"]

CURVES_SIZE = (7.0, 4.2)  # inches
MAX_NAMES_AT_ENDS = 8
MAX_NAME = 26  # characters of a name


def plot_aggregate(aggregate: Aggregate, ax: Axes | None = None) -> Axes:
    """Draw the aggregate of each algorithm with its interval, best first.

    A line marks the value of the first. Draws on the current Axes if none are given, and
    returns the Axes.
    """
    check_drawn(aggregate, Aggregate, "plot_aggregate() draws what aggregate() found")
    ax = axes_or_current(ax, forest_size(len(aggregate)))
    looks = looks_of(aggregate)
    rows = [
        Row(
            label=label_text(name, 24).strip(),
            value=own.value,
            low=own.interval.low,
            high=own.interval.high,
            colour=looks[name].colour,
            marker="o",
            filled=True,
            right=value_text(own.value),
        )
        for name, own in aggregate.items()
    ]
    first = next(iter(aggregate.values()))
    heading = {"iqm": "IQM", "mean": "mean", "gap": "gap"}[aggregate.statistic]
    forest(ax, rows, heading, no_effect=first.value)
    ax.set_xlabel(f"{_axis_label(aggregate)}\n({_interval_text(aggregate)})")
    return ax


def plot_aggregate_curves(aggregate: Aggregate, ax: Axes | None = None) -> Axes:
    """Draw the aggregate of each algorithm at every step, with its band.

    Raises `OptionError` if the aggregate is not one of every step. Draws on the current Axes if
    none are given, and returns the Axes.
    """
    check_drawn(
        aggregate, Aggregate, "plot_aggregate_curves() draws what aggregate() found"
    )
    if aggregate.steps is None:
        msg = f"There are no curves to draw. Ask for them with {argument('on', EVERY_STEP)}."
        raise OptionError(msg, option="aggregate")
    ax = axes_or_current(ax, CURVES_SIZE)
    looks = looks_of(aggregate)
    lines = []
    for name, own in aggregate.items():
        assert own.band is not None  # noqa: S101 (it has steps)
        assert own.curve is not None  # noqa: S101 (it has steps)
        lines.append(_line(ax, aggregate.steps, own.curve, own.band, name, looks))
    ax.set_ylabel(_axis_label(aggregate))
    if aggregate.in_shares:
        from matplotlib.ticker import PercentFormatter

        ax.set_xlabel("share of training")
        ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    else:
        ax.set_xlabel(label_text(aggregate.display.step_name), parse_math=False)
        write_steps(ax)
    tasks, level = plural(len(aggregate.tasks), "task"), percent(aggregate.confidence)
    _caption(ax, f"{tasks}; {level} bands for all steps at once")
    if len(lines) > MAX_NAMES_AT_ENDS:
        _legend(ax, lines)
        return ax
    from curvewise.rendering.end_labels import label_ends

    last = float(aggregate.steps[-1])
    ends = [(last, float(np.asarray(line.get_ydata())[-1])) for line in lines]
    names = [str(line.get_label()).strip() for line in lines]
    # A frame would strike the names through.
    ax.spines[["top", "right"]].set_visible(False)
    label_ends(ax, ends, names, [str(line.get_color()) for line in lines])
    return ax


def plot_profiles(profiles: Profiles, ax: Axes | None = None) -> Axes:
    """Draw the share of runs above each score, for every algorithm, with its band.

    ``profiles`` are what `Aggregate.profile` returns. Draws on the current Axes if none are
    given, and returns the Axes.
    """
    check_drawn(
        profiles, Profiles, "plot_profiles() draws what aggregate(…).profile() returns"
    )
    ax = axes_or_current(ax, CURVES_SIZE)
    looks = looks_of(profiles)
    lines = [
        _line(
            *(ax, profiles.tau, profiles.shares[name], profiles.band(name), name, looks),
            steps=True,
        )
        for name in profiles.algorithms
    ]
    raw = profiles.scale_text.startswith("scores as they are")
    ax.set(
        xlabel=f"{'score' if raw else 'normalised score'} τ ({profiles.measure})",
        ylabel="share of runs above τ",
        ylim=(-0.02, 1.02),
    )
    tasks, level = plural(profiles.n_tasks, "task"), percent(profiles.confidence)
    _caption(ax, f"{tasks}; {level} bands for all τ at once")
    _legend(ax, lines)
    return ax


def figure(aggregate: Aggregate, _curves: Curves | None = None) -> Figure:
    """Draw curves where every step was asked for, else intervals; Curves are not needed."""
    if aggregate.steps is not None:
        return one_axes(plot_aggregate_curves, aggregate, CURVES_SIZE)
    width, height = forest_size(len(aggregate))
    return one_axes(plot_aggregate, aggregate, (width, height))


def _line(
    ax: Axes,
    at: Any,
    value: Floats,
    band: tuple[Floats, Floats],
    name: str,
    looks: Mapping[str, Look],
    *,
    steps: bool = False,
) -> Line2D:
    """Draw one line with its band, which at a single place is a bar."""
    look = looks[name]
    low, high = band
    if len(at) == 1:
        ends = [value - low, high - value]
        ax.errorbar(at, value, ends, color=look.colour, capsize=3, zorder=2)
    ax.fill_between(
        at,
        low,
        high,
        step="post" if steps else None,
        color=look.colour,
        alpha=0.13,
        linewidth=0,
    )
    (line,) = ax.plot(
        at,
        value,
        drawstyle="steps-post" if steps else "default",
        color=look.colour,
        linestyle=look.line_style,
        marker="o" if len(at) == 1 else None,
        label=label_text(name, MAX_NAME),
        zorder=3,
    )
    return line


def _caption(ax: Axes, text: str) -> None:
    ax.set_title(text, loc="left", fontsize="small", color="0.35")


def _legend(ax: Axes, lines: Sequence[Line2D]) -> None:
    legend_below(ax, lines, [str(line.get_label()) for line in lines])


def _axis_label(aggregate: Aggregate) -> str:
    of = "scores" if aggregate.scaling == "raw" else "normalised scores"
    lower = " (lower is better)" if aggregate.lower_is_better else ""
    return f"{aggregate.name} of {of}{lower}"


def _interval_text(aggregate: Aggregate) -> str:
    level = percent(aggregate.confidence)
    tasks = plural(len(aggregate.tasks), "task")
    return f"{tasks}, {aggregate.measure};\n{level} intervals"
