"""How many runs are needed? The smallest number whose simulated power is enough."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from operator import lt
from typing import TYPE_CHECKING

from curvewise.data.checks import check_whole, refuse_option
from curvewise.data.curves import Curves
from curvewise.errors import refuse
from curvewise.inference.asking import Number, RNGLike, Share, asked_of, question
from curvewise.inference.result import EFFECTS, EffectName, Interval, OverallTest
from curvewise.inference.simulate import AutoregressiveNoise, NoiseKind
from curvewise.inference.work import known_seed
from curvewise.questions.plan.method import Claims, pairing_of, smallest_enough, spaced, starting_n
from curvewise.questions.plan.result import NotReachable, PairsTooFew, Plan
from curvewise.questions.power.method import MAX_RUNS, Effect, modelled
from curvewise.questions.power.result import model_caveats, quiet_step
from curvewise.shuffling.visit import track_items
from curvewise.text import argument, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from curvewise.inference.asking import Asked
    from curvewise.inference.caveats import Caveat
    from curvewise.questions.power.method import Model


# Where nothing better is known, the search starts from so many times the smallest number.
FIRST_TRY = 2


@question()
def plan(
    pilots: Curves | None,
    *,
    effect: Effect = None,
    power: Share = 0.8,
    question: EffectName = "algorithm",
    cautious: bool = False,
    max_runs: int = 200,
    reuse_pilot: bool = False,
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
) -> Plan:
    """Find out how many runs it takes to find a difference with enough power.

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
    asked = asked_of(plan, **locals())
    check_whole("max_runs", max_runs, 2, MAX_RUNS)
    if reuse_pilot:
        _check_reuse(asked)
    model = modelled(asked, label_blind=reuse_pilot)
    _check_findable(model, question)
    least = at_least = model.smallest_n()
    if reuse_pilot and pilots is not None:
        while any(map(lt, model.sizes(at_least), pilots.sizes)):
            at_least += 1
    if max_runs < at_least:
        why = "the fewest runs of each with which anything could be significant"
        if at_least > least:
            why = "as many as the pilots have, which count among the runs"
        refuse_option("max_runs", f"must be at least {at_least}, {why}; it is {max_runs}.")
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
        sizes=model.sizes(n_runs),
        reachable=math.isfinite(wanted),
        power=asked.power,
        power_at=estimated.power_at,
        power_at_ends=(more.power_at, less.power_at),
        test_power_at=estimated.test_power_at,
        test_power_at_ends=(more.test_power_at, less.test_power_at),
        smallest_n=least,
        question=question,
        cautious=cautious,
        reuse_pilot=reuse_pilot,
        pairing=None if pilots is None else pairing_of(pilots),
        max_runs=int(max_runs),
        assumptions=model.assumptions,
        caveats=(
            *_plan_caveats(model, decisive.power_at, asked.power, int(max_runs), wanted),
            *quiet_step(model),
            *model_caveats(model, pool=pool),
        ),
        seed=known_seed(rng),
        source="" if pilots is None else pilots.source,
        preparation=None if pilots is None else pilots.preparation,
    )


def _searched(
    model: Model, question: EffectName, power: float, bounds: tuple[int, int], n_jobs: int
) -> tuple[list[Claims], list[float]]:
    """Search at the estimate, then if runs vary more, and less.

    Returns what was found out on the way, and how many runs each takes. All searches see the same
    experiments: the more runs vary, the more of them it takes.
    """
    smallest, largest = bounds
    tried = [Claims(model, question, times, n_jobs) for times in model.range_factors()]
    needed: list[float] = []
    parts: list[Claims | None] = [*tried, None]
    for claims in track_items(parts):
        if claims is None:
            # Powers in between, so that lines can be drawn through them.
            most = int(max(min(n, largest) for n in needed))
            for n_runs in spaced(smallest, most):
                for own in tried:
                    if n_runs not in own.power_at:
                        own.roughly(n_runs)
            continue
        # If runs vary more than at the estimate, no fewer of them are enough; if less, no more.
        least, most = smallest, largest
        if claims.times < 1:
            least = int(min(needed[0], largest))
        if claims.times > 1:
            most = int(min(needed[0], largest))
        found = _smallest(claims, power, least, most)
        # At the end that is no more than the estimate, which is known to be enough.
        if found is None and most < largest:
            found = most
        needed.append(math.inf if found is None else float(found))
    return (tried, needed) if len(tried) > 1 else (tried * 3, needed * 3)


def _smallest(claims: Claims, power: float, least: int, most: int) -> int | None:
    """Return the smallest number of runs with enough power; None if the most are not enough."""
    start = FIRST_TRY * least
    if claims.question == "algorithm":
        # No fewer are enough for a claim than for the test of height, of the same experiments.
        asked = claims.model.assumptions
        in_sds = claims.times * asked.lift / asked.height_sd
        guess = starting_n(in_sds, power, asked.alpha, asked.ratio, most)
        start = least = smallest_enough(claims.of_heights, power, least, most, guess) or most
    start = smallest_enough(claims.roughly, power, least, most, start) or most
    return smallest_enough(claims.surely, power, least, most, start)


def _plan_caveats(
    model: Model, powers: Mapping[int, float], power: float, most: int, wanted: float
) -> Iterator[Caveat]:
    if math.isinf(wanted):
        yield NotReachable(most, powers[most], power)
    if model.assumptions.blocks:
        unpaired = replace(model, assumptions=replace(model.assumptions, blocks=False))
        yield PairsTooFew(model.smallest_n(), unpaired.smallest_n())


def _check_reuse(asked: Asked) -> None:
    """Raise unless pilots of all algorithms may stay, whose labels are then not looked at."""
    pilots, n_algorithms = asked.pilots, asked.n_algorithms
    refuse_reuse = partial(refuse_option, "reuse_pilot")
    if pilots is None:
        refuse_reuse("is for pilots, and there are none.")
    if asked.effect == "observed":
        refuse_reuse(
            "does not go with an observed effect: who is who must not be looked at, or the "
            "final test would give too many false alarms. State the effect."
        )
    if asked.base is not None or not asked.pool:
        refuse_reuse(
            f"takes all pilots together: {argument('base')} and {argument('pool', value=False)} "
            "would look at who is who."
        )
    if asked.blocks:
        refuse_reuse(
            "does not go with blocks, whose correlation is told by who is who. Set the pilots "
            "aside, or plan without blocks."
        )
    names = pilots.algorithms
    if len(names) == 1:
        refuse_reuse(
            f"needs pilots of all algorithms that will be compared, and there are only those of "
            f"{printable(names[0])}: their spread is the spread within an algorithm, and to plan "
            "by it gives the final test too many false alarms. Train pilots of the others too, "
            "or set these aside."
        )
    if len(names) != n_algorithms:
        refuse_reuse(
            f"needs pilots of all algorithms that will be compared, {n_algorithms}, and of no "
            f"others; there are pilots of {len(names)}. Use "
            f"{argument('n_algorithms', len(names))}, or keep the pilots of {n_algorithms}."
        )


def _check_findable(model: Model, question: EffectName) -> None:
    """Raise if there is nothing to be found, however many runs there are."""
    effect, truth = model.assumptions.effect, model.truth
    nothing = not truth.differences.any() and truth.on_curves is None
    if effect is None:
        if nothing or truth.lacks(question):
            refuse(
                f"The pilots show no difference {EFFECTS[question].how} beyond their noise. "
                f"State the smallest difference you care about: {argument('effect')}."
            )
        return
    if nothing or effect.is_nothing:
        refuse(
            f"With {effect} nothing differs, and no number of runs finds it. Give the smallest "
            f"difference you care about: {argument('size')}.",
            option="size",
        )
    if truth.lacks(question):
        other: EffectName = "interaction" if question == "algorithm" else "algorithm"
        refuse(
            f"With {effect} the algorithms do not differ {EFFECTS[question].how}, and no number "
            f"of runs finds it there. Use {argument('question', other)}.",
            option="question",
        )
