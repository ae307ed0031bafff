"""Pictures of gates: the interval of the difference against the margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curvewise.data.choices import check_drawn
from curvewise.questions.gate.amounts import margin_text
from curvewise.questions.gate.result import Gate, Gates
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    UNCLEAR_COLOUR,
    WORSE_COLOUR,
    Row,
    forest,
    forest_size,
    legend_above,
    point,
)
from curvewise.text import percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves

__all__ = ["figure", "plot_gates"]

LOOKS = {
    "pass": (CLEAR_COLOUR, "o", True),
    "fail": (WORSE_COLOUR, "s", True),
    "undecided": (UNCLEAR_COLOUR, "o", False),
    "not examined": ("0.7", "o", False),
}
UNITS = {
    "score": "in units of the score",
    "relative": "as a share of the baseline's mean",
    "sd": "in standard deviations of runs",
    "factor": "time to the score",
}


def plot_gates(gates: Gate | Gates, ax: Axes | None = None) -> Axes:
    """Draw the interval of each difference against its margin, with the answer beside it.

    Gates that share a margin are drawn in its unit; others as distances from their margins, each
    in half-widths of its own interval. Draws on the current Axes if none are given, and returns
    the Axes.
    """
    check_drawn(
        gates, (Gate, Gates), "plot_gates() draws what gate() or gate_many() found"
    )
    ax = axes_or_current(ax, _size(gates))
    named, answers = _named(gates)
    some = next(iter(named.values()))
    shared = len({(own.margin, own.unit) for own in named.values()}) == 1
    times = shared and some.unit == "factor"
    rows = [_row(name, own, answers[name], shared=shared) for name, own in named.items()]
    bounds = _bounds(some) if shared else (0.0,)
    forest(ax, rows, "answer", no_effect=1.0 if times else 0.0, shows=bounds)
    left, right = ax.get_xlim()
    look: dict[str, Any] = {
        "color": WORSE_COLOUR,
        "linewidth": 1.2,
        "linestyle": (0, (4, 2)),
        "zorder": 1,
    }
    shade: dict[str, Any] = {
        "color": WORSE_COLOUR,
        "alpha": 0.07,
        "linewidth": 0,
        "zorder": 0,
    }
    for bound in bounds:
        ax.axvline(bound, **look)
        ax.axvspan(bound, right if bound > 0 else left, **shade)
    ax.set_xlim(left, right)
    if shared and some.unit == "relative":
        from matplotlib.ticker import PercentFormatter

        ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    ax.set_xlabel(_axis_label(named, shared=shared))
    handles = [
        point(answer, colour, marker, filled=filled)
        for answer, (colour, marker, filled) in LOOKS.items()
        if answer in answers.values()
    ]
    legend_above(ax, [*handles, _line(some, look, shared=shared)], n_columns=5)
    return ax


def figure(gates: Gate | Gates, _curves: Curves | None = None) -> Figure:
    """Draw gates in a figure of fitting size; the curves are not needed."""
    return one_axes(plot_gates, gates, _size(gates))


def _named(gates: Gate | Gates) -> tuple[Mapping[str, Gate], Mapping[str, str]]:
    """Return the gates by name, and their answers."""
    if isinstance(gates, Gates):
        return dict(gates), gates.answers
    sign = "/" if gates.unit == "factor" else "−"
    name = f"{label_text(gates.candidate, 20)} {sign} {label_text(gates.baseline, 20)}"
    return {name: gates}, {name: gates.answer}


def _bounds(gate: Gate) -> tuple[float, ...]:
    """Return where the margin is, on one side or on both."""
    if gate.unit == "factor":
        return (gate.margin,)
    return (-gate.margin, gate.margin) if gate.two_sided else (-gate.margin,)


def _row(name: str, gate: Gate, answer: str, *, shared: bool) -> Row:
    limits = gate.limits if answer == "pass" else gate.limits_fail
    numbers = [gate.difference, *limits]
    if not shared:
        half = (gate.limits.high - gate.limits.low) / 2
        half = half if 0 < half < float("inf") else 1.0
        better = -1 if gate.unit == "factor" else 1
        numbers = [better * (x + better * gate.margin) / half for x in numbers]
    value, (low, high) = numbers[0], sorted(numbers[1:])
    colour, marker, filled = LOOKS[answer]
    return Row(
        label=label_text(name).strip(),
        value=value,
        low=low,
        high=high,
        colour=colour,
        marker=marker,
        filled=filled,
        right=answer,
        faded=answer == "not examined",
    )


def _axis_label(named: Mapping[str, Gate], *, shared: bool) -> str:
    some = next(iter(named.values()))
    # Of what does not pass, the limits are those that a fail is judged by.
    levels = {
        own.alpha if own.answer == "pass" else own.alpha_fail for own in named.values()
    }
    interval = "intervals at the levels of the answers"
    if len(levels) == 1:
        interval = f"{percent(1 - 2 * levels.pop())} interval"
    if not shared:
        return f"distance from the margin, in half-widths of the interval\n({interval})"
    sign = "/" if some.unit == "factor" else "−"
    what = f"candidate {sign} baseline, {UNITS[some.unit]}"
    lower = (
        ""
        if some.higher_is_better or sign == "/"
        else "; above 0 the candidate is better"
    )
    return f"{what}\n({some.measure}, {interval}{lower})"


def _line(some: Gate, look: dict[str, Any], *, shared: bool) -> Artist:
    from matplotlib.lines import Line2D

    shown = (
        margin_text(some.margin, some.unit, some.margin_score) if shared else "of each"
    )
    sign = "±" if some.two_sided else ""
    return Line2D([], [], label=f"margin {sign}{shown}", **look)


def _size(gates: Gate | Gates) -> tuple[float, float]:
    """Return the size of a figure, in inches, with room for every gate."""
    width, height = forest_size(len(gates) if isinstance(gates, Gates) else 1)
    return width, height + 0.2
