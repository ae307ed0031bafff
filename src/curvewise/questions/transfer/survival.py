"""How many runs of two conditions reach a threshold, and when: what survival data say."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from curvewise.inference.effects import json_ready
from curvewise.kernels.survival import kaplan_meier

if TYPE_CHECKING:
    from curvewise.kernels import Floats
    from curvewise.kernels.survival import SurvivalCurve
    from curvewise.questions.transfer.conditions import TwoConditions

__all__ = ["Survival", "survival_of"]

SLACK = 1e-9  # runs: for rounding


@dataclass(frozen=True, eq=False)
class Survival:
    """When the runs of control and experimental condition reach the threshold.

    Attributes
    ----------
    threshold : float
    hold : int
        At how many consecutive steps a run must be there.
    horizon : float
        The last step up to which runs of both conditions were trained.
    n_reached : (int, int)
        How many runs reach it.
    medians : (float, float)
        The step by which half of the runs have (Kaplan & Meier 1958); infinite for not reached.
    restricted_means : (float, float)
        The mean time, runs that have not reached it by the horizon counting as that.
    crossing : float or None
        The step by which the condition that was slower at first is ahead, by more than one run;
        None where the curves do not cross.
    ahead_at_last : "control", "experimental" or None
        Which that is.
    failed_never_reach : bool
        Whether there are short runs that count as never reaching it.
    curves : tuple of SurvivalCurve
        The share of runs of each condition that have not reached it.
    censored : tuple of array
        The last step of each run that never does.
    pvalue : float or None
        Of the log-rank test; None where no run reaches it.
    exact : bool
        Whether it is over every distinct relabelling.
    """

    threshold: float
    hold: int
    horizon: float
    n_reached: tuple[int, int]
    medians: tuple[float, float]
    restricted_means: tuple[float, float]
    crossing: float | None
    ahead_at_last: Literal["control", "experimental"] | None
    failed_never_reach: bool
    curves: tuple[SurvivalCurve, SurvivalCurve] = field(repr=False)
    censored: tuple[Floats, Floats] = field(repr=False)
    pvalue: float | None
    exact: bool

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; a median that is not reached is None."""
        control, experimental = (
            {"steps": own.steps.tolist(), "shares": own.shares.tolist()}
            for own in self.curves
        )
        return {
            "threshold": self.threshold,
            "hold": self.hold,
            "horizon": self.horizon,
            "n_reached": list(self.n_reached),
            "medians": [json_ready(median) for median in self.medians],
            "restricted_means": list(self.restricted_means),
            "crossing": self.crossing,
            "ahead_at_last": self.ahead_at_last,
            "failed_never_reach": self.failed_never_reach,
            "control": control,
            "experimental": experimental,
            "pvalue": self.pvalue,
            "exact": self.exact,
        }


def survival_of(
    conditions: TwoConditions,
    hold: int,
    *,
    pvalue: float | None,
    exact: bool,
    failed_never_reach: bool,
) -> Survival:
    """Put together what is known of the times of two conditions."""
    horizon = conditions.reaching.horizon
    control, experimental = (
        conditions.times.of(conditions.member == side) for side in (0, 1)
    )
    curves = kaplan_meier(control), kaplan_meier(experimental)
    first, second = curves
    crossing, ahead = _crossing(curves, horizon, min(conditions.n_runs))
    return Survival(
        threshold=conditions.threshold,
        hold=hold,
        horizon=horizon,
        n_reached=(int(control.reached.sum()), int(experimental.reached.sum())),
        medians=(first.median, second.median),
        restricted_means=(
            first.restricted_mean(horizon),
            second.restricted_mean(horizon),
        ),
        crossing=crossing,
        ahead_at_last=ahead,
        failed_never_reach=failed_never_reach,
        curves=curves,
        censored=(
            control.steps[~control.reached],
            experimental.steps[~experimental.reached],
        ),
        pvalue=pvalue,
        exact=exact,
    )


def _crossing(
    curves: tuple[SurvivalCurve, SurvivalCurve], horizon: float, n_runs: int
) -> tuple[float | None, Literal["control", "experimental"] | None]:
    """Return the step by which the second of two leads is seen, and whose; None with one or none.

    A lead is more than one run of the smaller condition: less comes and goes by chance.
    """
    control, experimental = curves
    steps = np.union1d(control.steps, experimental.steps)
    steps = steps[steps <= horizon]
    lead = (control.at(steps) - experimental.at(steps)) * n_runs
    of_experimental, of_control = (
        float(steps[np.argmax(ahead)]) if ahead.any() else math.inf
        for ahead in (lead > 1 + SLACK, lead < -1 - SLACK)
    )
    last = max(of_experimental, of_control)
    if math.isinf(last):
        return None, None
    return last, "experimental" if of_experimental > of_control else "control"
