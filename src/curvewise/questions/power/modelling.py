"""From what was asked to what is simulated: pilots, effect and noise, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

import numpy as np

from curvewise.data.curves import Curves
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.block_noise import BlockNoise, block_noise
from curvewise.inference.effects import OverallTest
from curvewise.inference.noise import AutoregressiveNoise, PilotNoise, pilot_noise
from curvewise.inference.requirements import (
    check_alpha,
    check_choice,
    check_curves,
    check_jobs,
    random_keys,
)
from curvewise.inference.scenarios import Scenario
from curvewise.questions.power.limits import (
    check_counts,
    check_n_algorithms,
    check_n_steps,
    check_ratio,
)
from curvewise.questions.power.result import Assumptions
from curvewise.questions.power.simulation import Simulation
from curvewise.questions.power.truth import observed_truth, stated_truth
from curvewise.text import argument, capitalised, did_you_mean, in_python, plural

if TYPE_CHECKING:
    from curvewise.inference.noise import Noise
    from curvewise.inference.requirements import RNGLike
    from curvewise.kernels import Floats
    from curvewise.questions.power.truth import Truth

__all__ = ["Effect", "Model", "modelled", "refuse_size"]

Effect = Scenario | Literal["observed"] | None


@dataclass(frozen=True, eq=False)
class Model:
    """What is simulated.

    Attributes
    ----------
    pilots : Curves or None
    simulation : Simulation
    assumptions : Assumptions
    base, steps : array, (n_steps,)
        The mean curve that is changed, and the steps of training.
    observed : Truth or None
        The differences of the pilots, where these are asked for.
    """

    pilots: Curves | None
    simulation: Simulation
    assumptions: Assumptions
    base: Floats = field(repr=False)
    steps: Floats = field(repr=False)
    observed: Truth | None = None

    def truth(self, size: float | None = None) -> Truth:
        """Return what is true: the effect, of another size if one is given."""
        effect = self.assumptions.effect
        if effect is None:
            assert self.observed is not None  # noqa: S101 (one of the two is there)
            return self.observed
        return stated_truth(
            effect if size is None else effect.with_size(size),
            self.base,
            self.steps,
            self.assumptions.height_sd,
            self.simulation.n_algorithms,
        )

    def of_size(self, size: float) -> Model:
        """Return the same with an effect of another size; one that was observed stays."""
        effect = self.assumptions.effect
        if effect is None:
            return self
        asked = replace(
            self.assumptions,
            effect=effect.with_size(size),
            lift=self.truth(size).lift,
        )
        return replace(self, assumptions=asked)

    def of_heights(self) -> tuple[Simulation, Truth]:
        """Return simulation and truth of curve means alone, where these can be drawn alone."""
        simulation, truth = self.simulation, self.truth()
        pilots = PilotNoise | BlockNoise
        noises = [noise for noise in simulation.noises if isinstance(noise, pilots)]
        if len(noises) < len(simulation.noises) or truth.on_curves is not None:
            return simulation, truth
        own = tuple(noise.of_heights() for noise in noises)
        return replace(simulation, noises=own), truth.of_heights()

    def range_factors(self) -> tuple[float, float]:
        """Return what effects are multiplied by at the ends of the range of power.

        If σ is the true standard deviation and s that of the pilots, ν s²/σ² is chi-squared with
        ν degrees of freedom: effects in units of σ may be √(χ²/ν) times those in units of s.
        """
        df = self.assumptions.noise_df
        if math.isinf(df):
            return 1.0, 1.0
        from scipy.special import chdtri

        tail = (1 - self.assumptions.confidence) / 2
        low, high = (float(chdtri(df, above)) for above in (1 - tail, tail))
        return math.sqrt(low / df), math.sqrt(high / df)


def modelled(
    pilots: Curves | None,
    question: str,
    *,
    effect: Effect,
    noise: Any,
    pool: bool,
    base: str | None,
    n_algorithms: int,
    ratio: float,
    blocks: bool,
    alpha: float,
    overall: OverallTest,
    n_experiments: int,
    n_shuffles: int,
    confidence: float,
    n_jobs: int,
    rng: RNGLike,
    label_blind: bool = False,
) -> Model:
    """Check what was asked, and return what is simulated.

    ``label_blind`` takes all pilots for runs of one algorithm, whose total spread is the noise.
    """
    _check_effect(effect)
    check_alpha(alpha)
    check_alpha(confidence, "confidence")
    check_choice("overall", overall, get_args(OverallTest))
    check_jobs(n_jobs)
    check_counts(n_experiments, n_shuffles)
    check_n_algorithms(n_algorithms)
    check_ratio(ratio, blocks=blocks)
    if pilots is not None:
        check_curves(pilots, question)
        _check_base(base, pilots)
        if label_blind:
            pilots = _unlabelled(pilots)
            base = None
        elif base is not None:
            others = (name for name in pilots.algorithms if name != base)
            pilots = pilots.select(base, *others)
    if effect == "observed":
        if pilots is None:
            _refuse_effect("without pilots no effect was observed")
        n_algorithms = len(pilots.algorithms)
        check_n_algorithms(max(n_algorithms, 2), observed=True)
    noises, kind, n_pilots = _noises(
        pilots, noise, pool=pool, blocks=blocks, n_algorithms=n_algorithms
    )
    n_steps = pilots.n_steps if pilots is not None else _n_steps(noises[0])
    check_n_steps(n_steps)
    mean = np.zeros(n_steps)
    steps = np.arange(n_steps, dtype=np.float64)
    if pilots is not None:
        mean = pilots.scores[pilots.codes == 0].mean(axis=0)
        steps = pilots.steps.astype(np.float64)
    elif isinstance(effect, Scenario) and effect.kind not in ("lift", "difference"):
        _refuse_effect(f"without pilots there is no mean curve for {effect}")
    height_sd = noises[0].height_sd
    keys = random_keys(rng, 2)
    simulation = Simulation(
        noises,
        n_algorithms,
        float(ratio),
        blocks,
        float(alpha),
        int(n_shuffles),
        overall == "combined",
        (keys[0], keys[1]),
    )
    stated = effect if isinstance(effect, Scenario) else None
    assumptions = Assumptions(
        effect=stated,
        effect_source="stated" if stated is not None else "observed, shrunk",
        base="" if pilots is None or label_blind else pilots.algorithms[0],
        n_pilots=n_pilots,
        noise=kind,
        noise_df=min(own.df for own in noises),
        height_sd=height_sd,
        lift=0.0,
        n_algorithms=n_algorithms,
        ratio=float(ratio),
        blocks=blocks,
        alpha=float(alpha),
        overall=overall,
        n_experiments=int(n_experiments),
        n_shuffles=int(n_shuffles),
        confidence=float(confidence),
    )
    observed = None
    if stated is None:
        assert pilots is not None  # noqa: S101 (refused above)
        observed = observed_truth(pilots, 0, steps, height_sd)
    model = Model(pilots, simulation, assumptions, mean, steps, observed)
    lift = model.truth().lift
    return replace(model, assumptions=replace(assumptions, lift=lift))


def _noises(
    pilots: Curves | None, noise: Any, *, pool: bool, blocks: bool, n_algorithms: int
) -> tuple[tuple[Noise, ...], str, int]:
    """Return the noise of each simulated algorithm, what kind it is, and of how many pilots."""
    if isinstance(noise, AutoregressiveNoise):
        if blocks:
            msg = (
                "Assumed noise says nothing about how runs of a block correlate. Give pilots in "
                f"blocks, or leave {argument('blocks')} out."
            )
            raise OptionError(msg, option="noise")
        if pilots is not None:
            noise = noise.with_steps(pilots.n_steps)
        return (noise,) * n_algorithms, str(noise), 0
    source, kind = pilots, noise
    if isinstance(noise, Curves):
        if pilots is not None and noise.n_steps != pilots.n_steps:
            msg = (
                f"The curves for {argument('noise')} have {plural(noise.n_steps, 'step')}, and "
                f"the pilots {pilots.n_steps}. Give curves with the steps of the pilots."
            )
            raise OptionError(msg, option="noise")
        source, kind = noise, "gaussian"
    if source is None:
        msg = (
            f"Without pilots, {argument('noise')} must say how runs vary: curves of something "
            "comparable, or noise(sd=…, correlation=…, n_steps=…)."
        )
        raise OptionError(msg, option="noise")
    if blocks:
        of_blocks = block_noise(source, kind, pool=pool)
        if len(source.algorithms) != n_algorithms:
            msg = (
                f"The blocks of the pilots hold {plural(len(source.algorithms), 'algorithm')}, "
                f"and blocks of {n_algorithms} are to be simulated. Keep as many algorithms."
            )
            raise CurvesError(msg)
        return (of_blocks,), kind, source.n_runs
    each = pilot_noise(source, kind, pool=pool)
    # The algorithms of the experiment are those of the pilots, the last one again if need be.
    noises = [each[min(place, len(each) - 1)] for place in range(n_algorithms)]
    return tuple(noises), kind, sum(size for size in source.sizes if size > 1)


def _unlabelled(pilots: Curves) -> Curves:
    """Return the pilots as runs of a single algorithm."""
    return Curves(
        pilots.scores,
        ["all"] * pilots.n_runs,
        pilots.steps,
        higher_is_better=pilots.higher_is_better,
        source=pilots.source,
        precision=pilots.precision,
        preparation=pilots.preparation,
    )


def _n_steps(noise: Noise) -> int:
    """Return the number of steps where only the noise tells it; raise where it does not."""
    if noise.n_steps is not None:
        return noise.n_steps
    return noise.draw(np.random.default_rng(0), 1).shape[1]


def _check_effect(effect: object) -> None:
    if effect is None:
        _refuse_effect("the difference to be found must be stated")
    if not isinstance(effect, Scenario) and effect != "observed":
        _refuse_effect(f"{effect!r} is no effect")


def _refuse_effect(why: str) -> NoReturn:
    example = in_python('effect=scenario("lift", 5)') or "--effect lift --size 5"
    msg = (
        f"{capitalised(why)}. Give the smallest difference you care about, such as a lift of 5 "
        f"points: {example}."
    )
    raise OptionError(msg, option="effect")


def refuse_size(effect: Scenario) -> NoReturn:
    """Raise for an effect that leaves all curves as they are."""
    msg = (
        f"With {effect} nothing differs, and no number of runs finds it. Give the smallest "
        f"difference you care about: {argument('size')}."
    )
    raise OptionError(msg, option="size")


def _check_base(base: str | None, pilots: Curves) -> None:
    if base is not None and base not in pilots.algorithms:
        msg = f"No algorithm is called {base!r}; {did_you_mean(str(base), pilots.algorithms)}"
        raise CurvesError(msg)
