"""Noise for simulated runs: what pilot runs show of the spread, or what is assumed of it.

Write e for what the mean curve of its own algorithm leaves of each pilot run, of N runs and m
algorithms in all, so that ν = N − m of them are free. A simulated run has the noise

    gaussian:  Σ_j g_j e_j / √ν,  g_j independent and standard normal
    resample:  e_J √(N / ν),      J drawn at random

Both have the covariance of the pilots, without its bias. Gaussian noise has no ties; resampled
noise keeps skewness and failures, but of few runs it repeats the same few.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, get_args

import numpy as np

from curvewise.data.choices import check_choice, refuse_option
from curvewise.data.validation import MAX_SCORE
from curvewise.errors import CurvesError
from curvewise.inference.requirements import MIN_RANGE, check_number
from curvewise.kernels.anova.thresholds import rounding
from curvewise.text import argument, plural, printable, step_text

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats

__all__ = [
    "AutoregressiveNoise",
    "Noise",
    "NoiseKind",
    "PilotNoise",
    "check_pilots",
    "check_spread",
    "in_order",
    "noise",
    "pilot_noise",
    "residuals_of",
]

NoiseKind = Literal["gaussian", "resample"]
MIN_PILOTS_TO_RESAMPLE = 20  # fewer repeat each other
MIN_PILOTS_UNPOOLED = 8  # of each algorithm, whose own spread fewer do not tell


class Noise(Protocol):
    """Where the noise of simulated runs comes from."""

    @property
    def n_steps(self) -> int | None:
        """The number of steps of a run; None where it is not known yet."""

    @property
    def df(self) -> float:
        """How many runs' worth is known about the noise; infinite where it is assumed."""

    @property
    def height_sd(self) -> float:
        """The standard deviation of curve means."""

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        """Return the noise of ``n`` runs, one after the other; (n, n_steps)."""


@dataclass(frozen=True, eq=False)
class PilotNoise:
    """Noise as pilot runs show it.

    Attributes
    ----------
    residuals : array, (n_pilots, n_steps)
        What their mean curve leaves of the pilots.
    df : int
        How many of the residuals are free.
    kind : "gaussian" or "resample"
    """

    residuals: Floats = field(repr=False)
    df: int
    kind: NoiseKind = "gaussian"

    @property
    def n_steps(self) -> int:
        """The number of steps of a run."""
        return self.residuals.shape[1]

    @property
    def height_sd(self) -> float:
        """The standard deviation of curve means."""
        return math.sqrt(float(np.sum(self.residuals.mean(axis=1) ** 2)) / self.df)

    def of_heights(self) -> PilotNoise:
        """Return the noise of curve means; drawn alike."""
        means = self.residuals.mean(axis=1, keepdims=True)
        return PilotNoise(means, self.df, self.kind)

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        """Return the noise of ``n`` runs, one after the other; (n, n_steps)."""
        return np.asarray(self.draw_amounts(rng, n) @ self.basis)

    @property
    def basis(self) -> Floats:
        """The curves that noise mixes; (n_pilots, n_steps)."""
        times = len(self.residuals) if self.kind == "resample" else 1
        return self.residuals * math.sqrt(times / self.df)

    def draw_amounts(self, rng: np.random.Generator, n: int) -> Floats:
        """Return how much of each curve of the basis is in ``n`` runs; (n, n_pilots)."""
        n_pilots = len(self.residuals)
        if self.kind == "resample":
            return np.eye(n_pilots)[rng.integers(n_pilots, size=n)]
        return rng.standard_normal((n, n_pilots))


@dataclass(frozen=True)
class AutoregressiveNoise:
    """Noise that is assumed: alike at all steps, each correlated with the one before.

    Attributes
    ----------
    sd : float
        The standard deviation of a score.
    correlation : float
        That of scores at neighbouring steps.
    n_steps : int or None
        The number of steps; None for as many as the pilots have.
    """

    sd: float
    correlation: float
    n_steps: int | None = None

    @property
    def df(self) -> float:
        """Infinite: nothing is estimated."""
        return math.inf

    @property
    def height_sd(self) -> float:
        """The standard deviation of curve means."""
        n_steps = self._known_steps()
        lags = np.arange(1, n_steps)
        total = n_steps + 2 * float(np.sum((n_steps - lags) * self.correlation**lags))
        return self.sd * math.sqrt(total) / n_steps

    def with_steps(self, n_steps: int) -> AutoregressiveNoise:
        """Return the same noise of so many steps."""
        return AutoregressiveNoise(self.sd, self.correlation, n_steps)

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        """Return the noise of ``n`` runs, one after the other; (n, n_steps)."""
        curves = rng.standard_normal((n, self._known_steps()))
        fresh = math.sqrt(1 - self.correlation**2)
        curves[:, 1:] *= fresh
        for step in range(1, curves.shape[1]):
            curves[:, step] += self.correlation * curves[:, step - 1]
        return curves * self.sd

    def _known_steps(self) -> int:
        if self.n_steps is None:
            msg = "must be given, as no pilots tell how many steps a run has."
            refuse_option("n_steps", msg)
        return self.n_steps

    def __str__(self) -> str:
        return (
            f"assumed noise with a standard deviation of {step_text(self.sd)} and a "
            f"correlation of {step_text(self.correlation)} between neighbouring steps"
        )


def noise(
    *, sd: float, correlation: float = 0.0, n_steps: int | None = None
) -> AutoregressiveNoise:
    """Assume how much runs vary, where there are no pilot runs to tell.

    Parameters
    ----------
    sd : float
        The standard deviation of a score from run to run, at every step.
    correlation : float
        That of the scores of a run at neighbouring steps, at least 0 and at most 1: an
        autoregression of order one. With 1, runs differ in height alone.
    n_steps : int, optional
        The number of steps of a run; by default as many as the pilots have.

    Returns
    -------
    AutoregressiveNoise
        To be given to `estimate_power` and `plan` as ``noise``.

    Examples
    --------
    >>> import curvewise as cw
    >>> print(cw.noise(sd=20, correlation=0.9))
    assumed noise with a standard deviation of 20 and a correlation of 0.9 between neighbouring steps
    """
    check_number("sd", sd)
    check_number("correlation", correlation)
    if sd <= 0:
        refuse_option("sd", f"must be positive, or runs would not vary; it is {sd!r}.")
    if not MIN_RANGE <= sd <= MAX_SCORE:
        text = f"must be from {MIN_RANGE:g} to {MAX_SCORE:g}, or squares are lost; it is {sd!r}."
        refuse_option("sd", text)
    if not 0 <= correlation <= 1:
        refuse_option("correlation", f"must lie between 0 and 1; it is {correlation!r}.")
    if n_steps is not None and (not isinstance(n_steps, int | np.integer) or n_steps < 1):
        refuse_option("n_steps", f"must be a positive integer, not {n_steps!r}.")
    known = None if n_steps is None else int(n_steps)
    return AutoregressiveNoise(float(sd), float(correlation), known)


def residuals_of(curves: Curves) -> Floats:
    """Return what the mean curve of its own algorithm leaves of each run; as the scores."""
    residuals = curves.scores.copy()
    for code in range(len(curves.algorithms)):
        own = curves.codes == code
        residuals[own] -= residuals[own].mean(axis=0)
    return residuals


def pilot_noise(
    pilots: Curves, kind: NoiseKind = "gaussian", *, pool: bool = True
) -> tuple[PilotNoise, ...]:
    """Return the noise of each algorithm, as pilots show it; the same for all where pooled.

    Raises where the pilots are too few to tell, or do not vary.
    """
    check_choice("noise", kind, get_args(NoiseKind))
    check_pilots(pilots, kind, pool=pool)
    residuals, sizes = residuals_of(pilots), pilots.sizes
    check_spread(pilots, residuals)
    if pool:
        # A single run of an algorithm tells nothing about the spread.
        tells = np.array(sizes)[pilots.codes] > 1
        df = int(np.sum(tells)) - sum(size > 1 for size in sizes)
        return (PilotNoise(in_order(residuals[tells]), df, kind),) * len(sizes)
    each = [residuals[pilots.codes == code] for code in range(len(sizes))]
    for name, own in zip(pilots.algorithms, each, strict=True):
        check_spread(pilots, own, f" of {printable(name)}")
    return tuple(PilotNoise(in_order(own), len(own) - 1, kind) for own in each)


def in_order(residuals: Floats) -> Floats:
    """Return residuals in order of their means, so that the order of pilots changes no digit."""
    return residuals[np.argsort(residuals.mean(axis=1), kind="stable")]


def check_pilots(pilots: Curves, kind: NoiseKind, *, pool: bool) -> None:
    """Raise where there are too few pilots for this kind of noise."""
    sizes = pilots.sizes
    if max(sizes) < 2:
        msg = (
            "Pilots of a single run each tell nothing about how runs vary. Use at least two "
            "runs of an algorithm, five if you can; or assume a spread: "
            f"{argument('noise')} of a given standard deviation."
        )
        raise CurvesError(msg)
    if not pool and min(sizes) < MIN_PILOTS_UNPOOLED:
        few = pilots.algorithms[int(np.argmin(sizes))]
        msg = (
            f"{printable(few)} has {plural(min(sizes), 'pilot')}: for noise of its own every "
            f"algorithm needs at least {MIN_PILOTS_UNPOOLED}. Pool the noise of all "
            f"algorithms: leave {argument('pool')} as it is."
        )
        raise CurvesError(msg)
    n_least = len(pilots.labels) if pool else min(sizes)
    if kind == "resample" and n_least < MIN_PILOTS_TO_RESAMPLE:
        msg = (
            f"{plural(n_least, 'pilot')} are too few to resample: at least "
            f"{MIN_PILOTS_TO_RESAMPLE} are needed. Use {argument('noise', 'gaussian')}."
        )
        raise CurvesError(msg)


def check_spread(pilots: Curves, residuals: Floats, whose: str = "") -> None:
    """Raise if pilots do not vary at all, or by rounding only."""
    spread = float(np.linalg.norm(residuals / (np.abs(residuals).max() or 1)))
    spread *= float(np.abs(residuals).max())
    if 0 < spread < MIN_RANGE:
        msg = (
            f"Pilots that vary by {spread:.3g} vanish when squared. Multiply all scores by a "
            "constant: no test depends on it."
        )
        raise CurvesError(msg)
    if spread <= rounding(pilots.scores, pilots.precision):
        msg = (
            f"All pilots{whose or ' of an algorithm'} have the same curve, so that nothing is "
            "known about how runs vary. Check that they were trained with different seeds."
        )
        raise CurvesError(msg)
