"""What `compare_tasks` found, in words a person can quote."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.data.checks import check_drawn
from curvewise.inference.result import one_line
from curvewise.inference.work import ADJUSTMENTS
from curvewise.questions.tasks.result import TaskComparison, TaskComparisons, by_lead
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    UNCLEAR_COLOUR,
    WORSE_COLOUR,
    Row,
    finding,
    forest,
    forest_size,
    legend_above,
    legend_of_significance,
    p_cell,
    point,
)
from curvewise.text import capitalised, listed, p_short, percent, plural, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.tasks.result import Judged, TaskDifference


MAX_NAMED = 6  # tasks or pairs that a sentence can hold


def describe(found: TaskComparison | TaskComparisons) -> str:
    """Return the verdict on all tasks, what is known of single ones, and the method."""
    if isinstance(found, TaskComparisons):
        one = next(iter(found.values()))
        sentences = [_winners(found), _pairs_anywhere(found)]
    else:
        one = found
        about = _no_task_can_be_named, _on_the_whole, _anywhere, _at_least, _named
        sentences = [say(found) for say in about]
    return " ".join(filter(None, [*sentences, _left_out(found.dropped), _method(one)]))


def headline(found: TaskComparison | TaskComparisons) -> str:
    """Say in one line who is better on the tasks as a whole, and how surely."""
    if isinstance(found, TaskComparisons):
        pairs = list(found.values())
        told = sum(own.on_the_whole.significant for own in pairs)
        tasks, how = _tasks(pairs[0]), ADJUSTMENTS["holm"].title
        one = "one is better" if told else "neither was found to be better"
        which = f"{told} of {plural(len(pairs), 'pair')}" if told else "all pairs"
        together = "" if len(found.tasks) == 1 else " as a whole"
        return f"In {which} {one} on {tasks}{together}, after {how}."
    whole = found.on_the_whole
    if found.smallest_pvalue > found.alpha:
        return describe(found)
    ahead, tasks = found.from_ahead(), _tasks(found)
    line = f"Neither {{}} nor {{}} was found to be better on {tasks} ({_p(whole)})."
    if whole.significant:
        chance = chance_text(ahead.on_the_whole.probability)
        line = f"{{}} beats {{}} on {tasks}, with probability {chance} ({_p(whole)})."
    return one_line(line.format, ahead.a, ahead.b)


def chance_text(probability: float) -> str:
    """Write a probability with two digits, or as many as keep it from ½, 0 and 1.

    >>> [chance_text(p) for p in (0.834, 0.501, 0.5, 0.9991, 1.0)]
    ['0.83', '0.501', '0.50', '0.999', '1.00']
    """
    text = f"{probability:.2f}"
    rounded = text in {"0.00", "0.50", "1.00"} and float(text) != probability
    return f"{probability:.3f}" if rounded else text


def _tasks(found: TaskComparison) -> str:
    """Return how many tasks it is about, as these and no others."""
    n_tasks = len(found.per_task)
    return "this task" if n_tasks == 1 else f"these {n_tasks} tasks"


def _no_task_can_be_named(found: TaskComparison) -> str:
    """Say, before anything else, that no data could name a task."""
    if found.smallest_pvalue_per_task <= found.alpha or len(found.per_task) == 1:
        return ""
    return (
        f"With so few runs no single one of {_tasks(found)} can be named: after "
        f"{ADJUSTMENTS[found.adjust].title} the smallest p possible is "
        f"{p_short(found.smallest_pvalue_per_task)}, above α = {found.alpha:g}."
    )


def _p(found: Judged) -> str:
    """Return p for a sentence, exact or not, adjusted or not."""
    sign = "≤" if found.at_floor else "="
    text = f"{'exact ' if found.exact else ''}p {sign} {p_short(found.pvalue)}"
    if found.pvalue_adjusted is not None:
        text += f", adjusted {p_short(found.pvalue_adjusted)}"
    return text


def _on_the_whole(found: TaskComparison) -> str:
    ahead = found.from_ahead()
    a, b, whole = printable(ahead.a), printable(ahead.b), ahead.on_the_whole
    low, high = whole.interval
    size = (
        f"a run of {a} beats a run of {b} with probability {chance_text(whole.probability)} "
        f"(between {chance_text(low)} and {chance_text(high)} with "
        f"{percent(1 - found.alpha)} confidence; van Elteren test, {_p(whole)})."
    )
    as_a_whole = "" if len(found.per_task) == 1 else " as a whole"
    where = f"on {_tasks(found)}{as_a_whole}"
    if found.smallest_pvalue > found.alpha:
        few = "runs" if whole.exact else "runs or shuffles"
        return (
            f"Whether {a} or {b} is better {where} cannot be decided with so few {few}: the "
            f"smallest p possible is {p_short(found.smallest_pvalue)}, above α = "
            f"{found.alpha:g}. In these runs, {size}"
        )
    if whole.significant:
        return f"{a} beats {b} {where}: {size}"
    return f"Neither {a} nor {b} was found to be better {where}: {size}"


def _anywhere(found: TaskComparison) -> str:
    """Say whether differences on single tasks, whichever way they go, are detected."""
    tests = {"in height": found.anywhere, "in whole curves": found.anywhere_in_curves}
    told: dict[bool, list[str]] = {True: [], False: []}
    for where, own in tests.items():
        if own is not None:
            told[own.significant].append(f"{where} ({_p(own)})")
    yes, no = told[True], told[False]
    what = "Whichever way they go, differences on single tasks are"
    if len(found.per_task) == 1:
        what = "A difference between the two is"
    if not yes:
        neither = f"neither {' nor '.join(no)}" if len(no) > 1 else f"not {no[0]}"
        return f"{what} detected {neither}."
    return f"{what} detected {' and '.join(yes)}{f', not {no[0]}' if no else ''}."


def _at_least(found: TaskComparison) -> str:
    counts = found.at_least
    if counts.n_tasks == 1:
        return ""
    if not counts.differ:
        return "Combined, the p of single tasks give no least number of tasks that differ."
    if counts.b_better > counts.a_better:
        found = found.reversed()
    counts, a, b = found.at_least, printable(found.a), printable(found.b)
    better = ", without a least number for either being better."
    if counts.a_better:
        better = (
            f"; {a} is better on at least {counts.a_better}, {b} on at least {counts.b_better}."
        )
    return (
        f"With {percent(1 - found.alpha)} confidence they differ on at least "
        f"{counts.differ} of the {counts.n_tasks} tasks{better}"
    )


def _named(found: TaskComparison) -> str:
    """Name the tasks on which they differ, after adjustment."""
    if len(found.per_task) == 1 or found.smallest_pvalue_per_task > found.alpha:
        return ""
    how = f"After {ADJUSTMENTS[found.adjust].title} for {plural(len(found.per_task), 'task')}"
    if not found.different:
        smallest = min(own.pvalue_adjusted for own in found.per_task.values())
        return f"{how} no single task is named (smallest adjusted p = {p_short(smallest)})."
    won = {name: found.won_by(name) for name in (found.a, found.b)}
    most_first = sorted(won.items(), key=lambda item: -len(item[1]))
    parts = [f"{printable(name)} is better on {_listing(own)}" for name, own in most_first if own]
    unclear = [task for task in found.different if found.per_task[task].winner is None]
    if unclear:
        differ = f"they {'also ' if parts else ''}differ on {_listing(unclear)}"
        parts.append(f"{differ}, where neither is found to be better")
    *first, last = parts
    sentence = f"{how}, {', and '.join(filter(None, [', '.join(first), last]))}"
    if found.adjust == "bh":
        sentence += f"; the expected share of false ones among these is at most {found.alpha:g}"
    return f"{sentence}."


def _listing(tasks: tuple[str, ...] | list[str]) -> str:
    return f"{plural(len(tasks), 'task')} ({listed(tasks, MAX_NAMED)})"


def _left_out(dropped: tuple[str, ...]) -> str:
    if not dropped:
        return ""
    was = "was" if len(dropped) == 1 else "were"
    return f"{_listing(dropped)} {was} left out, for lack of an algorithm."


def _method(found: TaskComparison) -> str:
    sizes = sorted({n for own in found.per_task.values() for n in own.n_runs})
    each = plural(sizes[0], "run") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} runs"
    visited = (
        "all relabellings" if found.anywhere.exact else plural(found.anywhere.n_shuffles, "shuffle")
    )
    periods = sorted({own.period for own in found.per_task.values()})
    period = periods[0] if len(periods) == 1 else "over the steps that were read"
    about, others, inside = "these tasks", "others like them", "shuffled inside tasks"
    if len(found.per_task) == 1:
        about, others, inside = "this task", "others like it", "shuffled"
    return (
        f"What is said is about {about}, not about {others}. Method: runs ranked by their mean "
        f"{period}, {inside}; {each} per algorithm and task; sums of shares of variation "
        f"over {visited}; α = {found.alpha:g}."
    )


def _winners(found: TaskComparisons) -> str:
    n_pairs, n_tasks = len(found), len(found.tasks)
    where = f"on these {n_tasks} tasks as a whole" if n_tasks > 1 else "on this task"
    if found.smallest_pvalue > found.alpha:
        return (
            f"Which of {len(found.algorithms)} algorithms is better {where} cannot be decided "
            f"with so few runs: the smallest p possible, adjusted for "
            f"{plural(n_pairs, 'pair')}, is {p_short(found.smallest_pvalue)}, above α = "
            f"{found.alpha:g}."
        )
    clear = [own for own in found.values() if own.on_the_whole.significant]
    how = f"after Holm's adjustment for {plural(n_pairs, 'pair')}"
    if not clear:
        smallest = min(own.on_the_whole.pvalue_adjusted or 1.0 for own in found.values())
        return (
            f"No algorithm was found to beat another {where}, {how} (smallest adjusted p = "
            f"{p_short(smallest)})."
        )
    clear.sort(key=lambda own: -abs(own.on_the_whole.probability - 0.5))
    shown = [_beats(own) for own in clear[:MAX_NAMED]]
    if len(clear) > MAX_NAMED:
        shown.append(f"and so in {plural(len(clear) - MAX_NAMED, 'more pair')}")
    sentence = f"{capitalised(where)}, {how}: {'; '.join(shown)}."
    left = n_pairs - len(clear)
    if left:
        sentence += f" In {plural(left, 'pair')} neither was found to be better."
    return sentence


def _beats(found: TaskComparison) -> str:
    """Say how often the better one of a pair wins."""
    ahead = found.from_ahead()
    return (
        f"{printable(ahead.a)} beats {printable(ahead.b)} with probability "
        f"{chance_text(ahead.on_the_whole.probability)} "
        f"(adjusted p = {p_short(ahead.on_the_whole.final_pvalue)})"
    )


def _pairs_anywhere(found: TaskComparisons) -> str:
    clear = sum(own.anywhere.significant for own in found.values())
    n_pairs = len(found)
    detected = f"in {clear or 'none'} of {plural(n_pairs, 'pair')}"
    if clear == n_pairs > 1:
        detected = f"in {'both' if n_pairs == 2 else 'all'} {plural(n_pairs, 'pair')}"
    what = "Whichever way they go, differences in height on single tasks are"
    if len(found.tasks) == 1:
        what = "A difference in height is"
    smallest = found.smallest_pvalue_anywhere
    if smallest > found.alpha:
        few = "runs" if all(own.anywhere.exact for own in found.values()) else "shuffles"
        return (
            f"{what} out of reach with so few {few}: the smallest p possible, adjusted "
            f"likewise, is {p_short(smallest)}."
        )
    return f"{what} detected {detected}, adjusted likewise."


# --- Pictures of algorithms on many tasks: task by task, and pair by pair.

# In standard deviations of runs. What lies beyond is an arrow at the edge: such runs are all on
# one side anyway, and the other tasks stay readable.
MAX_SHOWN = 5.0
# Colour, marker, and whether it is filled, by whether the first algorithm wins.
LOOKS = {
    True: (CLEAR_COLOUR, "o", True),
    False: (WORSE_COLOUR, "s", True),
    None: (UNCLEAR_COLOUR, "o", False),
}


def plot_tasks(found: TaskComparison, ax: Axes | None = None) -> Axes:
    """Draw the difference between two algorithms on every task, the first one's best at the top.

    Differences are in standard deviations of the runs of a task, so that tasks with different
    scores can be compared, and positive where the first algorithm is better. Marks are filled
    where it is said which is better, after adjustment. Draws on the current Axes if none are
    given, and returns the Axes.
    """
    check_drawn(
        found, TaskComparison, "plot_tasks() draws what compare_tasks() found of two algorithms"
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
    labels = dict(
        zip(LOOKS.values(), (f"{a} better", f"{b} better", "not told apart"), strict=True)
    )
    shown = {(row.colour, row.marker, row.filled) for row in rows}
    handles = [
        point(label, colour, marker, filled=filled)
        for (colour, marker, filled), label in labels.items()
        if (colour, marker, filled) in shown
    ]
    legend_above(ax, handles)
    return ax


def _row(task: str, own: TaskDifference, found: TaskComparison) -> Row:
    interval = own.standardised and (_shown(own.standardised[0]), _shown(own.standardised[1]))
    return Row(
        label_text(task).strip(),
        _shown(own.standardised_lead(higher_is_better=found.higher_is_better)),
        interval,
        p_cell(own.pvalue_height_adjusted),
        *LOOKS[None if own.winner is None else own.winner == found.a],
    )


def _shown(value: float) -> float:
    return value if abs(value) <= MAX_SHOWN else math.copysign(math.inf, value)


def plot_task_pairs(found: TaskComparison | TaskComparisons, ax: Axes | None = None) -> Axes:
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
    ahead = [own.from_ahead() for own in pairs]
    ahead.sort(key=lambda own: -own.on_the_whole.probability)
    rows = [
        finding(
            " against ".join(label_text(name, 24).strip() for name in (own.a, own.b)),
            own.on_the_whole.probability,
            own.on_the_whole.interval,
            own.on_the_whole.final_pvalue,
            clear=own.on_the_whole.significant,
        )
        for own in ahead
    ]
    several = len(pairs) > 1
    p = "adjusted p" if several else "p"
    forest(ax, rows, p, no_effect=0.5, shows=(1.0,))
    ax.set_xlim(right=1.01)
    ax.set_xlabel(
        f"probability that a run of the first beats one of the second\n({len(pairs[0].per_task)} "
        f"tasks, {percent(1 - found.alpha)} interval{' of each pair alone' if several else ''})"
    )
    clear = f"better on the whole ({p} ≤ {found.alpha:g})"
    legend_of_significance(ax, rows, clear, "not told apart")
    return ax


def figure(found: TaskComparison | TaskComparisons, _curves: Curves | None = None) -> Figure:
    """Draw two algorithms task by task, more of them pair by pair; curves are not needed."""
    if isinstance(found, TaskComparison):
        return one_axes(plot_tasks, found, _size(len(found.per_task)))
    return one_axes(plot_task_pairs, found, _size(len(found)))


def _size(n_rows: int) -> tuple[float, float]:
    width, height = forest_size(n_rows)
    return width, height + 0.45
