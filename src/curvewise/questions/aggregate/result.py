"""What `aggregate` found: one number for each algorithm over all tasks, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from curvewise.errors import refuse
from curvewise.inference.caveats import Caveat, gathered, prepared
from curvewise.inference.result import Family
from curvewise.kernels.contrasts import profile_reach
from curvewise.kernels.tasks import gap
from curvewise.records import UNTOLD, Record, told
from curvewise.rendering.tables import Table
from curvewise.text import argument, column_texts, everything, listed, number_text, percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from curvewise.data.align import Preparation
    from curvewise.data.curves import Display
    from curvewise.data.tasks import Tasks
    from curvewise.inference.result import Interval
    from curvewise.kernels import Floats
    from curvewise.kernels.tasks import StratifiedRuns
    from curvewise.questions.aggregate.method import On, Scaling, Stacked
    from curvewise.records import As, Count, Probability

    Curve = Annotated[Floats, As(list[float])]


# --- Performance profiles: the share of runs above every score, with bands.

N_SCORES = 201  # at which a profile is given, unless scores are asked for


@dataclass(frozen=True, eq=False)
class Profiles(Record):
    """The share of runs above each score, for every algorithm.

    Attributes
    ----------
    tau : array, (n_scores,)
        On the common scale.
    shares : mapping from algorithm to array, (n_scores,)
        The share of runs above τ, averaged over tasks.
    reach : mapping from algorithm to float
        Half the width of its band, the same at every τ.
    confidence : float
        That the band of an algorithm holds its true profile at every τ at once.
    measure, scale_text : str
        What the number of a run is, and how it was put on one scale.
    n_tasks : int
    """

    tau: Floats
    shares: Mapping[str, Floats] = field(repr=False, metadata=UNTOLD)
    reach: Mapping[str, float] = field(metadata=UNTOLD)
    confidence: float
    measure: str
    scale_text: str = field(metadata={"key": "scale"})
    n_tasks: int
    display: Display = field(repr=False, metadata=UNTOLD)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, the best first as by the aggregate."""
        return tuple(self.shares)

    @told(key="profiles")
    def _profiles(self) -> dict[str, Any]:
        """Each algorithm's share and band."""
        return {
            name: {"share": share, "band": self.band(name)} for name, share in self.shares.items()
        }

    def band(self, algorithm: str) -> tuple[Floats, Floats]:
        """Return the lower and the upper end of a band, between 0 and 1."""
        share, reach = self.shares[algorithm], self.reach[algorithm]
        return np.maximum(share - reach, 0.0), np.minimum(share + reach, 1.0)


def _checked(tau: npt.ArrayLike) -> Floats:
    """Return scores as an increasing array; raise unless they are finite numbers."""
    try:
        scores = np.atleast_1d(np.array(tau, dtype=np.float64))
    except (TypeError, ValueError):
        scores = np.full(1, np.nan)
    if scores.ndim != 1 or not scores.size or not np.isfinite(scores).all():
        refuse(
            f"tau must be scores on the common scale, finite numbers, not {tau!r}.", option="tau"
        )
    return np.sort(scores)


# --- What `aggregate` found: one number for each algorithm over all tasks, and how sure it is.

STATISTIC_NAMES = {"iqm": "IQM", "mean": "mean", "gap": "optimality gap"}
MAX_DIFFERENCES = 15  # that a table shows; of more, those to the first


class Band(NamedTuple):
    """The ends of a band at each step."""

    low: Curve
    high: Curve


@dataclass(frozen=True, eq=False)
class AggregateScore(Record):
    """The aggregate of one algorithm over all tasks.

    Attributes
    ----------
    name : str
    value : float
    interval : Interval
    error : float
        Its standard error.
    df : float or None
        The degrees of freedom of the interval; None where runs of the same task do not vary.
    n_runs : int
        On all tasks together.
    curve : array, (n_steps,), or None
        The aggregate at every step.
    band : Band or None
        Holds the true curve at all steps at once.
    """

    name: str = field(metadata=UNTOLD)
    n_runs: Count
    value: float
    interval: Interval
    error: float
    df: float | None
    curve: Curve | None = field(default=None, repr=False)
    band: Band | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class AggregateDifference(Record):
    """The aggregate of ``a`` less that of ``b``; attributes as in `AggregateScore`."""

    a: str
    b: str
    value: float
    interval: Interval
    error: float
    df: float | None
    curve: Curve | None = field(default=None, repr=False)
    band: Band | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """What is subtracted from what."""
        return f"{self.a} − {self.b}"

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return not self.interval.low <= 0 <= self.interval.high


@dataclass(frozen=True)
class AggregateTask:
    """One of the tasks: its runs, and ``scale``, the scores that count as 0 and as 1."""

    n_runs: Mapping[str, Count]
    scale: tuple[float, float] | None
    preparation: Preparation | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Aggregate(Family[str, AggregateScore], question="aggregate", members="scores"):
    """How good each algorithm is over all tasks: a mapping from algorithm to score, best first.

    Attributes
    ----------
    scores : mapping from algorithm to AggregateScore
    differences : tuple of AggregateDifference
        Of all pairs, the better one first. Each interval stands by itself.
    statistic : "iqm", "mean" or "gap"
    statistic_given : bool
        Whether it was asked for; else it follows from the number of tasks.
    on, measure : str, or (float, float)
        What number was taken of each run, as given and in words.
    gamma : float
        The score below which the optimality gap counts.
    scaling : "reference", "data" or "raw"
        How scores were put on one scale.
    scales : mapping from task to (float, float), or None
        The scores that count as 0 and as 1; None for raw scores.
    reference : str
        The name of the file of the scales, where they come from one.
    tasks, dropped : tuple of str
        The tasks, and those left out because they lack an algorithm.
    without_scale : tuple of str
        The tasks left out because all runs have the same score, so that this data gives no
        scale to normalise them by.
    n_runs : mapping from task to mapping from algorithm to int
    confidence : float
    steps : array or None
        Of the curves: steps, or with ``in_shares`` shares of each task's training.
    higher_is_better : bool
        Of the scores as they were given; aggregates are turned so that higher is better, but
        for the optimality gap.
    runs : mapping from algorithm to StratifiedRuns
        The number of each run on the common scale, for profiles.
    n_multipliers : int
        By how many random multipliers bands are found.
    preparations : mapping from task to Preparation or None
        How the runs of a task were brought to common steps.
    """

    statistic: Literal["iqm", "mean", "gap"]
    statistic_given: bool
    on: On
    measure: str
    gamma: float = field(metadata=UNTOLD)
    scores: Mapping[str, AggregateScore]
    differences: tuple[AggregateDifference, ...]
    confidence: Probability
    scaling: Scaling
    scales: Mapping[str, tuple[float, float]] | None = field(metadata=UNTOLD)
    reference: str
    tasks: tuple[str, ...] = field(metadata=UNTOLD)
    dropped: tuple[str, ...]
    without_scale: tuple[str, ...]
    n_runs: Mapping[str, Mapping[str, int]] = field(metadata=UNTOLD)
    steps: Annotated[np.ndarray[Any, Any], As(list[float])] | None
    in_shares: bool
    higher_is_better: bool
    runs: Mapping[str, StratifiedRuns] = field(repr=False, metadata=UNTOLD)
    n_multipliers: int = field(metadata=UNTOLD)
    stream_keys: Mapping[str, int] = field(repr=False, metadata=UNTOLD)
    seed: int | None
    preparations: Mapping[str, Preparation | None] = field(repr=False, metadata=UNTOLD)
    display: Display = field(repr=False, metadata=UNTOLD)
    in_score_units: ClassVar[tuple[str, ...]] = ("scores", "differences")

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, best first."""
        return tuple(self.scores)

    @property
    def name(self) -> str:
        """What the statistic is called."""
        return STATISTIC_NAMES[self.statistic]

    @property
    def lower_is_better(self) -> bool:
        """Whether a lower aggregate is a better one, as of optimality gaps."""
        return self.statistic == "gap"

    def difference(self, a: str, b: str) -> AggregateDifference:
        """Return the difference of two algorithms, the better one first."""
        for found in self.differences:
            if {found.a, found.b} == {a, b}:
                return found
        raise KeyError((a, b))

    def profile(self, tau: npt.ArrayLike | None = None) -> Profiles:
        """Return the performance profiles: the share of runs above each score ``tau``.

        Every task weighs the same. The band of an algorithm holds its true profile at all
        scores at once, whichever are asked for. Without ``tau`` 201 scores from the lowest to
        the highest of all runs. Of curves, the number of a run is its mean over the steps.
        """
        every = np.concatenate([own.scores[:, 0] for own in self.runs.values()])
        scores = np.linspace(every.min(), every.max(), N_SCORES) if tau is None else _checked(tau)
        shares, reach = {}, {}
        for name, own in self.runs.items():
            shares[name] = own.mean((own.scores > scores).astype(np.float64))
            key = self.stream_keys[name]
            reach[name] = profile_reach(own, self.confidence, self.n_multipliers, key)
        about = self.confidence, self.measure, self.scale_text, len(self.tasks), self.display
        return Profiles(scores, shares, reach, *about)

    def _preparations(self) -> dict[str, Preparation | None]:
        return dict(self.preparations)

    @told(key="gamma", after="measure")
    def _gamma(self) -> float | None:
        """Return the score below which the optimality gap counts; None of other statistics."""
        return self.gamma if self.lower_is_better else None

    @told(key="n_multipliers", after="higher_is_better")
    def _n_multipliers(self) -> Count | None:
        """By how many random multipliers bands are found; None without bands."""
        return None if self.steps is None else self.n_multipliers

    @told(key="tasks", after="reference")
    def _tasks(self) -> dict[str, AggregateTask]:
        """Return the tasks with their runs and scales."""
        tasks = {}
        for task in self.tasks:
            done, scale = self.preparations[task], (self.scales or {}).get(task)
            if done is not None and not self.quotes_scores:
                done = replace(done, depends_on_fill=self.in_score_units)
            tasks[task] = AggregateTask(self.n_runs[task], scale, done)
        return tasks

    def tables(self) -> list[Table]:
        """Return a row for each algorithm, best first, and one for each difference."""
        about = f"{plural(len(self.tasks), 'task')}; {self.measure}; {self.scale_text}."
        lower = ("A lower optimality gap is better.",) if self.lower_is_better else ()
        tables = [self._table("algorithm", list(self.values()), (about, *lower))]
        shown = self.differences
        notes = ["Each interval holds by itself, not all of them together."]
        if len(shown) > MAX_DIFFERENCES:
            shown = tuple(own for own in shown if self.algorithms[0] in {own.a, own.b})
            notes.append(f"All {len(self.differences)} differences: {everything()}.")
        return [*tables, self._table("difference", shown, tuple(notes))] if shown else tables

    def _table(
        self,
        title: str,
        found: Sequence[AggregateScore | AggregateDifference],
        notes: tuple[str, ...],
    ) -> Table:
        """Return value and interval of each, all with the same decimals."""
        texts = column_texts([number for own in found for number in (own.value, *own.interval)])
        return Table.of(
            list(zip(found, texts[::3], texts[1::3], texts[2::3], strict=True)),
            (title, lambda row: row[0].name),
            (self.name, lambda row: row[1]),
            (f"{percent(self.confidence)} interval", lambda row: f"{row[2]} to {row[3]}"),
            ("df", lambda row: "" if row[0].df is None else f"{row[0].df:.1f}"),
            (
                "runs",
                lambda row: str(row[0].n_runs) if isinstance(row[0], AggregateScore) else None,
            ),
            notes=notes,
        )

    @property
    def scale_text(self) -> str:
        """How scores were put on one scale, in words."""
        if self.scaling == "raw":
            turned = "" if self.higher_is_better else ", with the sign turned"
            return f"scores as they are{turned}"
        if self.scaling == "data":
            return "normalised by this data; not comparable across papers"
        source = f" of {self.reference}" if self.reference else ""
        return f"normalised by the reference{source}"


MIN_TASKS_FOR_IQM = 10  # of fewer the IQM jumps between tasks, and its interval misses too often
MIN_RUNS_BELOW = 10
MAX_NAMED = 4


class TooFewTasksForIQM(Caveat):
    """Of few tasks the IQM jumps between tasks."""

    n_tasks: int

    kind = "too few tasks for an IQM"

    def sentence(self) -> str:
        """Say what it does, and what to use."""
        return (
            f"{plural(self.n_tasks, 'task')} {'is' if self.n_tasks == 1 else 'are'} too few for "
            "an IQM: it jumps between tasks, and its intervals can miss in more than a tenth of "
            f"cases instead of a twentieth. Use {argument('statistic', 'mean')}, the mean of "
            "tasks."
        )


class FewRunsBelowGamma(Caveat):
    """Few runs are below gamma, so that the optimality gap hangs on a few of them."""

    algorithms: tuple[str, ...]
    n_runs: tuple[int, ...]
    gamma: float

    def sentence(self) -> str:
        """Say of whom, and what it does."""
        shown = [f"{n} of {name}" for name, n in zip(self.algorithms, self.n_runs, strict=True)]
        return (
            f"Few runs fall below gamma = {number_text(self.gamma)} ({listed(shown, MAX_NAMED)}; "
            f"fewer than {MIN_RUNS_BELOW} each): the optimality gap hangs on them, and its "
            "interval is too short."
        )


class NoVariation(Caveat):
    """Runs of the same task do not vary in what the aggregate is made of."""

    algorithms: tuple[str, ...]

    def sentence(self) -> str:
        """Say of whom, and what to check."""
        return (
            f"On every task the runs of {listed(self.algorithms, MAX_NAMED)} count the same, so "
            "the interval has no width. Check that the runs are separate runs."
        )


class TasksWithoutScale(Caveat):
    """On some tasks all runs have the same score, so that this data gives no scale."""

    tasks: tuple[str, ...]
    n_tasks: int

    def sentence(self) -> str:
        """Say which are left out, and what would count them."""
        it, has = ("it", "has") if len(self.tasks) == 1 else ("them", "have")
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
