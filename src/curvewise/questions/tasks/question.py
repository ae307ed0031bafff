"""Which of two algorithms is better on many tasks as a whole, and on how many of them?

van Elteren (1960); Benjamini & Hochberg (1995); Benjamini & Heller (2008), Biometrics 64.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from curvewise.inference.families import adjusted, ask_each
from curvewise.inference.requirements import check_alpha, check_choice
from curvewise.inference.work import shuffling_work
from curvewise.kernels.adjustments import n_different_at_least
from curvewise.questions.tasks.anywhere import judge_anywhere
from curvewise.questions.tasks.caveats import pair_caveats, task_caveats
from curvewise.questions.tasks.evidence import AtLeast
from curvewise.questions.tasks.on_the_whole import judge_on_the_whole
from curvewise.questions.tasks.one_task import OneTask, compare_task
from curvewise.questions.tasks.pairing import chosen_pairs, chosen_tasks
from curvewise.questions.tasks.result import TaskComparison, TaskComparisons

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.data.tasks import Tasks
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.requirements import RNGLike
    from curvewise.inference.work import Work
    from curvewise.questions.tasks.evidence import TaskDifference
    from curvewise.questions.tasks.pairing import MissingTask

__all__ = ["compare_tasks"]


@overload
def compare_tasks(
    tasks: Mapping[str, Curves],
    *,
    a: str,
    b: str,
    adjust: Literal["bh", "holm"] = ...,
    alpha: float = ...,
    missing: MissingTask = ...,
    n_shuffles: int | Literal["auto", "precise"] = ...,
    exact: bool | None = ...,
    n_jobs: int = ...,
    rng: RNGLike = ...,
    checkpoint: str | os.PathLike[str] | None = ...,
) -> TaskComparison: ...
@overload
def compare_tasks(
    tasks: Mapping[str, Curves],
    *,
    a: str | None = ...,
    b: str | None = ...,
    adjust: Literal["bh", "holm"] = ...,
    alpha: float = ...,
    missing: MissingTask = ...,
    n_shuffles: int | Literal["auto", "precise"] = ...,
    exact: bool | None = ...,
    n_jobs: int = ...,
    rng: RNGLike = ...,
    checkpoint: str | os.PathLike[str] | None = ...,
) -> TaskComparison | TaskComparisons: ...
def compare_tasks(
    tasks: Mapping[str, Curves],
    *,
    a: str | None = None,
    b: str | None = None,
    adjust: Literal["bh", "holm"] = "bh",
    alpha: float = 0.05,
    missing: MissingTask = "refuse",
    n_shuffles: int | Literal["auto", "precise"] = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> TaskComparison | TaskComparisons:
    """Judge algorithms on many tasks as a whole, and on each of them.

    Runs are shuffled inside their task (and block, if there are any), on all tasks at once.
    Scores of different tasks are never averaged: runs are ranked, and variation is measured
    against that of the same task. What is concluded is about these tasks, not about others like
    them.

    Parameters
    ----------
    tasks : mapping from name to Curves
        One table per task, such as `read_tasks` gives; at least one task has more than one run
        of an algorithm. Tasks may have their own steps and numbers of runs.
    a, b : str, optional
        The algorithms to compare. With more than two algorithms and only one of them named it
        is compared with every other; with none named, every two are compared.
    adjust : "bh" or "holm"
        How p of single tasks is adjusted for their number. "bh" (Benjamini & Hochberg 1995)
        keeps the expected share of false ones among the tasks that are named at alpha; Holm the
        chance of any, which few runs and many tasks can make impossible to reach.
    alpha : float
        The significance level, between 0 and 1.
    missing : "refuse" or "drop"
        What happens to a task that lacks an algorithm: it is refused, or left out for all
        pairs.
    n_shuffles : int, "auto" or "precise"
        How many random shuffles, where not every relabelling is visited; as in `compare`.
    exact : bool, optional
        True visits every relabelling, False samples. By default p on the whole is exact
        wherever its distribution can be worked out, and others where relabellings are few. The
        sums over tasks are sampled beyond ten million relabellings, also where True.
    n_jobs, rng, checkpoint
        As in `compare`.

    Returns
    -------
    TaskComparison or TaskComparisons
        Of two algorithms, or a mapping from every two; then p on the whole, and anywhere, is
        adjusted over the pairs by Holm's method.

    Raises
    ------
    CurvesError
        If no task has two algorithms, a task lacks one, has a single run of each, or shares a
        run with another task; if higher scores are better on some tasks and worse on others.
    OptionError
        If an argument has a value that cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> found = cw.compare_tasks(cw.load_example("atari-8"), a="Rainbow", b="DQN")
    >>> round(found.on_the_whole.probability, 2), found.at_least.a_better
    (0.82, 5)
    >>> found.won_by("DQN")
    ('breakout',)
    """
    check_choice("adjust", adjust, ("bh", "holm"))
    check_alpha(alpha)
    chosen = chosen_tasks(tasks, a, b, missing)
    dropped = chosen.dropped
    pairs = chosen_pairs(chosen, a, b)
    with shuffling_work(
        "compare_tasks",
        *(*chosen, *chosen.values(), pairs, adjust, alpha),
        n_shuffles=n_shuffles,
        exact=exact,
        n_jobs=n_jobs,
        rng=rng,
        checkpoint=checkpoint,
        n_keys=0,
    ) as work:
        found = {
            names: _compare_pair(
                chosen.select(*names),
                work,
                adjust=adjust,
                alpha=float(alpha),
                dropped=dropped,
            )
            for names in pairs
        }
    if len(found) == 1 and len(chosen.algorithms) == 2:
        return found[pairs[0]]
    family = _over_pairs(found)
    return TaskComparisons(
        family,
        chosen.algorithms,
        adjust,
        float(alpha),
        dropped,
        pair_caveats({f"{x} and {y}": own for (x, y), own in family.items()}),
        work.seed,
    )


def _compare_pair(
    tasks: Tasks, work: Work, *, adjust: str, alpha: float, dropped: tuple[str, ...]
) -> TaskComparison:
    """Compare the two algorithms that the tasks have."""
    member = work.of_member()
    levels = alpha, alpha / len(tasks)
    parts: dict[str, OneTask] = {}

    def ask(name: str, curves: Curves) -> tuple[TaskDifference, tuple[Caveat, ...]]:
        parts[name] = OneTask.of(curves)
        return compare_task(parts[name], member, alpha=alpha, levels=levels)

    asked = ask_each(tasks, ask, label="Task")
    per_task = _adjusted({task: own for task, (own, _) in asked.items()}, adjust)
    # Which shuffle a task has depends on its name, not on where it stands.
    in_order = [parts[name] for name in sorted(parts)]
    heights, curves = judge_anywhere(in_order, member, alpha)
    several_steps = any(own.n_steps > 1 for own in tasks.values())
    found = TaskComparison(
        a=tasks.algorithms[0],
        b=tasks.algorithms[1],
        on_the_whole=judge_on_the_whole([own.strata for own in in_order], member, alpha),
        anywhere=heights,
        anywhere_in_curves=curves if several_steps else None,
        at_least=_at_least(list(per_task.values()), alpha),
        per_task=per_task,
        adjust=adjust,
        alpha=alpha,
        higher_is_better=tasks.higher_is_better,
        dropped=dropped,
        caveats=(),
        seed=work.seed,
    )
    silent = [task for task, own in parts.items() if not own.varies]
    caveats = {task: own for task, (_, own) in asked.items()}
    return replace(found, caveats=task_caveats(caveats, found, silent))


def _adjusted(
    per_task: Mapping[str, TaskDifference], adjust: str
) -> dict[str, TaskDifference]:
    """Adjust p of any difference, and of height, for the number of tasks."""
    overall = adjusted({task: own.pvalue for task, own in per_task.items()}, adjust)
    height = adjusted({task: own.pvalue_height for task, own in per_task.items()}, adjust)
    return {
        task: replace(
            own, pvalue_adjusted=overall[task], pvalue_height_adjusted=height[task]
        )
        for task, own in per_task.items()
    }


def _at_least(per_task: list[TaskDifference], alpha: float) -> AtLeast:
    """Count the tasks that differ, and those that each algorithm wins, at least.

    An algorithm that is better on a task differs there, so the two numbers are lowered to what
    the number of all allows; the smaller one first, which says less.
    """
    differ = n_different_at_least(np.array([own.pvalue for own in per_task]), alpha)
    a_better, b_better = (
        n_different_at_least(np.array(pvalues), alpha / 2)
        for pvalues in (
            [own.pvalue_a_better for own in per_task],
            [own.pvalue_b_better for own in per_task],
        )
    )
    most, least = max(a_better, b_better), min(a_better, b_better)
    most = min(most, differ)
    least = min(least, differ - most)
    ahead = a_better >= b_better
    return AtLeast(
        differ,
        most if ahead else least,
        least if ahead else most,
        len(per_task),
    )


def _over_pairs(
    found: Mapping[tuple[str, str], TaskComparison],
) -> dict[tuple[str, str], TaskComparison]:
    """Adjust what is said of all tasks for the number of pairs, question by question."""
    whole = adjusted({n: own.on_the_whole.pvalue for n, own in found.items()}, "holm")
    heights = adjusted({n: own.anywhere.pvalue for n, own in found.items()}, "holm")
    of_curves = adjusted(
        {
            names: own.anywhere_in_curves.pvalue
            for names, own in found.items()
            if own.anywhere_in_curves is not None
        },
        "holm",
    )
    return {
        names: replace(
            own,
            on_the_whole=replace(own.on_the_whole, pvalue_adjusted=whole[names]),
            anywhere=replace(own.anywhere, pvalue_adjusted=heights[names]),
            anywhere_in_curves=own.anywhere_in_curves
            and replace(own.anywhere_in_curves, pvalue_adjusted=of_curves[names]),
        )
        for names, own in found.items()
    }
