"""Which of two algorithms is better on many tasks as a whole, and on how many of them?

van Elteren (1960); Benjamini & Hochberg (1995); Benjamini & Heller (2008), Biometrics 64.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from curvewise.data.checks import check_names
from curvewise.data.curves import Curves
from curvewise.data.tasks import Tasks
from curvewise.errors import refuse
from curvewise.inference.asking import (
    Asked,
    PathLike,
    RNGLike,
    Share,
    Shuffles,
    ask,
    check_tasks_vary,
    question,
)
from curvewise.inference.caveats import MIN_VALUES_TO_REPEAT
from curvewise.inference.work import adjusted, ask_each
from curvewise.kernels.pvalues import n_different_at_least
from curvewise.questions.tasks.method import (
    OneTask,
    compare_task,
    judge_anywhere,
    judge_on_the_whole,
)
from curvewise.questions.tasks.result import (
    AtLeast,
    TaskComparison,
    TaskComparisons,
    pair_caveats,
    task_caveats,
)
from curvewise.text import did_you_mean, listed

if TYPE_CHECKING:
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.work import Work
    from curvewise.questions.tasks.result import TaskDifference

    Names = tuple[str, str]


# --- Which algorithms are compared, and on which tasks: chosen, checked, or refused.

MissingTask = Literal["refuse", "drop"]
MAX_NAMED = 6  # tasks that a message lists


def chosen_tasks(
    tasks: Mapping[str, Curves], a: str | None, b: str | None, missing: MissingTask
) -> Tasks:
    """Return the tasks with the algorithms that are compared: ``a`` and ``b``, or all."""
    given = Tasks(tasks, missing="keep")
    everyone = tuple(dict.fromkeys(name for own in given.values() for name in own.algorithms))
    check_names(a=a, b=b)
    for option, name in (("a", a), ("b", b)):
        if name is not None and name not in everyone:
            refuse(f"No algorithm is called {name!r}; {did_you_mean(name, everyone)}", option)
    if a is not None and a == b:
        refuse(f"a and b are both {a!r}. Name two algorithms.", option="b")
    if len(everyone) < 2:
        refuse(
            f"Comparing needs two algorithms, and there is only {everyone[0]!r}. Name the "
            "files or the folder of all algorithms, and check what tells them apart."
        )
    _check_shared(given, a, b)
    wanted = everyone if a is None or b is None else (a, b)
    chosen = Tasks(given, algorithms=wanted, missing=missing)
    check_runs(chosen)
    check_tasks_vary(chosen)
    return chosen


def chosen_pairs(tasks: Tasks, a: str | None, b: str | None) -> list[tuple[str, str]]:
    """Return the pairs that are compared: one, those of one algorithm, or all."""
    if a is None and b is None:
        return list(combinations(tasks.algorithms, 2))
    firsts, seconds = (tasks.algorithms if name is None else [name] for name in (a, b))
    return [(one, other) for one in firsts for other in seconds if one != other]


def _check_shared(tasks: Tasks, a: str | None, b: str | None) -> None:
    """Raise if no task has two of the algorithms that are to be compared."""
    asked = {a, b} - {None}
    held = {task: set(own.algorithms) for task, own in tasks.items()}
    if any(len(own) > 1 and asked <= own for own in held.values()):
        return
    every = [f"{task!r} has {listed(sorted(own), MAX_NAMED)}" for task, own in held.items()]
    who = "; ".join(every[:MAX_NAMED])
    more = f"; and {len(held) - MAX_NAMED} more" if len(held) > MAX_NAMED else ""
    together = f"both {a!r} and {b!r}" if len(asked) == 2 else "two algorithms to compare"
    refuse(f"No task has {together}: {who}{more}. Name algorithms that share tasks.")


def check_runs(tasks: Tasks) -> None:
    """Raise where nothing could be shuffled, or a run is counted in two tasks."""
    single = [task for task, own in tasks.items() if max(own.sizes) == 1]
    if single:
        where = "every task" if len(single) == len(tasks) else listed(single, MAX_NAMED)
        refuse(
            f"Each algorithm has a single run on {where}, so that nothing tells a difference "
            "between algorithms from one between runs. Repeat the training with other seeds, "
            "or leave such tasks out."
        )
    first: dict[bytes, tuple[str, str]] = {}
    for task, own in tasks.items():
        for label, run, scores in zip(own.labels, own.runs, own.scores, strict=True):
            if len(np.unique(scores)) < MIN_VALUES_TO_REPEAT:
                continue
            here = f"{run!r} of {label!r} on {task!r}"
            there, its_task = first.setdefault(scores.tobytes(), (here, task))
            if its_task != task:
                refuse(
                    f"Run {here} has the scores of run {there} at every step: a run that counts "
                    "twice makes differences look surer than they are. Leave one of the two "
                    "tasks out, or give each its own runs."
                )


# --- Which of two algorithms is better on many tasks as a whole, and on how many of them?


class TaskOptions(Asked):
    """What is asked of tasks; the attributes are the parameters of `compare_tasks`."""

    def settle(self) -> None:
        """Take the tasks together, with the algorithms that are compared."""
        self.tasks: Tasks = chosen_tasks(self.tasks, self.a, self.b, self.missing)


@overload
def compare_tasks(
    tasks: Mapping[str, Curves],
    *,
    a: str,
    b: str,
    adjust: Literal["bh", "holm"] = ...,
    alpha: Share = ...,
    missing: MissingTask = ...,
    n_shuffles: Shuffles = ...,
    exact: bool | None = ...,
    n_jobs: int = ...,
    rng: RNGLike = ...,
    checkpoint: PathLike | None = ...,
) -> TaskComparison: ...
@overload
def compare_tasks(
    tasks: Mapping[str, Curves],
    *,
    a: str | None = ...,
    b: str | None = ...,
    adjust: Literal["bh", "holm"] = ...,
    alpha: Share = ...,
    missing: MissingTask = ...,
    n_shuffles: Shuffles = ...,
    exact: bool | None = ...,
    n_jobs: int = ...,
    rng: RNGLike = ...,
    checkpoint: PathLike | None = ...,
) -> TaskComparison | TaskComparisons: ...
@question(TaskOptions, n_keys=0)
def compare_tasks(
    tasks: Tasks | Mapping[str, Curves],
    *,
    a: str | None = None,
    b: str | None = None,
    adjust: Literal["bh", "holm"] = "bh",
    alpha: Share = 0.05,
    missing: MissingTask = "refuse",
    n_shuffles: Shuffles = 9_999,
    exact: bool | None = None,
    n_jobs: int = 1,
    rng: RNGLike = None,
    checkpoint: PathLike | None = None,
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
        How p of single tasks is adjusted for their number: "bh" keeps the expected share of
        false ones among the tasks that are named at alpha; "holm" the chance of any, which few
        runs and many tasks can make impossible to reach. The first is of Benjamini & Hochberg
        (1995).
    alpha : float
        The significance level, between 0 and 1.
    missing : "refuse" or "drop"
        What happens to a task that lacks an algorithm: it is refused, or left out for all
        pairs.
    n_shuffles : int, "auto" or "precise"
        As in `compare`.
    exact : bool, optional
        As in `compare`. By default p on the whole is exact wherever its distribution can be
        worked out, and others where relabellings are few. The sums over tasks are sampled
        beyond ten million relabellings, also where True.
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
    return ask(compare_tasks, locals(), _compared_tasks)


def _compared_tasks(asked: TaskOptions, work: Work) -> TaskComparison | TaskComparisons:
    tasks = asked.tasks
    pairs = chosen_pairs(tasks, asked.a, asked.b)
    found = {names: _compare_pair(asked, tasks.select(*names), work) for names in pairs}
    if len(found) == 1 and len(tasks.algorithms) == 2:
        return found[pairs[0]]
    for about in ("on_the_whole", "anywhere", "anywhere_in_curves"):
        found = _over_pairs(found, about)
    return TaskComparisons(
        pairs=found,
        algorithms=tasks.algorithms,
        adjust=asked.adjust,
        alpha=asked.alpha,
        dropped=tasks.dropped,
        caveats=pair_caveats({f"{x} and {y}": own for (x, y), own in found.items()}),
        seed=work.seed,
    )


def _compare_pair(asked: TaskOptions, tasks: Tasks, work: Work) -> TaskComparison:
    """Compare the two algorithms that the tasks have."""
    member, alpha = work.of_member(), asked.alpha
    levels = alpha, alpha / len(tasks)
    parts: dict[str, OneTask] = {}

    def ask(name: str, curves: Curves) -> tuple[TaskDifference, tuple[Caveat, ...]]:
        parts[name] = OneTask(curves)
        return compare_task(parts[name], member, alpha=alpha, levels=levels)

    answers = ask_each(tasks, ask, label="Task")
    per_task = _adjusted({task: own for task, (own, _) in answers.items()}, asked.adjust)
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
        adjust=asked.adjust,
        alpha=alpha,
        higher_is_better=tasks.higher_is_better,
        dropped=asked.tasks.dropped,
        seed=work.seed,
    )
    silent = [task for task, own in parts.items() if not own.varies]
    caveats = {task: own for task, (_, own) in answers.items()}
    return replace(found, caveats=task_caveats(caveats, found, silent))


def _adjusted(per_task: Mapping[str, TaskDifference], adjust: str) -> dict[str, TaskDifference]:
    """Adjust p of any difference, and of height, for the number of tasks."""
    overall = adjusted({task: own.pvalue for task, own in per_task.items()}, adjust)
    height = adjusted({task: own.pvalue_height for task, own in per_task.items()}, adjust)
    return {
        task: replace(own, pvalue_adjusted=overall[task], pvalue_height_adjusted=height[task])
        for task, own in per_task.items()
    }


def _at_least(per_task: list[TaskDifference], alpha: float) -> AtLeast:
    """Count the tasks that differ, and those that each algorithm wins, at least.

    An algorithm that is better on a task differs there, so the two numbers are lowered to what
    the number of all allows; the smaller one first, which says less.
    """
    differ = n_different_at_least(np.array([own.pvalue for own in per_task]), alpha)
    sided = np.array([(own.pvalue_a_better, own.pvalue_b_better) for own in per_task]).T
    a_better, b_better = (n_different_at_least(own, alpha / 2) for own in sided)
    most = min(max(a_better, b_better), differ)
    least = min(a_better, b_better, differ - most)
    a_better, b_better = (most, least) if a_better >= b_better else (least, most)
    return AtLeast(differ, a_better, b_better, len(per_task))


def _over_pairs(found: Mapping[Names, TaskComparison], about: str) -> dict[Names, TaskComparison]:
    """Adjust what is said of all tasks for the number of pairs, where it was asked."""
    own = {names: getattr(one, about) for names, one in found.items()}
    pvalues = adjusted({n: one.pvalue for n, one in own.items() if one is not None}, "holm")
    return {
        names: replace(one, **{about: replace(own[names], pvalue_adjusted=pvalues[names])})
        if names in pvalues
        else one
        for names, one in found.items()
    }
