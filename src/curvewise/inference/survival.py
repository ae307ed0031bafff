"""When each run of some curves reaches a threshold, as far as it was trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.checks import refuse_option
from curvewise.data.points import cut
from curvewise.inference.caveats import Caveat
from curvewise.kernels.survival import Times, time_to_threshold
from curvewise.text import plural

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats


SLACK = 1e-12  # of the largest score: what a score may miss the threshold by, for rounding


class TrainedDifferentlyLong(Caveat):
    """Some runs ended before the others, and had not reached the threshold by then."""

    n_runs: int

    def sentence(self) -> str:
        """Say what is assumed of them."""
        them = "it" if self.n_runs == 1 else "them"
        return (
            f"{plural(self.n_runs, 'run')} ended before the others without having reached the "
            f"threshold. Times to the threshold follow {them} up to there, which assumes that "
            "the length of training does not depend on the algorithm."
        )


@dataclass(frozen=True, eq=False)
class Reaching:
    """When each run reaches a threshold.

    Attributes
    ----------
    times : Times
        In the order of the curves.
    horizon : float
        The last step up to which runs of every algorithm were trained.
    n_lost : int
        Runs that ended before it, and had not reached the threshold by then.
    """

    times: Times
    horizon: float
    n_lost: int

    def caveats(self) -> tuple[Caveat, ...]:
        """Warn where runs were trained differently long."""
        return (TrainedDifferentlyLong(self.n_lost),) if self.n_lost else ()


def reaching(curves: Curves, threshold: float, *, hold: int = 1) -> Reaching:
    """Find when each run reaches the threshold, in its own log, between points on a line.

    A rising fit is read, since the more points a noisy run has, the earlier its first score
    beyond a threshold. With a ``hold`` of more than 1 it is when a run goes beyond it for so many
    consecutive common steps.

    A run that never is is censored at its own last step. Of short runs whose last score was
    carried on that is where they ended. Short runs that count as the worst score of all never
    reach a threshold, since their failing is taken for their algorithm's doing: like the others
    they are censored at the end of training.

    Raises `OptionError` if there are fewer steps than ``hold``.
    """
    if hold > curves.n_steps:
        refuse_option(
            "hold",
            f"is {hold}, and there {'is' if curves.n_steps == 1 else 'are'} "
            f"{plural(curves.n_steps, 'step')}: no run could be at the threshold for so long.",
        )
    common = curves.steps.astype(np.float64)
    rows = [(common, row) for row in curves.scores]
    logs = rows if curves.logs is None or hold > 1 else curves.logs
    sign = 1.0 if curves.higher_is_better else -1.0
    slack = SLACK * float(np.abs(curves.scores).max())

    def reached_by(ends: Floats) -> Floats:
        parts = (cut(*log, -np.inf, end) for log, end in zip(logs, ends, strict=True))
        found = [
            time_to_threshold(steps, sign * own, sign * threshold, hold=hold, slack=slack)
            for steps, own in parts
        ]
        return np.maximum(found, common[0])

    ends = _ends(curves)
    found = reached_by(np.full_like(ends, np.inf) if logs is curves.logs else ends)
    if logs is curves.logs and np.isfinite(found).all():
        # Logs go on beyond common steps, and where all runs get there none is censored.
        ends = np.full_like(ends, max(ends.max(), found.max()))
    elif logs is curves.logs:
        found = reached_by(ends)
    times = Times(np.where(found <= ends, found, ends), found <= ends)
    horizon = min(float(ends[curves.codes == code].max()) for code in range(len(curves.algorithms)))
    n_lost = int(np.sum(~times.reached & (times.steps < horizon)))
    return Reaching(times, horizon, n_lost)


def _ends(curves: Curves) -> Floats:
    """Return the last step of each run that is its own."""
    last = float(curves.steps[-1])
    done = curves.preparation
    carried = {}
    if done is not None and done.short == "carry":
        carried = {
            (own.algorithm, own.run): own.last
            for own in done.runs
            if own.short and own.last is not None
        }
    names = zip(curves.labels.tolist(), curves.runs.tolist(), strict=True)
    return np.array([min(carried.get(name, last), last) for name in names])
