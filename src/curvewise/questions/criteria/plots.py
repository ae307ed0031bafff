"""Pictures of the curves that decide a criterion: small panels, a pair of curves in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curvewise.data.choices import check_drawn
from curvewise.questions.criteria.result import SIGNS
from curvewise.questions.criteria.verdict import Verdict
from curvewise.questions.criteria.words import outcome_text
from curvewise.rendering.figures import axes_or_current, new_figure
from curvewise.rendering.looks import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.criteria.result import Criteria
    from curvewise.questions.criteria.verdict import CurvePair

__all__ = ["figure", "plot_criterion"]

MAX_SIZE_RATIO = 3  # panels whose largest scores are within this factor share an axis
GAP, LEFT, RIGHT, FOOT, HEAD = 0.035, 0.06, 0.99, 0.18, 0.68  # shares of the Axes
# The control is dashed and drawn last, so that curves that coincide are both seen.
LOOKS: dict[str, tuple[str, Any]] = {
    "experimental": (COLOURS[0], "-"),
    "control": (COLOURS[1], "--"),
}
OPTIMUM: dict[str, Any] = {"color": "0.5", "linewidth": 1, "linestyle": ":"}


def plot_criterion(verdict: Verdict, ax: Axes | None = None) -> Axes:
    """Draw the pairs of curves that decide a verdict, and the value of the metric on each.

    The Axes given is divided into a panel for each pair.
    """
    check_drawn(
        verdict,
        Verdict,
        "plot_criterion() draws what check_criteria() found for a metric",
    )
    case = verdict.case
    ax = axes_or_current(ax, _size(1))
    ax.set_axis_off()
    title = (
        f"{verdict.short}: {'' if verdict.holds else 'not '}{verdict.criterion} "
        f"{SIGNS[verdict.holds]}"
    )
    if not verdict.agrees:
        title += f"   (published {SIGNS[not verdict.holds]})"
    ax.text(0, 1, title, weight="bold", va="top", transform=ax.transAxes)
    origin = f" ({case.source})" if case.source else ""
    ax.text(0, 0.89, case.name + origin, va="top", size="small", transform=ax.transAxes)
    spans = [_span(pair) for pair in case.pairs]
    shared = _can_share_axis(spans)
    ends = (min(low for low, _ in spans), max(high for _, high in spans))
    width = (RIGHT - LEFT - GAP * (len(spans) - 1)) / max(len(spans), 3)
    if not shared:
        width -= GAP
    for place, pair in enumerate(case.pairs):
        left = LEFT + place * (width + GAP + (0 if shared else 1.5 * GAP))
        panel = ax.inset_axes((left, FOOT, width, HEAD - FOOT))
        name = "" if len(spans) == 1 else f"{pair.name}\n"
        outcome = outcome_text(verdict.deciding.outcomes[place])
        panel.set_title(
            f"{name}{verdict.short} {outcome}", fontsize="small", parse_math=False
        )
        _draw(panel, pair)
        low, high = ends if shared else spans[place]
        margin = 0.07 * (high - low) or 0.1
        panel.set_ylim(low - margin, high + margin)
        if shared and place:
            panel.tick_params(labelleft=False)
        if place == 0:
            panel.set_ylabel("score", fontsize="x-small")
    _legend(ax)
    return ax


def figure(criteria: Criteria, _curves: Curves | None = None) -> Figure:
    """Draw the deciding curves of one criterion, or of all that differ from the paper's table.

    Of one criterion: every metric that fails it, or all four when none does. The cases have
    curves of their own.
    """
    verdicts: Sequence[Verdict] = criteria.differences
    if len(criteria.criteria) == 1 or not verdicts:
        verdicts = criteria.crosses or criteria.verdicts
    drawn = new_figure(_size(len(verdicts)), layout=None)
    grid = drawn.subplots(len(verdicts), squeeze=False)
    drawn.subplots_adjust(left=0.02, right=0.98, top=0.98, bottom=0.02, hspace=0.08)
    for verdict, ax in zip(verdicts, grid[:, 0], strict=True):
        plot_criterion(verdict, ax=ax)
    return drawn


def _legend(ax: Axes) -> None:
    """Name the lines once, above the panels, where they hide nothing."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, linestyle=style, linewidth=2, label=name)
        for name, (colour, style) in LOOKS.items()
    ]
    handles.append(Line2D([], [], **OPTIMUM, label="optimum, where near"))
    ax.legend(
        handles=handles,
        loc="upper right",
        bbox_to_anchor=(1, 1.03),
        ncols=3,
        fontsize="x-small",
        frameon=False,
        handlelength=3,
    )


def _draw(panel: Axes, pair: CurvePair) -> None:
    single = len(pair.steps) == 1
    for name, (colour, style) in LOOKS.items():
        runs = getattr(pair, name)
        if len(runs) > 1:
            panel.plot(pair.steps, runs.T, color=colour, linewidth=0.5, alpha=0.5)
        panel.plot(
            pair.steps,
            runs.mean(axis=0),
            color=colour,
            linestyle=style,
            linewidth=2,
            marker="o" if single else None,
        )
    if pair.optimum is not None and pair.optimum <= 1.05 * _span(pair)[1]:
        panel.axhline(pair.optimum, **OPTIMUM)
    panel.tick_params(labelsize="x-small")
    panel.set_xlabel("step", fontsize="x-small", labelpad=1)
    panel.locator_params(axis="x", nbins=5, integer=True)
    if single:
        panel.set_xticks(pair.steps)
    panel.spines[["top", "right"]].set_visible(False)


def _span(pair: CurvePair) -> tuple[float, float]:
    """Return the lowest and the highest score."""
    low = min(float(pair.control.min()), float(pair.experimental.min()))
    high = max(float(pair.control.max()), float(pair.experimental.max()))
    return low, high


def _can_share_axis(spans: Sequence[tuple[float, float]]) -> bool:
    """Tell whether the scores of all panels can share an axis."""
    sizes = [max(abs(low), abs(high)) for low, high in spans]
    return max(sizes) <= MAX_SIZE_RATIO * min(sizes)


def _size(n_rows: int) -> tuple[float, float]:
    return 9.5, 2.9 * n_rows
