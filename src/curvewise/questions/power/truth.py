"""What is true in a simulated experiment: mean curves, stated or estimated from pilots."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.validation import MAX_SCORE
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.effects import f_statistic
from curvewise.kernels.anova.design import Design
from curvewise.kernels.anova.thresholds import rounding
from curvewise.text import argument, plural, printable

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.scenarios import Scenario
    from curvewise.kernels import Floats, Integers

__all__ = ["Truth", "observed_truth", "stated_truth"]

MIN_PILOTS_TO_OBSERVE = (
    3  # of each algorithm; fewer tell next to nothing about a difference
)
NEGLIGIBLE = 1e-9  # a part of a difference below this share of it is rounding


@dataclass(frozen=True, eq=False)
class Truth:
    """Mean curves of the algorithms of an experiment, and what is done to noisy curves.

    Attributes
    ----------
    base : array, (n_steps,)
        The mean curve that the others differ from.
    differences : array, (n_algorithms, n_steps)
        How far each mean curve is from the base.
    on_curves : Scenario or None
        What changes each noisy curve of the last algorithm, instead of its mean.
    steps, height_sd
        What the scenario needs.
    """

    base: Floats = field(repr=False)
    differences: Floats = field(repr=False)
    steps: Floats = field(repr=False)
    height_sd: float
    on_curves: Scenario | None = None

    def shift(self, labels: Integers, times: float) -> Floats:
        """Return the mean curve of each run, with differences multiplied; (n_runs, n_steps)."""
        return (self.base + times * self.differences)[labels]

    def changed(self, noise: Floats, labels: Integers, times: float) -> Floats:
        """Return noisy curves of which those of the last algorithm are changed.

        ``noise`` is (n_experiments, n_runs, n_steps). For a truth that acts on curves.
        """
        assert self.on_curves is not None  # noqa: S101 (asked only where it is there)
        scores = noise + self.base
        last = labels == len(self.differences) - 1
        changed = self.on_curves.changed(
            scores[:, last], steps=self.steps, height_sd=self.height_sd
        )
        scores[:, last] += times * (changed - scores[:, last])
        return scores

    @property
    def lift(self) -> float:
        """How much higher the last algorithm is than the base, averaged over training."""
        return float(self.differences[-1].mean())

    def of_heights(self) -> Truth:
        """Return the truth about curve means: that of curves with a single step."""
        means = self.differences.mean(axis=1, keepdims=True)
        base = self.base.mean(keepdims=True)
        return replace(self, base=base, differences=means, steps=self.steps[:1])

    def lacks(self, question: str) -> bool:
        """Whether there is nothing to be found by a question, however many runs there are."""
        if self.on_curves is not None:
            return False
        heights = self.differences.mean(axis=1, keepdims=True)
        part = {
            "algorithm": heights,
            "interaction": self.differences - heights,
            "overall": self.differences,
        }[question]
        return bool(np.abs(part).max() <= NEGLIGIBLE * np.abs(self.differences).max())


def stated_truth(
    scenario: Scenario, base: Floats, steps: Floats, height_sd: float, n_algorithms: int
) -> Truth:
    """Return the truth in which the last of the algorithms is changed by a scenario."""
    differences = np.zeros((n_algorithms, len(base)))
    with np.errstate(over="ignore", invalid="ignore"):
        differences[-1] = scenario.difference(base, steps=steps, height_sd=height_sd)
    if not np.abs(differences[-1]).max() <= MAX_SCORE:
        msg = (
            f"With {scenario} scores are so large that they overflow when squared. Give the "
            f"smallest difference you care about: {argument('size')}."
        )
        raise OptionError(msg, option="size")
    on_curves = scenario if scenario.on == "curves" else None
    return Truth(base, differences, steps, height_sd, on_curves)


def observed_truth(pilots: Curves, first: int, steps: Floats, height_sd: float) -> Truth:
    """Return the mean curves of the pilots, with their differences shrunk.

    Differences that were observed are too large on average, as they contain the noise of the
    pilots. So their height is multiplied by 1 − 1/F of height, and their shape by 1 − 1/F of
    shape, or by 0 where F is below 1.
    """
    if len(pilots.algorithms) < 2 or min(pilots.sizes) < MIN_PILOTS_TO_OBSERVE:
        few = pilots.algorithms[int(np.argmin(pilots.sizes))]
        has = f"{printable(few)} has {plural(min(pilots.sizes), 'pilot')}"
        if len(pilots.algorithms) < 2:
            has = f"there is only {printable(few)}"
        msg = (
            f"An observed effect needs at least {MIN_PILOTS_TO_OBSERVE} pilots of each of two "
            f"algorithms, and {has}. State the smallest difference you care about: "
            f"{argument('effect')}."
        )
        raise CurvesError(msg)
    means = np.stack(
        [
            pilots.scores[pilots.codes == code].mean(axis=0)
            for code in _from(first, pilots)
        ]
    )
    differences = means - means[0]
    heights = differences.mean(axis=1, keepdims=True)
    kept = _kept_parts(pilots)
    shrunk = kept[0] * heights + kept[1] * (differences - heights)
    return Truth(means[0], shrunk, steps, height_sd)


def _from(first: int, pilots: Curves) -> list[int]:
    """Return the codes of the algorithms, this one first."""
    codes = range(len(pilots.algorithms))
    return [first, *(code for code in codes if code != first)]


def _kept_parts(pilots: Curves) -> tuple[float, float]:
    """Return which part of the observed height, and of the observed shape, is kept."""
    deviations = pilots.scores - pilots.scores.mean()
    noise = rounding(pilots.scores, pilots.precision)
    blocks = np.zeros_like(pilots.codes)
    design = Design.from_scores(deviations, pilots.codes, blocks, noise)
    parts = []
    for effect, error in (("algorithm", "curves"), ("interaction", "residual")):
        df = design.df[effect], design.df[error]
        f = f_statistic(design.ss[effect], design.ss[error], df) if df[0] else 0.0
        parts.append(max(1 - 1 / f, 0.0) if f > 0 else 0.0)
    return parts[0], parts[1]
