"""One verdict on a metric: the cases that were tried, and their outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.curves import Curves
from curvewise.inference.effects import json_ready
from curvewise.inference.result import beside
from curvewise.questions.transfer.metrics import RECORDS

if TYPE_CHECKING:
    from curvewise.inference.effects import Interval
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.metrics import UndefinedKind
    from curvewise.questions.transfer.options import Integration

__all__ = ["Case", "CaseResult", "CurvePair", "Outcome", "Verdict"]


@dataclass(frozen=True, eq=False)
class CurvePair:
    """A control and an experimental condition, and how they are to be measured.

    Attributes
    ----------
    control, experimental : array, (n_runs, n_steps)
    optimum : float or None
        The best possible score; None where it is unknown.
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
        What the values must be for the criterion to hold, in a sentence.
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
    """The value of a metric on one pair; interval and p only where there are several runs.

    ``undefined`` says why there is no value, as a kind; None where there is one.
    """

    value: float | None
    interval: Interval | None = None
    pvalue: float | None = None
    undefined: UndefinedKind | None = None

    @property
    def reason(self) -> str:
        """Why there is no value, in words; "" where there is one."""
        text: str = beside(self, "words").reason_undefined(self)
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON-ready data."""
        ends = self.interval and [json_ready(end) for end in self.interval]
        return {
            **vars(self),
            "value": json_ready(self.value),
            "interval": ends,
            "reason": self.reason,
        }


@dataclass(frozen=True, eq=False)
class CaseResult:
    """A case, the outcome of each pair, and whether these are what the criterion asks."""

    case: Case
    outcomes: tuple[Outcome, ...]
    holds: bool

    @property
    def values(self) -> tuple[float | None, ...]:
        """The value of the metric on each pair; None where it is undefined."""
        return tuple(outcome.value for outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Return the outcomes as JSON-ready data, with the name of the case."""
        return {
            "case": self.case.name,
            "source": self.case.source,
            "holds": self.holds,
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
        }


@dataclass(frozen=True, eq=False)
class Verdict:
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
    one_case_suffices: bool = False

    @property
    def title(self) -> str:
        """The metric, as people write it."""
        return RECORDS[self.metric].title

    @property
    def short(self) -> str:
        """The metric, as the table abbreviates it."""
        return RECORDS[self.metric].short

    @property
    def holds(self) -> bool:
        """Whether the metric meets the criterion, computed from the cases."""
        return self._holds(self.tried)

    @property
    def holds_in_paper(self) -> bool:
        """Whether it does on those cases alone that the paper itself considers."""
        return self._holds(tuple(result for result in self.tried if result.case.source))

    def _holds(self, results: tuple[CaseResult, ...]) -> bool:
        holding = [result.holds for result in results]
        return any(holding) if self.one_case_suffices else all(holding)

    @property
    def agrees(self) -> bool:
        """Whether the paper's Table 2 says the same, or nothing."""
        return self.published is None or self.holds == self.published

    @property
    def deciding(self) -> CaseResult:
        """The case that decides, with its outcomes."""
        same = [result for result in self.tried if result.holds == self.holds]
        return same[-1] if self.holds and not self.one_case_suffices else same[0]

    @property
    def case(self) -> Case:
        """The case that decides."""
        return self.deciding.case

    @property
    def values(self) -> tuple[float | None, ...]:
        """The value of the metric on each pair of the deciding case."""
        return self.deciding.values

    @property
    def sentence(self) -> str:
        """What decided, in words."""
        text: str = beside(self, "words").sentence(self)
        return text

    @property
    def reason(self) -> str:
        """Why the verdict is not the paper's, in words; "" where it is."""
        text: str = beside(self, "words").reason(self)
        return text

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
            "tried": [result.to_dict() for result in self.tried],
        }
