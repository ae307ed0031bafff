"""Which algorithms may be the best on each of many tasks, with the level adjusted for them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.data.tasks import Tasks
from curvewise.inference.caveats import DifferentSpread, SilentTasks
from curvewise.inference.diagnostics import runs_are_alike
from curvewise.inference.families import ask_each
from curvewise.inference.member_caveats import gathered
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_tasks_vary,
)
from curvewise.inference.work import shuffling_work
from curvewise.kernels.adjustments import over_families
from curvewise.questions.best.bests import Bests
from curvewise.questions.best.caveats import (
    SpreadsOnTasks,
    TooFewOnSomeTasks,
    TooFewOnTasks,
    TooFewToRuleOut,
)
from curvewise.questions.best.question import best_at_levels

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.data.tasks import Missing
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Center
    from curvewise.inference.requirements import RNGLike
    from curvewise.kernels import Floats
    from curvewise.questions.best.question import Adjust

__all__ = ["best_many"]


def best_many(
    tasks: Mapping[str, Curves],
    *,
    algorithms: Sequence[str] | None = None,
    missing: Missing = "refuse",
    adjust: Literal["bh", "bonferroni"] = "bh",
    within: Adjust | None = None,
    alpha: float = 0.05,
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
    center: Center = "mean",
) -> Bests:
    """Select the algorithms that may be the best on each task, allowing for how many tasks there are.

    Each task is asked as by `best`. A task on which all runs are the same counts as a draw: nobody
    is ruled out there. Tasks with the same algorithms and numbers of runs share their
    shuffles, which are drawn once. The tasks are taken to be independent: none shares runs with
    another.

    Parameters
    ----------
    tasks : Tasks, or mapping from name to Curves
        At least one task, with two algorithms or more.
    algorithms, missing
        As in `Tasks`: which algorithms to keep, and what happens to a task that lacks one. With
        ``missing="keep"`` it is judged by those that it has.
    adjust : "bh" or "bonferroni"
        What is promised over all tasks. By "bh", of the tasks on which any algorithm is ruled
        out, the share on which the truly best one is ruled out is alpha at most, in expectation
        (Benjamini & Hochberg 1995 over tasks, and inside each task that is selected the level that
        goes with it: Benjamini & Bogomolov 2014). So each task is judged at alpha times the share
        of tasks on which any algorithm is ruled out. By "bonferroni", the chance that the truly best
        one is ruled out on any task is alpha at most: each task is judged at alpha divided by their
        number, which few runs and many tasks can make impossible to reach. Holm's method would not
        reach further, since every task has a best algorithm that must be kept. Where several
        algorithms are truly the best, both promises are about any one of them.
    within : "closed", "bonferroni" or "max-t", optional
        How p is adjusted for the algorithms of a task: the ``adjust`` of `best`.
    alpha, n_shuffles, exact, n_jobs, rng, checkpoint, center
        As in `best`; "auto" settles p also against alpha divided by the number of tasks.

    Returns
    -------
    Bests
        A mapping from task to Best, each at the level at which the task is judged, with the
        adjusted p, and on how many tasks each algorithm may be the best.

    Raises
    ------
    CurvesError
        If tasks do not fit together, or one of them cannot be compared.

    Examples
    --------
    >>> import curvewise as cw
    >>> rng, labels = np.random.default_rng(0), np.repeat(["A", "B", "C"], 5)
    >>> lifts = {"pong": [0, 2, 9], "qbert": [0, 8, 8], "seaquest": [9, 1, 0]}
    >>> tasks = {
    ...     task: cw.Curves(rng.normal(size=(15, 4)) + np.repeat(lift, 5)[:, None], labels)
    ...     for task, lift in lifts.items()
    ... }
    >>> found = cw.best_many(tasks, rng=0)
    >>> {task: one.contenders for task, one in found.items()}
    {'pong': ('C',), 'qbert': ('C', 'B'), 'seaquest': ('A',)}
    """
    check_choice("adjust", adjust, ("bh", "bonferroni"))
    check_alpha(alpha)
    if not isinstance(tasks, Tasks) or algorithms is not None or missing != "refuse":
        tasks = Tasks(tasks, algorithms=algorithms, missing=missing)
    check_tasks_vary(tasks)
    alpha = float(alpha)
    with shuffling_work(
        "best_many",
        *(*tasks, *tasks.values(), within, alpha, center),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
        n_keys=0,
    ) as work:
        member = work.of_family()
        levels = tuple(dict.fromkeys((alpha, alpha / len(tasks))))
        asked = ask_each(
            tasks,
            lambda _, curves: best_at_levels(
                curves,
                member,
                adjust=within,
                alpha=alpha,
                center=center,
                levels=levels,
                may_be_equal=True,
            ),
            label="Task",
        )
        first = {task: best_at(alpha) for task, best_at in asked.items()}
    pvalues = {
        task: {
            row.name: row.pvalue_adjusted
            for row in own.rows
            if row.pvalue_adjusted is not None
        }
        for task, own in first.items()
    }
    adjusted = _adjusted(pvalues, adjust)
    level = _level(pvalues, adjusted, adjust, alpha)
    found = {
        task: first[task] if level == alpha else best_at(level)
        for task, best_at in asked.items()
    }
    smallest = {
        task: {
            row.name: row.smallest_pvalue
            for row in own.rows
            if row.smallest_pvalue is not None
        }
        for task, own in first.items()
    }
    least = [p for own in _adjusted(smallest, adjust).values() for p in own.values()]
    alone = [p for own in smallest.values() for p in own.values()]
    reach = min(least, default=0.0)
    caveats = {task: own.caveats for task, own in found.items()}
    return Bests(
        tasks=found,
        algorithms=tuple(
            dict.fromkeys(name for own in tasks.values() for name in own.algorithms)
        ),
        pvalues_adjusted=adjusted,
        adjust=adjust,
        alpha=alpha,
        level=level,
        higher_is_better=tasks.higher_is_better,
        smallest_pvalue=reach,
        smallest_pvalue_alone=min(1.0, len(tasks) * min(alone, default=0.0)),
        dropped=tasks.dropped,
        caveats=(
            *_out_of_reach(reach, alone, adjust, alpha, caveats),
            *_silent(tasks),
            *_of_tasks(caveats),
        ),
        center=center,
        seed=work.seed,
    )


def _adjusted(
    pvalues: Mapping[str, Mapping[str, float]], adjust: str
) -> dict[str, dict[str, float]]:
    """Adjust the p of every task for how many tasks there are."""
    values: list[Floats] = [np.array(list(own.values())) for own in pvalues.values()]
    if adjust == "bh":
        values = over_families(values)
    else:
        values = [np.minimum(own * len(pvalues), 1.0) for own in values]
    return {
        task: dict(zip(own, row.tolist(), strict=True))
        for (task, own), row in zip(pvalues.items(), values, strict=True)
    }


def _level(
    pvalues: Mapping[str, Mapping[str, float]],
    adjusted: Mapping[str, Mapping[str, float]],
    adjust: str,
    alpha: float,
) -> float:
    """Return the level at which each task is judged, as alpha judges the adjusted p.

    Rounding must not part the two.
    """
    out, kept = [0.0], [math.inf]
    n_selected = 0
    for task, own in adjusted.items():
        judged = {name: value <= alpha for name, value in own.items()}
        n_selected += any(judged.values())
        for name, is_out in judged.items():
            (out if is_out else kept).append(pvalues[task][name])
    share = max(n_selected, 1) if adjust == "bh" else 1
    level = max(alpha * (share / len(adjusted)), *out)
    return min(level, math.nextafter(min(kept), 0.0))


def _silent(tasks: Mapping[str, Curves]) -> Iterator[Caveat]:
    """Warn of tasks on which all runs are the same."""
    silent = tuple(task for task, own in tasks.items() if runs_are_alike(own))
    if silent:
        yield SilentTasks(silent, len(tasks))


def _of_tasks(caveats: Mapping[str, Sequence[Caveat]]) -> Iterator[Caveat]:
    """Gather the caveats of all tasks; of several about spread, only the widest is told."""
    spreads = {
        task: caveat
        for task, own in caveats.items()
        for caveat in own
        if isinstance(caveat, DifferentSpread)
    }
    several = len(spreads) > 1
    yield from gathered(
        {
            task: [
                c
                for c in own
                if not (several and isinstance(c, DifferentSpread)) and not _lacks_runs(c)
            ]
            for task, own in caveats.items()
        }
    )
    if several:
        widest = max(spreads, key=lambda t: (spreads[t].doubts_means, spreads[t].ratio))
        yield SpreadsOnTasks(tuple(spreads), len(caveats), widest, spreads[widest])


def _lacks_runs(caveat: Caveat) -> bool:
    """Tell whether it says of one task what is said of all tasks together."""
    return isinstance(caveat, TooFewToRuleOut) and caveat.by_runs


def _out_of_reach(
    reach: float,
    alone: Sequence[float],
    adjust: str,
    alpha: float,
    caveats: Mapping[str, Sequence[Caveat]],
) -> Iterator[Caveat]:
    """Warn where no data could rule anyone out: on any task, although each alone might, or on some."""
    if reach > alpha:
        yield TooFewOnTasks(len(caveats), reach, alpha, adjust, min(alone) <= alpha)
        return
    few = tuple(task for task, own in caveats.items() if any(map(_lacks_runs, own)))
    if few:
        yield TooFewOnSomeTasks(few, len(caveats))
