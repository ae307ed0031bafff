"""What `check_criteria` found: which metric meets which criterion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

import numpy as np

from curvewise.data.curves import Curves
from curvewise.inference.result import Result, beside
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.records import UNTOLD, As, Record, told
from curvewise.rendering.tables import Table
from curvewise.text import did_you_mean, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.inference.result import Interval
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.method import Integration
    from curvewise.questions.transfer.metrics import UndefinedKind
    from curvewise.records import Count, Probability

    Rows = Annotated[Floats, As(list[list[float]])]


# --- What the paper's Table 2 says: which metric meets which criterion.

CITATION = "Gorski & Laird (2009), Evaluating Evaluations, CCA-TR-2009-05, Table 2"
# The metrics that are judged, and what the table calls them: those with an abbreviation.
JUDGED = {record.name: record.short for record in RECORDS.values() if record.short}
_TICKS = {  # in the order of the metrics; 1 is a tick
    "defined": (0, 1, 0, 0),
    "consistent": (0, 1, 1, 0),
    "meaningful": (0, 0, 1, 1),
    "unitless": (1, 1, 1, 1),
    "distinguishing": (1, 0, 1, 1),
    "independent": (1, 1, 0, 1),
    "parameter-free": (0, 0, 0, 1),
    "similar": (0, 1, 1, 1),
    "degenerate": (1, 1, 1, 0),
    "testable": (1, 1, 1, 1),
}
PUBLISHED = {
    (criterion, metric): bool(tick)
    for criterion, ticks in _TICKS.items()
    for metric, tick in zip(JUDGED, ticks, strict=True)
}


# --- What `check_criteria` found: which metric meets which criterion.


@dataclass(frozen=True, eq=False)
class CurvePair(Record):
    """A control and an experimental condition, and how they are to be measured.

    Attributes
    ----------
    control, experimental : array, (n_runs, n_steps)
    optimum : float or None
        The best possible score; None where it is unknown.
    """

    name: str
    control: Rows
    experimental: Rows
    optimum: float | None
    steps: Annotated[Floats, As(list[float])]
    integration: Integration = "sum"

    @property
    def curves(self) -> Curves:
        """Both conditions, ready for `transfer`: "control" and "experimental"."""
        names = ["control"] * len(self.control) + ["experimental"] * len(self.experimental)
        scores = np.concatenate([self.control, self.experimental])
        return Curves(scores, names, steps=self.steps)


@dataclass(frozen=True, eq=False)
class Case(Record):
    """Curves on which a criterion can be decided, and what it asks of a metric there.

    Attributes
    ----------
    wanted : str
        What the values must be for the criterion to hold, in a sentence.
    source : str
        Where the paper has the case; "" where it is ours.
    note : str
        Why the case may decide otherwise than the paper did.
    """

    name: str
    wanted: str
    source: str = field(default="", kw_only=True)
    pairs: tuple[CurvePair, ...]
    note: str = field(default="", kw_only=True, metadata=UNTOLD)


@dataclass(frozen=True)
class Outcome(Record):
    """The value of a metric on one pair; interval and p only where there are several runs.

    ``undefined`` says why there is no value, as a kind; None where there is one.

    Attributes
    ----------
    reason : str
        Why there is no value, in words; "" where there is one.
    """

    value: float | None
    interval: Interval | None = None
    pvalue: Probability | None = None
    undefined: UndefinedKind | None = None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class CaseResult(Record):
    """A case, the outcome of each pair, and whether these are what the criterion asks."""

    case: Case = field(metadata=UNTOLD)
    outcomes: tuple[Outcome, ...]
    holds: bool = field(metadata={"after": ""})

    @told(key="source", after="")
    def _source(self) -> str:
        """Return where the paper has the case."""
        return self.case.source

    @told(key="case", after="")
    def _case(self) -> str:
        """Return the name of the case."""
        return self.case.name

    @property
    def values(self) -> tuple[float | None, ...]:
        """The value of the metric on each pair; None where it is undefined."""
        return tuple(outcome.value for outcome in self.outcomes)


@dataclass(frozen=True, eq=False)
class Verdict(Record):
    """Whether a metric meets a criterion, and the case that decides it.

    Attributes
    ----------
    published : bool or None
        The tick or cross in the paper's Table 2; None for a criterion that is not the paper's.
    tried : tuple of CaseResult
        Every case; one that fails decides, and without one the last that holds.
    one_case_suffices : bool
        Whether one case that holds is enough; else all must hold.
    """

    criterion: str
    metric: str
    published: bool | None
    tried: tuple[CaseResult, ...]
    one_case_suffices: bool = field(default=False, metadata=UNTOLD)

    @property
    def title(self) -> str:
        """The metric, as people write it."""
        return RECORDS[self.metric].title

    @property
    def short(self) -> str:
        """The metric, as the table abbreviates it."""
        return RECORDS[self.metric].short

    @property
    @told(after="metric")
    def holds(self) -> bool:
        """Whether the metric meets the criterion, computed from the cases."""
        return self._holds(self.tried)

    @property
    @told(after="holds")
    def holds_in_paper(self) -> bool:
        """Whether it does on those cases alone that the paper itself considers."""
        return self._holds(tuple(result for result in self.tried if result.case.source))

    def _holds(self, results: tuple[CaseResult, ...]) -> bool:
        holding = [result.holds for result in results]
        return any(holding) if self.one_case_suffices else all(holding)

    @property
    @told(after="published")
    def agrees(self) -> bool:
        """Whether the paper's Table 2 says the same, or nothing."""
        return self.published is None or self.holds == self.published

    @property
    def deciding(self) -> CaseResult:
        """The case that decides, with its outcomes."""
        same = [result for result in self.tried if result.holds == self.holds]
        return same[-1] if self.holds and not self.one_case_suffices else same[0]

    @property
    @told(after="agrees")
    def case(self) -> Case:
        """The case that decides."""
        return self.deciding.case

    @property
    @told(after="agrees")
    def values(self) -> tuple[float | None, ...]:
        """The value of the metric on each pair of the deciding case."""
        return self.deciding.values

    @property
    @told(after="agrees")
    def sentence(self) -> str:
        """What decided, in words."""
        text: str = beside(self, "tell").sentence(self)
        return text

    @property
    @told(after="sentence")
    def reason(self) -> str:
        """Why the verdict is not the paper's, in words; "" where it is."""
        text: str = beside(self, "tell").reason(self)
        return text


SIGNS = {True: "✓", False: "×"}


@dataclass(frozen=True, eq=False, kw_only=True)
class Criteria(Result, Mapping[tuple[str, str], Verdict], question="criteria"):
    """The criteria of Gorski & Laird (2009), decided for four metrics by computation.

    A mapping from (criterion, metric) to `Verdict`. Metrics may be called as in the table:
    ratio, regret, CTR, ARR.

    Attributes
    ----------
    verdicts : tuple of Verdict
        Criterion by criterion.
    differences : tuple of Verdict
        Those that are not the paper's.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    caveats : tuple of Caveat
        Always empty: the cases are fixed.
    """

    seed: int | None = None
    verdicts: tuple[Verdict, ...] = field(repr=False)

    def __getitem__(self, key: tuple[str, str]) -> Verdict:
        criterion, metric = (str(part).lower() for part in key)
        for verdict in self.verdicts:
            names = (verdict.metric, verdict.short.lower(), verdict.title)
            if verdict.criterion == criterion and metric in names:
                return verdict
        known = [*self.criteria, *JUDGED.values()]
        wrong = metric if criterion in self.criteria else criterion
        msg = f"No verdict on {key!r}; {did_you_mean(wrong, known)}"
        raise KeyError(msg)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((verdict.criterion, verdict.metric) for verdict in self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    @told(after="")
    def published_in(self) -> str:
        """Return where the criteria and their table were published."""
        return CITATION

    @told(after="seed")
    def n_verdicts(self) -> Count:
        """Return how many verdicts there are."""
        return len(self)

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria that were decided."""
        return tuple(dict.fromkeys(verdict.criterion for verdict in self.verdicts))

    @property
    @told(after="n_verdicts", through=lambda found: [(own.criterion, own.metric) for own in found])
    def differences(self) -> Annotated[tuple[Verdict, ...], As(list[tuple[str, str]])]:
        """The verdicts that are not those of the paper's Table 2."""
        return tuple(verdict for verdict in self.verdicts if not verdict.agrees)

    @property
    def crosses(self) -> tuple[Verdict, ...]:
        """The verdicts that a metric does not meet a criterion."""
        return tuple(verdict for verdict in self.verdicts if not verdict.holds)

    def select(self, criterion: str) -> Criteria:
        """Return one criterion alone."""
        kept = tuple(v for v in self.verdicts if v.criterion == criterion.lower())
        if not kept:
            msg = f"No criterion is called {criterion!r}; {did_you_mean(criterion, self.criteria)}"
            raise KeyError(msg)
        return replace(self, verdicts=kept)

    def table(self) -> Table:
        """Return Table 2 as it came out; in brackets what was published, where it differs."""

        def cell(verdict: Verdict) -> str:
            sign = SIGNS[verdict.holds]
            # Where the paper says otherwise, it says the opposite.
            return sign if verdict.agrees else f"({SIGNS[not verdict.holds]}) {sign}"

        rows = tuple(
            (criterion, *(cell(self[criterion, metric]) for metric in JUDGED))
            for criterion in self.criteria
        )
        notes = ["✓ every case tried came out as the criterion asks; × some case did not."]
        if self.differences:
            notes.append(
                f"In brackets: published otherwise ({CITATION}). On the cases it names, "
                f"drawn here with its table in view, {self._on_its_own_cases()}."
            )
        return Table(("criterion", *JUDGED.values()), rows, notes=tuple(notes))

    def _on_its_own_cases(self) -> str:
        """Say whether the cases that the paper considers give its table."""
        n_different = sum(
            verdict.published not in {None, verdict.holds_in_paper} for verdict in self.verdicts
        )
        if n_different == 0:
            return "its ticks and crosses come out"
        return f"{plural(n_different, 'cell')} would still differ"

    def tables(self) -> list[Table]:
        """Return Table 2, the case behind every cross, and why cells differ from the paper's."""
        rows = tuple(
            (verdict.criterion, verdict.short, verdict.case.source or "ours", verdict.sentence)
            for verdict in self.crosses
        )
        found = [self.table()]
        if rows:
            header = ("criterion", "metric", "case", "why it fails")
            found.append(Table(header, rows, n_text_columns=4))
        if self.differences:
            why = tuple(
                (verdict.criterion, verdict.short, verdict.reason) for verdict in self.differences
            )
            columns = ("criterion", "metric", "why it differs from the paper")
            found.append(Table(columns, why, n_text_columns=3))
        return found
