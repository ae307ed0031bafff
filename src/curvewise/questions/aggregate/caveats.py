"""What a reader must know before believing an aggregate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.caveats import Caveat
from curvewise.inference.diagnostics import prepared
from curvewise.inference.member_caveats import gathered
from curvewise.kernels.aggregates import gap
from curvewise.text import argument, listed, number_text, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from curvewise.data.tasks import Tasks
    from curvewise.questions.aggregate.result import AggregateScore
    from curvewise.questions.aggregate.stacking import Stacked

__all__ = [
    "MIN_TASKS_FOR_IQM",
    "FewRunsBelowGamma",
    "NoVariation",
    "TasksWithoutScale",
    "TooFewTasksForIQM",
    "aggregate_caveats",
]

MIN_TASKS_FOR_IQM = (
    10  # of fewer the IQM jumps between tasks, and its interval misses too often
)
MIN_RUNS_BELOW = 10
MAX_NAMED = 4


@dataclass(frozen=True)
class TooFewTasksForIQM(Caveat):
    """Of few tasks the IQM jumps between tasks."""

    n_tasks: int

    @property
    def kind(self) -> str:
        """The kind in words."""
        return "too few tasks for an IQM"

    def sentence(self) -> str:
        """Say what it does, and what to use."""
        return (
            f"{plural(self.n_tasks, 'task')} {'is' if self.n_tasks == 1 else 'are'} too few for "
            "an IQM: it jumps between tasks, and its intervals can miss in more than a tenth of "
            f"cases instead of a twentieth. Use {argument('statistic', 'mean')}, the mean of "
            "tasks."
        )


@dataclass(frozen=True)
class FewRunsBelowGamma(Caveat):
    """Few runs are below gamma, so that the optimality gap hangs on a few of them."""

    algorithms: tuple[str, ...]
    n_runs: tuple[int, ...]
    gamma: float

    def sentence(self) -> str:
        """Say of whom, and what it does."""
        shown = [
            f"{n} of {name}" for name, n in zip(self.algorithms, self.n_runs, strict=True)
        ]
        return (
            f"Few runs fall below gamma = {number_text(self.gamma)} ({listed(shown, MAX_NAMED)}; "
            f"fewer than {MIN_RUNS_BELOW} each): the optimality gap hangs on them, and its "
            "interval is too short."
        )


@dataclass(frozen=True)
class NoVariation(Caveat):
    """Runs of the same task do not vary in what the aggregate is made of."""

    algorithms: tuple[str, ...]

    def sentence(self) -> str:
        """Say of whom, and what to check."""
        return (
            f"On every task the runs of {listed(self.algorithms, MAX_NAMED)} count the same, so "
            "the interval has no width. Check that the runs are separate runs."
        )


@dataclass(frozen=True)
class TasksWithoutScale(Caveat):
    """On some tasks all runs have the same score, so that this data gives no scale."""

    tasks: tuple[str, ...]
    n_tasks: int

    def sentence(self) -> str:
        """Say which are left out, and what would count them."""
        it, has = "it", "has"
        if len(self.tasks) > 1:
            it, has = "them", "have"
        return (
            f"{len(self.tasks)} of {plural(self.n_tasks, 'task')} ({listed(self.tasks, MAX_NAMED)}) "
            f"{has} the same score in all runs, which gives no scale to normalise {it} by: "
            f"aggregates leave {it} out. Give {argument('reference')} to count {it}."
        )


def aggregate_caveats(
    tasks: Tasks,
    stacked: Stacked,
    scores: Mapping[str, AggregateScore],
    statistic: str,
    gamma: float,
) -> Iterator[Caveat]:
    """Say what to know before believing the aggregates."""
    if stacked.without_scale:
        n_tasks = len(tasks) + len(stacked.without_scale)
        yield TasksWithoutScale(stacked.without_scale, n_tasks)
    if statistic == "iqm" and len(tasks) < MIN_TASKS_FOR_IQM:
        yield TooFewTasksForIQM(len(tasks))
    still = tuple(name for name, own in scores.items() if own.df is None)
    if still:
        yield NoVariation(still)
    if statistic == "gap":
        below = {
            name: int(np.sum((gap(stacked.runs[name].scores, gamma) > 0).any(axis=1)))
            for name in scores
            if name not in still
        }
        few = {name: n for name, n in below.items() if n < MIN_RUNS_BELOW}
        if few:
            yield FewRunsBelowGamma(tuple(few), tuple(few.values()), gamma)
    yield from gathered({task: tuple(prepared(own)) for task, own in tasks.items()})
