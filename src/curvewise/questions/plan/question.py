"""How many runs are needed? The smallest number whose simulated power is enough."""

from __future__ import annotations

import math
from dataclasses import replace
from operator import lt
from typing import TYPE_CHECKING, get_args

import numpy as np

from curvewise.data.choices import refuse_option
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.effects import EFFECTS, EffectName, Interval
from curvewise.inference.requirements import check_alpha, check_choice, check_curves
from curvewise.inference.sampling import known_seed
from curvewise.questions.plan.caveats import NotReachable, PairsTooFew
from curvewise.questions.plan.claims import Claims
from curvewise.questions.plan.pairing import pairing_of
from curvewise.questions.plan.result import Plan
from curvewise.questions.plan.search import Search, spaced, starting_n
from curvewise.questions.power.caveats import model_caveats, quiet_step
from curvewise.questions.power.limits import MAX_RUNS
from curvewise.questions.power.modelling import modelled, refuse_size
from curvewise.questions.power.simulation import smallest_n
from curvewise.shuffling.parallel import track_items
from curvewise.text import argument, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import OverallTest
    from curvewise.inference.noise import AutoregressiveNoise, NoiseKind
    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.power.modelling import Effect, Model

__all__ = ["plan"]

# Where nothing better is known, the search starts from so many times the smallest number.
FIRST_TRY = 2


def plan(
    pilots: Curves | None,
    *,
    effect: Effect = None,
    power: float = 0.8,
    question: EffectName = "algorithm",
    cautious: bool = False,
    max_runs: int = 200,
    reuse_pilot: bool = False,
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
) -> Plan:
    """Find out how many runs it takes to find a difference with enough certainty.

    Experiments are simulated as in `estimate_power`, with more runs or fewer, until the smallest
    number is found whose power is enough, and that of the next one too. A difference is found
    where `compare` would claim it: one in height or in shape only where the overall test is
    significant too. The power of the test alone, which is larger, stands beside it.

    Parameters
    ----------
    pilots : Curves or None
        At least two runs of an algorithm, better five. None if ``noise`` says how runs vary.
    effect : Scenario or "observed"
        The smallest difference worth finding, as `scenario` makes it; "observed" as in
        `estimate_power`.
    power : float
        How often the difference should be found.
    question : "algorithm", "interaction" or "overall"
        Which difference is to be claimed: in height, in shape, or any.
    cautious : bool
        Whether to plan as if runs varied as much more than the pilots as these leave open.
    max_runs : int
        The most runs of each algorithm to consider.
    reuse_pilot : bool
        Whether the pilots will stay in the data, among the runs that are planned. The plan then
        looks at the spread of all pilots together, and not at who is who: otherwise the final
        test would give more false alarms than alpha. The pilots must be of all algorithms that
        will be compared.
    noise, pool, base, n_algorithms, ratio, blocks, alpha, overall
        As in `estimate_power`.
    n_experiments, n_shuffles, confidence, n_jobs, rng
        As in `estimate_power`. All experiments are simulated with the number of runs that is found
        and with one more; 500 of them are enough to find out about which number that is.

    Returns
    -------
    Plan
        How many runs, the range that the uncertain spread of the pilots leaves open, and for all
        numbers that were tried how often the difference is claimed, and found by its test alone.

    Raises
    ------
    CurvesError
        If the pilots are too few, or do not vary.
    OptionError
        If there is no effect to be found, or an argument has a value that cannot be used.

    Examples
    --------
    >>> import curvewise as cw
    >>> pilots = cw.load_example("tictactoe").select("A1")
    >>> found = cw.plan(pilots, effect=cw.scenario("lift", 6), rng=0)
    >>> found.n_runs, found.n_runs_range, found.smallest_n
    (11, Interval(low=7.0, high=26.0), 4)
    """
    check_alpha(power, "power")
    check_choice("question", question, get_args(EffectName))
    _check_most(max_runs)
    if reuse_pilot:
        _check_reuse(pilots, effect, labelled=base is not None or not pool, blocks=blocks)
        _check_all_are_there(pilots, n_algorithms)
    model = modelled(
        pilots,
        "plan()",
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
        label_blind=reuse_pilot,
    )
    _check_findable(model, question)
    least = smallest_n(model.simulation)
    at_least = least
    if reuse_pilot and pilots is not None:
        while any(map(lt, model.simulation.sizes(at_least), pilots.sizes)):
            at_least += 1
    if max_runs < at_least:
        why = "the fewest runs of each with which anything could be significant"
        if at_least > least:
            why = "as many as the pilots have, which count among the runs"
        refuse_option(
            "max_runs", f"must be at least {at_least}, {why}; it is {max_runs}."
        )
    (estimated, more, less), needed = _searched(
        model, question, power, (at_least, int(max_runs)), n_jobs
    )
    estimate, ends = needed[0], Interval(min(needed), max(needed))
    wanted = ends.high if cautious else estimate
    n_runs = int(min(wanted, max_runs))
    decisive = more if cautious else estimated
    return Plan(
        n_runs=n_runs,
        n_estimate=estimate,
        n_runs_range=ends,
        sizes=model.simulation.sizes(n_runs),
        reachable=math.isfinite(wanted),
        power=float(power),
        power_at=estimated.power_at,
        power_at_ends=(more.power_at, less.power_at),
        test_power_at=estimated.test_power_at,
        test_power_at_ends=(more.test_power_at, less.test_power_at),
        smallest_n=least,
        question=question,
        cautious=cautious,
        reuse_pilot=reuse_pilot,
        pairing=None if pilots is None else pairing_of(pilots, 0.95),
        max_runs=int(max_runs),
        assumptions=model.assumptions,
        caveats=(
            *_plan_caveats(model, decisive.power_at, float(power), int(max_runs), wanted),
            *quiet_step(model),
            *model_caveats(model, pool=pool),
        ),
        seed=known_seed(rng),
        source="" if pilots is None else pilots.source,
        preparation=None if pilots is None else pilots.preparation,
    )


def _searched(
    model: Model,
    question: EffectName,
    power: float,
    bounds: tuple[int, int],
    n_jobs: int,
) -> tuple[list[Claims], list[float]]:
    """Search at the estimate, then if runs vary more, and less.

    Returns what was found out on the way, and how many runs each takes. All searches see the same
    experiments: the more runs vary, the more of them it takes.
    """
    factors = model.range_factors()
    several = (1.0, *factors) if factors != (1.0, 1.0) else (1.0,)
    smallest, largest = bounds
    tried = [Claims(model, question, times, n_jobs) for times in several]
    needed: list[float] = []
    parts: list[Claims | None] = [*tried, None]
    for claims in track_items(parts):
        if claims is None:
            most = int(max(min(n, largest) for n in needed))
            for n_runs in spaced(smallest, most):
                _fill_in(tried, n_runs)
            continue
        # If runs vary more than at the estimate, no fewer of them are enough; if less, no more.
        least, most = smallest, largest
        if needed and claims.times < 1:
            least = int(min(needed[0], largest))
        if needed and claims.times > 1:
            most = int(min(needed[0], largest))
        found = _smallest(claims, power, least, most)
        # At the end that is no more than the estimate, which is known to be enough.
        if found is None and most < largest:
            found = most
        needed.append(math.inf if found is None else float(found))
    if len(several) == 1:
        return tried * 3, needed * 3
    return tried, needed


def _smallest(claims: Claims, power: float, least: int, most: int) -> int | None:
    """Return the smallest number of runs with enough power; None if the most are not enough."""
    start = FIRST_TRY * least
    if claims.question == "algorithm":
        # No fewer are enough for a claim than for the test of height, of the same experiments.
        in_sds = claims.times * claims.model.truth().lift
        in_sds /= claims.model.assumptions.height_sd
        asked = claims.model.assumptions
        guess = starting_n(in_sds, power, asked.alpha, asked.ratio, most)
        heights = Search(claims.of_heights, power, least, most)
        start = least = heights.smallest_n(guess) or most
    roughly = Search(claims.roughly, power, least, most)
    start = roughly.smallest_n(start) or most
    return Search(claims.surely, power, least, most).smallest_n(start)


def _fill_in(tried: Sequence[Claims], n_runs: int) -> None:
    """Add the powers with some number of runs, so that lines can be drawn through them."""
    for claims in tried:
        if n_runs not in claims.power_at:
            claims.roughly(n_runs)


def _plan_caveats(
    model: Model, powers: Mapping[int, float], power: float, most: int, wanted: float
) -> Iterator[Caveat]:
    if math.isinf(wanted):
        yield NotReachable(most, powers[most], power)
    if model.simulation.in_blocks:
        unpaired = replace(model.simulation, in_blocks=False)
        yield PairsTooFew(smallest_n(model.simulation), smallest_n(unpaired))


def _check_most(max_runs: object) -> None:
    if not isinstance(max_runs, int | np.integer) or not 2 <= max_runs <= MAX_RUNS:
        text = f"must be an integer from 2 to {MAX_RUNS:,}, not {max_runs!r}."
        refuse_option("max_runs", text)


def _check_reuse(
    pilots: Curves | None, effect: Effect, *, labelled: bool, blocks: bool
) -> None:
    if pilots is None:
        refuse_option("reuse_pilot", "is for pilots, and there are none.")
    if effect == "observed":
        refuse_option(
            "reuse_pilot",
            "does not go with an observed effect: who is who must not be looked at, or the "
            "final test would give too many false alarms. State the effect.",
        )
    if labelled:
        refuse_option(
            "reuse_pilot",
            f"takes all pilots together: {argument('base')} and {argument('pool', value=False)} "
            "would look at who is who.",
        )
    if blocks:
        refuse_option(
            "reuse_pilot",
            "does not go with blocks, whose correlation is told by who is who. Set the pilots "
            "aside, or plan without blocks.",
        )


def _check_all_are_there(pilots: Curves | None, n_algorithms: int) -> None:
    """Raise unless the pilots are of all algorithms, whose labels are then not looked at."""
    check_curves(pilots, "plan()")
    assert pilots is not None  # noqa: S101 (they are Curves)
    names = pilots.algorithms
    if len(names) == 1:
        refuse_option(
            "reuse_pilot",
            f"needs pilots of all algorithms that will be compared, and there are only those of "
            f"{printable(names[0])}: their spread is the spread within an algorithm, and to plan "
            "by it gives the final test too many false alarms. Train pilots of the others too, "
            "or set these aside.",
        )
    if len(names) != n_algorithms:
        refuse_option(
            "reuse_pilot",
            f"needs pilots of all algorithms that will be compared, {n_algorithms}, and of no "
            f"others; there are pilots of {len(names)}. Use "
            f"{argument('n_algorithms', len(names))}, or keep the pilots of {n_algorithms}.",
        )


def _check_findable(model: Model, question: EffectName) -> None:
    """Raise if there is nothing to be found, however many runs there are."""
    effect, truth = model.assumptions.effect, model.truth()
    nothing = not truth.differences.any() and truth.on_curves is None
    if effect is None:
        if nothing or truth.lacks(question):
            msg = (
                f"The pilots show no difference {EFFECTS[question].how} beyond their noise. "
                f"State the smallest difference you care about: {argument('effect')}."
            )
            raise CurvesError(msg)
        return
    if nothing or effect.is_nothing:
        refuse_size(effect)
    if truth.lacks(question):
        other: EffectName = "interaction" if question == "algorithm" else "algorithm"
        msg = (
            f"With {effect} the algorithms do not differ {EFFECTS[question].how}, and no number "
            f"of runs finds it there. Use {argument('question', other)}."
        )
        raise OptionError(msg, option="question")
