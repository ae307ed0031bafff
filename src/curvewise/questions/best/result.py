"""What `best` found."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from curvewise.inference.caveats import SPREAD, Caveat
from curvewise.inference.result import Family, Result
from curvewise.inference.work import ADJUSTMENTS
from curvewise.records import UNTOLD, Record, told
from curvewise.rendering.tables import Mark, Table
from curvewise.text import (
    argument,
    column_texts,
    interval_text,
    listed,
    number_text,
    p_text,
    plural,
    printable,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.inference.caveats import DifferentSpread
    from curvewise.inference.result import Center, Interval
    from curvewise.kernels import Floats
    from curvewise.records import Count, Probability


NOTES = {
    "closed": (
        "p is that of the leader and the algorithm alone. Adjusted, it is that of the pair among "
        "all pairs, by closed testing; intervals are those of the two alone, stretched to 0 where "
        "they are not told apart."
    ),
    "bonferroni": (
        "Every p is one-sided, of the leader and the algorithm alone, and multiplied by "
        "{factor}, since the leader was picked by the data; intervals are one-sided at the "
        "level that goes with it."
    ),
    "max-t": (
        "p is that of the leader and the algorithm alone. Adjusted, it is that of the pair among "
        "all pairs, by the largest statistic of each shuffle (max-t), which is approximate and "
        "assumes equal variation; intervals are those of the two alone, stretched to 0 where they "
        "are not told apart."
    ),
}


# What is shown of each algorithm.
CENTERS = {"mean": "mean {}", "trimmed": "typical run {}", "ranks": "mean rank of runs"}


@dataclass(frozen=True)
class Contender(Record):
    """One algorithm, held against the leader.

    Attributes
    ----------
    name : str
    n_runs : int
    mean : float
        Over runs and training; with another centre the mean of the runs that are not cut off,
        or the mean rank.
    difference : float or None
        The algorithm's mean minus the leader's, within blocks when there are blocks; None
        where the two cannot be compared.
    interval : Interval or None
        What that difference can be; one-sided with Bonferroni. It excludes 0 exactly when the
        algorithm is ruled out.
    pvalue, pvalue_adjusted : float or None
        Of the test against the leader, one-sided with Bonferroni; None for the leader.
    contends : bool
        Whether it may be the best.
    smallest_pvalue : float or None
        What its adjusted p cannot be smaller than, whatever the data; None where there is no p.
    """

    name: str
    n_runs: Count
    mean: float
    difference: float | None
    interval: Interval | None
    pvalue: Probability | None
    pvalue_adjusted: Probability | None
    contends: bool
    smallest_pvalue: Probability | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Best(Result, question="best"):
    """Which algorithms may be the best, in height.

    Attributes
    ----------
    leader : str
        The algorithm with the best mean over training.
    contenders : tuple of str
        The leader first, and those that cannot be ruled out, the better ones first. With
        confidence 1 - alpha the truly best is among them.
    worse : tuple of str
        Those that can be ruled out as the best: significantly worse than the leader.
    rows : tuple of Contender
        Every algorithm, the better ones first.
    adjust : "closed", "bonferroni" or "max-t"
    alpha : float
    factor : int
        What p was multiplied by, with Bonferroni.
    even_blocks : bool
        Whether all blocks hold the algorithms in the same proportions.
    smallest_pvalue : float
        What the adjusted p of some algorithm cannot be smaller than, whatever the data.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    center : "mean", "trimmed" or "ranks"
        What of an algorithm's runs led and was tested.
    source : str
        Where the curves came from.
    period : str
        What all steps are: "over training", or the part of it that was read.
    """

    source: str = ""
    leader: str
    adjust: str
    center: Center = "mean"
    alpha: Probability
    higher_is_better: bool
    seed: int | None = None
    rows: tuple[Contender, ...]
    factor: int = field(metadata=UNTOLD)
    even_blocks: bool = field(metadata=UNTOLD)
    smallest_pvalue: Probability
    period: str = field(default="over training", repr=False, metadata=UNTOLD)
    in_score_units: ClassVar[tuple[str, ...]] = ("rows.mean", "rows.difference", "rows.interval")

    @property
    @told(after="leader")
    def contenders(self) -> tuple[str, ...]:
        """The leader, and those that cannot be ruled out."""
        return tuple(row.name for row in self.rows if row.contends)

    @property
    @told(after="contenders")
    def worse(self) -> tuple[str, ...]:
        """Those that can be ruled out as the best."""
        return tuple(row.name for row in self.rows if not row.contends)

    @property
    @told()
    def notes(self) -> tuple[str, ...]:
        """How p was adjusted, in a sentence each."""
        uneven = "Blocks hold different algorithms: means are adjusted for that."
        note = NOTES[self.adjust].format(factor=self.factor)
        return (note,) if self.even_blocks else (note, uneven)

    def table(self) -> Table:
        """Return a row for every algorithm."""
        states = {self.leader: "leader", **dict.fromkeys(self.worse, "ruled out")}
        return Table.of(
            self.rows,
            ("algorithm", lambda row: row.name),
            ("", lambda row: states.get(row.name, "")),
            ("runs", lambda row: str(row.n_runs)),
            (CENTERS[self.center].format(self.period), lambda row: number_text(row.mean)),
            (
                "to the leader",
                lambda row: "" if row.difference is None else number_text(row.difference),
            ),
            ("interval", lambda row: interval_text(row.interval) if row.interval else ""),
            ("p", lambda row: p_text(row.pvalue) if row.pvalue else ""),
            ("adjusted", lambda row: p_text(row.pvalue_adjusted) if row.pvalue_adjusted else ""),
            notes=self.notes,
            n_text_columns=2,
        )

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        return [self.table()]


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
    n_tasks: Count
    n_leads: Count
    n_may_be_best: Count
    n_alone: Count
    mean_rank: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Bests(Family[str, Best], question="best_many", members="tasks"):
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

    adjust: Literal["bh", "bonferroni"]
    center: Center = "mean"
    alpha: Probability
    level: Probability
    higher_is_better: bool
    seed: int | None = None
    algorithms: tuple[str, ...]
    dropped: tuple[str, ...]
    smallest_pvalue: Probability
    smallest_pvalue_alone: Probability
    pvalues_adjusted: Mapping[str, Mapping[str, Probability]]
    tasks: Mapping[str, Best]

    @cached_property
    def means(self) -> Floats:
        """The mean of each algorithm on each task, NaN where it did not run; (n_tasks, n_algorithms)."""
        rows = [{row.name: row.mean for row in own.rows} for own in self.values()]
        return np.array([[row.get(name, np.nan) for name in self.algorithms] for row in rows])

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
    @told(after="smallest_pvalue_alone")
    def standings(self) -> tuple[Standing, ...]:
        """Every algorithm over all tasks: most often perhaps the best first, then by mean rank."""
        complete = not np.isnan(self.ranks).any()
        found = []
        for name, ranks in zip(self.algorithms, self.ranks.T, strict=True):
            kept = [own.contenders for own in self.values() if name in own.contenders]
            rank = float(np.nanmean(ranks))
            n_tasks, n_leads = int(np.sum(~np.isnan(ranks))), int(np.sum(ranks == 1))
            counts = n_tasks, n_leads, len(kept), kept.count((name,))
            found.append((rank, Standing(name, *counts, rank if complete else None)))
        found.sort(key=lambda own: (-own[1].n_may_be_best, -own[1].n_alone, own[0]))
        return tuple(one for _, one in found)

    def table(self) -> Table:
        """Return a row for every task and a column for every algorithm, the best marked."""
        rows, marks = [], {}
        for place, (task, own) in enumerate(self.items()):
            means = {row.name: row.mean for row in own.rows}
            rows.append((task, *column_texts([*map(means.get, self.algorithms)], decimals=0)))
            for column, name in enumerate(self.algorithms):
                if self.ranks[place, column] == 1:
                    marks[place, column + 1] = LEADS
                elif name in own.contenders:
                    marks[place, column + 1] = LEVEL
        how = ADJUSTMENTS[self.adjust].label
        periods = {best.period for best in self.values()}
        period = periods.pop() if len(periods) == 1 else "over the steps of each task"
        note = (
            f"Shown is the {CENTERS[self.center].format(period)}. An algorithm can be told from the "
            f"best if its p, adjusted for algorithms and tasks ({how}), is at most {self.alpha:g}."
        )
        header = ("task", *self.algorithms)
        return Table(header, tuple(rows), notes=(note,), marks=marks, wide=True)

    def standings_table(self) -> Table:
        """Return on how many tasks each algorithm may be the best."""
        note = f"On how many of {plural(len(self), 'task')}; alone: all others are ruled out."
        return Table.of(
            self.standings,
            ("algorithm", lambda one: one.name),
            ("tasks", lambda one: str(one.n_tasks) if one.mean_rank is None else None),
            ("may be the best", lambda one: str(one.n_may_be_best)),
            ("alone", lambda one: str(one.n_alone)),
            ("leads", lambda one: str(one.n_leads)),
            ("mean rank", lambda one: None if one.mean_rank is None else f"{one.mean_rank:.2f}"),
            notes=(note,),
        )

    def tables(self) -> list[Table]:
        """Return the tasks, and how the algorithms stand over all of them."""
        return [self.table(), self.standings_table()]


MAX_NAMED = 3  # tasks that a sentence names


class TooFewToRuleOut(Caveat):
    """No data could rule out some algorithms.

    ``factor`` is what p is multiplied by; ``by_runs`` tells whether runs are too few, not
    shuffles; ``n_enough`` runs of each would do, where that is the same for all.
    """

    algorithms: tuple[str, ...]
    smallest_pvalue: float
    alpha: float
    factor: int
    by_runs: bool
    n_enough: int | None

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        enough = math.ceil(self.factor / self.alpha) - 1
        remedy = f"Use at least {argument('n_shuffles', enough)}"
        if self.by_runs:
            each = f"{self.n_enough} runs of each algorithm"
            remedy = f"Use {'more runs' if self.n_enough is None else each}"
            if self.factor > 2:
                remedy += f", or {argument('adjust', 'max-t')}"
        return (
            f"With these runs the smallest p possible is {p_text(self.smallest_pvalue)} after "
            f"adjustment, which is above alpha = {self.alpha:g}: no data could rule out "
            f"{listed(self.algorithms, 6)} as the best. {remedy}."
        )


class TooFewOnTasks(Caveat):
    """No data could rule out any algorithm on any task, after adjustment for their number.

    ``alone`` tells whether a single task could.
    """

    n_tasks: int
    smallest_pvalue: float
    alpha: float
    adjust: str
    alone: bool

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        remedy = "Use more runs"
        if self.alone and self.adjust == "bonferroni":
            remedy += f", or {argument('adjust', 'bh')}"
        adjusted, where = f" after adjustment for {plural(self.n_tasks, 'task')}", " on any of them"
        if self.n_tasks == 1:
            adjusted = where = ""
        return (
            f"With these runs the smallest p possible is {p_text(self.smallest_pvalue)}{adjusted}, "
            f"which is above alpha = {self.alpha:g}: no data could rule out any algorithm as the "
            f"best{where}. {remedy}."
        )


class TooFewOnSomeTasks(Caveat):
    """On some tasks no data could rule out some algorithms, for lack of runs."""

    tasks: tuple[str, ...]
    n_tasks: int

    def sentence(self) -> str:
        """Say where, and what to do."""
        return (
            f"On {len(self.tasks)} of {plural(self.n_tasks, 'task')} "
            f"({listed(self.tasks, MAX_NAMED)}) no data could rule out some algorithms as the "
            "best, for lack of runs. Use more runs there."
        )


class SpreadsOnTasks(Caveat):
    """On some tasks the runs of algorithms vary differently; ``caveat`` is that of ``widest``."""

    members: tuple[str, ...]
    n_tasks: int
    widest: str
    caveat: DifferentSpread

    subject = SPREAD

    @property
    def about(self) -> tuple[str, ...]:
        """The tasks on which it differs."""
        return self.members

    @property
    def doubts_means(self) -> bool:
        """Whether what was found may be a difference in spread: where the caveat itself does."""
        return self.caveat.doubts_means

    def sentence(self) -> str:
        """Say on how many tasks, and quote the one where they differ most."""
        where = f"{len(self.members):,} of {plural(self.n_tasks, 'task')}"
        return (
            f"On {where} the runs of some algorithms vary more than those of others, most on "
            f"{printable(self.widest)}: {self.caveat.sentence()}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return kind and numbers as JSON-ready data, and the tasks they are about."""
        told = {"kind": self.kind, "members": list(self.members), "widest": self.widest}
        return {**self.caveat.to_dict(), **told}


class KeptUncompared(Caveat):
    """An algorithm is kept because it cannot be compared with the leader."""

    algorithm: str
    leader: str
    reason: str

    def sentence(self) -> str:
        """Say why it cannot be compared."""
        return (
            f"{self.algorithm} is kept, since it cannot be compared with {self.leader}: "
            f"{self.reason}"
        )
