"""What `check_criteria` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curvewise.data.checks import check_drawn
from curvewise.questions.criteria.result import JUDGED, SIGNS, Verdict
from curvewise.rendering.figures import COLOURS, axes_or_current, new_figure
from curvewise.text import capitalised, interval_text, listed, number_text, p_text, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.criteria.result import CaseResult, Criteria, CurvePair, Outcome


# What was divided and multiplied back is 0 only up to rounding.
ROUNDING = 1e-12


def describe(criteria: Criteria) -> str:
    """Say which metric fails which criteria, and where that is not what was published."""
    found = _one(criteria) if len(criteria.criteria) == 1 else _all(criteria)
    differences = [f"{v.criterion} ({v.short})" for v in criteria.differences]
    if all(verdict.published is None for verdict in criteria.values()):
        return found
    if not differences:
        return f"{found} Gorski & Laird (2009) found the same."
    verb = "differs" if len(differences) == 1 else "differ"
    return (
        f"{found} {plural(len(differences), 'verdict')} of {len(criteria)} {verb} from "
        f"Table 2 of Gorski & Laird (2009): {', '.join(differences)}."
    )


def _one(criteria: Criteria) -> str:
    name = criteria.criteria[0].capitalize()
    met = [verdict.short for verdict in criteria.values() if verdict.holds]
    failed = [verdict.short for verdict in criteria.crosses]
    if not failed:
        return f"{name}: all of {listed(met)}."
    if not met:
        return f"{name}: none of {listed(failed)}."
    return f"{name}: {listed(met)}; not {listed(failed)}."


def _all(criteria: Criteria) -> str:
    """Say how many criteria each metric meets, the one that meets most first."""
    total = len(criteria.criteria)
    failed = {
        short: [verdict.criterion for verdict in criteria.crosses if verdict.metric == name]
        for name, short in JUDGED.items()
    }
    parts = [
        f"{short} {total - len(failed[short])} (not {listed(failed[short])})"
        if failed[short]
        else f"{short} all"
        for short in sorted(failed, key=lambda short: len(failed[short]))
    ]
    return f"Of {total} criteria the metrics meet: {'; '.join(parts)}."


def sentence(verdict: Verdict) -> str:
    """Say which case decided, and what its values were."""
    decided = verdict.deciding
    outcomes = f"{capitalised(decided.case.name)}: {_outcomes(decided)}"
    if verdict.holds:
        n_held = sum(result.holds for result in verdict.tried)
        tried = plural(len(verdict.tried), "case")
        return f"{outcomes}. Holds in {n_held} of {tried} tried."
    reasons = {outcome.reason for outcome in decided.outcomes if outcome.reason}
    why = f" ({' '.join(sorted(reasons)).rstrip('.')})" if reasons else ""
    none = ""
    if verdict.one_case_suffices:
        none = f" None of the {len(verdict.tried)} tried does."
    return f"{outcomes}{why}. {capitalised(decided.case.wanted)}.{none}"


def reason(verdict: Verdict) -> str:
    """Say why a verdict is not the paper's; "" where it is."""
    if verdict.agrees:
        return ""
    return verdict.case.note or "None of the cases tried makes the metric fail."


def _outcomes(result: CaseResult) -> str:
    """Write the value of each pair, with its name where there are several."""
    if len(result.outcomes) == 1:
        return outcome_text(result.outcomes[0])
    return "; ".join(
        f"{pair.name}: {outcome_text(outcome)}"
        for pair, outcome in zip(result.case.pairs, result.outcomes, strict=True)
    )


def outcome_text(outcome: Outcome) -> str:
    """Write a value, and its interval and p where there are such."""
    if outcome.value is None:
        return "undefined"
    text = number_text(0.0 if abs(outcome.value) < ROUNDING else outcome.value)
    if outcome.interval is None:
        return text
    p = "" if outcome.pvalue is None else f", p = {p_text(outcome.pvalue)}"
    return f"{text} (interval {interval_text(outcome.interval)}{p})"


# --- Pictures of the curves that decide a criterion: small panels, a pair of curves in each.

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
    check_drawn(verdict, Verdict, "plot_criterion() draws what check_criteria() found for a metric")
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
    sizes = [max(abs(low), abs(high)) for low, high in spans]
    shared = max(sizes) <= MAX_SIZE_RATIO * min(sizes)
    ends = (min(low for low, _ in spans), max(high for _, high in spans))
    width = (RIGHT - LEFT - GAP * (len(spans) - 1)) / max(len(spans), 3)
    if not shared:
        width -= GAP
    for place, pair in enumerate(case.pairs):
        left = LEFT + place * (width + GAP + (0 if shared else 1.5 * GAP))
        panel = ax.inset_axes((left, FOOT, width, HEAD - FOOT))
        name = "" if len(spans) == 1 else f"{pair.name}\n"
        outcome = outcome_text(verdict.deciding.outcomes[place])
        panel.set_title(f"{name}{verdict.short} {outcome}", fontsize="small", parse_math=False)
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


def _size(n_rows: int) -> tuple[float, float]:
    return 9.5, 2.9 * n_rows
