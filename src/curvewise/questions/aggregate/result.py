"""What `aggregate` found: one number for each algorithm over all tasks, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from curvewise.inference.effects import json_ready
from curvewise.inference.result import Result
from curvewise.questions.aggregate.profiles import profiles_of
from curvewise.rendering.tables import Table
from curvewise.text import column_texts, everything, percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from curvewise.data.display import Display
    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Interval
    from curvewise.kernels import Floats
    from curvewise.kernels.aggregates import StratifiedRuns
    from curvewise.questions.aggregate.profiles import Profiles
    from curvewise.questions.aggregate.stacking import On, Scaling

__all__ = [
    "STATISTIC_NAMES",
    "Aggregate",
    "AggregateDifference",
    "AggregateScore",
    "Band",
]

STATISTIC_NAMES = {"iqm": "IQM", "mean": "mean", "gap": "optimality gap"}
MAX_DIFFERENCES = 15  # that a table shows; of more, those to the first


class Band(NamedTuple):
    """The ends of a band at each step."""

    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class AggregateScore:
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

    name: str
    value: float
    interval: Interval
    error: float
    df: float | None
    n_runs: int
    curve: Floats | None = field(default=None, repr=False)
    band: Band | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {"n_runs": self.n_runs, **_numbers(self)}


@dataclass(frozen=True, eq=False)
class AggregateDifference:
    """The aggregate of ``a`` less that of ``b``; attributes as in `AggregateScore`."""

    a: str
    b: str
    value: float
    interval: Interval
    error: float
    df: float | None
    curve: Floats | None = field(default=None, repr=False)
    band: Band | None = field(default=None, repr=False)

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return not self.interval.low <= 0 <= self.interval.high

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {"a": self.a, "b": self.b, **_numbers(self)}


def _numbers(found: AggregateScore | AggregateDifference) -> dict[str, Any]:
    return {
        "value": found.value,
        "interval": [json_ready(end) for end in found.interval],
        "error": found.error,
        "df": found.df,
        "curve": None if found.curve is None else found.curve.tolist(),
        "band": None if found.band is None else [own.tolist() for own in found.band],
    }


@dataclass(frozen=True, eq=False)
class Aggregate(Result, Mapping[str, AggregateScore]):
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

    scores: Mapping[str, AggregateScore]
    differences: tuple[AggregateDifference, ...]
    statistic: str
    statistic_given: bool
    on: On
    measure: str
    gamma: float
    scaling: Scaling
    scales: Mapping[str, tuple[float, float]] | None
    reference: str
    tasks: tuple[str, ...]
    dropped: tuple[str, ...]
    without_scale: tuple[str, ...]
    n_runs: Mapping[str, Mapping[str, int]]
    confidence: float
    steps: np.ndarray[Any, Any] | None
    in_shares: bool
    higher_is_better: bool
    runs: Mapping[str, StratifiedRuns] = field(repr=False)
    n_multipliers: int
    stream_keys: Mapping[str, int] = field(repr=False)
    seed: int | None
    caveats: tuple[Caveat, ...]
    preparations: Mapping[str, Preparation | None] = field(repr=False)
    display: Display = field(repr=False)
    in_score_units: ClassVar[tuple[str, ...]] = ("scores", "differences")

    def __getitem__(self, algorithm: str) -> AggregateScore:
        return self.scores[algorithm]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

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
        return profiles_of(
            self.runs,
            tau,
            confidence=self.confidence,
            n_multipliers=self.n_multipliers,
            keys=self.stream_keys,
            about=(self.measure, self.scale_text, len(self.tasks)),
            display=self.display,
        )

    def _preparations(self) -> dict[str, Preparation | None]:
        return dict(self.preparations)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; tasks with their runs and scales."""
        tasks = {}
        for task in self.tasks:
            done = self.preparations[task]
            record = None if done is None else done.to_dict()
            if record is not None and not self.quotes_scores:
                record["depends_on_fill"] = list(self.in_score_units)
            tasks[task] = {
                "n_runs": dict(self.n_runs[task]),
                "scale": None if self.scales is None else list(self.scales[task]),
                "preparation": record,
            }
        return {
            "question": "aggregate",
            "statistic": self.statistic,
            "statistic_given": self.statistic_given,
            "on": list(self.on) if isinstance(self.on, tuple) else self.on,
            "measure": self.measure,
            "gamma": self.gamma if self.statistic == "gap" else None,
            "scores": {name: own.to_dict() for name, own in self.items()},
            "differences": [own.to_dict() for own in self.differences],
            "confidence": self.confidence,
            "scaling": self.scaling,
            "reference": self.reference,
            "tasks": tasks,
            "dropped": list(self.dropped),
            "without_scale": list(self.without_scale),
            "steps": None if self.steps is None else self.steps.tolist(),
            "in_shares": self.in_shares,
            "higher_is_better": self.higher_is_better,
            "n_multipliers": None if self.steps is None else self.n_multipliers,
            "seed": self.seed,
            **self.shared_dict(),
        }

    def tables(self) -> list[Table]:
        """Return a row for each algorithm, best first, and one for each difference."""
        level = percent(self.confidence)
        found = list(self.values())
        rows = tuple(
            (
                own.name,
                *texts,
                "" if own.df is None else f"{own.df:.1f}",
                str(own.n_runs),
            )
            for own, texts in zip(found, _texts(found), strict=True)
        )
        header = ("algorithm", self.name, f"{level} interval", "df", "runs")
        about = f"{plural(len(self.tasks), 'task')}; {self.measure}; {self.scale_text}."
        lower = ("A lower optimality gap is better.",) if self.lower_is_better else ()
        tables = [Table(header, rows, notes=(about, *lower))]
        shown = self.differences
        if not shown:
            return tables
        notes = ["Each interval holds by itself, not all of them together."]
        if len(shown) > MAX_DIFFERENCES:
            shown = tuple(own for own in shown if self.algorithms[0] in {own.a, own.b})
            notes.append(f"All {len(self.differences)} differences: {everything()}.")
        pairs = tuple(
            (f"{own.a} − {own.b}", *texts, "" if own.df is None else f"{own.df:.1f}")
            for own, texts in zip(shown, _texts(shown), strict=True)
        )
        names = ("difference", self.name, f"{level} interval", "df")
        return [*tables, Table(names, pairs, notes=tuple(notes))]

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


def _texts(
    found: Sequence[AggregateScore] | Sequence[AggregateDifference],
) -> list[tuple[str, str]]:
    """Return value and interval of each, all with the same decimals."""
    numbers = [number for own in found for number in (own.value, *own.interval)]
    texts = column_texts(numbers)
    return [
        (texts[at], f"{texts[at + 1]} to {texts[at + 2]}")
        for at in range(0, len(texts), 3)
    ]
