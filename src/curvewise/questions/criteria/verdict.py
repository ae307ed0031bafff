"""One verdict on a metric: the cases that were tried, and what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.curves import Curves
from curvewise.inference.effects import json_ready
from curvewise.questions.transfer.result import TITLES
from curvewise.text import number_text, p_text, plural

if TYPE_CHECKING:
    from curvewise.inference.effects import Interval
    from curvewise.kernels import Floats
    from curvewise.questions.transfer.result import Integration

__all__ = ["Case", "CurvePair", "Outcome", "Tried", "Verdict"]


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
        return f"{came}. Holds in {n_held} of {plural(len(self.tried), 'case')} tried."

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


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
