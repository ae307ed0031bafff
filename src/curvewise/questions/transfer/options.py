"""What is measured: the conditions, the window, the optimum, the areas, the intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from curvewise.errors import OptionError
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_number,
    resample_count,
)
from curvewise.questions.transfer.metrics import IntervalKind
from curvewise.text import argument

__all__ = ["Integration", "TransferOptions"]

Integration = Literal["sum", "trapezoid"]


@dataclass(frozen=True)
class TransferOptions:
    """The arguments of `transfer` that say what is measured; raises if one cannot be used."""

    control: str
    experimental: str
    optimum: float | None = None
    window: tuple[float, float] | None = None
    until_asymptote: float | None = None
    threshold: float | None = None
    hold: int = 1
    integration: Integration = "sum"
    confidence: float = 0.95
    interval: IntervalKind | None = None
    n_resamples: int = 9_999
    allow_optimum_below: bool = False

    def __post_init__(self) -> None:
        if self.optimum is not None:
            check_number("optimum", self.optimum)
        if self.threshold is not None:
            check_number("threshold", self.threshold)
        _check_hold(self.hold)
        if self.window is not None:
            _check_window(self.window)
        if self.until_asymptote is not None:
            _check_tolerance(self.until_asymptote)
        check_choice("integration", self.integration, get_args(Integration))
        check_alpha(self.confidence, "confidence")
        if self.interval is not None:
            check_choice("interval", self.interval, get_args(IntervalKind))
        resample_count(self.n_resamples)

    @property
    def alpha(self) -> float:
        """The level at which intervals miss, and "auto" settles p."""
        # 1 - 0.95 is not quite 0.05.
        return round(1 - float(self.confidence), 12)

    @property
    def optimum_known(self) -> bool:
        """Whether the best possible score was given."""
        return self.optimum is not None


def _check_window(window: object) -> None:
    if not isinstance(window, tuple | list) or len(window) != 2:
        msg = f"{argument('window')} is a pair of steps, (start, stop); it is {window!r}."
        raise OptionError(msg, option="window")


def _check_hold(hold: object) -> None:
    if not isinstance(hold, int | np.integer) or isinstance(hold, bool) or hold < 1:
        msg = (
            f"{argument('hold')} is at how many consecutive steps a run must be at the "
            f"threshold, 1 or more; it is {hold!r}."
        )
        raise OptionError(msg, option="hold")


def _check_tolerance(tolerance: object) -> None:
    if not isinstance(tolerance, int | float | np.number) or not 0 < tolerance < 1:
        msg = (
            f"{argument('until_asymptote')} is a share of the range of the curves, between 0 "
            f"and 1, such as 0.05; it is {tolerance!r}."
        )
        raise OptionError(msg, option="until_asymptote")
