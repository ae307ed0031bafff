"""What is asked of a gate, as one object; what does not go together is refused here."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from curvewise.data.choices import refuse_option
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.effects import Center
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_curves,
    check_flag,
    check_number,
)
from curvewise.kernels.anova.thresholds import rounding
from curvewise.questions.gate.numbers import EVERY_STEP, measured
from curvewise.questions.gate.result import Unit
from curvewise.text import argument, listed, plural

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.questions.gate.numbers import GateNumbers, On

__all__ = ["GateOptions", "SpreadChoice"]

SpreadChoice = Literal["auto", "equal", "unequal"]
MIN_REFERENCE_RUNS = 10  # for a standard deviation that counts as known
MAX_NAMED = 6  # algorithms that a message lists


@dataclass(frozen=True)
class GateOptions:
    """What is asked of a gate; the attributes are the parameters of `gate`."""

    candidate: str
    baseline: str
    margin: float
    unit: Unit = "score"
    on: On = "mean"
    alpha: float = 0.05
    two_sided: bool = False
    spread: SpreadChoice = "auto"
    assumed: float = 0.0
    power: float = 0.8
    sd_from: Curves | None = None
    center: Center = "mean"

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, get_args(Unit))
        check_choice("spread", self.spread, get_args(SpreadChoice))
        check_choice("center", self.center, get_args(Center))
        check_alpha(self.alpha)
        if self.alpha >= 0.5:
            text = f"must lie below 0.5 for a gate, such as 0.05; it is {self.alpha!r}."
            refuse_option("alpha", text)
        check_alpha(self.power, "power")
        check_number("assumed", self.assumed)
        what = "number"
        if str(self.margin).endswith("%"):
            what = "number (a share of the baseline's mean is margin=0.02, unit='relative' for 2%)"
        check_number("margin", self.margin, what)
        check_flag("two_sided", self.two_sided)
        self._check_margin()
        self._check_together()
        if self.candidate == self.baseline:
            msg = (
                f"Candidate and baseline are both {self.candidate!r}; name two different "
                "algorithms."
            )
            raise OptionError(msg, option="candidate")

    @property
    def threshold(self) -> float | None:
        """The score whose time is taken; None where the number of a run is another."""
        on = self.on
        if isinstance(on, tuple | list) and len(on) == 2 and on[0] == "reach":
            check_number("on", on[1], "score after 'reach'")
            return float(on[1])
        return None

    def _check_margin(self) -> None:
        if self.threshold is not None and self.margin < 1:
            msg = (
                f"On time to a threshold {argument('margin')} is a factor of 1 or more: 1.2 lets the candidate "
                f"take 20% longer than the baseline. It is {self.margin:g}."
            )
            raise OptionError(msg, option="margin")
        if self.margin < 0:
            msg = (
                f"{argument('margin')} must be 0 or more: it is how much worse the candidate may be, "
                f"whether higher or lower scores are better; it is {self.margin:g}."
            )
            raise OptionError(msg, option="margin")
        if self.threshold is None and self.unit == "relative" and self.margin >= 1:
            msg = (
                "A relative margin is a share of the baseline's mean, below 1: 0.1 is 10%. It is "
                f"{self.margin:g}."
            )
            raise OptionError(msg, option="margin")
        if self.two_sided and self.margin == 0:
            msg = (
                f"{argument('two_sided', value=True)} needs a margin above 0: nothing could show "
                "that two algorithms do not differ at all."
            )
            raise OptionError(msg, option="margin")

    def _check_together(self) -> None:
        """Raise where options exclude each other."""
        if self.sd_from is not None and self.unit != "sd":
            msg = f"{argument('sd_from')} goes with {argument('unit', 'sd')} only."
            raise OptionError(msg, option="sd_from")
        given = {
            "unit": self.unit != "score" and (self.unit, "score"),
            "two_sided": self.two_sided and (True, False),
            "spread": self.spread == "unequal" and (self.spread, "auto"),
            "center": self.center != "mean" and (self.center, "mean"),
        }
        without_sd = self.unit == "sd" and self.sd_from is None
        if self.sd_from is not None:
            given["unit"] = False
        excluded: dict[str, tuple[str, ...]] = {}
        if self.on == EVERY_STEP:
            excluded[argument("on", self.on)] = ("unit", "two_sided", "spread", "center")
        if self.threshold is not None:
            reach = f"{argument('on')} time to a threshold"
            excluded[reach] = ("unit", "two_sided", "spread", "center")
            if self.sd_from is not None:
                given["unit"] = ("sd", "score")
        if without_sd:
            excluded[f"{argument('unit', 'sd')} of these same runs"] = (
                "spread",
                "center",
            )
        if self.unit == "relative":
            excluded[argument("unit", "relative")] = ("center",)
        if self.spread == "unequal":
            excluded[argument("spread", "unequal")] = ("center",)
        for what, names in excluded.items():
            for name in names:
                found = given[name]
                if found:
                    shown, instead = (
                        argument(name, value=value)
                        if isinstance(value, bool)
                        else argument(name, value)
                        for value in found
                    )
                    todo = (
                        f"Leave {shown} out" if name == "two_sided" else f"Use {instead}"
                    )
                    msg = f"{what} does not go with {shown}. {todo}."
                    raise OptionError(msg, option=name)

    @property
    def bounds(self) -> tuple[float, ...]:
        """The differences that are tested, in the unit of the margin."""
        margin = float(self.margin)
        below = 0.0 - margin  # and not -0.0
        return (below, margin) if self.two_sided else (below,)

    def told(self) -> tuple[Any, ...]:
        """Return everything, as what an answer depends on."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def reference(self) -> float | None:
        """Return the standard deviation of the reference runs; None where there are none."""
        if self.sd_from is None:
            return None
        check_curves(self.sd_from, "sd_from")
        names = self.sd_from.algorithms
        if len(names) > 1:
            msg = (
                f"{argument('sd_from')} must hold one algorithm, and there are {len(names)}: "
                f"{listed(names, MAX_NAMED)}. Give it the runs of one alone."
            )
            raise CurvesError(msg)
        if self.sd_from.n_runs < MIN_REFERENCE_RUNS:
            msg = (
                f"{argument('sd_from')} needs at least {MIN_REFERENCE_RUNS} runs for a standard "
                f"deviation that counts as known, and there are {plural(self.sd_from.n_runs, 'run')}."
                " Add runs, or give the margin in units of the score."
            )
            raise CurvesError(msg)
        profile, _ = measured(self.sd_from, self.on)
        values = self.sd_from.scores @ profile
        if not _vary(values, values - values.mean(), self.sd_from.precision):
            msg = (
                f"The runs of {argument('sd_from')} do not vary: there is no unit to take. Give "
                "the margin in units of the score."
            )
            raise CurvesError(msg)
        return float(values.std(ddof=1))

    def check_numbers(self, numbers: GateNumbers) -> None:
        """Raise where the numbers of runs cannot be used with this margin."""
        if (
            self.unit == "sd"
            and self.sd_from is None
            and numbers.curves.blocks is not None
        ):
            msg = (
                f"{argument('unit', 'sd')} of runs in blocks needs {argument('sd_from')}, the "
                "runs of an earlier baseline: inside blocks runs vary less than between them. "
                "Or give the margin in units of the score."
            )
            raise CurvesError(msg)
        if self.unit == "sd" and self.sd_from is None:
            residuals = np.concatenate([own - own.mean() for own in numbers.sides])
            if not _vary(numbers.values, residuals, numbers.curves.precision):
                msg = (
                    "The runs of neither algorithm vary: there is no standard deviation for "
                    f"{argument('unit', 'sd')}. Give the margin in units of the score."
                )
                raise CurvesError(msg)


def _vary(values: Floats, residuals: Floats, precision: float) -> bool:
    """Tell whether residuals are more than the rounding of values."""
    return float(np.linalg.norm(residuals)) > rounding(values, precision)
