"""What `best_many` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.inference.families import ADJUSTMENTS
from curvewise.inference.phrases import one_line
from curvewise.text import listed, p_short, percent, plural, printable

if TYPE_CHECKING:
    from curvewise.questions.best.bests import Bests, Standing

__all__ = ["describe_many", "headline_of_many"]

MAX_NAMED = 6  # algorithms or tasks that a sentence can hold

PROMISES = {
    "bh": (
        "Of the tasks on which any algorithm is ruled out, at most {alpha} are expected to have lost "
        "the one that is truly the best"
    ),
    "bonferroni": (
        "The chance that the truly best algorithm is ruled out on any task is at most {alpha}"
    ),
}


def describe_many(bests: Bests) -> str:
    """Say how small p can be, on how many tasks each algorithm may be the best, and what that means."""
    sentences = [_reach(bests), _settled(bests), _standings(bests), _promise(bests)]
    if bests.dropped:
        sentences.append(
            f"Left out, since they lack an algorithm: {listed(bests.dropped, MAX_NAMED)}."
        )
    return " ".join(sentence for sentence in sentences if sentence)


def headline_of_many(bests: Bests) -> str:
    """Say in one line who may be the best on most tasks."""
    if bests.smallest_pvalue > bests.alpha:
        return _reach(bests)
    most = max(bests.standings, key=lambda own: own.n_may_be_best)
    tasks = plural(most.n_tasks, "task")
    ruled = f"algorithms are ruled out on {len(bests.settled)}"
    return one_line(
        lambda name: (
            f"{name} may be the best on {most.n_may_be_best} of {tasks}; {ruled}."
        ),
        most.name,
    )


def _reach(bests: Bests) -> str:
    """Say how small an adjusted p can be, where that matters."""
    how = ADJUSTMENTS[bests.adjust].title
    if bests.smallest_pvalue > bests.alpha:
        one = len(bests) == 1
        where = "the task" if one else f"each of {plural(len(bests), 'task')}"
        after = "" if one else f" after {how}"
        return (
            f"Who may be the best on {where} cannot be narrowed down{after}: the smallest p "
            f"possible is {p_short(bests.smallest_pvalue)}, above α = {bests.alpha:g}."
        )
    alone = bests.smallest_pvalue_alone
    if alone > bests.alpha:
        return (
            "With these runs the smallest adjusted p possible is "
            f"{p_short(bests.smallest_pvalue)} ({p_short(alone)} for a task that stands out alone)."
        )
    return ""


def _settled(bests: Bests) -> str:
    """Say on how many tasks any algorithm is ruled out as the best."""
    n_tasks, n_settled = len(bests), len(bests.settled)
    if bests.smallest_pvalue > bests.alpha:
        return ""
    how = ADJUSTMENTS[bests.adjust].title
    if not n_settled:
        where = "the task" if n_tasks == 1 else f"any of {n_tasks:,} tasks"
        return f"After {how} no algorithm can be ruled out as the best on {where}."
    found = f"After {how} algorithms can be ruled out as the best on {n_settled:,} of {plural(n_tasks, 'task')}"
    n_open = n_tasks - n_settled
    any_ = "either" if len(bests.algorithms) == 2 else "any"
    return f"{found}; on {n_open:,} {any_} may be the best." if n_open else f"{found}."


def _standings(bests: Bests) -> str:
    """Say on how many tasks each algorithm may be the best, alone, and its mean rank."""
    standings = bests.standings
    first, *others = standings[:MAX_NAMED]
    parts = [
        f"{printable(first.name)} may be the best on {first.n_may_be_best:,} of {plural(len(bests), 'task')} ({_detail(first, 'mean rank ')})",
        *(
            f"{printable(one.name)} on {one.n_may_be_best:,} ({_detail(one)})"
            for one in others
        ),
    ]
    n_left = len(standings) - len(parts)
    if n_left:
        return f"{', '.join(parts)}, and {n_left:,} more on no more tasks than that."
    return f"{listed(parts)}."


def _detail(one: Standing, rank: str = "") -> str:
    """Say on how many tasks it is alone, and its mean rank where there is one."""
    alone = f"alone on {one.n_alone:,}"
    if one.mean_rank is None:
        return f"{alone}; ran on {one.n_tasks:,}"
    return f"{alone}; {rank}{one.mean_rank:.2f}"


def _promise(bests: Bests) -> str:
    """Say what is promised over all tasks."""
    if not bests.settled:
        return ""
    return f"{PROMISES[bests.adjust].format(alpha=percent(bests.alpha))}."
