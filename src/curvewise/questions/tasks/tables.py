"""Tables of what `compare_tasks` found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.inference.families import ADJUSTMENTS
from curvewise.inference.phrases import is_at_floor
from curvewise.rendering.tables import Table
from curvewise.text import interval_text, number_text, p_text, percent, plural

if TYPE_CHECKING:
    from curvewise.questions.tasks.evidence import Anywhere, OnTheWhole, TaskDifference
    from curvewise.questions.tasks.result import TaskComparison, TaskComparisons

__all__ = ["by_lead", "family_table", "per_task_table", "whole_table"]


def whole_table(found: TaskComparison) -> Table:
    """Return the questions about all tasks: statistic, p, and how p was found."""
    whole, counts = found.on_the_whole, found.at_least
    asked: list[tuple[str, str, OnTheWhole | Anywhere]] = [
        ("better on the whole", "V", whole),
        ("different anywhere, in height", "Q", found.anywhere),
    ]
    if found.anywhere_in_curves is not None:
        asked.append(("different anywhere, at any step", "Q", found.anywhere_in_curves))
    rows = [
        (
            question,
            f"{symbol} = {number_text(own.statistic)}",
            _p(own),
            *(() if own.pvalue_adjusted is None else (p_text(own.pvalue_adjusted),)),
            "all relabellings" if own.exact else plural(own.n_shuffles or 0, "shuffle"),
        )
        for question, symbol, own in asked
    ]
    header = ["question", "statistic", "p"]
    if whole.pvalue_adjusted is not None:
        header.append("adjusted")
    level = percent(1 - found.alpha)
    low, high = whole.interval
    won = (
        f"A run of {found.a} beats one of {found.b} with probability "
        f"{whole.probability:.3f}, {level} interval {low:.3f} to {high:.3f}; ties count half."
    )
    notes = [won]
    if abs(whole.mean_probability - whole.probability) > 1e-9:
        notes.append(
            "Tasks with more runs weigh more in it, as they do in V; the plain mean over tasks "
            f"is {whole.mean_probability:.3f}."
        )
    if counts.differ:
        notes.append(
            f"With {level} confidence they differ on at least {counts.differ} of "
            f"{plural(counts.n_tasks, 'task')}; {found.a} is better on at least "
            f"{counts.a_better}, {found.b} on at least {counts.b_better}."
        )
    return Table((*header, "visited"), tuple(rows), notes=tuple(notes), wide=True)


def _p(own: OnTheWhole | Anywhere) -> str:
    """Return p for a table; one at the floor of its shuffles is only known to be no larger."""
    at_floor = is_at_floor(own.pvalue, own.n_shuffles or 0, exact=own.exact)
    return f"{'≤ ' if at_floor else ''}{p_text(own.pvalue)}"


def by_lead(found: TaskComparison) -> list[tuple[str, TaskDifference]]:
    """Return the tasks in the order of how far ``a`` is ahead, in standard deviations of runs."""

    def ahead(item: tuple[str, TaskDifference]) -> tuple[float, float]:
        own = item[1]
        lead = own.standardised_lead(higher_is_better=found.higher_is_better)
        return -lead, -own.probability

    return sorted(found.per_task.items(), key=ahead)


def per_task_table(found: TaskComparison) -> Table:
    """Return a row for every task, those first that ``a`` wins."""
    rows = tuple(
        (
            task,
            " + ".join(map(str, own.n_runs)),
            number_text(own.difference),
            interval_text(own.interval),
            f"{own.probability:.2f}",
            p_text(own.pvalue),
            p_text(own.pvalue_adjusted),
            p_text(own.pvalue_height),
            p_text(own.pvalue_height_adjusted),
            own.winner or ("?" if own.differs else ""),
        )
        for task, own in by_lead(found)
    )
    level = percent(1 - found.alpha)
    header = (
        "task",
        "runs",
        f"{found.a} - {found.b}",
        f"{level} interval",
        f"P({found.a} wins)",
        "p",
        "adjusted",
        "p height",
        "adjusted",
        "better",
    )
    note = (
        "p is that of any difference between the curves, and of a difference in height; "
        f"adjusted by {ADJUSTMENTS[found.adjust].label} over {plural(len(rows), 'task')}. "
        "Intervals are those of each task alone."
    )
    return Table(header, rows, notes=(note,), wide=True)


def family_table(found: TaskComparisons) -> Table:
    """Return a row for every pair."""
    rows = []
    for (a, b), own in found.items():
        whole, counts = own.on_the_whole, own.at_least
        low, high = whole.interval
        adjusted = [
            p_text(part.pvalue if part.pvalue_adjusted is None else part.pvalue_adjusted)
            for part in (whole, own.anywhere)
        ]
        rows.append(
            (
                a,
                b,
                f"{whole.probability:.3f}",
                f"{low:.3f} to {high:.3f}",
                _p(whole),
                adjusted[0],
                _p(own.anywhere),
                adjusted[1],
                str(counts.differ),
                f"{counts.a_better}, {counts.b_better}",
            )
        )
    header = (
        "a",
        "b",
        "P(a wins)",
        f"{percent(1 - found.alpha)} interval",
        "p whole",
        "adjusted",
        "p anywhere",
        "adjusted",
        "differ on ≥",
        "better on ≥",
    )
    note = (
        f"Adjusted by Holm over {plural(len(rows), 'pair')}, for each of the two questions. "
        f"The last columns say on how many of {plural(len(found.tasks), 'task')} the two "
        "differ at least, and on how many a and b are better at least; they and the intervals "
        "are those of each pair alone."
    )
    return Table(header, tuple(rows), notes=(note,), n_text_columns=2, wide=True)
