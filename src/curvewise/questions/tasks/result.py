"""What `compare_tasks` found."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from curvewise.errors import refuse
from curvewise.inference.caveats import (
    SPREAD,
    STRAYS,
    Caveat,
    DifferentSpread,
    OfMembers,
    SilentTasks,
    StrayRuns,
    TooFewRuns,
    gathered,
    too_few_shuffles,
)
from curvewise.inference.result import Family, Interval, Result, is_at_floor
from curvewise.inference.work import ADJUSTMENTS, adjusted
from curvewise.kernels.pvalues import clopper_pearson
from curvewise.records import UNTOLD, As, Record, told
from curvewise.rendering.tables import Table
from curvewise.text import (
    argument,
    did_you_mean,
    interval_text,
    listed,
    number_text,
    p_text,
    percent,
    plural,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from curvewise.data.align import Preparation
    from curvewise.inference.result import Bounded
    from curvewise.records import Count, Extended, Probability


# --- What is known of two algorithms on many tasks: as a whole, anywhere, on at least so many, on
# each.

# What of a task depends on the score that short runs were filled with.
IN_SCORE_UNITS = ("difference", "interval", "hedges_g", "standardised")


def with_fill(done: Preparation | None) -> Preparation | None:
    """Return how the runs of a task became curves, with what depends on a fill."""
    if done is None or done.quotes_scores:
        return done
    return replace(done, depends_on_fill=IN_SCORE_UNITS)


class Judged(Record):
    """A question about all tasks, and its p."""

    symbol: ClassVar[str]  # of the statistic
    statistic: Extended
    pvalue: Probability
    exact: bool
    n_shuffles: Count | None
    alpha: Probability
    pvalue_adjusted: Probability | None

    @property
    def final_pvalue(self) -> float:
        """The adjusted p, where there are other pairs."""
        return self.pvalue if self.pvalue_adjusted is None else self.pvalue_adjusted

    @property
    def at_floor(self) -> bool:
        """Whether p is as small as its shuffles allow."""
        return is_at_floor(self.pvalue, self.n_shuffles or 0, exact=self.exact)

    @property
    @told()
    def significant(self) -> bool:
        """Whether p, adjusted where there are other pairs, is at most alpha."""
        return self.final_pvalue <= self.alpha


@dataclass(frozen=True)
class OnTheWhole(Judged):
    """Is one algorithm better on the tasks as a whole?

    Attributes
    ----------
    statistic : float
        V of van Elteren (1960), above 0 where runs of ``a`` win more often than not.
    pvalue : float
        The share of relabellings inside tasks with |V| at least as large. Never 0.
    probability : float
        How often a run of ``a`` is better than one of ``b``, by their means over training, on
        average over tasks, weighted as in V; ties count half.
    interval : Interval
        Of the probability, at confidence 1 − alpha. It leaves out ½ exactly if p is at most
        alpha.
    mean_probability : float
        The plain mean over tasks; the same as ``probability`` where all tasks have as many
        runs.
    exact : bool
        Whether p is that of all relabellings.
    n_shuffles : int or None
        How many were visited of too many.
    smallest_pvalue : float
        The smallest p that these runs, or shuffles, could have given.
    pvalue_adjusted : float or None
        Adjusted by Holm's method for the other pairs, where there are any.
    """

    symbol = "V"
    statistic: Extended
    pvalue: Probability
    probability: Probability
    interval: Interval
    mean_probability: Probability
    exact: bool
    n_shuffles: Count | None
    smallest_pvalue: Probability
    alpha: Probability
    pvalue_adjusted: Probability | None = None


@dataclass(frozen=True)
class Anywhere(Judged):
    """Do the algorithms differ on any task?

    Attributes
    ----------
    statistic : float
        The share of variation that the algorithms explain on a task, summed over tasks.
    pvalue : float
        The share of relabellings inside tasks with a sum at least as large. Never 0.
    n_extreme, n_shuffles : int
        How many of the relabellings that were visited.
    exact : bool
        Whether all relabellings were visited.
    smallest_pvalue : float
        The smallest p that these runs, or shuffles, could have given.
    pvalue_adjusted : float or None
        Adjusted by Holm's method for the other pairs, where there are any.
    """

    symbol = "Q"
    statistic: Extended
    pvalue: Probability
    n_extreme: Count
    exact: bool
    n_shuffles: Count
    smallest_pvalue: Probability
    alpha: Probability
    pvalue_adjusted: Probability | None = None

    @property
    @told(after="pvalue_adjusted")
    def pvalue_interval(self) -> Bounded:
        """Where p would be if every relabelling were visited, with 95 % confidence."""
        if self.exact:
            return Interval(self.pvalue, self.pvalue)
        return Interval(*clopper_pearson(self.n_extreme, self.n_shuffles, 0.95))


@dataclass(frozen=True)
class AtLeast(Record):
    """On how many tasks the algorithms differ, and on how many each is better, at least.

    Attributes
    ----------
    differ : int
        With confidence 1 − alpha the curves differ on so many tasks, or more.
    a_better, b_better : int
        With confidence 1 − alpha for both together, ``a`` has the better mean over training on
        so many tasks, or more, and ``b`` on so many. Together they are never more than
        ``differ``.
    n_tasks : int
    """

    differ: Count
    a_better: Count
    b_better: Count
    n_tasks: Count


@dataclass(frozen=True, eq=False, kw_only=True)
class TaskDifference(Record):
    """Two algorithms on one task.

    Attributes
    ----------
    n_runs : (int, int)
        Of ``a`` and of ``b``.
    difference : float
        The curve mean of ``a`` minus that of ``b``, in units of the task's score.
    interval : Interval
        All differences that the test of height on this task alone does not reject at alpha.
    hedges_g : float or None
        The difference in standard deviations of runs, corrected for few runs.
    standardised : Interval or None
        The interval in the same units, turned so that above 0 ``a`` is better: what can be
        compared across tasks.
    probability : float
        How often a run of ``a`` is better than one of ``b``; ties count half.
    better : str or None
        The algorithm with the better mean, whether significantly or not.
    pvalue, pvalue_height : float
        Do the curves differ at all; do they differ in height. As `compare` gives them.
    pvalue_adjusted, pvalue_height_adjusted : float
        The same, adjusted for the number of tasks.
    pvalue_a_better, pvalue_b_better : float
        One-sided: is the mean of ``a``, or of ``b``, the better one.
    exact : bool
        Whether the p of any difference is that of all relabellings.
    smallest_pvalue : float
        The smallest p that so many runs could have given on this task.
    period : str
        What all steps are: "over training", or the part of it that was read.
    """

    a: str
    b: str
    n_runs: tuple[int, int]
    difference: Extended = 0.0
    interval: Interval
    hedges_g: float | None = None
    standardised: Interval | None = None
    probability: Probability
    better: str | None = None
    pvalue: Probability = 1.0
    pvalue_height: Probability = 1.0
    pvalue_a_better: Probability = 1.0
    pvalue_b_better: Probability = 1.0
    exact: bool = True
    smallest_pvalue: Probability
    alpha: Probability
    pvalue_adjusted: Probability = 1.0
    pvalue_height_adjusted: Probability = 1.0
    preparation: Preparation | None = field(default=None, metadata={"through": with_fill})
    period: str = field(default="over training", repr=False, metadata=UNTOLD)

    @property
    @told()
    def differs(self) -> bool:
        """Whether the curves are said to differ on this task, after adjustment."""
        return self.pvalue_adjusted <= self.alpha

    @property
    @told()
    def winner(self) -> str | None:
        """The algorithm that is said to be better: heights differ, and so do the curves."""
        height = self.pvalue_height_adjusted <= self.alpha
        return self.better if height and self.differs else None

    def standardised_lead(self, *, higher_is_better: bool) -> float:
        """Return how far ``a`` is ahead of ``b``, in standard deviations of runs.

        Infinite where the runs of neither vary; 0 where the means are the same.
        """
        if self.hedges_g is not None:
            return self.hedges_g if higher_is_better else -self.hedges_g
        if self.better is None:
            return 0.0
        return math.inf if self.better == self.a else -math.inf

    def reversed(self) -> TaskDifference:
        """Return the same with the algorithms in the other order."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            n_runs=self.n_runs[::-1],
            difference=0.0 - self.difference,
            interval=_turned(self.interval),
            hedges_g=None if self.hedges_g is None else 0.0 - self.hedges_g,
            standardised=None if self.standardised is None else _turned(self.standardised),
            probability=1 - self.probability,
            pvalue_a_better=self.pvalue_b_better,
            pvalue_b_better=self.pvalue_a_better,
        )


def _turned(interval: Interval) -> Interval:
    return Interval(0.0 - interval.high, 0.0 - interval.low)


# --- What `compare_tasks` found.


@dataclass(frozen=True, eq=False, kw_only=True)
class TaskComparison(Result, question="compare_tasks"):
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
    adjust: Annotated[str, As(Literal["bh", "holm"])]
    alpha: Probability
    higher_is_better: bool
    seed: int | None = None
    on_the_whole: OnTheWhole
    anywhere: Anywhere
    anywhere_in_curves: Anywhere | None
    at_least: AtLeast
    dropped: tuple[str, ...]
    per_task: Mapping[str, TaskDifference] = field(metadata={"key": "tasks"})

    @property
    @told(after="at_least")
    def smallest_pvalue(self) -> Probability:
        """The smallest p on the whole that these runs, or shuffles, could have given."""
        return self.on_the_whole.smallest_pvalue

    @cached_property
    @told(after="smallest_pvalue")
    def smallest_pvalue_per_task(self) -> Probability:
        """The smallest adjusted p of a task these runs could give, if all were that clear."""
        smallest = {task: own.smallest_pvalue for task, own in self.per_task.items()}
        return min(adjusted(smallest, self.adjust).values())

    @property
    @told(after="smallest_pvalue_per_task")
    def smallest_pvalue_alone(self) -> Probability:
        """The smallest adjusted p of a task that stands out alone."""
        smallest = min(own.smallest_pvalue for own in self.per_task.values())
        return min(1.0, len(self.per_task) * smallest)

    @property
    def different(self) -> tuple[str, ...]:
        """The tasks on which the curves are said to differ, after adjustment."""
        return tuple(task for task, own in self.per_task.items() if own.differs)

    def won_by(self, algorithm: str) -> tuple[str, ...]:
        """Return the tasks on which an algorithm is said to be better, after adjustment."""
        return tuple(task for task, own in self.per_task.items() if own.winner == algorithm)

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

    def from_ahead(self) -> TaskComparison:
        """Return the same as seen from the algorithm whose runs win more often."""
        return self if self.on_the_whole.probability >= 0.5 else self.reversed()

    def _preparations(self) -> dict[str, Preparation | None]:
        return {task: own.preparation for task, own in self.per_task.items()}

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: on the whole, and task by task."""
        return [whole_table(self), per_task_table(self)]


@dataclass(frozen=True)
class PreparedTask:
    """One of the tasks that pairs are compared on."""

    preparation: Preparation | None


@dataclass(frozen=True, eq=False, kw_only=True)
class TaskComparisons(
    Family[tuple[str, str], TaskComparison], question="compare_tasks", members="pairs"
):
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

    algorithms: tuple[str, ...]
    adjust: Annotated[str, As(Literal["bh", "holm"])]
    alpha: Probability
    seed: int | None = None
    dropped: tuple[str, ...]
    pairs: Annotated[Mapping[tuple[str, str], TaskComparison], As(tuple[TaskComparison, ...])] = (
        field(metadata={"through": lambda pairs: [*pairs.values()]})
    )

    def pair(self, a: str, b: str) -> TaskComparison:
        """Return the comparison of two algorithms, as seen from the first one named."""
        for name in (a, b):
            if name not in self.algorithms:
                refuse(
                    f"No algorithm is called {name!r}; {did_you_mean(name, self.algorithms)}", ""
                )
        found = self.pairs.get((a, b), self.pairs.get((b, a)))
        if found is None:
            refuse(f"{a!r} and {b!r} were not compared.", "")
        return found if found.a == a else found.reversed()

    @told(key="tasks", after="dropped")
    def _prepared(self) -> dict[str, PreparedTask]:
        """Return the tasks, and how the runs of each became curves."""
        return {task: PreparedTask(with_fill(done)) for task, done in self._preparations().items()}

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, which all pairs share."""
        return tuple(self._preparations())

    @property
    @told(after="seed")
    def smallest_pvalue(self) -> Probability:
        """The smallest adjusted p on the whole, if all pairs were that clear."""
        smallest = {names: own.smallest_pvalue for names, own in self.items()}
        return min(adjusted(smallest, "holm").values())

    @property
    @told(after="smallest_pvalue")
    def smallest_pvalue_anywhere(self) -> Probability:
        """The smallest adjusted p of a difference in height anywhere, likewise."""
        smallest = {names: own.anywhere.smallest_pvalue for names, own in self.items()}
        return min(adjusted(smallest, "holm").values())

    def _preparations(self) -> dict[str, Preparation | None]:
        return next(iter(self.values()))._preparations()

    def table(self) -> Table:
        """Return a row for every pair."""
        note = (
            f"Adjusted by Holm over {plural(len(self), 'pair')}, for each of the two questions. "
            f"The last columns say on how many of {plural(len(self.tasks), 'task')} the two "
            "differ at least, and on how many a and b are better at least; they and the intervals "
            "are those of each pair alone."
        )
        return Table.of(
            list(self.values()),
            ("a", lambda own: own.a),
            ("b", lambda own: own.b),
            ("P(a wins)", lambda own: f"{own.on_the_whole.probability:.3f}"),
            (
                f"{percent(1 - self.alpha)} interval",
                lambda own: " to ".join(f"{end:.3f}" for end in own.on_the_whole.interval),
            ),
            ("p whole", lambda own: _p(own.on_the_whole)),
            ("adjusted", lambda own: p_text(own.on_the_whole.final_pvalue)),
            ("p anywhere", lambda own: _p(own.anywhere)),
            ("adjusted", lambda own: p_text(own.anywhere.final_pvalue)),
            ("differ on ≥", lambda own: str(own.at_least.differ)),
            ("better on ≥", lambda own: f"{own.at_least.a_better}, {own.at_least.b_better}"),
            notes=(note,),
            n_text_columns=2,
            wide=True,
        )

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: a row for every pair."""
        return [self.table()]


def whole_table(found: TaskComparison) -> Table:
    """Return the questions about all tasks: statistic, p, and how p was found."""
    whole, counts = found.on_the_whole, found.at_least
    asked = {
        "better on the whole": whole,
        "different anywhere, in height": found.anywhere,
        "different anywhere, at any step": found.anywhere_in_curves,
    }
    level = percent(1 - found.alpha)
    low, high = whole.interval
    won = (
        f"A run of {found.a} beats one of {found.b} with probability "
        f"{whole.probability:.3f}, {level} interval {low:.3f} to {high:.3f}; ties count half."
    )
    notes = [won]
    if abs(whole.mean_probability - whole.probability) > 1e-9:
        notes.append(
            "Tasks with more runs weigh more in it, as they do in V; the plain mean over tasks "
            f"is {whole.mean_probability:.3f}."
        )
    if counts.differ:
        notes.append(
            f"With {level} confidence they differ on at least {counts.differ} of "
            f"{plural(counts.n_tasks, 'task')}; {found.a} is better on at least "
            f"{counts.a_better}, {found.b} on at least {counts.b_better}."
        )
    return Table.of(
        [(question, own) for question, own in asked.items() if own is not None],
        ("question", lambda row: row[0]),
        ("statistic", lambda row: f"{row[1].symbol} = {number_text(row[1].statistic)}"),
        ("p", lambda row: _p(row[1])),
        ("adjusted", lambda row: p_text(p) if (p := row[1].pvalue_adjusted) else None),
        (
            "visited",
            lambda row: (
                "all relabellings" if row[1].exact else plural(row[1].n_shuffles or 0, "shuffle")
            ),
        ),
        notes=tuple(notes),
        wide=True,
    )


def _p(own: Judged) -> str:
    """Return p for a table; one at the floor of its shuffles is only known to be no larger."""
    return f"{'≤ ' if own.at_floor else ''}{p_text(own.pvalue)}"


def by_lead(found: TaskComparison) -> list[tuple[str, TaskDifference]]:
    """Return the tasks in the order of how far ``a`` is ahead, in standard deviations of runs."""

    def ahead(item: tuple[str, TaskDifference]) -> tuple[float, float]:
        lead = item[1].standardised_lead(higher_is_better=found.higher_is_better)
        return -lead, -item[1].probability

    return sorted(found.per_task.items(), key=ahead)


def per_task_table(found: TaskComparison) -> Table:
    """Return a row for every task, those first that ``a`` wins."""
    note = (
        "p is that of any difference between the curves, and of a difference in height; "
        f"adjusted by {ADJUSTMENTS[found.adjust].label} over "
        f"{plural(len(found.per_task), 'task')}. Intervals are those of each task alone."
    )
    return Table.of(
        by_lead(found),
        ("task", lambda row: row[0]),
        ("runs", lambda row: " + ".join(map(str, row[1].n_runs))),
        (f"{found.a} - {found.b}", lambda row: number_text(row[1].difference)),
        (f"{percent(1 - found.alpha)} interval", lambda row: interval_text(row[1].interval)),
        (f"P({found.a} wins)", lambda row: f"{row[1].probability:.2f}"),
        ("p", lambda row: p_text(row[1].pvalue)),
        ("adjusted", lambda row: p_text(row[1].pvalue_adjusted)),
        ("p height", lambda row: p_text(row[1].pvalue_height)),
        ("adjusted", lambda row: p_text(row[1].pvalue_height_adjusted)),
        ("better", lambda row: row[1].winner or ("?" if row[1].differs else "")),
        notes=(note,),
        wide=True,
    )


MAX_NAMED = 3  # tasks that a sentence names


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
        smallest, named = "The smallest adjusted p of a task is", "no task can be named."
        if self.alone:
            smallest = "A task that stands out alone has an adjusted p of at least"
            named = "only several together can be named."
        elif self.decidable:
            named += " What is said of all tasks together is not affected."
        if self.adjust == "holm":
            named += f" {argument('adjust', 'bh')} can name more."
        return (
            f"{smallest} {p_text(self.smallest_pvalue)}, above alpha = {self.alpha:g}: with so "
            f"few runs and {plural(self.n_tasks, 'task')} {named}"
        )


class TasksDropped(Caveat):
    """Tasks were left out, since they lack an algorithm."""

    tasks: tuple[str, ...]

    def sentence(self) -> str:
        """Say which."""
        was, it = ("was", "it") if len(self.tasks) == 1 else ("were", "them")
        return (
            f"{plural(len(self.tasks), 'task')} {was} left out for lack of an algorithm: "
            f"{listed(self.tasks, MAX_NAMED)}. Nothing is said about {it}."
        )


class OnSomeTasks(Caveat):
    """Something is so on some tasks, and in ``n_pairs`` of several pairs, 0 where there is one."""

    tasks: tuple[str, ...]
    n_tasks: int
    n_pairs: int = 0

    @property
    @abstractmethod
    def says(self) -> str:
        """The sentence, with where it is so, in how many pairs, and the tasks to fill in."""

    @property
    def about(self) -> tuple[str, ...]:
        """The tasks on which it is so."""
        return self.tasks

    def sentence(self) -> str:
        """Say where, and what it does."""
        where = f"On {len(self.tasks)} of {plural(self.n_tasks, 'task')}"
        pairs = f" (in {plural(self.n_pairs, 'pair')})" if self.n_pairs else ""
        return self.says.format(where=where, pairs=pairs, tasks=listed(self.tasks, MAX_NAMED))


class UnequalRuns(OnSomeTasks):
    """On some tasks one algorithm has more runs than the other."""

    says = (
        "{where}{pairs} one algorithm has more runs than the other ({tasks}). Where the one with "
        "fewer runs also varies more, or runs fail, p on the whole is too small too often, "
        "and the interval of the probability was measured to hold in 89 to 92% of cases "
        "instead of 95%."
    )


class SpreadsDiffer(OnSomeTasks):
    """On some tasks runs of one algorithm vary more than those of the other."""

    subject = SPREAD
    says = (
        "{where}{pairs} runs of one algorithm vary more than those of the other ({tasks}). A "
        "test that finds a difference there may have found that, and not which is better."
    )


class StraysOnTasks(OnSomeTasks):
    """On some tasks a few runs are far from the others of their algorithm."""

    subject = STRAYS
    says = (
        "{where} some runs lie far from the others of their algorithm ({tasks}), as runs do that "
        "fail or run away. They move the means and differences of these tasks, but hardly the "
        "probability of winning."
    )


def task_caveats(
    own: Mapping[str, tuple[Caveat, ...]], found: TaskComparison, silent: Sequence[str]
) -> tuple[Caveat, ...]:
    """Collect what there is to know about one pair, the gravest first.

    ``own`` are the caveats of each task; those that may have other numbers on every task are
    put together.
    """
    kinds: dict[type[Caveat], type[SpreadsDiffer | StraysOnTasks]] = {
        DifferentSpread: SpreadsDiffer,
        StrayRuns: StraysOnTasks,
    }
    unequal = tuple(task for task, one in found.per_task.items() if len(set(one.n_runs)) > 1)
    some: dict[type[OnSomeTasks], tuple[str, ...]] = {UnequalRuns: unequal}
    for kind, on_tasks in kinds.items():
        some[on_tasks] = tuple(task for task, each in own.items() if kind in map(type, each))
    others = {task: [c for c in each if type(c) not in kinds] for task, each in own.items()}
    return (
        *_out_of_reach(found),
        *([TasksDropped(found.dropped)] if found.dropped else []),
        *([SilentTasks(tuple(silent), len(own))] if silent else []),
        *(c for c in gathered(others) if not _is_said(c)),
        *(on_tasks(tasks, len(own)) for on_tasks, tasks in some.items() if tasks),
    )


def _is_said(caveat: Caveat) -> bool:
    """Tell whether a caveat of single tasks is said by one about all of them."""
    inner = caveat.caveat if isinstance(caveat, OfMembers) else caveat
    return isinstance(inner, TooFewRuns)


def _out_of_reach(found: TaskComparison) -> Iterator[Caveat]:
    """Warn of what no data could have shown."""
    if found.smallest_pvalue > found.alpha:
        yield UndecidableOnTheWhole(found.smallest_pvalue, found.alpha)
    if not found.anywhere.exact:
        yield from too_few_shuffles(found.anywhere.n_shuffles, found.alpha)
    if len(found.per_task) == 1:
        return
    together, alone = found.smallest_pvalue_per_task, found.smallest_pvalue_alone
    if max(together, alone) > found.alpha:
        is_alone = together <= found.alpha
        yield NothingPerTask(
            len(found.per_task),
            alone if is_alone else together,
            found.alpha,
            is_alone,
            found.adjust,
            found.smallest_pvalue <= found.alpha,
        )


def pair_caveats(pairs: Mapping[str, TaskComparison]) -> tuple[Caveat, ...]:
    """Collect the caveats of several pairs; those about tasks are put together."""
    own = {name: pair.caveats for name, pair in pairs.items()}
    n_tasks = len(next(iter(pairs.values())).per_task)
    merged: dict[type[OnSomeTasks], list[OnSomeTasks]] = {}
    for kind in OnSomeTasks.__subclasses__():
        merged[kind] = [c for each in own.values() for c in each if isinstance(c, kind)]
    others = {
        name: [c for c in each if not isinstance(c, OnSomeTasks)] for name, each in own.items()
    }
    return (
        *gathered(others),
        *(
            kind(tuple(dict.fromkeys(task for c in found for task in c.tasks)), n_tasks, len(found))
            for kind, found in merged.items()
            if found
        ),
    )
