"""What `compare_tasks` found, in words a person can quote."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from curvewise.inference.families import ADJUSTMENTS
from curvewise.inference.phrases import is_at_floor, one_line
from curvewise.questions.tasks.result import TaskComparison, TaskComparisons
from curvewise.text import listed, p_short, percent, plural, printable

if TYPE_CHECKING:
    from curvewise.inference.result import Result
    from curvewise.questions.tasks.evidence import Anywhere, OnTheWhole

__all__ = ["chance_text", "describe", "headline"]

MAX_NAMED = 6  # tasks or pairs that a sentence can hold


@singledispatch
def describe(result: Result) -> str:
    """Return the verdict on all tasks, what is known of single ones, and the method."""
    raise TypeError(type(result).__name__)


@describe.register
def _(found: TaskComparison) -> str:
    sentences = [
        _no_task_can_be_named(found),
        _on_the_whole(found),
        _anywhere(found),
        _at_least(found),
        _named(found),
        _left_out(found.dropped),
        _method(found),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


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
    ahead = max(whole.probability, 1 - whole.probability)
    names = (found.a, found.b) if whole.probability >= 0.5 else (found.b, found.a)
    if not whole.significant:
        return one_line(
            lambda a, b: (
                f"Neither {a} nor {b} was found to be better on {_tasks(found)} ({_p(whole)})."
            ),
            *names,
        )
    return one_line(
        lambda a, b: (
            f"{a} beats {b} on {_tasks(found)}, with probability {chance_text(ahead)} ({_p(whole)})."
        ),
        *names,
    )


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


def _p(found: OnTheWhole | Anywhere) -> str:
    """Return p for a sentence, exact or not, adjusted or not."""
    sign = (
        "≤"
        if is_at_floor(found.pvalue, found.n_shuffles or 0, exact=found.exact)
        else "="
    )
    text = f"{'exact ' if found.exact else ''}p {sign} {p_short(found.pvalue)}"
    if found.pvalue_adjusted is not None:
        text += f", adjusted {p_short(found.pvalue_adjusted)}"
    return text


def _on_the_whole(found: TaskComparison) -> str:
    whole = found.on_the_whole
    a, b = printable(found.a), printable(found.b)
    probability, (low, high) = whole.probability, whole.interval
    if probability < 0.5:
        a, b = b, a
        probability, low, high = 1 - probability, 1 - high, 1 - low
    size = (
        f"a run of {a} beats a run of {b} with probability {chance_text(probability)} "
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
    tests = {"in height": found.anywhere}
    if found.anywhere_in_curves is not None:
        tests["in whole curves"] = found.anywhere_in_curves
    shown = {where: f"{where} ({_p(own)})" for where, own in tests.items()}
    yes = [shown[where] for where, own in tests.items() if own.significant]
    no = [shown[where] for where, own in tests.items() if not own.significant]
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
        return (
            "Combined, the p of single tasks give no least number of tasks that differ."
        )
    behind, ahead = sorted(
        [(counts.b_better, printable(found.b)), (counts.a_better, printable(found.a))],
        key=lambda own: own[0],
    )
    sentence = (
        f"With {percent(1 - found.alpha)} confidence they differ on at least "
        f"{counts.differ} of the {counts.n_tasks} tasks"
    )
    if not ahead[0]:
        return f"{sentence}, without a least number for either being better."
    return (
        f"{sentence}; {ahead[1]} is better on at least {ahead[0]}, {behind[1]} on at least "
        f"{behind[0]}."
    )


def _named(found: TaskComparison) -> str:
    """Name the tasks on which they differ, after adjustment."""
    if len(found.per_task) == 1 or found.smallest_pvalue_per_task > found.alpha:
        return ""
    how = f"After {ADJUSTMENTS[found.adjust].title} for {plural(len(found.per_task), 'task')}"
    if not found.different:
        smallest = min(own.pvalue_adjusted for own in found.per_task.values())
        return (
            f"{how} no single task is named (smallest adjusted p = {p_short(smallest)})."
        )
    won = {name: found.won_by(name) for name in (found.a, found.b)}
    parts = [
        f"{printable(name)} is better on {_listing(own)}"
        for name, own in sorted(won.items(), key=lambda item: -len(item[1]))
        if own
    ]
    unclear = [task for task in found.different if found.per_task[task].winner is None]
    if unclear:
        also = "also " if parts else ""
        parts.append(
            f"they {also}differ on {_listing(unclear)}, where neither is found to be better"
        )
    sentence = f"{how}, {_clauses(parts)}"
    if found.adjust == "bh":
        sentence += (
            f"; the expected share of false ones among these is at most {found.alpha:g}"
        )
    return f"{sentence}."


def _clauses(parts: list[str]) -> str:
    """Join clauses with commas, and the last one with "and"."""
    return ", and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def _listing(tasks: tuple[str, ...] | list[str]) -> str:
    return f"{plural(len(tasks), 'task')} ({listed(tasks, MAX_NAMED)})"


def _left_out(dropped: tuple[str, ...]) -> str:
    if not dropped:
        return ""
    was = "was" if len(dropped) == 1 else "were"
    return f"{_listing(dropped)} {was} left out, for lack of an algorithm."


def _method(found: TaskComparison) -> str:
    sizes = sorted({n for own in found.per_task.values() for n in own.n_runs})
    each = (
        plural(sizes[0], "run") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} runs"
    )
    visited = (
        "all relabellings"
        if found.anywhere.exact
        else plural(found.anywhere.n_shuffles, "shuffle")
    )
    about, others, inside = "these tasks", "others like them", "shuffled inside tasks"
    if len(found.per_task) == 1:
        about, others, inside = "this task", "others like it", "shuffled"
    return (
        f"What is said is about {about}, not about {others}. Method: runs ranked by their mean "
        f"over training, {inside}; {each} per algorithm and task; sums of shares of variation "
        f"over {visited}; α = {found.alpha:g}."
    )


@describe.register
def _(found: TaskComparisons) -> str:
    """Say which algorithms beat which on the whole, after adjustment."""
    sentences = [
        _winners(found),
        _pairs_anywhere(found),
        _left_out(found.dropped),
        _method(next(iter(found.values()))),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


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
    sentence = f"{where[:1].upper()}{where[1:]}, {how}: {'; '.join(shown)}."
    left = n_pairs - len(clear)
    if left:
        sentence += f" In {plural(left, 'pair')} neither was found to be better."
    return sentence


def _beats(found: TaskComparison) -> str:
    whole = found.on_the_whole
    a, b, probability = found.a, found.b, whole.probability
    if probability < 0.5:
        a, b, probability = b, a, 1 - probability
    adjusted = whole.pvalue if whole.pvalue_adjusted is None else whole.pvalue_adjusted
    return (
        f"{printable(a)} beats {printable(b)} with probability {chance_text(probability)} "
        f"(adjusted p = {p_short(adjusted)})"
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
