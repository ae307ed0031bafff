"""What a report asks about curves, in which order."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import curvewise
from curvewise.errors import CurvesError
from curvewise.inference.phrases import names_text
from curvewise.shuffling.parallel import track_items
from curvewise.text import capitalised, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from curvewise.data.curves import Curves
    from curvewise.data.tasks import Tasks
    from curvewise.inference.result import Result
    from curvewise.questions.aggregate.result import Aggregate

    Question = tuple[str, Callable[[], Result | None]]

__all__ = ["ask", "title_of"]

MAX_IN_PAIRS = 8  # algorithms; pairs of more are a question of their own


def ask(
    tables: Mapping[str, Curves],
    options: Mapping[str, Any],
    *,
    windows: Collection[str],
    begin: Callable[[str], None] | None = None,
) -> tuple[Any, ...]:
    """Ask what a report shows of one table, or of one for each of several tasks.

    Of each table: compare, locate, and of three or more algorithms best and pairs. Of several
    tables the comparison and the best are asked of all of them together, with p adjusted for
    their number; and first it is asked which algorithm is better as a whole, and how good
    each is on average over tasks.

    Parameters
    ----------
    tables : mapping from task to Curves
    options : mapping
        Of every question: alpha, and those of the shuffling. With a checkpoint, each question
        has a file of its own beside it.
    windows : collection of str
        The tasks whose windows are tested.
    begin : function of str, optional
        Is told which question is asked next, and of which task.

    Returns
    -------
    tuple
        The results as `report` takes them after the curves. The first has the headline.
    """
    if len(tables) == 1:
        ((name, curves),) = tables.items()
        first = ("compare", _prepared(curvewise.compare, curves, options, "compare"))
        plan = [first, *_questions(curves, options, windows=name in windows)]
        return tuple(_answers(plan, begin))
    plan = _of_all(tables, options)
    n_whole = len(plan)
    owners: list[str] = []
    for place, (name, curves) in enumerate(tables.items()):
        own = _questions(
            curves, _beside(options, place), windows=name in windows, best=False
        )
        plan += [(f"{what}, {name}", question) for what, question in own]
        owners += [name] * len(own)
    answers = _answers(plan, begin)
    members: dict[str, list[Result]] = {name: [] for name in tables}
    for name, found in zip(owners, answers[n_whole:], strict=True):
        if found is not None:
            members[name].append(found)
    return *(own for own in answers[:n_whole] if own is not None), members


def _of_all(tables: Mapping[str, Curves], options: Mapping[str, Any]) -> list[Question]:
    """Return what is asked of all tasks.

    Which algorithm is better as a whole, and how good each is, of those that all tasks have, if
    there are two; where curves differ; and of three algorithms or more which may be the best.
    """
    found: list[Question] = []
    shared = set.intersection(*(set(own.algorithms) for own in tables.values()))
    if len(shared) > 1:
        first = next(iter(tables.values()))
        common = [name for name in first.algorithms if name in shared]
        tasks = curvewise.Tasks(tables, algorithms=common)
        asked = _prepared(curvewise.compare_tasks, tasks, options, "tasks")
        found += [("tasks", asked), ("aggregate", partial(_aggregate, tasks, options))]
    compare = _prepared(curvewise.compare_many, tables, options, "compare")
    found.append(("compare", compare))
    if any(len(own.algorithms) > 2 for own in tables.values()):
        best = partial(curvewise.best_many, missing="keep")
        found.append(("best", _prepared(best, tables, options, "best")))
    return found


def _aggregate(tasks: Tasks, options: Mapping[str, Any]) -> Aggregate | None:
    """Return the aggregates over tasks; None if this data gives none, for lack of runs or a scale."""
    given: dict[str, Any] = {}
    if "alpha" in options:
        given["confidence"] = 1 - options["alpha"]
    try:
        return curvewise.aggregate(tasks, rng=options.get("rng"), **given)
    except CurvesError:
        return None


def title_of(place: str, tables: Mapping[str, Curves]) -> str:
    """Return the title of a report: where the curves are from, and whose or how many."""
    what = plural(len(tables), "task")
    if len(tables) == 1:
        (curves,) = tables.values()
        what = names_text(curves.algorithms)
    return capitalised(f"{place}: {what}")


def _questions(
    curves: Curves, options: Mapping[str, Any], *, windows: bool, best: bool = True
) -> list[Question]:
    """Return what is asked of one table beside the comparison."""
    found: list[Question] = []
    if curves.n_steps > 1:
        locate = partial(curvewise.locate, windows=windows)
        found.append(("locate", _prepared(locate, curves, options, "locate")))
    if len(curves.algorithms) > 2:
        if best:
            found.append(("best", _prepared(curvewise.best, curves, options, "best")))
        if len(curves.algorithms) <= MAX_IN_PAIRS:
            asked = _prepared(curvewise.compare_pairs, curves, options, "pairs")
            found.append(("pairs", asked))
    return found


def _answers(
    plan: list[Question], begin: Callable[[str], None] | None
) -> list[Result | None]:
    """Ask one question after the other; progress is reported over all of them."""
    found = []
    for what, question in track_items(plan, in_parts=True):
        if begin is not None:
            begin(what)
        found.append(question())
    return found


def _prepared(
    question: Callable[..., Result],
    curves: Curves | Mapping[str, Curves],
    options: Mapping[str, Any],
    name: str,
) -> Callable[[], Result]:
    return partial(question, curves, **_beside(options, name))


def _beside(options: Mapping[str, Any], name: object) -> dict[str, Any]:
    """Return the options of one of several questions, whose counts go to a file of its own."""
    checkpoint: Path | None = options.get("checkpoint")
    if checkpoint is None:
        return dict(options)
    beside = checkpoint.with_name(f"{checkpoint.name}.{name}")
    return {**options, "checkpoint": beside}
