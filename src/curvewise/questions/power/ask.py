"""How often would an experiment find a difference? Power by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.checks import refuse_option
from curvewise.data.curves import MAX_SCORE, Curves
from curvewise.inference.asking import Number, RNGLike, Share, asked_of, question
from curvewise.inference.result import PARTS, OverallTest
from curvewise.inference.simulate import UNCHANGED, AutoregressiveNoise, NoiseKind
from curvewise.inference.work import known_seed
from curvewise.kernels.pvalues import clopper_pearson
from curvewise.questions.power.method import COUNTED, MAX_RUNS, Effect, claim_of, modelled
from curvewise.questions.power.result import (
    NotAttainable,
    Power,
    PowerCurve,
    model_caveats,
    quiet_step,
)
from curvewise.shuffling.visit import track_items

if TYPE_CHECKING:
    from curvewise.inference.result import EffectName
    from curvewise.questions.power.method import Model


@question()
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
    ratio: Number = 1,
    blocks: bool = False,
    alpha: Share = 0.05,
    overall: OverallTest = "combined",
    n_experiments: int = 2_000,
    n_shuffles: int = 999,
    confidence: Share = 0.9,
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
        How runs vary: normally, as much as the pilots; or as pilots drawn again (from 20 on). The
        covariance is that of the pilots; or as these other curves, or as assumed.
    pool : bool
        Whether all algorithms of the pilots are taken to vary alike, or each for itself. The noise
        of each needs 8 pilots of each.
    base : str, optional
        The algorithm whose mean curve is changed. By default the first of the pilots.
    n_algorithms : int
        How many algorithms are compared. The effect changes the last; the others are alike.
        With an observed effect they are those of the pilots.
    ratio : float
        Runs of the first algorithm for one run of each other algorithm.
    blocks : bool
        Whether runs are in blocks with one of each algorithm, such as pairs with the same seed; the
        pilots must have them too. They tell how runs of a block correlate.
    alpha : float
        The significance level.
    overall : "combined" or "F"
        As in `compare`.
    n_experiments : int
        How many experiments are simulated, for each number of runs and size.
    n_shuffles : int
        Shuffles of each simulated experiment. All relabellings are visited where there are fewer.
    confidence : float
        The confidence of ranges and of Monte Carlo intervals.
    n_jobs : int
        As in `compare`.
    rng : None, int, Generator or what else `numpy.random.default_rng` takes
        As in `compare`; noise and shuffles come from it.

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
    model = modelled(asked_of(estimate_power, **locals()))
    runs, shown_sizes = _run_counts(n_runs), _sizes(sizes, model)
    models = [model.of_size(size) for size in shown_sizes]
    model, least = models[-1], model.smallest_n()
    model.check_memory(max(runs))
    # The same experiments for all sizes, and for the ends of the range.
    factors, n_all = model.range_factors(), model.assumptions.n_experiments
    cases = [(own.truth, times, n_all) for own in models for times in factors]
    counts = np.zeros((len(runs), len(models), len(factors), len(COUNTED)), dtype=np.int64)
    for place, n in enumerate(track_items(runs, in_parts=True)):
        if n >= least:
            found = model.n_rejected(n, cases, n_jobs=n_jobs)
            counts[place] = found.reshape(counts.shape[1:])
    attainable = np.array(runs) >= least

    def curve(name: EffectName, place: int, claimed: PowerCurve | None = None) -> PowerCurve:
        own = counts[..., place]
        interval = np.zeros((*own.shape[:2], 2))
        for row, column in np.argwhere(np.broadcast_to(attainable[:, None], own.shape[:2])):
            count = int(own[row, column, 0])
            interval[row, column] = clopper_pearson(count, n_all, model.assumptions.confidence)
        ends = np.stack([own.min(axis=2), own.max(axis=2)], axis=2) / n_all
        arrays = own[..., 0] / n_all, interval, ends
        for array in arrays:
            array.setflags(write=False)
        return PowerCurve(name, *arrays, claimed)

    parts = {
        name: curve(name, COUNTED.index(name), curve(name, claim_of(name)))
        for name in (PARTS if len(model.truth.base) > 1 else PARTS[:1])
    }
    low = tuple(n for n in runs if n < least)
    return Power(
        n_runs=runs,
        sizes=shown_sizes,
        overall=curve("overall", 0),
        algorithm=parts["algorithm"],
        interaction=parts.get("interaction"),
        smallest_n=least,
        lacking=tuple(name for name in parts if model.truth.lacks(name)),
        assumptions=model.assumptions,
        caveats=(
            *([NotAttainable(low, least, model.assumptions.alpha)] if low else []),
            *(quiet_step(model) if low != runs else []),
            *model_caveats(model, pool=pool),
        ),
        seed=known_seed(rng),
        source="" if pilots is None else pilots.source,
        preparation=None if pilots is None else pilots.preparation,
    )


def _run_counts(n_runs: object) -> tuple[int, ...]:
    numbers = np.atleast_1d(np.asarray(n_runs))
    whole = numbers.ndim == 1 and len(numbers) and numbers.dtype.kind in "iu"
    if not whole or numbers.min() < 1 or numbers.max() > MAX_RUNS:
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
        refuse_option("sizes", "are for stated effects: one that was observed has its own.")
    try:
        numbers = np.atleast_1d(np.asarray(sizes, dtype=np.float64))
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    usable = numbers.ndim == 1 and len(numbers) and np.abs(numbers).max() <= MAX_SCORE
    if not usable or (effect.kind == "speed" and (numbers <= 0).any()):
        what = "positive numbers" if effect.kind in UNCHANGED else "finite numbers"
        refuse_option("sizes", f"must be {what}, such as 1, 2 and 3; it is {sizes!r}.")
    return tuple(dict.fromkeys(numbers.tolist()))
