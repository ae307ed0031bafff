"""What `compare_tasks` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from curvewise.errors import OptionError
from curvewise.inference.effects import Interval
from curvewise.inference.families import adjusted
from curvewise.inference.result import Result
from curvewise.questions.tasks.tables import family_table, per_task_table, whole_table
from curvewise.text import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.questions.tasks.evidence import (
        Anywhere,
        AtLeast,
        OnTheWhole,
        TaskDifference,
    )
    from curvewise.rendering.tables import Table

__all__ = [
    "TaskComparison",
    "TaskComparisons",
]


@dataclass(frozen=True, eq=False)
class TaskComparison(Result):
    """Two algorithms on many tasks. What is concluded is about these tasks.

    Attributes
    ----------
    a, b : str
        The algorithms.
    on_the_whole : OnTheWhole
        Is one of them better on the tasks as a whole?
    anywhere, anywhere_in_curves : Anywhere
        Do they differ on any task: in height; at any step. The second is None where every task
        has a single step.
    at_least : AtLeast
        On how many tasks they differ, and on how many each is better, at least.
    per_task : mapping from task to TaskDifference
        In the order of the tasks.
    adjust : "bh" or "holm"
        How p is adjusted for the number of tasks.
    alpha : float
    higher_is_better : bool
    dropped : tuple of str
        The tasks that were left out because they lack an algorithm.
    caveats : tuple of Caveat
        What a reader must know before believing the rest, the gravest first.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    a: str
    b: str
    on_the_whole: OnTheWhole
    anywhere: Anywhere
    anywhere_in_curves: Anywhere | None
    at_least: AtLeast
    per_task: Mapping[str, TaskDifference]
    adjust: str
    alpha: float
    higher_is_better: bool
    dropped: tuple[str, ...]
    caveats: tuple[Caveat, ...]
    seed: int | None = None

    @property
    def smallest_pvalue(self) -> float:
        """The smallest p on the whole that these runs, or shuffles, could have given."""
        return self.on_the_whole.smallest_pvalue

    @cached_property
    def smallest_pvalue_per_task(self) -> float:
        """The smallest adjusted p of a task these runs could give, if all were that clear."""
        smallest = {task: own.smallest_pvalue for task, own in self.per_task.items()}
        return min(adjusted(smallest, self.adjust).values())

    @property
    def smallest_pvalue_alone(self) -> float:
        """The smallest adjusted p of a task that stands out alone."""
        smallest = min(own.smallest_pvalue for own in self.per_task.values())
        return min(1.0, len(self.per_task) * smallest)

    @property
    def different(self) -> tuple[str, ...]:
        """The tasks on which the curves are said to differ, after adjustment."""
        return tuple(task for task, own in self.per_task.items() if own.differs)

    def won_by(self, algorithm: str) -> tuple[str, ...]:
        """Return the tasks on which an algorithm is said to be better, after adjustment."""
        return tuple(
            task for task, own in self.per_task.items() if own.winner == algorithm
        )

    def reversed(self) -> TaskComparison:
        """Return the same with the algorithms in the other order."""
        whole, counts = self.on_the_whole, self.at_least
        low, high = whole.interval
        return replace(
            self,
            a=self.b,
            b=self.a,
            on_the_whole=replace(
                whole,
                statistic=0.0 - whole.statistic,
                probability=1 - whole.probability,
                interval=Interval(1 - high, 1 - low),
                mean_probability=1 - whole.mean_probability,
            ),
            at_least=replace(counts, a_better=counts.b_better, b_better=counts.a_better),
            per_task={task: own.reversed() for task, own in self.per_task.items()},
        )

    def _preparations(self) -> dict[str, Preparation | None]:
        return {task: own.preparation for task, own in self.per_task.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        curves = self.anywhere_in_curves
        return {
            "question": "compare_tasks",
            "a": self.a,
            "b": self.b,
            "adjust": self.adjust,
            "alpha": self.alpha,
            "higher_is_better": self.higher_is_better,
            "seed": self.seed,
            "on_the_whole": self.on_the_whole.to_dict(),
            "anywhere": self.anywhere.to_dict(),
            "anywhere_in_curves": None if curves is None else curves.to_dict(),
            "at_least": self.at_least.to_dict(),
            "smallest_pvalue": self.smallest_pvalue,
            "smallest_pvalue_per_task": self.smallest_pvalue_per_task,
            "smallest_pvalue_alone": self.smallest_pvalue_alone,
            "dropped": list(self.dropped),
            "tasks": {task: own.to_dict() for task, own in self.per_task.items()},
            **self.shared_dict(),
        }

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: on the whole, and task by task."""
        return [whole_table(self), per_task_table(self)]


@dataclass(frozen=True, eq=False)
class TaskComparisons(Result, Mapping[tuple[str, str], TaskComparison]):
    """Several pairs of algorithms on the same tasks, looked up by their two names.

    Attributes
    ----------
    pairs : mapping from (a, b) to TaskComparison
        p on the whole, and anywhere, is adjusted over the pairs by Holm's method, for each of
        these questions; what is said of single tasks is adjusted over the tasks of one pair.
    algorithms : tuple of str
    adjust : "bh" or "holm"
        How p of single tasks is adjusted for the number of tasks.
    alpha : float
    dropped : tuple of str
        The tasks that were left out because they lack an algorithm.
    caveats : tuple of Caveat
        What a reader must know before believing the rest, with the pairs it is about.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    pairs: Mapping[tuple[str, str], TaskComparison]
    algorithms: tuple[str, ...]
    adjust: str
    alpha: float
    dropped: tuple[str, ...]
    caveats: tuple[Caveat, ...]
    seed: int | None = None

    def __getitem__(self, names: tuple[str, str]) -> TaskComparison:
        return self.pairs[names]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def pair(self, a: str, b: str) -> TaskComparison:
        """Return the comparison of two algorithms, as seen from the first one named."""
        for name in (a, b):
            if name not in self.algorithms:
                msg = f"No algorithm is called {name!r}; {did_you_mean(name, self.algorithms)}"
                raise OptionError(msg)
        if (a, b) in self.pairs:
            return self.pairs[a, b]
        if (b, a) in self.pairs:
            return self.pairs[b, a].reversed()
        msg = f"{a!r} and {b!r} were not compared."
        raise OptionError(msg)

    @property
    def _per_task(self) -> Mapping[str, TaskDifference]:
        """One of the pairs, task by task; all pairs share the tasks."""
        return next(iter(self.values())).per_task

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, which all pairs share."""
        return tuple(self._per_task)

    @property
    def smallest_pvalue(self) -> float:
        """The smallest adjusted p on the whole, if all pairs were that clear."""
        smallest = {names: own.smallest_pvalue for names, own in self.items()}
        return min(adjusted(smallest, "holm").values())

    @property
    def smallest_pvalue_anywhere(self) -> float:
        """The smallest adjusted p of a difference in height anywhere, likewise."""
        smallest = {names: own.anywhere.smallest_pvalue for names, own in self.items()}
        return min(adjusted(smallest, "holm").values())

    def _preparations(self) -> dict[str, Preparation | None]:
        return {task: own.preparation for task, own in self._per_task.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "compare_tasks",
            "algorithms": list(self.algorithms),
            "adjust": self.adjust,
            "alpha": self.alpha,
            "seed": self.seed,
            "smallest_pvalue": self.smallest_pvalue,
            "smallest_pvalue_anywhere": self.smallest_pvalue_anywhere,
            "dropped": list(self.dropped),
            "tasks": {
                task: {"preparation": own.preparation_dict()}
                for task, own in self._per_task.items()
            },
            "pairs": [own.to_dict() for own in self.values()],
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return a row for every pair."""
        return family_table(self)

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: a row for every pair."""
        return [self.table()]
