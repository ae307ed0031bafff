"""One number for each run of the candidate and of the baseline, higher being better."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.curves import Curves
from curvewise.errors import OptionError
from curvewise.inference.measures import (
    EVERY_STEP,
    final_weights,
    mean_weights,
    window_weights,
)
from curvewise.inference.requirements import check_choice
from curvewise.kernels.anova.sums import centred

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = ["EVERY_STEP", "GateNumbers", "On", "measured"]

NAMES_OF_ON = ("mean", "final", EVERY_STEP)

On = str | tuple[float, float] | tuple[str, float]


def measured(curves: Curves, on: object) -> tuple[Floats, str]:
    """Return the weight of each step in the number of a run, and what the number is called."""
    if isinstance(on, tuple | list) and len(on) == 2 and on[0] == "reach":
        return mean_weights(curves.steps)[0], f"time to a score of {float(on[1]):.6g}"
    if isinstance(on, tuple | list) and len(on) == 2:
        return window_weights(curves.steps, *on)
    if not isinstance(on, str):
        msg = (
            "on must be 'mean', 'final', 'every step', (start, stop) in steps, or "
            f"('reach', score); it is {on!r}."
        )
        raise OptionError(msg, option="on")
    check_choice("on", on, NAMES_OF_ON)
    return (final_weights if on == "final" else mean_weights)(curves.steps)


@dataclass(frozen=True, eq=False)
class GateNumbers:
    """One number a run, as curves of a single step.

    Attributes
    ----------
    curves : Curves
        Of the two algorithms. Where lower scores are better, they are negative.
    candidate, baseline : str
    """

    curves: Curves
    candidate: str
    baseline: str

    @classmethod
    def of(
        cls, curves: Curves, profile: Floats, candidate: str, baseline: str
    ) -> GateNumbers:
        """Weigh the steps of each run."""
        sign = 1.0 if curves.higher_is_better else -1.0
        two = curves.select(candidate, baseline)
        return cls(_one_step(two, sign * (two.scores @ profile)), candidate, baseline)

    @cached_property
    def values(self) -> Floats:
        """The number of each run."""
        return self.curves.scores[:, 0]

    @cached_property
    def is_candidate(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether each run is one of the candidate."""
        return np.asarray(self.curves.labels == self.candidate)

    @cached_property
    def sides(self) -> tuple[Floats, Floats]:
        """The numbers of the candidate, and of the baseline, each in order of size.

        So no digit of a sum of them depends on the order of runs.
        """
        candidate, baseline = self.is_candidate, ~self.is_candidate
        return np.sort(self.values[candidate]), np.sort(self.values[baseline])

    @property
    def n_runs(self) -> tuple[int, int]:
        """The runs of the candidate, and of the baseline."""
        candidate, baseline = self.sides
        return len(candidate), len(baseline)

    @cached_property
    def weights(self) -> Floats:
        """The weight of each run in the difference, within blocks where there are blocks."""
        member = self.is_candidate.astype(np.float64)[:, None]
        blocks = np.zeros(len(member), dtype=np.int64)
        if self.curves.blocks is not None:
            blocks = np.unique(self.curves.blocks, return_inverse=True)[1]
        within = centred(member, blocks)[:, 0]
        return within / float(within @ within)

    def moved(self, by: float) -> Curves:
        """Return the same with ``by`` added to every run of the candidate."""
        return _one_step(self.curves, self.values + by * self.is_candidate)

    def scaled(self, by: float) -> Curves:
        """Return the same with every run of the baseline multiplied by ``by``."""
        factors = np.where(self.is_candidate, 1.0, by)
        return _one_step(self.curves, self.values * factors)


def _one_step(curves: Curves, values: Floats) -> Curves:
    return Curves(
        values[:, None],
        curves.labels,
        runs=curves.runs,
        blocks=curves.blocks,
        precision=curves.precision,
    )
