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
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from curvewise.data.checks import check_choice, check_number, refuse_option
from curvewise.data.curves import MAX_SCORE
from curvewise.errors import refuse
from curvewise.inference.asking import MIN_RANGE
from curvewise.kernels.anova import rounding
from curvewise.text import argument, capitalised, in_python, plural, printable, step_text

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats

    Change = Callable[[Floats], npt.ArrayLike]


NoiseKind = Literal["gaussian", "resample"]
MIN_PILOTS_TO_RESAMPLE = 20  # fewer repeat each other
MIN_PILOTS_UNPOOLED = 8  # of each algorithm, whose own spread fewer do not tell


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
        n_steps = self.known_steps()
        lags = np.arange(1, n_steps)
        total = n_steps + 2 * float(np.sum((n_steps - lags) * self.correlation**lags))
        return self.sd * math.sqrt(total) / n_steps

    def with_steps(self, n_steps: int) -> AutoregressiveNoise:
        """Return the same noise of so many steps."""
        return replace(self, n_steps=n_steps)

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        """Return the noise of ``n`` runs, one after the other; (n, n_steps)."""
        curves = rng.standard_normal((n, self.known_steps()))
        fresh = math.sqrt(1 - self.correlation**2)
        curves[:, 1:] *= fresh
        for step in range(1, curves.shape[1]):
            curves[:, step] += self.correlation * curves[:, step - 1]
        return curves * self.sd

    def known_steps(self) -> int:
        """Return the number of steps; raise where it was not given."""
        if self.n_steps is None:
            refuse_option("n_steps", "must be given, as no pilots tell how many steps a run has.")
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
    return AutoregressiveNoise(float(sd), float(correlation), n_steps and int(n_steps))


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
        refuse(
            "Pilots of a single run each tell nothing about how runs vary. Use at least two "
            "runs of an algorithm, five if you can; or assume a spread: "
            f"{argument('noise')} of a given standard deviation."
        )
    if not pool and min(sizes) < MIN_PILOTS_UNPOOLED:
        few = pilots.algorithms[int(np.argmin(sizes))]
        refuse(
            f"{printable(few)} has {plural(min(sizes), 'pilot')}: for noise of its own every "
            f"algorithm needs at least {MIN_PILOTS_UNPOOLED}. Pool the noise of all "
            f"algorithms: leave {argument('pool')} as it is."
        )
    n_least = len(pilots.labels) if pool else min(sizes)
    if kind == "resample" and n_least < MIN_PILOTS_TO_RESAMPLE:
        refuse(
            f"{plural(n_least, 'pilot')} are too few to resample: at least "
            f"{MIN_PILOTS_TO_RESAMPLE} are needed. Use {argument('noise', 'gaussian')}."
        )


def check_spread(pilots: Curves, residuals: Floats, whose: str = "") -> None:
    """Raise if pilots do not vary at all, or by rounding only."""
    spread = float(np.linalg.norm(residuals / (np.abs(residuals).max() or 1)))
    spread *= float(np.abs(residuals).max())
    if 0 < spread < MIN_RANGE:
        refuse(
            f"Pilots that vary by {spread:.3g} vanish when squared. Multiply all scores by a "
            "constant: no test depends on it."
        )
    if spread <= rounding(pilots.scores, pilots.precision):
        refuse(
            f"All pilots{whose or ' of an algorithm'} have the same curve, so that nothing is "
            "known about how runs vary. Check that they were trained with different seeds."
        )


# --- Scenarios: how the mean curve of one algorithm may differ from that of another.
#
# Piater, Cohen, Zhang & Atighetchi (1998), ICML, for the modifications a to d of a curve L of k
# steps, with f for the size and r = L_k − L_1:
#
#     a   L_i + f r / 80
#     b   L_i + f r (k/2 − i + 1) / 100 up to the middle, L_i − f r (i − k/2) / 100 after it
#     c   L_i + f (L_i − L_1) (i − 1) / 100
#     d   L_i + f r (i − 1) / 100 up to the middle, L_i + f r (k − i) / 100 after it

Unit = Literal["score", "sd"]
On = Literal["mean", "curves"]
# What can be asked for by name, and in which words; {} is the size.
KINDS = {
    "lift": "a lift of {}",
    "stretch": "a stretch by {}",
    "speed": "learning {} times as fast",
    "a": "a lift by {}/80 of what is learned",
    "b": "a crossing of size {}",
    "c": "a growing lead of size {}",
    "d": "a lead in the middle of size {}",
}
# Of these kinds curves stay as they are at this size.
UNCHANGED = {"stretch": 1.0, "speed": 1.0}


@dataclass(frozen=True)
class Scenario:
    """A difference between two algorithms, to be looked for by a simulated experiment.

    Attributes
    ----------
    kind : str
        "lift", "stretch", "speed", "a" to "d", "difference" for numbers that are added, or
        "change" for a function.
    size : float
        How large it is.
    unit : "score" or "sd"
        What the size of a lift is in: units of the score, or standard deviations of curve means.
    on : "mean" or "curves"
        What is changed: the mean curve, before noise is added, or each noisy curve.
    numbers : tuple of float
        What is added at each step, for a difference.
    function : callable or None
        What makes one curve of another, for a change.
    """

    kind: str
    size: float
    unit: Unit = "score"
    on: On = "mean"
    numbers: tuple[float, ...] = field(default=(), repr=False)
    function: Change | None = field(default=None, repr=False)

    def __str__(self) -> str:
        size = f"{self.size:.12g}"
        times = "" if self.size == 1 else f", times {size}"
        if self.kind == "difference":
            text = f"the given difference{times}"
        elif self.kind == "change":
            name = printable(getattr(self.function, "__name__", "the given function"))
            text = f"the change by {name}{times}"
        elif self.unit == "sd":
            noun = "deviation" if self.size == 1 else "deviations"
            text = f"a lift of {size} standard {noun} of curve means"
        else:
            text = KINDS[self.kind].format(size)
        return text if self.on == "mean" else f"{text}, of noisy curves"

    def with_size(self, size: float) -> Scenario:
        """Return the same scenario of another size."""
        return replace(self, size=float(size))

    def changed(
        self, curves: Floats, *, steps: Floats | None = None, height_sd: float = 1.0
    ) -> Floats:
        """Return what becomes of curves, or of one, under this scenario; steps are the last axis.

        Parameters
        ----------
        curves : array, (..., n_steps)
        steps : array, (n_steps,), optional
            The amount of training at each of them; 0, 1, 2, … by default.
        height_sd : float
            The standard deviation of curve means, for sizes that are in units of it.
        """
        return curves + self.difference(curves, steps=steps, height_sd=height_sd)

    def difference(
        self, curves: Floats, *, steps: Floats | None = None, height_sd: float = 1.0
    ) -> Floats:
        """Return what is added to curves under this scenario, as in `changed`."""
        n_steps = curves.shape[-1]
        if self.kind == "lift":
            return np.full_like(curves, self.size * (height_sd if self.unit == "sd" else 1.0))
        if self.kind == "stretch":
            return curves * (self.size - 1)
        if self.kind == "difference":
            self._check_steps(len(self.numbers), n_steps)
            return np.broadcast_to(self.size * np.array(self.numbers), curves.shape)
        if self.kind == "speed":
            steps = np.arange(float(n_steps)) if steps is None else steps
            faster = [np.interp(steps * self.size, steps, r) for r in curves.reshape(-1, n_steps)]
            return np.stack(faster).reshape(curves.shape) - curves
        if self.function is not None:
            return self._by_function(self.function, curves)
        return self.size * self._modification(curves)

    def _by_function(self, function: Change, curves: Floats) -> Floats:
        n_steps = curves.shape[-1]
        changed = []
        for row in curves.reshape(-1, n_steps):
            returned = function(row.copy())
            try:
                numbers = np.asarray(returned, dtype=np.float64)
            except (TypeError, ValueError):
                refuse(
                    f"{capitalised(str(self))}: it returned {returned!r}, which is no curve.",
                    option="effect",
                )
            self._check_steps(numbers.size, n_steps)
            if not np.isfinite(numbers).all():
                refuse(
                    f"{capitalised(str(self))}: the changed curve is not finite at every step.",
                    option="effect",
                )
            changed.append(numbers.ravel() - row)
        return self.size * np.stack(changed).reshape(curves.shape)

    def _modification(self, curves: Floats) -> Floats:
        """Return the papers' modification for f = 1."""
        n_steps = curves.shape[-1]
        rise = curves[..., -1:] - curves[..., :1]
        place, half = np.arange(1, n_steps + 1), n_steps / 2
        if self.kind == "a":
            return np.broadcast_to(rise / 80, curves.shape)
        if self.kind == "c":
            return (curves - curves[..., :1]) / 100 * (place - 1)
        if self.kind == "b":
            if n_steps % 2:
                how = in_python("Curves.window") or "--from, --to"
                refuse(
                    f"Scenario 'b' leaves heights as they are only with an even number of steps, "
                    f"and there are {n_steps}. Leave out the first step or the last: {how}."
                )
            return rise / 100 * np.where(place <= half, half - place + 1, half - place)
        return rise / 100 * np.where(place <= half, place - 1, n_steps - place)

    def _check_steps(self, n_numbers: int, n_steps: int) -> None:
        if n_numbers != n_steps:
            refuse(
                f"{capitalised(str(self))} has {plural(n_numbers, 'number')}, and curves have "
                f"{plural(n_steps, 'step')}. Give a number for each step.",
                option="effect",
            )

    @property
    def is_nothing(self) -> bool:
        """Whether the size is the one at which curves stay as they are."""
        return self.size == UNCHANGED.get(self.kind, 0.0)


def scenario(
    kind: str | npt.ArrayLike | Change, size: float = 1.0, *, unit: Unit = "score", on: On = "mean"
) -> Scenario:
    """Say how a second algorithm may differ from the first.

    Parameters
    ----------
    kind : str, array, (n_steps,), or callable
        "lift": higher by ``size`` at every step. "stretch": all scores times ``size``.
        "speed": what the first algorithm reaches at step x · ``size``, the second reaches at x
        already; its last score is held. "a" to "d": the modifications of Piater et al. (1998)
        with f = ``size``: a lift by a part of what is learned, a crossing, a growing lead, a
        lead in the middle. Numbers are added, times ``size``. A function takes the mean curve,
        an array, and returns the changed one; of the change ``size`` parts are made.
    size : float
        How large the difference is.
    unit : "score" or "sd"
        What a lift is in: units of the score, or SDs of curve means. They are those of the
        pilots.
    on : "mean" or "curves"
        What is changed: the mean curve, or each noisy curve, as the papers do it.

    Returns
    -------
    Scenario
        Frozen; prints as words.

    Examples
    --------
    >>> import curvewise as cw
    >>> print(cw.scenario("lift", 5), cw.scenario("speed", 1.5), sep="; ")
    a lift of 5; learning 1.5 times as fast
    """
    check_number("size", size)
    if abs(float(size)) > MAX_SCORE:
        refuse_option("size", f"must be at most {MAX_SCORE:g}, not {size!r}.")
    check_choice("unit", unit, get_args(Unit))
    check_choice("on", on, get_args(On))
    if isinstance(kind, str):
        check_choice("kind", kind, tuple(KINDS))
        if unit == "sd" and kind != "lift":
            refuse_option("unit", f"must be 'score' for {kind!r}; only a lift is in 'sd'.")
        if kind == "speed" and size <= 0:
            refuse_option("size", f"must be positive for 'speed'; it is {size!r}.")
        return Scenario(kind, float(size), unit, on)
    if unit == "sd":
        refuse_option("unit", "must be 'score' for numbers and functions.")
    if callable(kind):
        return Scenario("change", float(size), unit, on, function=kind)
    try:
        numbers = np.asarray(kind, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        known = f"one of {', '.join(KINDS)}, a finite number for each step, or a function"
        refuse_option("kind", f"must be {known}.")
    return Scenario("difference", float(size), unit, on, tuple(numbers.tolist()))


# --- Noise for simulated blocks with one run of each algorithm, such as pairs with the same seed.
#
# Write e_ba for what its algorithm's mean curve leaves of the run of algorithm a in block b, of B
# blocks and m algorithms. Runs of a block may correlate. Where all algorithms vary alike, the noise
# of a block is its mean u plus deviations from it, whose covariance is that of all contrasts t
# between the runs of a block together, with (B − 1)(m − 1) degrees of freedom:
#
#     gaussian:  Σ_b g_b ū_b / √(B − 1),  and for each contrast  Σ_bc g_bc t_bc / √((B − 1)(m − 1))
#     resample:  e_J √(B / (B − 1)),  J drawn at random, its curves given to algorithms at random
#
# So the algorithms of a block are exchangeable where there is no effect. Where each algorithm has
# noise of its own, whole blocks are drawn as they are.


@dataclass(frozen=True, eq=False)
class BlockNoise:
    """Noise of blocks with one run of each algorithm, as pilot blocks show it.

    Attributes
    ----------
    residuals : array, (n_blocks, n_algorithms, n_steps)
        What the mean curves of the algorithms leave of the pilots.
    kind : "gaussian" or "resample"
    pool : bool
        Whether all algorithms vary alike.
    """

    residuals: Floats = field(repr=False)
    kind: NoiseKind = "gaussian"
    pool: bool = True

    @property
    def n_steps(self) -> int:
        """The number of steps of a run."""
        return self.residuals.shape[2]

    @property
    def df(self) -> int:
        """How many runs' worth is known about differences between the runs of a block."""
        n_blocks, n_algorithms, _ = self.residuals.shape
        return (n_blocks - 1) * (n_algorithms - 1 if self.pool else 1)

    @property
    def height_sd(self) -> float:
        """The standard deviation of curve means, that of the algorithms together."""
        n_blocks, n_algorithms, _ = self.residuals.shape
        heights = self.residuals.mean(axis=2)
        return math.sqrt(float(np.sum(heights**2)) / ((n_blocks - 1) * n_algorithms))

    def of_heights(self) -> BlockNoise:
        """Return the noise of curve means; drawn alike."""
        return replace(self, residuals=self.residuals.mean(axis=2, keepdims=True))

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        """Return the noise of ``n`` blocks, one after the other; (n, n_algorithms × n_steps)."""
        n_blocks, n_algorithms, _ = self.residuals.shape
        if self.kind == "resample":
            numbers = rng.random((n, 1 + n_algorithms))
            drawn = self.residuals[(numbers[:, 0] * n_blocks).astype(np.int64)]
            if self.pool:
                order = np.argsort(numbers[:, 1:], axis=1)
                drawn = np.take_along_axis(drawn, order[:, :, None], axis=1)
            return drawn.reshape(n, -1) * math.sqrt(n_blocks / (n_blocks - 1))
        if not self.pool:
            flat = self.residuals.reshape(n_blocks, -1)
            return rng.standard_normal((n, n_blocks)) @ flat / math.sqrt(n_blocks - 1)
        basis = _contrasts(n_algorithms)
        of_pilots = np.einsum("ac,bah->bch", basis, self.residuals)
        n_contrasts = len(of_pilots) * (n_algorithms - 1)
        numbers = rng.standard_normal((n, n_blocks + (n_algorithms - 1) * n_contrasts))
        means = numbers[:, :n_blocks] @ self.residuals.mean(axis=1)
        weights = numbers[:, n_blocks:].reshape(n, n_algorithms - 1, n_contrasts)
        contrasts = weights @ of_pilots.reshape(n_contrasts, -1)
        deviations = np.einsum("ac,nch->nah", basis, contrasts) / math.sqrt(self.df)
        drawn = means[:, None] / math.sqrt(n_blocks - 1) + deviations
        return drawn.reshape(n, -1)


# Where the noise of simulated runs comes from.
Noise = PilotNoise | AutoregressiveNoise | BlockNoise


def _contrasts(n_algorithms: int) -> Floats:
    """Return orthonormal contrasts; (n_algorithms, n_algorithms − 1)."""
    first = np.column_stack([np.ones(n_algorithms), np.eye(n_algorithms)[:, 1:]])
    return np.asarray(np.linalg.qr(first)[0][:, 1:])


def block_noise(pilots: Curves, kind: NoiseKind = "gaussian", *, pool: bool = True) -> BlockNoise:
    """Return the noise of blocks with one run of each algorithm, as pilots in blocks show it.

    Raises where the pilots are not in such blocks, are too few to tell, or do not vary.
    """
    check_choice("noise", kind, get_args(NoiseKind))
    if pilots.blocks is None or not np.all(pilots.block_counts == 1):
        refuse(
            "To plan blocks, such as pairs of runs with the same seed, every block of the pilots "
            "must hold one run of each algorithm. Name the column of blocks with "
            f"{argument('block')}, or plan without them: leave {argument('blocks')} out."
        )
    check_pilots(pilots, kind, pool=pool)
    residuals = residuals_of(pilots)
    check_spread(pilots, residuals)
    blocks = list(dict.fromkeys(pilots.blocks))
    place = np.array([blocks.index(name) for name in pilots.blocks])
    side_by_side = np.empty((len(blocks), len(pilots.algorithms), pilots.n_steps))
    side_by_side[place, pilots.codes] = residuals
    within = side_by_side - side_by_side.mean(axis=1, keepdims=True)
    if float(np.linalg.norm(within)) <= rounding(pilots.scores, pilots.precision):
        refuse(
            "The runs of every block differ in the same way, so that nothing is known about how "
            "such differences vary. Check that the algorithms were trained apart."
        )
    flat = in_order(side_by_side.reshape(len(blocks), -1))
    return BlockNoise(flat.reshape(side_by_side.shape), kind, pool)
