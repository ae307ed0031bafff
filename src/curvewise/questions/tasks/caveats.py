"""What a reader must know before believing a comparison on many tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from curvewise.inference.caveats import (
    SPREAD,
    STRAYS,
    Caveat,
    DifferentSpread,
    SilentTasks,
    StrayRuns,
    TooFewRuns,
)
from curvewise.inference.diagnostics import too_few_shuffles
from curvewise.inference.member_caveats import OfMembers, gathered
from curvewise.text import argument, listed, p_text, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from curvewise.questions.tasks.result import TaskComparison

__all__ = [
    "NothingPerTask",
    "SpreadsDiffer",
    "StraysOnTasks",
    "TasksDropped",
    "UndecidableOnTheWhole",
    "UnequalRuns",
    "pair_caveats",
    "task_caveats",
]

MAX_NAMED = 3  # tasks that a sentence names


@dataclass(frozen=True)
class UndecidableOnTheWhole(Caveat):
    """No data could show that one algorithm is better on the whole."""

    smallest_pvalue: float
    alpha: float

    def sentence(self) -> str:
        """Say how small p can be, and what to do."""
        return (
            f"With these runs the smallest p on the whole is {p_text(self.smallest_pvalue)}, "
            f"which is above alpha = {self.alpha:g}: no data could be significant. Add a run of "
            "each algorithm, or another task."
        )


@dataclass(frozen=True)
class NothingPerTask(Caveat):
    """No single task could be named, for lack of runs.

    ``smallest_pvalue`` is the smallest adjusted p, and ``alone`` says that it is that of a task
    that stands out alone: several that do together can be named. ``decidable`` says whether
    tests of all tasks together could find anything.
    """

    n_tasks: int
    smallest_pvalue: float
    alpha: float
    alone: bool
    adjust: str
    decidable: bool = True

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what can be said nevertheless."""
        remedy = ""
        if self.adjust == "holm":
            remedy = f" {argument('adjust', 'bh')} can name more."
        together = ""
        if self.decidable:
            together = " What is said of all tasks together is not affected."
        if self.alone:
            return (
                f"A task that stands out alone has an adjusted p of at least "
                f"{p_text(self.smallest_pvalue)}, above alpha = {self.alpha:g}: with so few "
                f"runs and {plural(self.n_tasks, 'task')} only several together can be "
                f"named.{remedy}"
            )
        return (
            f"The smallest adjusted p of a task is {p_text(self.smallest_pvalue)}, above alpha "
            f"= {self.alpha:g}: with so few runs and {plural(self.n_tasks, 'task')} no task can "
            f"be named.{together}{remedy}"
        )


@dataclass(frozen=True)
class TasksDropped(Caveat):
    """Tasks were left out, since they lack an algorithm."""

    tasks: tuple[str, ...]

    def sentence(self) -> str:
        """Say which."""
        was = "was" if len(self.tasks) == 1 else "were"
        return (
            f"{plural(len(self.tasks), 'task')} {was} left out for lack of an algorithm: "
            f"{listed(self.tasks, MAX_NAMED)}. Nothing is said about "
            f"{'it' if len(self.tasks) == 1 else 'them'}."
        )


@dataclass(frozen=True)
class UnequalRuns(Caveat):
    """On some tasks one algorithm has more runs than the other.

    ``n_pairs`` is in how many of several pairs that is so, 0 where there is one pair.
    """

    tasks: tuple[str, ...]
    n_tasks: int
    n_pairs: int = 0

    def sentence(self) -> str:
        """Say where, and what it does to the interval."""
        of_pairs = f" (in {plural(self.n_pairs, 'pair')})" if self.n_pairs else ""
        return (
            f"On {len(self.tasks)} of {plural(self.n_tasks, 'task')}{of_pairs} one algorithm "
            f"has more runs than the other ({listed(self.tasks, MAX_NAMED)}). Where the one with "
            "fewer runs also varies more, or runs fail, p on the whole is too small too often, "
            "and the interval of the probability was measured to hold in 89 to 92% of cases "
            "instead of 95%."
        )


@dataclass(frozen=True)
class SpreadsDiffer(Caveat):
    """On some tasks runs of one algorithm vary more than those of the other.

    ``n_pairs`` is in how many of several pairs that is so, 0 where there is one pair.
    """

    tasks: tuple[str, ...]
    n_tasks: int
    n_pairs: int = 0

    @property
    def subject(self) -> str:
        """The spread of runs."""
        return SPREAD

    @property
    def about(self) -> tuple[str, ...]:
        """The tasks on which it differs."""
        return self.tasks

    def sentence(self) -> str:
        """Say where, and what it does."""
        of_pairs = f" (in {plural(self.n_pairs, 'pair')})" if self.n_pairs else ""
        return (
            f"On {len(self.tasks)} of {plural(self.n_tasks, 'task')}{of_pairs} runs of one "
            f"algorithm vary more than those of the other ({listed(self.tasks, MAX_NAMED)}). A "
            "test that finds a difference there may have found that, and not which is better."
        )


@dataclass(frozen=True)
class StraysOnTasks(Caveat):
    """On some tasks a few runs are far from the others of their algorithm."""

    tasks: tuple[str, ...]
    n_tasks: int
    n_pairs: int = 0

    @property
    def subject(self) -> str:
        """Runs far from the others."""
        return STRAYS

    @property
    def about(self) -> tuple[str, ...]:
        """The tasks that have some."""
        return self.tasks

    def sentence(self) -> str:
        """Say where, and what is not affected."""
        return (
            f"On {len(self.tasks)} of {plural(self.n_tasks, 'task')} some runs lie far from the "
            f"others of their algorithm ({listed(self.tasks, MAX_NAMED)}), as runs do that fail "
            "or run away. They move the means and differences of these tasks, but hardly the "
            "probability of winning."
        )


# What is said of tasks in several pairs is said once.
MERGED = (UnequalRuns, SpreadsDiffer, StraysOnTasks)


def task_caveats(
    own: Mapping[str, tuple[Caveat, ...]],
    found: TaskComparison,
    silent: Sequence[str],
) -> tuple[Caveat, ...]:
    """Collect what there is to know about one pair, the gravest first.

    ``own`` are the caveats of each task; those that may have other numbers on every task are
    put together.
    """
    kinds: dict[type[Caveat], type[SpreadsDiffer | StraysOnTasks]] = {
        DifferentSpread: SpreadsDiffer,
        StrayRuns: StraysOnTasks,
    }
    about = {
        kind: tuple(task for task, each in own.items() if kind in map(type, each))
        for kind in kinds
    }
    others = {
        task: tuple(c for c in each if type(c) not in kinds) for task, each in own.items()
    }
    unequal = tuple(t for t, own in found.per_task.items() if len(set(own.n_runs)) > 1)
    return (
        *_out_of_reach(found),
        *([TasksDropped(found.dropped)] if found.dropped else []),
        *([SilentTasks(tuple(silent), len(own))] if silent else []),
        *(c for c in gathered(others) if not _is_said(c)),
        *([UnequalRuns(unequal, len(own))] if unequal else []),
        *(kinds[kind](tasks, len(own)) for kind, tasks in about.items() if tasks),
    )


def _is_said(caveat: Caveat) -> bool:
    """Tell whether a caveat of single tasks is said by one about all of them."""
    inner = caveat.caveat if isinstance(caveat, OfMembers) else caveat
    return isinstance(inner, TooFewRuns)


def _out_of_reach(found: TaskComparison) -> Iterator[Caveat]:
    """Warn of what no data could have shown."""
    if found.smallest_pvalue > found.alpha:
        yield UndecidableOnTheWhole(found.smallest_pvalue, found.alpha)
    anywhere = found.anywhere
    if not anywhere.exact:
        yield from too_few_shuffles(anywhere.n_shuffles, found.alpha)
    if len(found.per_task) == 1:
        return
    together, alone = found.smallest_pvalue_per_task, found.smallest_pvalue_alone
    for smallest, is_alone in ((together, False), (alone, True)):
        if smallest > found.alpha:
            yield NothingPerTask(
                len(found.per_task),
                smallest,
                found.alpha,
                is_alone,
                found.adjust,
                found.smallest_pvalue <= found.alpha,
            )
            return


def pair_caveats(pairs: Mapping[str, TaskComparison]) -> tuple[Caveat, ...]:
    """Collect the caveats of several pairs; those about tasks are put together."""
    own = {name: pair.caveats for name, pair in pairs.items()}
    n_tasks = len(next(iter(pairs.values())).per_task)
    merged: list[Caveat] = []
    for kind in MERGED:
        found = [c for each in own.values() for c in each if isinstance(c, kind)]
        if found:
            tasks = tuple(dict.fromkeys(task for c in found for task in c.tasks))
            merged.append(kind(tasks, n_tasks, len(found)))
    others = {
        name: tuple(c for c in each if not isinstance(c, MERGED))
        for name, each in own.items()
    }
    return (*gathered(others), *merged)
