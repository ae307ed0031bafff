"""How often would an experiment find a difference? Power by simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.choices import refuse_option
from curvewise.data.validation import MAX_SCORE
from curvewise.inference.effects import PARTS
from curvewise.inference.sampling import known_seed
from curvewise.inference.scenarios import UNCHANGED
from curvewise.kernels.pvalues import clopper_pearson
from curvewise.questions.power.caveats import NotAttainable, model_caveats, quiet_step
from curvewise.questions.power.limits import MAX_RUNS, check_weights
from curvewise.questions.power.modelling import modelled
from curvewise.questions.power.result import Power, PowerCurve
from curvewise.questions.power.simulation import COUNTED, claim_of, smallest_n
from curvewise.shuffling.parallel import track_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import EffectName, OverallTest
    from curvewise.inference.noise import AutoregressiveNoise, NoiseKind
    from curvewise.inference.requirements import RNGLike
    from curvewise.kernels import Integers
    from curvewise.questions.power.modelling import Effect, Model

__all__ = ["estimate_power"]


def estimate_power(
    pilots: Curves | None,
    *,
    effect: Effect = None,
    n_runs: int | Sequence[int] = (5, 10, 20),
    sizes: Sequence[float] | None = None,
    noise: NoiseKind | Curves | AutoregressiveNoise = "gaussian",
    pool: bool = True,
    base: str | None = None,
    n_algorithms: int = 2,
    ratio: float = 1,
    blocks: bool = False,
    alpha: float = 0.05,
    overall: OverallTest = "combined",
    n_experiments: int = 2_000,
    n_shuffles: int = 999,
    confidence: float = 0.9,
    n_jobs: int = 1,
    rng: RNGLike = None,
) -> Power:
    """Estimate how often an experiment would find a difference, by simulating it.

    An experiment has so many new runs of each algorithm: a mean curve with noise as the pilots
    show it. One algorithm has the mean curve of the pilots, the other that curve with the effect.
    Every experiment is tested as `compare` does it, which claims a difference in height or in
    shape only where its overall test is significant too: `PowerCurve.claimed` counts these claims,
    beside the power of the test alone.

    Parameters
    ----------
    pilots : Curves or None
        At least two runs of an algorithm, better five. None if ``noise`` says how runs vary.
    effect : Scenario or "observed"
        The smallest difference worth finding, as `scenario` makes it. "observed" takes the
        differences between the pilots, shrunk, with a warning: pilots hardly tell them.
    n_runs : int or sequence of int
        Runs of each algorithm; with a ratio, of each but the first.
    sizes : sequence of float, optional
        Sizes of the effect instead of its own.
    noise : "gaussian", "resample", Curves or what `noise` returns
        How runs vary: normally, with the covariance of the pilots; as the pilots themselves, drawn
        again (from 20 pilots on); as these other curves; or as assumed.
    pool : bool
        Whether all algorithms of the pilots are taken to vary alike. False keeps the noise of each,
        which needs 8 pilots of each.
    base : str, optional
        The algorithm whose mean curve is changed; the first of the pilots by default.
    n_algorithms : int
        How many algorithms are compared. The effect changes the last; the others are alike.
        With an observed effect they are those of the pilots.
    ratio : float
        Runs of the first algorithm for one run of each other algorithm.
    blocks : bool
        Whether the experiment has blocks with one run of each algorithm, such as pairs of runs with
        the same seed. The pilots must have them too, since they tell how runs of a block correlate.
    alpha : float
        The significance level.
    overall : "combined" or "F"
        The overall test, as in `compare`.
    n_experiments : int
        How many experiments are simulated, for each number of runs and size.
    n_shuffles : int
        Shuffles of each, where there are more relabellings than that.
    confidence : float
        That of the ranges, and of the Monte Carlo intervals.
    n_jobs : int
        How many threads, or workers of the active joblib backend; -1 for all cores. The result does
        not depend on it.
    rng : None, int, Generator or what else `numpy.random.default_rng` takes
        Where noise and shuffles come from. The same ``rng`` gives the same digits.

    Returns
    -------
    Power
        The power of the tests of any difference, of height and of shape, and how often the last
        two are claimed; each with its Monte Carlo interval, and with the range that the uncertain
        spread of the pilots leaves open.

    Raises
    ------
    CurvesError
        If the pilots are too few, or do not vary.
    OptionError
        If no effect is given, or an argument has a value that cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> pilots = cw.load_example("tictactoe").select("A1")
    >>> found = cw.estimate_power(pilots, effect=cw.scenario("lift", 6), n_runs=(3, 10), rng=0)
    >>> found.algorithm.power.round(1).tolist(), found.smallest_n
    ([[0.0], [0.8]], 4)
    """
    model = modelled(
        pilots,
        "estimate_power()",
        effect=effect,
        noise=noise,
        pool=pool,
        base=base,
        n_algorithms=n_algorithms,
        ratio=ratio,
        blocks=blocks,
        alpha=alpha,
        overall=overall,
        n_experiments=n_experiments,
        n_shuffles=n_shuffles,
        confidence=confidence,
        n_jobs=n_jobs,
        rng=rng,
    )
    runs, shown_sizes = _run_counts(n_runs), _sizes(sizes, model)
    model = model.of_size(shown_sizes[-1])
    least = smallest_n(model.simulation)
    check_weights(model.simulation, max(runs))
    counts = [
        _rejected(model, n, shown_sizes, n_jobs) if n >= least else None
        for n in track_items(runs, in_parts=True)
    ]
    curves = _power_curves(model, counts, len(shown_sizes))
    low = tuple(n for n in runs if n < least)
    caveats: list[Caveat] = []
    if low:
        caveats.append(NotAttainable(low, least, model.assumptions.alpha))
    if low != runs:
        caveats += quiet_step(model)
    return Power(
        n_runs=runs,
        sizes=shown_sizes,
        overall=curves["overall"],
        algorithm=curves["algorithm"],
        interaction=curves.get("interaction"),
        smallest_n=least,
        lacking=tuple(
            name for name in PARTS if name in curves and model.truth().lacks(name)
        ),
        assumptions=model.assumptions,
        caveats=(*caveats, *model_caveats(model, pool=pool)),
        seed=known_seed(rng),
        source="" if pilots is None else pilots.source,
        preparation=None if pilots is None else pilots.preparation,
    )


def _rejected(
    model: Model, n_runs: int, sizes: tuple[float, ...], n_jobs: int
) -> Integers:
    """Count at each size: at the estimate, then at the low and high end of the range.

    Returns (n_sizes, 3, 5), the last axis as of `COUNTED`. All three are of the same
    experiments, so that they differ by the spread that is assumed and by nothing else.
    """
    n_all = model.assumptions.n_experiments
    factors = model.range_factors()
    several = (1.0,) if factors == (1.0, 1.0) else (1.0, *factors)
    cases = [(model.truth(size), factor, n_all) for size in sizes for factor in several]
    counts = model.simulation.n_rejected(n_runs, cases, n_jobs=n_jobs)
    by_size = counts.reshape(len(sizes), len(several), -1)
    return np.repeat(by_size, 3, axis=1) if len(several) == 1 else by_size


def _power_curves(
    model: Model, counts: list[Integers | None], n_sizes: int
) -> dict[EffectName, PowerCurve]:
    """Turn what was counted, None where nothing could be significant, into powers."""
    nothing = np.zeros((n_sizes, 3, len(COUNTED)), dtype=np.int64)
    every = np.stack([nothing if found is None else found for found in counts])
    attainable = np.array([found is not None for found in counts])
    n_all, confidence = model.assumptions.n_experiments, model.assumptions.confidence

    def curve(
        name: EffectName, place: int, claimed: PowerCurve | None = None
    ) -> PowerCurve:
        own = every[..., place]
        interval = np.zeros((*own.shape[:2], 2))
        for row, column in np.ndindex(own.shape[:2]):
            if attainable[row]:
                count = int(own[row, column, 0])
                interval[row, column] = clopper_pearson(count, n_all, confidence)
        ends = np.stack([own.min(axis=2), own.max(axis=2)], axis=2) / n_all
        arrays = own[..., 0] / n_all, interval, ends
        for array in arrays:
            array.setflags(write=False)
        return PowerCurve(name, *arrays, claimed)

    curves: dict[EffectName, PowerCurve] = {"overall": curve("overall", 0)}
    for name in PARTS:
        if name == "interaction" and len(model.base) == 1:
            continue
        claimed = curve(name, claim_of(name))
        curves[name] = curve(name, COUNTED.index(name), claimed)
    return curves


def _run_counts(n_runs: object) -> tuple[int, ...]:
    numbers = np.atleast_1d(np.asarray(n_runs))
    if (
        numbers.ndim != 1
        or not len(numbers)
        or numbers.dtype.kind not in "iu"
        or numbers.min() < 1
        or numbers.max() > MAX_RUNS
    ):
        refuse_option(
            "n_runs",
            f"must be positive integers of at most {MAX_RUNS:,}, such as 5, 10 and 20; it is "
            f"{n_runs!r}.",
        )
    return tuple(sorted(set(numbers.tolist())))


def _sizes(sizes: object, model: Model) -> tuple[float, ...]:
    effect = model.assumptions.effect
    if sizes is None:
        return (1.0 if effect is None else effect.size,)
    if effect is None:
        refuse_option(
            "sizes", "are for stated effects: one that was observed has its own."
        )
    try:
        numbers = np.atleast_1d(np.asarray(sizes, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    speeds = effect.kind == "speed" and (numbers <= 0).any()
    if (
        numbers.ndim != 1
        or not len(numbers)
        or not np.isfinite(numbers).all()
        or speeds
        or np.abs(numbers).max() > MAX_SCORE
    ):
        what = "positive numbers" if effect.kind in UNCHANGED else "finite numbers"
        refuse_option("sizes", f"must be {what}, such as 1, 2 and 3; it is {sizes!r}.")
    return tuple(dict.fromkeys(numbers.tolist()))
