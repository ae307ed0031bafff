"""What `check_criteria` found: which metric meets which criterion, and the curves that show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.curves import Curves
from curvewise.errors import counted, nearest
from curvewise.results.effects import json_ready
from curvewise.results.transfer import TITLES
from curvewise.tables import Table, number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.kernels import Floats
    from curvewise.results.effects import Interval
    from curvewise.results.transfer import Integration

__all__ = [
    "CITATION",
    "CRITERIA",
    "JUDGED",
    "PUBLISHED",
    "Case",
    "Criteria",
    "CurvePair",
    "Outcome",
    "Tried",
    "Verdict",
]

CITATION = "Gorski & Laird (2009), Evaluating Evaluations, CCA-TR-2009-05, Table 2"
JUDGED = {
    "transfer_ratio": "ratio",
    "transfer_regret": "regret",
    "calibrated_transfer_ratio": "CTR",
    "average_relative_reduction": "ARR",
}
_TICKS = {  # in the order of JUDGED; 1 is a tick
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
CRITERIA = tuple(_TICKS)
PUBLISHED = {
    (criterion, metric): bool(tick)
    for criterion, ticks in _TICKS.items()
    for metric, tick in zip(JUDGED, ticks, strict=True)
}
SIGNS = {True: "✓", False: "×"}


@dataclass(frozen=True, eq=False)
class CurvePair:
    """A control and an experimental condition, and how they are to be measured.

    Attributes
    ----------
    control, experimental : array, (n_runs, n_steps)
    optimum : float or None
        The best score there can be, or None where it is not told.
    """

    name: str
    control: Floats
    experimental: Floats
    optimum: float | None
    steps: Floats
    integration: Integration = "sum"

    @property
    def curves(self) -> Curves:
        """Both conditions, ready for `transfer`: "control" and "experimental"."""
        names = ["control"] * len(self.control) + ["experimental"] * len(
            self.experimental
        )
        scores = np.concatenate([self.control, self.experimental])
        return Curves(scores, names, steps=self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON-ready data."""
        return {
            "name": self.name,
            "control": self.control.tolist(),
            "experimental": self.experimental.tolist(),
            "optimum": self.optimum,
            "steps": self.steps.tolist(),
            "integration": self.integration,
        }


@dataclass(frozen=True, eq=False)
class Case:
    """Curves on which a criterion can be decided, and what it asks of a metric there.

    Attributes
    ----------
    wanted : str
        What must come out for the criterion to hold.
    source : str
        Where the paper has the case; "" where it is ours.
    note : str
        Why the case may decide otherwise than the paper did.
    """

    name: str
    wanted: str
    pairs: tuple[CurvePair, ...]
    source: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the case with its curves as JSON-ready data."""
        return {
            "name": self.name,
            "wanted": self.wanted,
            "source": self.source,
            "pairs": [pair.to_dict() for pair in self.pairs],
        }


@dataclass(frozen=True)
class Outcome:
    """What a metric made of one pair; an interval and a p only where there are several runs."""

    value: float | None
    interval: Interval | None = None
    pvalue: float | None = None
    reason: str = ""

    def text(self) -> str:
        """Write the value, and how sure it is where that is known."""
        if self.value is None:
            return "undefined"
        # What was divided and multiplied back is 0 only up to rounding.
        told = number_text(0.0 if abs(self.value) < 1e-12 else self.value)
        if self.interval is not None:
            low, high = map(number_text, self.interval)
            told += f" (interval {low} to {high}"
            told += "" if self.pvalue is None else f", p = {p_text(self.pvalue)}"
            told += ")"
        return told

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON-ready data."""
        ends = self.interval and [json_ready(end) for end in self.interval]
        return {**vars(self), "value": json_ready(self.value), "interval": ends}


@dataclass(frozen=True, eq=False)
class Tried:
    """A case, what a metric made of it, and whether that is what the criterion asks."""

    case: Case
    outcomes: tuple[Outcome, ...]
    holds: bool

    @property
    def values(self) -> tuple[float | None, ...]:
        """The value of the metric on each pair; None where it is undefined."""
        return tuple(outcome.value for outcome in self.outcomes)

    def text(self) -> str:
        """Write what came out, pair by pair."""
        named = zip(self.case.pairs, self.outcomes, strict=True)
        if len(self.outcomes) == 1:
            return self.outcomes[0].text()
        return "; ".join(f"{pair.name}: {each.text()}" for pair, each in named)


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a metric meets a criterion, and the case that decides it.

    Attributes
    ----------
    holds : bool
        Computed from what the metric made of the cases.
    published : bool
        The tick or cross in the paper's Table 2.
    tried : tuple of Tried
        Every case; one that fails decides, and without one the last that holds.
    any_will_do : bool
        Whether one case that holds is enough. For "meaningful" it is: a metric needs one
        standard, not all of them.
    """

    criterion: str
    metric: str
    published: bool
    tried: tuple[Tried, ...]
    any_will_do: bool = False

    @property
    def title(self) -> str:
        """The metric, as people write it."""
        return TITLES[self.metric]

    @property
    def holds(self) -> bool:
        """Whether the metric meets the criterion."""
        return self._holds(self.tried)

    @property
    def holds_in_paper(self) -> bool:
        """Whether it does on those cases alone that the paper itself considers."""
        return self._holds(tuple(each for each in self.tried if each.case.source))

    def _holds(self, tried: tuple[Tried, ...]) -> bool:
        held = [each.holds for each in tried]
        return any(held) if self.any_will_do else all(held)

    @property
    def agrees(self) -> bool:
        """Whether this is what the paper's Table 2 says."""
        return self.holds == self.published

    @property
    def deciding(self) -> Tried:
        """The case that decides, with what came out."""
        same = [each for each in self.tried if each.holds == self.holds]
        return same[-1] if self.holds and not self.any_will_do else same[0]

    @property
    def case(self) -> Case:
        """The case that decides."""
        return self.deciding.case

    @property
    def values(self) -> tuple[float | None, ...]:
        """What the metric made of the deciding case, pair by pair."""
        return self.deciding.values

    @property
    def sentence(self) -> str:
        """What decided, in words."""
        decided = self.deciding
        came = f"{_capital(decided.case.name)}: {decided.text()}"
        reasons = {each.reason for each in decided.outcomes if each.reason}
        if not self.holds:
            why = f" ({' '.join(sorted(reasons)).rstrip('.')})" if reasons else ""
            nor = (
                f" None of the {len(self.tried)} tried does." if self.any_will_do else ""
            )
            return f"{came}{why}. {_capital(decided.case.wanted)}.{nor}"
        n_held = sum(each.holds for each in self.tried)
        return f"{came}. Holds in {n_held} of {counted(len(self.tried), 'case')} tried."

    @property
    def reason(self) -> str:
        """Why the verdict is not the paper's; "" where it is."""
        if self.agrees:
            return ""
        return self.case.note or "None of the cases tried makes the metric fail."

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict, its deciding curves, and all that was tried, as JSON-ready data."""
        return {
            "criterion": self.criterion,
            "metric": self.metric,
            "holds": self.holds,
            "holds_in_paper": self.holds_in_paper,
            "published": self.published,
            "agrees": self.agrees,
            "sentence": self.sentence,
            "reason": self.reason,
            "values": [json_ready(value) for value in self.values],
            "case": self.case.to_dict(),
            "tried": [
                {
                    "case": each.case.name,
                    "source": each.case.source,
                    "holds": each.holds,
                    "outcomes": [outcome.to_dict() for outcome in each.outcomes],
                }
                for each in self.tried
            ],
        }


@dataclass(frozen=True, eq=False)
class Criteria(Mapping[tuple[str, str], Verdict]):
    """The ten criteria of Gorski & Laird (2009), decided for four metrics by running them.

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
    """

    verdicts: tuple[Verdict, ...] = field(repr=False)
    seed: int | None = None
    warnings: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> Verdict:
        criterion, metric = (str(part).lower() for part in key)
        for verdict in self.verdicts:
            names = (verdict.metric, JUDGED[verdict.metric].lower(), verdict.title)
            if verdict.criterion == criterion and metric in names:
                return verdict
        known = [*self.criteria, *JUDGED.values()]
        wrong = metric if criterion in self.criteria else criterion
        msg = f"No verdict on {key!r}; {nearest(wrong, known)}"
        raise KeyError(msg)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((verdict.criterion, verdict.metric) for verdict in self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria that were decided."""
        return tuple(dict.fromkeys(verdict.criterion for verdict in self.verdicts))

    @property
    def differences(self) -> tuple[Verdict, ...]:
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
            msg = f"No criterion is called {criterion!r}; {nearest(criterion, self.criteria)}"
            raise KeyError(msg)
        return replace(self, verdicts=kept)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, the curves of every deciding case included, as JSON-ready data."""
        return {
            "question": "criteria",
            "published_in": CITATION,
            "seed": self.seed,
            "n_verdicts": len(self),
            "differences": [[v.criterion, v.metric] for v in self.differences],
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "warnings": list(self.warnings),
        }

    def table(self) -> Table:
        """Return Table 2 as it came out; in brackets what was published, where it differs."""

        def cell(verdict: Verdict) -> str:
            sign = SIGNS[verdict.holds]
            return sign if verdict.agrees else f"({SIGNS[verdict.published]}) {sign}"

        rows = tuple(
            (
                criterion,
                *(cell(self[criterion, metric]) for metric in JUDGED),
            )
            for criterion in self.criteria
        )
        notes = [
            "✓ every case tried came out as the criterion asks; × some case did not."
        ]
        if self.differences:
            notes.append(
                f"In brackets: published otherwise ({CITATION}). On the cases it names, "
                f"drawn here with its table in view, {self._on_its_own()}."
            )
        return Table(("criterion", *JUDGED.values()), rows, notes=tuple(notes))

    def _on_its_own(self) -> str:
        others = sum(v.holds_in_paper != v.published for v in self.verdicts)
        return (
            "its ticks and crosses come out"
            if others == 0
            else f"{counted(others, 'cell')} would still differ"
        )

    def tables(self) -> list[Table]:
        """Return Table 2, the case behind every cross, and why cells differ from the paper's."""
        rows = tuple(
            (
                verdict.criterion,
                JUDGED[verdict.metric],
                _source(verdict),
                verdict.sentence,
            )
            for verdict in self.crosses
        )
        found = [self.table()]
        if rows:
            header = ("criterion", "metric", "case", "why it fails")
            found.append(Table(header, rows, n_text_columns=4))
        if self.differences:
            why = tuple(
                (verdict.criterion, JUDGED[verdict.metric], verdict.reason)
                for verdict in self.differences
            )
            columns = ("criterion", "metric", "why it differs from the paper")
            found.append(Table(columns, why, n_text_columns=3))
        return found

    def __str__(self) -> str:
        return "\n\n".join(table.text() for table in self.tables())

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self.tables())


def _source(verdict: Verdict) -> str:
    return verdict.case.source or "ours"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
