"""What can be simulated at all: numbers that make sense, in bounded time and memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from curvewise.data.checks import check_jobs, check_whole, refuse_option
from curvewise.data.curves import MAX_SCORE, Curves
from curvewise.errors import refuse
from curvewise.inference.result import f_statistic
from curvewise.inference.simulate import (
    AutoregressiveNoise,
    BlockNoise,
    PilotNoise,
    Scenario,
    block_noise,
    pilot_noise,
)
from curvewise.inference.work import random_keys
from curvewise.kernels.anova import Design, rounding
from curvewise.kernels.compiling import compiler_is_loaded, worth_compiling
from curvewise.kernels.many_tables import TABLES_PER_SET, Spanned, rejections
from curvewise.kernels.relabel import n_relabellings, stream_key
from curvewise.questions.power.result import Assumptions
from curvewise.shuffling.visit import chunks_of, in_chunks, single_blas
from curvewise.text import (
    argument,
    capitalised,
    did_you_mean,
    in_python,
    plural,
    printable,
    shown_value,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.inference.asking import Asked
    from curvewise.inference.result import EffectName
    from curvewise.inference.simulate import Noise
    from curvewise.kernels import Booleans, Floats, Integers
    from curvewise.kernels.many_tables import Tests


MAX_RUNS = 10_000
MIN_EXPERIMENTS, MAX_EXPERIMENTS = 100, 1_000_000
MAX_SHUFFLES = 100_000
MAX_ALGORITHMS = 50
MAX_STEPS = 5_000
MAX_RATIO = 100
MAX_WEIGHTS = 2**26  # of runs in the sums of all shuffles: half a gigabyte


def check_n_steps(n_steps: int) -> None:
    """Raise if curves have more steps than can be simulated in reasonable time."""
    if n_steps > MAX_STEPS:
        how = in_python('read(…, n_steps=500, align="bins")')
        refuse(
            f"Curves of {n_steps:,} steps take too long to simulate; {MAX_STEPS:,} are the most. "
            f"Average neighbouring steps: {how or '--n-steps 500 --align bins'}."
        )


def check_ratio(ratio: float, *, blocks: bool) -> None:
    """Raise unless the runs of the first algorithm can be so many times those of another."""
    if not 1 / MAX_RATIO <= ratio <= MAX_RATIO:
        refuse_option(
            "ratio",
            f"must be positive, from {1 / MAX_RATIO:g} to {MAX_RATIO}, such as 4 for four runs of "
            f"the first algorithm to one of the other; it is {ratio:g}.",
        )
    if blocks and ratio != 1:
        refuse(
            f"Blocks hold one run of each algorithm: {argument('ratio')} must be 1 with them.",
            option="ratio",
        )


# --- What is true in a simulated experiment: mean curves, stated or estimated from pilots.

MIN_PILOTS_TO_OBSERVE = 3  # of each algorithm; fewer tell next to nothing about a difference
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
        refuse(
            f"With {scenario} scores are so large that they overflow when squared. Give the "
            f"smallest difference you care about: {argument('size')}.",
            option="size",
        )
    on_curves = scenario if scenario.on == "curves" else None
    return Truth(base, differences, steps, height_sd, on_curves)


def observed_truth(pilots: Curves, steps: Floats, height_sd: float) -> Truth:
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
        refuse(
            f"An observed effect needs at least {MIN_PILOTS_TO_OBSERVE} pilots of each of two "
            f"algorithms, and {has}. State the smallest difference you care about: "
            f"{argument('effect')}."
        )
    codes = range(len(pilots.algorithms))
    means = np.stack([pilots.scores[pilots.codes == code].mean(axis=0) for code in codes])
    differences = means - means[0]
    heights = differences.mean(axis=1, keepdims=True)
    kept = _kept_parts(pilots)
    shrunk = kept[0] * heights + kept[1] * (differences - heights)
    return Truth(means[0], shrunk, steps, height_sd)


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


# --- Simulated experiments: runs with noise around mean curves, each tested as `compare` does.
#
# Run j of an algorithm in experiment r is the same however many runs there are, so that power rises
# with their number although it is simulated; and the same whatever the size of the effect.

# What is counted: the tests that are significant, and the parts that `compare` claims, where the
# overall test is significant too.
COUNTED = ("overall", "algorithm", "interaction", "claimed algorithm", "claimed interaction")

# Experiments whose noise is drawn together: a number that memory does not depend on.
AT_ONCE = 50
MAX_SCORES_AT_ONCE = 2**24
# Steps × shuffles × experiments beyond which compiled code is faster, its import included.
COMPILE_ABOVE_STEPS_TIMES_SHUFFLES = 300_000_000


@dataclass(frozen=True, eq=False)
class Model:
    """What is simulated, and how each experiment is tested.

    Attributes
    ----------
    pilots : Curves or None
    noises : tuple of Noise
        That of each algorithm; with blocks one, of blocks with the curves side by side.
    truth : Truth
    assumptions : Assumptions
    keys : tuple of int
        Where noise and shuffles come from.
    """

    pilots: Curves | None
    noises: tuple[Noise, ...] = field(repr=False)
    truth: Truth
    assumptions: Assumptions
    keys: tuple[int, ...]

    def of_size(self, size: float) -> Model:
        """Return the same with an effect of another size; one that was observed stays."""
        if self.assumptions.effect is None:
            return self
        effect = self.assumptions.effect.with_size(size)
        base, steps, height_sd = self.truth.base, self.truth.steps, self.truth.height_sd
        truth = stated_truth(effect, base, steps, height_sd, self.assumptions.n_algorithms)
        assumptions = replace(self.assumptions, effect=effect, lift=truth.lift)
        return replace(self, truth=truth, assumptions=assumptions)

    def of_heights(self) -> Model:
        """Return the model of curve means alone, where these can be drawn alone; else this one."""
        noises = [own for own in self.noises if isinstance(own, PilotNoise | BlockNoise)]
        if len(noises) < len(self.noises) or self.truth.on_curves is not None:
            return self
        own = tuple(noise.of_heights() for noise in noises)
        return replace(self, noises=own, truth=self.truth.of_heights())

    def range_factors(self) -> tuple[float, ...]:
        """Return what effects are multiplied by: 1, then at the ends of the range of power.

        If σ is the true standard deviation and s that of the pilots, ν s²/σ² is chi-squared with
        ν degrees of freedom: effects in units of σ may be √(χ²/ν) times those in units of s.
        Where the spread is assumed there is no range.
        """
        df = self.assumptions.noise_df
        if math.isinf(df):
            return (1.0,)
        from scipy.special import chdtri

        tail = (1 - self.assumptions.confidence) / 2
        return (1.0, *(math.sqrt(float(chdtri(df, above)) / df) for above in (1 - tail, tail)))

    def sizes(self, n_runs: int) -> tuple[int, ...]:
        """Return the runs of each algorithm, where the others than the first have ``n_runs``."""
        first = max(math.floor(self.assumptions.ratio * n_runs + 0.5), 1)
        return (first, *[n_runs] * (self.assumptions.n_algorithms - 1))

    def design(self, n_runs: int) -> tuple[Integers, Integers]:
        """Return the algorithm and the block of each run."""
        n_algorithms = self.assumptions.n_algorithms
        labels = np.repeat(np.arange(n_algorithms), self.sizes(n_runs))
        if self.assumptions.blocks:
            return labels, np.tile(np.arange(n_runs), n_algorithms)
        return labels, np.zeros_like(labels)

    def smallest_n(self) -> int:
        """Return the fewest runs with which p can be as small as alpha, whatever the shuffles."""
        asked, n_runs = self.assumptions, 1
        while (
            sum(self.sizes(n_runs)) <= asked.n_algorithms
            or 1 / n_relabellings(*self.design(n_runs)) > asked.alpha
        ):
            n_runs += 1
        return n_runs

    def check_memory(self, n_runs: int) -> None:
        """Raise if the shuffles of an experiment with so many runs take too much memory."""
        asked, n_all = self.assumptions, sum(self.sizes(n_runs))
        size = (asked.n_algorithms - 1) * n_all
        if size * asked.n_shuffles > MAX_WEIGHTS:
            most = max(MAX_WEIGHTS // size, 10)
            refuse(
                f"{asked.n_shuffles:,} shuffles of experiments with {plural(n_all, 'run')} of "
                f"{asked.n_algorithms} algorithms take too much memory. Use fewer runs, or "
                f"{argument('n_shuffles', 10 ** int(math.log10(most)) - 1)}.",
                option="n_shuffles",
            )

    def n_rejected(
        self,
        n_runs: int,
        cases: Sequence[tuple[Truth, float, int]],
        *,
        first: int = 0,
        n_jobs: int = 1,
        tests: Tests = "all",
    ) -> Integers:
        """Simulate experiments with so many runs; return how often each test rejects.

        A case is a truth, what its differences are multiplied by, and how many experiments there
        are of it. Returns (n_cases, 5), in the order of `COUNTED`. The experiments before the
        ``first``, a multiple of `AT_ONCE`, are left out. ``tests`` are those of `rejections`:
        counts of what is not asked there mean nothing.
        """
        self.check_memory(n_runs)
        most = max(number for *_, number in cases)
        n_scores = sum(self.sizes(n_runs)) * self.truth.base.size
        n_parts = max(min(MAX_SCORES_AT_ONCE // n_scores, TABLES_PER_SET) // AT_ONCE, 1)
        chunks = chunks_of(range(first, most), n_parts * AT_ONCE)
        # It is faster to compile where NumPy would take seconds, or where it is done already.
        n_relabelled = min(n_relabellings(*self.design(n_runs)), self.assumptions.n_shuffles)
        work = sum(number for *_, number in cases) * n_relabelled * self.truth.base.size
        large = work >= COMPILE_ABOVE_STEPS_TIMES_SHUFFLES
        compiled = worth_compiling(large or compiler_is_loaded())
        count = partial(self._chunk, n_runs, cases, tests, compiled)
        with single_blas():
            return np.sum([own for _, own in in_chunks(count, chunks, n_jobs=n_jobs)], axis=0)

    def _chunk(
        self,
        n_runs: int,
        cases: Sequence[tuple[Truth, float, int]],
        tests: Tests,
        compiled: bool,  # noqa: FBT001 (always given by place)
        chunk: range,
    ) -> Integers:
        """Count the rejections among some experiments."""
        labels, blocks = self.design(n_runs)
        test = partial(
            rejections,
            labels=labels,
            blocks=blocks,
            alpha=self.assumptions.alpha,
            n_shuffles=self.assumptions.n_shuffles,
            combined=self.assumptions.overall == "combined",
            tests=tests,
            compiled=compiled,
        )
        noise = self._noise(n_runs, chunk)
        counts = np.zeros((len(cases), len(COUNTED)), dtype=np.int64)
        # Cases with fewer experiments have the first of them.
        stops = sorted({min(number - chunk.start, len(chunk)) for *_, number in cases})
        start = 0
        for stop in (stop for stop in stops if stop > 0):
            part = noise.part(slice(start, stop))
            here = [row for row, case in enumerate(cases) if case[2] - chunk.start >= stop]
            key = int(stream_key(self.keys[1], chunk.start + start))
            moved = [row for row in here if cases[row][0].on_curves is None]
            if moved:
                shifts = [cases[row][0].shift(labels, cases[row][1]) for row in moved]
                counts[moved] += _counted(test(part, key=key, shifts=np.stack(shifts)))
            for row in set(here) - set(moved):
                truth, times, _ = cases[row]
                scores = truth.changed(part.scores(), labels, times)
                counts[row] += _counted(test(scores, key=key))[0]
            start = stop
        return counts

    def _noise(self, n_runs: int, chunk: range) -> Spanned:
        """Return the noise of some experiments, the first of which is a multiple of `AT_ONCE`."""
        each = [self._drawn(n_runs, start) for start in chunk[::AT_ONCE]]
        drawn = np.concatenate(each)[: len(chunk)]
        mixed = self._mixed()
        if not mixed:
            return Spanned(drawn)
        return Spanned.of(drawn, np.concatenate([noise.basis for noise in mixed]))

    def _mixed(self) -> list[PilotNoise]:
        """Return the different noises where all are mixtures of curves; else none."""
        mixed = {id(noise): noise for noise in self.noises if isinstance(noise, PilotNoise)}
        return list(mixed.values()) if mixed.keys() == set(map(id, self.noises)) else []

    def _drawn(self, n_runs: int, start: int) -> Floats:
        """Return the noise of the experiments from ``start`` on; (AT_ONCE, n_runs, n).

        That is the amounts of what is mixed, one noise after the other; else n is the steps.
        """
        n_algorithms = self.assumptions.n_algorithms
        streams = np.random.SeedSequence(self.keys[0], spawn_key=(start,)).spawn(n_algorithms)
        rngs = map(np.random.default_rng, streams)
        if self.assumptions.blocks:
            # Blocks one after the other, each with its curves side by side.
            drawn = self.noises[0].draw(next(rngs), n_runs * AT_ONCE)
            each = drawn.reshape(n_runs, AT_ONCE, n_algorithms, -1)
            return each.transpose(1, 2, 0, 3).reshape(AT_ONCE, n_algorithms * n_runs, -1)
        mixed, parts = self._mixed(), []
        for noise, rng, size in zip(self.noises, rngs, self.sizes(n_runs), strict=True):
            n_all = size * AT_ONCE
            drawn = np.concatenate(
                [
                    each.draw_amounts(rng, n_all)
                    if each is noise
                    else np.zeros((n_all, len(each.residuals)))
                    for each in mixed
                ]
                or [noise.draw(rng, n_all)],
                axis=1,
            )
            parts.append(drawn.reshape(size, AT_ONCE, -1))
        return np.concatenate(parts).transpose(1, 0, 2)


def claim_of(question: EffectName) -> int:
    """Return which of the counts has what is claimed; of any difference, its test."""
    return COUNTED.index(question if question == "overall" else f"claimed {question}")


def _counted(found: Booleans) -> Integers:
    """Count what was found; (n_cases, 3, n_tables) becomes (n_cases, 5)."""
    claimed = found[:, 1:] & found[:, :1]
    return np.concatenate([found, claimed], axis=1).sum(axis=2)


# --- From what was asked to what is simulated: pilots, effect and noise, checked.

Effect = Scenario | Literal["observed"] | None


def modelled(asked: Asked, *, label_blind: bool = False) -> Model:
    """Check what was asked, and return what is simulated.

    ``label_blind`` takes all pilots for runs of one algorithm, whose total spread is the noise.
    """
    pilots, effect, n_algorithms = asked.pilots, asked.effect, asked.n_algorithms
    if effect is None:
        _refuse_effect("the difference to be found must be stated")
    if not isinstance(effect, Scenario) and not (isinstance(effect, str) and effect == "observed"):
        _refuse_effect(f"{shown_value(effect)} is no effect")
    check_jobs(asked.n_jobs)
    check_whole("n_experiments", asked.n_experiments, MIN_EXPERIMENTS, MAX_EXPERIMENTS)
    check_whole("n_shuffles", asked.n_shuffles, 1, MAX_SHUFFLES)
    check_whole("n_algorithms", n_algorithms, 2, MAX_ALGORITHMS)
    check_ratio(asked.ratio, blocks=asked.blocks)
    if pilots is not None:
        names = pilots.algorithms
        first = names[0] if asked.base is None else asked.base
        if first not in names:
            refuse(f"No algorithm is called {first!r}; {did_you_mean(str(first), names)}")
        if label_blind:
            pilots = _unlabelled(pilots)
        elif first != names[0]:
            pilots = pilots.select(first, *(name for name in names if name != first))
    if effect == "observed":
        if pilots is None:
            _refuse_effect("without pilots no effect was observed")
        n_algorithms = len(pilots.algorithms)
        if n_algorithms > MAX_ALGORITHMS:
            refuse(
                f"The pilots are of {n_algorithms} algorithms, and experiments with more than "
                f"{MAX_ALGORITHMS} are not simulated. Keep the algorithms that will be compared."
            )
    noises, kind, n_pilots = _noises(
        pilots, asked.noise, pool=asked.pool, blocks=asked.blocks, n_algorithms=n_algorithms
    )
    n_steps = int(noises[0].n_steps or 0)
    check_n_steps(n_steps)
    mean, steps = np.zeros(n_steps), np.arange(float(n_steps))
    if pilots is not None:
        mean = pilots.scores[pilots.codes == 0].mean(axis=0)
        steps = pilots.steps.astype(np.float64)
    elif effect.kind not in ("lift", "difference"):
        _refuse_effect(f"without pilots there is no mean curve for {effect}")
    height_sd, keys = noises[0].height_sd, random_keys(asked.rng, 2)
    if isinstance(effect, Scenario):
        truth = stated_truth(effect, mean, steps, height_sd, n_algorithms)
    else:
        truth = observed_truth(pilots, steps, height_sd)
    assumptions = Assumptions(
        effect=effect if isinstance(effect, Scenario) else None,
        effect_source="stated" if isinstance(effect, Scenario) else "observed, shrunk",
        base="" if pilots is None or label_blind else pilots.algorithms[0],
        n_pilots=n_pilots,
        noise=kind,
        noise_df=min(own.df for own in noises),
        height_sd=height_sd,
        lift=truth.lift,
        n_algorithms=n_algorithms,
        ratio=asked.ratio,
        blocks=asked.blocks,
        alpha=asked.alpha,
        overall=asked.overall,
        n_experiments=int(asked.n_experiments),
        n_shuffles=int(asked.n_shuffles),
        confidence=asked.confidence,
    )
    return Model(pilots, noises, truth, assumptions, tuple(keys))


def _noises(
    pilots: Curves | None, noise: Any, *, pool: bool, blocks: bool, n_algorithms: int
) -> tuple[tuple[Noise, ...], str, int]:
    """Return the noise of each simulated algorithm, what kind it is, and of how many pilots."""
    if isinstance(noise, AutoregressiveNoise):
        if blocks:
            refuse(
                "Assumed noise says nothing about how runs of a block correlate. Give pilots in "
                f"blocks, or leave {argument('blocks')} out.",
                option="noise",
            )
        n_steps = noise.known_steps() if pilots is None else pilots.n_steps
        return (noise.with_steps(n_steps),) * n_algorithms, str(noise), 0
    source, kind = pilots, noise
    if isinstance(noise, Curves):
        if pilots is not None and noise.n_steps != pilots.n_steps:
            refuse(
                f"The curves for {argument('noise')} have {plural(noise.n_steps, 'step')}, and "
                f"the pilots {pilots.n_steps}. Give curves with the steps of the pilots.",
                option="noise",
            )
        source, kind = noise, "gaussian"
    if source is None:
        refuse(
            f"Without pilots, {argument('noise')} must say how runs vary: curves of something "
            "comparable, or noise(sd=…, correlation=…, n_steps=…).",
            option="noise",
        )
    if blocks:
        of_blocks = block_noise(source, kind, pool=pool)
        if len(source.algorithms) != n_algorithms:
            refuse(
                f"The blocks of the pilots hold {plural(len(source.algorithms), 'algorithm')}, "
                f"and blocks of {n_algorithms} are to be simulated. Keep as many algorithms."
            )
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


def _refuse_effect(why: str) -> NoReturn:
    example = in_python('effect=scenario("lift", 5)') or "--effect lift --size 5"
    refuse(
        f"{capitalised(why)}. Give the smallest difference you care about, such as a lift of 5 "
        f"points: {example}.",
        option="effect",
    )
