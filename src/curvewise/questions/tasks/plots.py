"""Pictures of algorithms on many tasks: task by task, and pair by pair."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.data.choices import check_drawn
from curvewise.questions.tasks.result import TaskComparison, TaskComparisons
from curvewise.questions.tasks.tables import by_lead
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    UNCLEAR_COLOUR,
    WORSE_COLOUR,
    Row,
    forest,
    forest_size,
    legend_above,
    legend_of_significance,
    p_cell,
    point,
)
from curvewise.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.tasks.evidence import TaskDifference

__all__ = ["figure", "plot_task_pairs", "plot_tasks"]

# In standard deviations of runs. What lies beyond is an arrow at the edge: such runs are all on
# one side anyway, and the other tasks stay readable.
MAX_SHOWN = 5.0


def plot_tasks(found: TaskComparison, ax: Axes | None = None) -> Axes:
    """Draw the difference between two algorithms on every task, the first one's best at the top.

    Differences are in standard deviations of the runs of a task, so that tasks with different
    scores can be compared, and positive where the first algorithm is better. Marks are filled
    where it is said which is better, after adjustment. Draws on the current Axes if none are
    given, and returns the Axes.
    """
    check_drawn(
        found,
        TaskComparison,
        "plot_tasks() draws what compare_tasks() found of two algorithms",
    )
    ax = axes_or_current(ax, _size(len(found.per_task)))
    rows = [_row(task, own, found) for task, own in by_lead(found)]
    values = {row.value for row in rows}
    beyond = [side * MAX_SHOWN for side in (-1, 1) if side * math.inf in values]
    forest(ax, rows, "adjusted p", shows=beyond)
    a, b = label_text(found.a, 24).strip(), label_text(found.b, 24).strip()
    level = percent(1 - found.alpha)
    arrows = f" (arrows: beyond {MAX_SHOWN:g})" if beyond else ""
    ax.set_xlabel(
        f"← {b} better     {a} better →\n"
        f"difference in standard deviations of runs{arrows}\n"
        f"with the {level} interval of each task alone",
        parse_math=False,
    )
    looks = {
        f"{a} better": (CLEAR_COLOUR, "o", True),
        f"{b} better": (WORSE_COLOUR, "s", True),
        "not told apart": (UNCLEAR_COLOUR, "o", False),
    }
    shown = {(row.colour, row.marker, row.filled) for row in rows}
    legend_above(
        ax,
        [
            point(label, colour, marker, filled=filled)
            for label, (colour, marker, filled) in looks.items()
            if (colour, marker, filled) in shown
        ],
    )
    return ax


def _row(task: str, own: TaskDifference, found: TaskComparison) -> Row:
    low = high = math.nan
    if own.standardised is not None:
        low, high = (_shown(end) for end in own.standardised)
    colour, marker = UNCLEAR_COLOUR, "o"
    if own.winner is not None:
        ours = own.winner == found.a
        colour, marker = (CLEAR_COLOUR, "o") if ours else (WORSE_COLOUR, "s")
    return Row(
        label=label_text(task).strip(),
        value=_shown(own.standardised_lead(higher_is_better=found.higher_is_better)),
        low=low,
        high=high,
        colour=colour,
        marker=marker,
        filled=own.winner is not None,
        right=p_cell(own.pvalue_height_adjusted),
    )


def _shown(value: float) -> float:
    return value if abs(value) <= MAX_SHOWN else math.copysign(math.inf, value)


def plot_task_pairs(
    found: TaskComparison | TaskComparisons, ax: Axes | None = None
) -> Axes:
    """Draw how often a run of one algorithm beats one of another, on all tasks, pair by pair.

    A row for each pair, the one that is ahead first, with its interval and the p on the whole;
    a line marks a half. Draws on the current Axes if none are given, and returns the Axes.
    """
    check_drawn(
        found,
        (TaskComparison, TaskComparisons),
        "plot_task_pairs() draws what compare_tasks() found",
    )
    pairs = [found] if isinstance(found, TaskComparison) else list(found.values())
    ax = axes_or_current(ax, _size(len(pairs)))
    ahead = [
        own if own.on_the_whole.probability >= 0.5 else own.reversed() for own in pairs
    ]
    ahead.sort(key=lambda own: -own.on_the_whole.probability)
    rows = []
    for own in ahead:
        whole = own.on_the_whole
        clear = whole.significant
        adjusted = (
            whole.pvalue if whole.pvalue_adjusted is None else whole.pvalue_adjusted
        )
        names = [label_text(name, 24).strip() for name in (own.a, own.b)]
        rows.append(
            Row(
                label=" against ".join(names),
                value=whole.probability,
                low=whole.interval.low,
                high=whole.interval.high,
                colour=CLEAR_COLOUR if clear else UNCLEAR_COLOUR,
                marker="o",
                filled=clear,
                right=p_cell(adjusted),
            )
        )
    several = len(pairs) > 1
    forest(ax, rows, "adjusted p" if several else "p", no_effect=0.5, shows=(1.0,))
    left, _ = ax.get_xlim()
    ax.set_xlim(left, 1.01)
    alpha = found.alpha
    n_tasks = len(pairs[0].per_task)
    ax.set_xlabel(
        f"probability that a run of the first beats one of the second\n"
        f"({n_tasks} tasks, {percent(1 - alpha)} interval{' of each pair alone' if several else ''})"
    )
    p = "adjusted p" if several else "p"
    legend_of_significance(
        ax, rows, f"better on the whole ({p} ≤ {alpha:g})", "not told apart"
    )
    return ax


def figure(
    found: TaskComparison | TaskComparisons, _curves: Curves | None = None
) -> Figure:
    """Draw two algorithms task by task, more of them pair by pair; curves are not needed."""
    if isinstance(found, TaskComparison):
        return one_axes(plot_tasks, found, _size(len(found.per_task)))
    return one_axes(plot_task_pairs, found, _size(len(found)))


def _size(n_rows: int) -> tuple[float, float]:
    width, height = forest_size(n_rows)
    return width, height + 0.45
