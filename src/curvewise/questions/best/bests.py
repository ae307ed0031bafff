"""What `best_many` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.inference.families import ADJUSTMENTS
from curvewise.inference.result import Result
from curvewise.questions.best.result import CENTERS, Best
from curvewise.rendering.tables import Mark, Table
from curvewise.text import column_texts, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Center
    from curvewise.kernels import Floats

__all__ = ["Bests", "Standing"]

ROUNDING = 1e-12  # means that differ by less, relatively, are equal
LEADS = Mark("*", "bold", "the best of the task")
LEVEL = Mark("†", "underlined", "cannot be told from the best")


@dataclass(frozen=True)
class Standing:
    """One algorithm over all tasks.

    Attributes
    ----------
    name : str
    n_tasks : int
        On how many tasks it ran.
    n_leads, n_may_be_best, n_alone : int
        On how many tasks its mean is better than all others, it may be the best, and is the only
        one that may be.
    mean_rank : float or None
        Its rank among the algorithms of a task, 1 for the best, averaged over tasks; None where
        some task lacks an algorithm, since ranks among more and among fewer do not compare.
    """

    name: str
    n_tasks: int
    n_leads: int
    n_may_be_best: int
    n_alone: int
    mean_rank: float | None


@dataclass(frozen=True, eq=False)
class Bests(Result, Mapping[str, Best]):
    """Which algorithms may be the best on each of many tasks, looked up by the task.

    Attributes
    ----------
    tasks : mapping from task to Best
        Each with ``level`` as its alpha, so that contenders, intervals and words are those of the
        adjusted level.
    algorithms : tuple of str
        Those that any task has.
    pvalues_adjusted : mapping from task to mapping from algorithm to p
        Adjusted over algorithms and tasks, without the leaders and those that cannot be compared
        with them. An algorithm is ruled out where it is at most alpha.
    adjust : "bh" or "bonferroni"
        What is promised over all tasks; see `best_many`.
    alpha, level : float
        What was asked for, and the level at which each task was judged for it.
    higher_is_better : bool
    smallest_pvalue : float
        The smallest adjusted p that these runs could give, if all tasks were that clear.
    smallest_pvalue_alone : float
        That of a task that stands out alone.
    dropped : tuple of str
        Tasks that were left out because they lacked an algorithm.
    caveats : tuple of Caveat
        What a reader must know before believing the rest, with the tasks it is about.
    center : "mean", "trimmed" or "ranks"
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    tasks: Mapping[str, Best]
    algorithms: tuple[str, ...]
    pvalues_adjusted: Mapping[str, Mapping[str, float]]
    adjust: str
    alpha: float
    level: float
    higher_is_better: bool
    smallest_pvalue: float
    smallest_pvalue_alone: float
    dropped: tuple[str, ...]
    caveats: tuple[Caveat, ...]
    center: Center = "mean"
    seed: int | None = None

    def __getitem__(self, task: str) -> Best:
        return self.tasks[task]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    @cached_property
    def means(self) -> Floats:
        """The mean of each algorithm on each task, NaN where it did not run; (n_tasks, n_algorithms)."""
        rows = [{row.name: row.mean for row in own.rows} for own in self.values()]
        return np.array(
            [[row.get(name, np.nan) for name in self.algorithms] for row in rows]
        )

    @cached_property
    def ranks(self) -> Floats:
        """The rank of each algorithm on each task, 1 for the best; (n_tasks, n_algorithms).

        Means that are equal, but for rounding, share the mean of their ranks; NaN where it did
        not run.
        """
        worse = -self.means if self.higher_is_better else self.means
        one, other = worse[:, :, None], worse[:, None, :]
        equal = np.isclose(one, other, rtol=ROUNDING, atol=0)
        before = (other < one) & ~equal
        ranks = before.sum(axis=2) + (equal.sum(axis=2) + 1) / 2
        return np.where(np.isnan(worse), np.nan, ranks)

    def leads(self, algorithm: str, task: str) -> bool:
        """Tell whether the mean of an algorithm is better than all others on a task."""
        place = list(self.tasks).index(task), self.algorithms.index(algorithm)
        return bool(self.ranks[place] == 1)

    @property
    def settled(self) -> tuple[str, ...]:
        """The tasks on which any algorithm is ruled out."""
        return tuple(task for task, own in self.items() if own.worse)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """Every algorithm over all tasks: most often perhaps the best first, then by mean rank."""
        complete = not np.isnan(self.means).any()
        mean_ranks = np.nanmean(self.ranks, axis=0)
        order = {
            name: float(rank)
            for name, rank in zip(self.algorithms, mean_ranks, strict=True)
        }

        def standing(name: str) -> Standing:
            ran = [
                own for own in self.values() if any(row.name == name for row in own.rows)
            ]
            return Standing(
                name,
                len(ran),
                int(np.sum(self.ranks[:, self.algorithms.index(name)] == 1)),
                sum(name in own.contenders for own in ran),
                sum(own.contenders == (name,) for own in ran),
                order[name] if complete else None,
            )

        found = [standing(name) for name in self.algorithms]
        return tuple(
            sorted(
                found, key=lambda one: (-one.n_may_be_best, -one.n_alone, order[one.name])
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "best_many",
            "adjust": self.adjust,
            "center": self.center,
            "alpha": self.alpha,
            "level": self.level,
            "higher_is_better": self.higher_is_better,
            "seed": self.seed,
            "algorithms": list(self.algorithms),
            "dropped": list(self.dropped),
            "smallest_pvalue": self.smallest_pvalue,
            "smallest_pvalue_alone": self.smallest_pvalue_alone,
            "standings": [vars(one) for one in self.standings],
            "pvalues_adjusted": {
                task: dict(own) for task, own in self.pvalues_adjusted.items()
            },
            "tasks": {task: own.to_dict() for task, own in self.items()},
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return a row for every task and a column for every algorithm, the best marked."""
        rows, marks = [], {}
        for place, ((task, own), means) in enumerate(
            zip(self.items(), self.means, strict=True)
        ):
            known = [None if np.isnan(mean) else float(mean) for mean in means]
            rows.append((task, *column_texts(known, decimals=0)))
            for column, name in enumerate(self.algorithms, start=1):
                if self.leads(name, task):
                    marks[place, column] = LEADS
                elif name in own.contenders:
                    marks[place, column] = LEVEL
        how = ADJUSTMENTS[self.adjust].label
        note = (
            f"Shown is the {CENTERS[self.center]}. An algorithm can be told from the best if its p, "
            f"adjusted for algorithms and tasks ({how}), is at most {self.alpha:g}."
        )
        header = ("task", *self.algorithms)
        return Table(header, tuple(rows), notes=(note,), marks=marks, wide=True)

    def standings_table(self) -> Table:
        """Return on how many tasks each algorithm may be the best."""
        complete = not np.isnan(self.means).any()
        rows = tuple(
            (
                one.name,
                *(() if complete else (str(one.n_tasks),)),
                str(one.n_may_be_best),
                str(one.n_alone),
                str(one.n_leads),
                *(() if one.mean_rank is None else (f"{one.mean_rank:.2f}",)),
            )
            for one in self.standings
        )
        header = (
            "algorithm",
            *(() if complete else ("tasks",)),
            "may be the best",
            "alone",
            "leads",
            *(("mean rank",) if complete else ()),
        )
        note = f"On how many of {plural(len(self), 'task')}; alone: all others are ruled out."
        return Table(header, rows, notes=(note,))

    def tables(self) -> list[Table]:
        """Return the tasks, and how the algorithms stand over all of them."""
        return [self.table(), self.standings_table()]
