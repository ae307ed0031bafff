"""How many runs are needed? The smallest number whose simulated power is enough."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import numpy as np

from curvewise.data.choices import refuse_option
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.effects import EFFECTS, EffectName, Interval
from curvewise.inference.requirements import check_alpha, check_choice
from curvewise.inference.sampling import known_seed
from curvewise.questions.plan.caveats import NotReachable, PairsTooFew
from curvewise.questions.plan.pairing import pairing_of
from curvewise.questions.plan.result import Plan
from curvewise.questions.plan.search import Search, spaced, starting_n
from curvewise.questions.power.caveats import model_caveats, quiet_step
from curvewise.questions.power.modelling import modelled, refuse_size
from curvewise.questions.power.simulation import smallest_n
from curvewise.shuffling.parallel import track_items
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import OverallTest
    from curvewise.inference.noise import AutoregressiveNoise, NoiseKind
    from curvewise.inference.requirements import RNGLike
    from curvewise.questions.power.modelling import Effect, Model

__all__ = ["plan"]

ROWS: tuple[EffectName, ...] = ("overall", "algorithm", "interaction")
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
    number is found whose power is enough, and that of the next one too.

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
        Which difference: in height, in shape, or any.
    cautious : bool
        Whether to plan as if runs varied as much more than the pilots as these leave open.
    max_runs : int
        The most runs of each algorithm to consider.
    reuse_pilot : bool
        Whether the pilots will stay in the data, among the runs that are planned. The plan then
        looks at the spread of all pilots together, and not at who is who: otherwise the final
        test would give more false alarms than alpha.
    noise, pool, base, n_algorithms, ratio, blocks, alpha, overall
        As in `estimate_power`.
    n_experiments, n_shuffles, confidence, n_jobs, rng
        As in `estimate_power`; experiments are those of each number of runs that is tried.

    Returns
    -------
    Plan
        How many runs, the range that the uncertain spread of the pilots leaves open, and the
        powers of all numbers that were tried.

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
    (9, Interval(low=6.0, high=22.0), 4)
    """
    check_alpha(power, "power")
    check_choice("question", question, get_args(EffectName))
    _check_most(max_runs)
    if reuse_pilot:
        _check_reuse(pilots, effect, labelled=base is not None or not pool, blocks=blocks)
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
        at_least = max(least, *pilots.sizes)
    if max_runs < at_least:
        msg = (
            f"{argument('max_runs')} must be at least {at_least}, the fewest runs of each with "
            f"which anything could be significant; it is {max_runs}."
        )
        raise OptionError(msg, option="max_runs")
    searches, needed = _searched(
        model, question, power, (at_least, int(max_runs)), n_jobs
    )
    estimate, ends = needed[0], Interval(min(needed), max(needed))
    wanted = ends.high if cautious else estimate
    n_runs = int(min(wanted, max_runs))
    decisive = searches[1 if cautious else 0]
    return Plan(
        n_runs=n_runs,
        n_estimate=estimate,
        n_runs_range=ends,
        sizes=model.simulation.sizes(n_runs),
        reachable=math.isfinite(wanted),
        power=float(power),
        power_at=searches[0].power_at,
        power_at_ends=(searches[1].power_at, searches[2].power_at),
        smallest_n=least,
        question=question,
        cautious=cautious,
        reuse_pilot=reuse_pilot,
        pairing=None if pilots is None else pairing_of(pilots, 0.95),
        max_runs=int(max_runs),
        assumptions=model.assumptions,
        caveats=(
            *_plan_caveats(model, decisive, wanted),
            *(quiet_step(model) if question == "overall" else ()),
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
) -> tuple[list[Search], list[float]]:
    """Search at the estimate, then if runs vary more and less; return what each takes."""
    asked = model.assumptions
    simulation, truth, row = model.simulation, model.truth(), ROWS.index(question)
    lift = truth.lift
    if question == "algorithm":
        simulation, truth = model.of_heights()
    factors = model.range_factors()
    searches: list[Search] = []
    needed: list[float] = []

    def powers(times: float) -> Callable[[int], float]:
        def of(n_runs: int) -> float:
            counts = simulation.n_rejected(
                n_runs,
                [(truth, times, asked.n_experiments)],
                n_jobs=n_jobs,
                height_only=question == "algorithm",
            )
            return float(counts[0, row]) / asked.n_experiments

        return of

    several = (1.0, *factors) if factors != (1.0, 1.0) else (1.0,)
    for times in track_items(several):
        search = Search(powers(times), power, *bounds)
        start = FIRST_TRY * bounds[0]
        if question == "algorithm":
            in_sds = times * lift / asked.height_sd
            start = starting_n(in_sds, power, asked.alpha, asked.ratio, bounds[1])
        found = search.smallest_n(start)
        searches.append(search)
        needed.append(math.inf if found is None else float(found))
    if question == "algorithm":
        # Heights are quickly simulated: the whole of the lines can be drawn.
        most = max(min(n, bounds[1]) for n in needed)
        for search in searches:
            for n_runs in spaced(bounds[0], int(most)):
                search.power(n_runs)
    if len(several) == 1:
        searches, needed = searches * 3, needed * 3
    return searches, needed


def _plan_caveats(model: Model, decisive: Search, wanted: float) -> Iterator[Caveat]:
    if math.isinf(wanted):
        most = decisive.largest
        yield NotReachable(most, decisive.power_at[most], decisive.enough)
    if model.simulation.in_blocks:
        unpaired = replace(model.simulation, in_blocks=False)
        yield PairsTooFew(smallest_n(model.simulation), smallest_n(unpaired))


def _check_most(max_runs: object) -> None:
    if not isinstance(max_runs, int | np.integer) or max_runs < 2:
        refuse_option("max_runs", f"must be an integer of at least 2, not {max_runs!r}.")


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
