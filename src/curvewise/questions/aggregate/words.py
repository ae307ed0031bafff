"""What `aggregate` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.measures import EVERY_STEP
from curvewise.inference.phrases import one_line
from curvewise.text import (
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
    from curvewise.questions.aggregate.result import (
        Aggregate,
        AggregateDifference,
        AggregateScore,
    )

__all__ = ["describe", "headline"]

MAX_ALGORITHMS = 12  # that are quoted with their values
MAX_TASKS = 8  # that are named
WHAT = {
    "iqm": "interquartile mean (IQM)",
    "mean": "mean",
    "gap": "optimality gap",
}
SHORT = {**WHAT, "iqm": "IQM"}


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
    what, where = SHORT[found.statistic], f"over {plural(len(found.tasks), 'task')}"
    if len(found) == 1:
        (own,) = found.values()
        value = f"is {number_text(own.value)}" if found.quotes_scores else "was taken"
        return one_line(
            lambda name: f"The {what} of {scores} of {name} {where} {value}.", own.name
        )
    pair = found.difference(*found.algorithms[:2])
    by = f" by {number_text(abs(pair.value))}" if found.quotes_scores else ""
    doubt = "" if pair.excludes_zero else ", which chance could explain"
    return one_line(
        lambda one, other: (
            f"{one} is ahead of {other}{by} in the {what} of {scores} {where}{doubt}."
        ),
        *(pair.a, pair.b),
    )


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
    level = percent(found.confidence)

    def quoted(own: AggregateScore, *, first: bool) -> str:
        interval = (
            f"{level} interval {interval_text(own.interval)}"
            if first
            else (interval_text(own.interval))
        )
        return f"{number_text(own.value)} ({interval}) for {own.name}"

    shown = [
        quoted(own, first=place == 0)
        for place, own in enumerate(list(found.values())[:MAX_ALGORITHMS])
    ]
    left = len(found) - len(shown)
    more = f"; {left} more follow" if left else ""
    return f"{capitalised(_subject(found))} is {listed(shown)}{more}."


def _order(found: Aggregate) -> str:
    """Name the algorithms in their order, without sizes that depend on a fill."""
    return (
        f"By {_subject(found)} the order is {listed(found.algorithms, MAX_ALGORITHMS)}."
    )


def _first_two(found: Aggregate) -> str:
    """Give the difference of the first two; nothing of one algorithm."""
    if len(found) < 2:
        return ""
    pair: AggregateDifference = found.difference(*found.algorithms[:2])
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
    better = -1 if found.lower_is_better else 1
    above = pair.band.low > 0 if better > 0 else pair.band.high < 0
    below = pair.band.high < 0 if better > 0 else pair.band.low > 0
    parts = [
        f"{printable(who)} is ahead {where}"
        for who, where in ((pair.a, _where(found, above)), (pair.b, _where(found, below)))
        if where
    ]
    level = percent(found.confidence)
    if not parts:
        return f"At no step does the {level} band of this difference, for all steps at once, leave 0 out."
    return f"By the {level} band of this difference, for all steps at once, {' and '.join(parts)}."


def _where(found: Aggregate, at: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    """Say from where to where something holds."""
    assert found.steps is not None  # noqa: S101 (asked where there are steps)
    if not at.any():
        return ""
    if at.all():
        return "at every step"
    edges = np.diff(np.concatenate([[0], at.astype(np.int64), [0]]))
    firsts, lasts = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    unit = "" if found.in_shares else "step "

    def shown(place: int) -> str:
        assert found.steps is not None  # noqa: S101 (as above)
        step = float(found.steps[place])
        return percent(round(step, 3)) if found.in_shares else step_text(step)

    spans = [
        f"at {unit}{shown(first)}"
        if first == last
        else f"from {unit}{shown(first)} to {shown(last)}"
        for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True)
    ]
    of = " of training" if found.in_shares else ""
    return f"{listed(spans, 3)}{of}"


def _scale(found: Aggregate) -> str:
    """Say how scores were put on one scale."""
    turned = (
        "" if found.higher_is_better else "; lower scores are better, so they were turned"
    )
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
    each = (
        plural(sizes[0], "run") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} runs"
    )
    parts = [
        "intervals of a stratified sample (Student's t, Satterthwaite's degrees of freedom)",
        f"{each} per algorithm and task",
    ]
    if found.steps is not None:
        bands = f"bands by {found.n_multipliers:,} multipliers of whole runs"
        parts.append(bands)
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
