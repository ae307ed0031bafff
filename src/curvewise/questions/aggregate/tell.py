"""What `aggregate` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.checks import check_drawn
from curvewise.errors import refuse
from curvewise.inference.result import one_line
from curvewise.inference.two_groups import EVERY_STEP
from curvewise.questions.aggregate.result import STATISTIC_NAMES, Aggregate, Profiles
from curvewise.rendering.curves import MAX_NAMES_AT_ENDS, name_lines
from curvewise.rendering.figures import (
    axes_or_current,
    label_text,
    legend_below,
    looks_of,
    one_axes,
    write_steps,
)
from curvewise.rendering.forest import Row, forest, forest_size, value_text
from curvewise.text import (
    argument,
    capitalised,
    interval_text,
    listed,
    number_text,
    percent,
    plural,
    printable,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.rendering.figures import Look


MAX_ALGORITHMS = 12  # that are quoted with their values
MAX_TASKS = 8  # that are named
WHAT = {**STATISTIC_NAMES, "iqm": "interquartile mean (IQM)"}


def describe(found: Aggregate) -> str:
    """Say who is how good over all tasks, by how much the first leads, and how it was found."""
    sentences = [
        _values(found) if found.quotes_scores else _order(found),
        _first_two(found),
        _along_training(found),
        _scale(found),
        _method(found),
        _tasks(found),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def headline(found: Aggregate) -> str:
    """Say in one line who is ahead over all tasks, and whether chance could explain it."""
    scores = "scores" if found.scaling == "raw" else "normalised scores"
    what, where = found.name, f"over {plural(len(found.tasks), 'task')}"
    if len(found) == 1:
        (own,) = found.values()
        value = f"is {number_text(own.value)}" if found.quotes_scores else "was taken"
        return one_line(f"The {what} of {scores} of {{}} {where} {value}.".format, own.name)
    pair = found.difference(*found.algorithms[:2])
    by = f" by {number_text(abs(pair.value))}" if found.quotes_scores else ""
    doubt = "" if pair.excludes_zero else ", which chance could explain"
    line = f"{{}} is ahead of {{}}{by} in the {what} of {scores} {where}{doubt}."
    return one_line(line.format, pair.a, pair.b)


def _subject(found: Aggregate) -> str:
    of = "scores" if found.scaling == "raw" else "normalised scores"
    lower = "; lower is better" if found.lower_is_better else ""
    what = WHAT[found.statistic]
    if found.statistic == "gap":
        what += f" below {number_text(found.gamma)}"
    return f"the {what} of {of} over {plural(len(found.tasks), 'task')} ({_measure(found)}{lower})"


def _measure(found: Aggregate) -> str:
    """Say what number was taken of a run."""
    return "at every step, averaged" if found.on == EVERY_STEP else found.measure


def _values(found: Aggregate) -> str:
    level = f"{percent(found.confidence)} interval "
    shown = [
        f"{number_text(own.value)} ({level * (not place)}{interval_text(own.interval)}) for {own.name}"
        for place, own in enumerate(list(found.values())[:MAX_ALGORITHMS])
    ]
    left = len(found) - len(shown)
    more = f"; {left} more follow" if left else ""
    return f"{capitalised(_subject(found))} is {listed(shown)}{more}."


def _order(found: Aggregate) -> str:
    """Name the algorithms in their order, without sizes that depend on a fill."""
    return f"By {_subject(found)} the order is {listed(found.algorithms, MAX_ALGORITHMS)}."


def _first_two(found: Aggregate) -> str:
    """Give the difference of the first two; nothing of one algorithm."""
    if len(found) < 2:
        return ""
    pair = found.difference(*found.algorithms[:2])
    one, other = printable(pair.a), printable(pair.b)
    by = ""
    if found.quotes_scores:
        size = number_text(abs(pair.value))
        low, high = sorted(end if pair.value >= 0 else -end for end in pair.interval)
        by = f" by {size} ({percent(found.confidence)} interval {interval_text((low, high))})"
    lead = f"{one} is ahead of {other}{by}"
    if pair.excludes_zero:
        return f"{lead}."
    return f"{lead}, which chance could explain: these runs do not tell which of them is better."


def _along_training(found: Aggregate) -> str:
    """Say at which steps the band of the first two leaves 0 out."""
    if found.steps is None or len(found) < 2:
        return ""
    pair = found.difference(*found.algorithms[:2])
    assert pair.band is not None  # noqa: S101 (there are steps)
    ahead, behind = pair.band.low > 0, pair.band.high < 0
    if found.lower_is_better:
        ahead, behind = behind, ahead
    parts = [
        f"{printable(who)} is ahead {_where(at, found.steps, in_shares=found.in_shares)}"
        for who, at in ((pair.a, ahead), (pair.b, behind))
        if at.any()
    ]
    level = percent(found.confidence)
    if not parts:
        return f"At no step does the {level} band of this difference, for all steps at once, leave 0 out."
    return f"By the {level} band of this difference, for all steps at once, {' and '.join(parts)}."


def _where(at: np.ndarray[Any, Any], steps: np.ndarray[Any, Any], *, in_shares: bool) -> str:
    """Say from where to where something holds; it does somewhere."""
    if at.all():
        return "at every step"
    edges = np.diff(np.concatenate([[0], at.astype(np.int64), [0]]))
    firsts, lasts = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    unit, of = ("", " of training") if in_shares else ("step ", "")
    shown = [percent(round(x, 3)) if in_shares else step_text(x) for x in steps.tolist()]
    spans = [
        f"at {unit}{shown[first]}"
        if first == last
        else f"from {unit}{shown[first]} to {shown[last]}"
        for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True)
    ]
    return f"{listed(spans, 3)}{of}"


def _scale(found: Aggregate) -> str:
    """Say how scores were put on one scale."""
    turned = "" if found.higher_is_better else "; lower scores are better, so they were turned"
    if found.scaling == "raw":
        return f"Scores were aggregated as they are{turned}."
    if found.scaling == "data":
        every = " at any step" if found.on == EVERY_STEP else ""
        return (
            "Scores were normalised by this data; not comparable across papers (0 is the worst "
            f"and 1 the best of all runs of a task{every}{turned})."
        )
    source = f" in {printable(found.reference)}" if found.reference else ""
    return (
        f"Scores were normalised by a reference for each task{source} (the score that counts as "
        f"0, and the one that counts as 1{turned})."
    )


def _method(found: Aggregate) -> str:
    sizes = sorted({n for own in found.n_runs.values() for n in own.values()})
    each = plural(sizes[0], "run") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} runs"
    parts = [
        "intervals of a stratified sample (Student's t, Satterthwaite's degrees of freedom)",
        f"{each} per algorithm and task",
    ]
    if found.steps is not None:
        parts.append(f"bands by {found.n_multipliers:,} multipliers of whole runs")
        if found.in_shares:
            parts.append(
                f"tasks have steps of their own and are compared at {len(found.steps)} shares "
                "of their training, by linear interpolation"
            )
    if not found.statistic_given and found.statistic == "mean":
        parts.append("with fewer than 10 tasks the mean of tasks, not the IQM")
    return f"Method: {'; '.join(parts)}."


def _tasks(found: Aggregate) -> str:
    names = listed(found.tasks, MAX_TASKS)
    dropped = ""
    if found.dropped:
        dropped = f" Left out, since they lack an algorithm: {listed(found.dropped, MAX_TASKS)}."
    if found.without_scale:
        flat = listed(found.without_scale, MAX_TASKS)
        dropped += f" Left out, since all runs have the same score: {flat}."
    these = "this task" if len(found.tasks) == 1 else "these tasks"
    return f"Conclusions are about {these}: {names}.{dropped}"


# --- Pictures of aggregates: intervals of the algorithms, curves with bands, performance profiles.

CURVES_SIZE = (7.0, 4.2)  # inches
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
            label_text(name, 24).strip(),
            own.value,
            own.interval,
            value_text(own.value),
            looks[name].colour,
        )
        for name, own in aggregate.items()
    ]
    heading = "gap" if aggregate.statistic == "gap" else aggregate.name
    forest(ax, rows, heading, no_effect=next(iter(aggregate.values())).value)
    tasks, level = plural(len(aggregate.tasks), "task"), percent(aggregate.confidence)
    about = f"{tasks}, {aggregate.measure};\n{level} intervals"
    ax.set_xlabel(f"{_axis_label(aggregate)}\n({about})")
    return ax


def plot_aggregate_curves(aggregate: Aggregate, ax: Axes | None = None) -> Axes:
    """Draw the aggregate of each algorithm at every step, with its band.

    Raises `OptionError` if the aggregate is not one of every step. Draws on the current Axes if
    none are given, and returns the Axes.
    """
    check_drawn(aggregate, Aggregate, "plot_aggregate_curves() draws what aggregate() found")
    if aggregate.steps is None:
        refuse(
            f"There are no curves to draw. Ask for them with {argument('on', EVERY_STEP)}.",
            "aggregate",
        )
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
    if len(lines) <= MAX_NAMES_AT_ENDS:
        # A frame would strike the names through.
        ax.spines[["top", "right"]].set_visible(False)
    name_lines(ax, lines, [str(line.get_label()) for line in lines])
    return ax


def plot_profiles(profiles: Profiles, ax: Axes | None = None) -> Axes:
    """Draw the share of runs above each score, for every algorithm, with its band.

    ``profiles`` are what `Aggregate.profile` returns. Draws on the current Axes if none are
    given, and returns the Axes.
    """
    check_drawn(profiles, Profiles, "plot_profiles() draws what aggregate(…).profile() returns")
    ax = axes_or_current(ax, CURVES_SIZE)
    looks = looks_of(profiles)
    tau, shares = profiles.tau, profiles.shares
    lines = [
        _line(ax, tau, shares[name], profiles.band(name), name, looks, steps=True)
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
    legend_below(ax, lines, [str(line.get_label()) for line in lines])
    return ax


def figure(aggregate: Aggregate, _curves: Curves | None = None) -> Figure:
    """Draw curves where every step was asked for, else intervals; Curves are not needed."""
    if aggregate.steps is not None:
        return one_axes(plot_aggregate_curves, aggregate, CURVES_SIZE)
    return one_axes(plot_aggregate, aggregate, forest_size(len(aggregate)))


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
    look, (low, high) = looks[name], band
    own: dict[str, Any] = {"color": look.colour}
    step, drawstyle = ("post", "steps-post") if steps else (None, "default")
    if len(at) == 1:
        ax.errorbar(at, value, [value - low, high - value], capsize=3, zorder=2, **own)
    ax.fill_between(at, low, high, step=step, alpha=0.13, linewidth=0, **own)  # type: ignore[arg-type]
    own |= {"linestyle": look.line_style, "marker": "o" if len(at) == 1 else None}
    label = label_text(name, MAX_NAME)
    (line,) = ax.plot(at, value, drawstyle=drawstyle, label=label, zorder=3, **own)
    return line


def _caption(ax: Axes, text: str) -> None:
    ax.set_title(text, loc="left", fontsize="small", color="0.35")


def _axis_label(aggregate: Aggregate) -> str:
    of = "scores" if aggregate.scaling == "raw" else "normalised scores"
    lower = " (lower is better)" if aggregate.lower_is_better else ""
    return f"{aggregate.name} of {of}{lower}"
