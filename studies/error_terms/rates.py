"""How often the shuffle test finds each effect, by both error terms, as one effect grows.

One data set is tested at every size of the effect with the same noise and the same
shuffles, so rates at different sizes, and of both error terms, are compared in pairs.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from studies.anovas import Ratios, f_ratios, random_halves
from studies.sources.modifications import modified

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "ALPHA",
    "EFFECTS",
    "ERRORS",
    "Design",
    "Interval",
    "Rates",
    "all_halves",
    "autoregressive",
    "limits",
    "p_values",
    "profile",
    "rates_of_autoregressive",
    "rates_of_modified",
    "shuffled_halves",
]

Floats = npt.NDArray[np.float64]

ALPHA = 0.05
ERRORS = ("pooled", "split")
EFFECTS = ("algorithm", "interaction")
CORRELATION = 0.9
TIED = 1e-9  # relative: the same relabelling may be summed in another order
ZERO = 1e-12  # F of groups with equal means, which rounding leaves a little above 0


class Interval(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


class Design(NamedTuple):
    """Two algorithms with equally many runs; ``n_shuffles`` is 0 for all relabellings."""

    n_runs: int
    n_steps: int
    n_shuffles: int

    @property
    def attained(self) -> float:
        """The largest level up to alpha that the test can have."""
        if self.n_shuffles:
            return float(np.floor(ALPHA * (1 + self.n_shuffles) + TIED)) / (
                1 + self.n_shuffles
            )
        n_distinct = comb(2 * self.n_runs, self.n_runs) // 2
        return float(np.floor(ALPHA * n_distinct)) / n_distinct


@dataclass(frozen=True)
class Rates:
    """In how many of ``n_sets`` data sets each effect was found, at each size.

    ``found[effect][error]`` has a count for each size; ``only_split`` and ``only_pooled``
    count the data sets in which one error term found the effect and the other did not;
    ``moved[effect][error]`` those whose p differs at any size from that at the first.
    """

    sizes: list[float]
    n_sets: int
    found: dict[str, dict[str, list[int]]]
    only_split: dict[str, list[int]]
    only_pooled: dict[str, list[int]]
    moved: dict[str, dict[str, int]]

    def plain(self) -> dict[str, Any]:
        """Return what can be kept, and given to ``Rates(**plain)``."""
        return asdict(self)

    def share(self, effect: str, error: str) -> Floats:
        """Return the share of data sets in which the effect was found, at each size."""
        return np.array(self.found[effect][error]) / self.n_sets

    def interval(self, effect: str, error: str, level: float = 0.95) -> list[Interval]:
        """Return the Clopper–Pearson interval of each share."""
        from scipy.special import betaincinv

        tail = (1 - level) / 2
        ends = []
        for count in self.found[effect][error]:
            rest = self.n_sets - count
            low = betaincinv(count, rest + 1, tail) if count else 0.0
            high = betaincinv(count + 1, rest, 1 - tail) if rest else 1.0
            ends.append(Interval(float(low), float(high)))
        return ends

    def gain(self, effect: str, z: float = 1.96) -> list[tuple[float, Interval]]:
        """Return how much more often split finds the effect than pooled, with an interval.

        Both saw the same data, so only data sets on which they disagree count; half a
        data set is added to either side, which keeps the interval open without any.
        """
        gains = []
        for split, pooled in zip(
            self.only_split[effect], self.only_pooled[effect], strict=True
        ):
            difference = (split - pooled) / self.n_sets
            spread = split + pooled + 1 - (split - pooled) ** 2 / self.n_sets
            half = z * float(np.sqrt(spread)) / self.n_sets
            gains.append((difference, Interval(difference - half, difference + half)))
        return gains


def autoregressive(rng: np.random.Generator, n_runs: int, n_steps: int) -> Floats:
    """Return AR(1) curves: correlation .9 between neighbouring steps, variance 1."""
    noise = rng.normal(size=(n_runs, n_steps))
    curves = noise.copy()
    for step in range(1, n_steps):
        fresh = np.sqrt(1 - CORRELATION**2) * noise[:, step]
        curves[:, step] = CORRELATION * curves[:, step - 1] + fresh
    return curves


def profile(kind: str, n_steps: int) -> Floats:
    """Return what is added to one algorithm, with root mean square 1.

    "parallel" is the same at every step; "crossing" is a straight line through zero in the
    middle, which changes no curve's mean.
    """
    if kind == "parallel":
        return np.ones(n_steps)
    line = np.linspace(-1.0, 1.0, n_steps)
    return np.asarray(line / np.sqrt(np.mean(line**2)))


def all_halves(n_runs: int) -> Floats:
    """Return every choice of ``n_runs`` of twice as many runs, the observed one first."""
    chosen = list(combinations(range(2 * n_runs), n_runs))
    halves = np.zeros((len(chosen), 2 * n_runs))
    np.put_along_axis(halves, np.array(chosen), 1.0, axis=1)
    return halves


def shuffled_halves(design: Design, rng: np.random.Generator) -> Floats:
    """Return the observed choice of half of the runs, and random ones after it."""
    observed = np.repeat([[1.0, 0.0]], design.n_runs, axis=1)
    return np.vstack([observed, random_halves(2 * design.n_runs, design.n_shuffles, rng)])


def p_values(curves: Floats, halves: Floats) -> Ratios:
    """Return p of both effects by both error terms; the first of the halves is observed.

    With all relabellings this is the exact p, with z random ones (1 + count) / (1 + z).
    """
    ratios = f_ratios(curves, halves)
    return Ratios(*(np.mean(f >= f[0] * (1 - TIED) - ZERO) for f in ratios))


def rates_of_autoregressive(
    design: Design, kind: str, sizes: Sequence[float], n_sets: int, seed: Sequence[int]
) -> Rates:
    """Find effects in AR(1) curves, one algorithm changed by ``sizes`` of a profile."""
    rng = np.random.default_rng(seed)
    added = profile(kind, design.n_steps)
    exact = None if design.n_shuffles else all_halves(design.n_runs)

    def tests() -> Iterator[list[Ratios]]:
        for _ in range(n_sets):
            curves = autoregressive(rng, 2 * design.n_runs, design.n_steps)
            halves = shuffled_halves(design, rng) if exact is None else exact
            lifted = halves[0][:, None] * added
            yield [p_values(curves + size * lifted, halves) for size in sizes]

    return _count(tests(), sizes, n_sets)


def rates_of_modified(
    pool: Floats,
    case: str,
    factors: Sequence[float],
    n_sets: int,
    seed: Sequence[int],
    *,
    overlapping: bool,
    n_shuffles: int,
) -> Rates:
    """Find effects in ten curves against ten modified ones, drawn from the same pool.

    ``overlapping`` draws twice, as the papers do, so that some curves meet themselves.
    """
    rng = np.random.default_rng(seed)
    design = Design(10, pool.shape[1], n_shuffles)
    changed = modified(pool, case, factors)

    def tests() -> Iterator[list[Ratios]]:
        for _ in range(n_sets):
            order = rng.permutation(len(pool))
            first, second = order[:10], order[10:20]
            if overlapping:
                second = rng.permutation(len(pool))[:10]
            halves = shuffled_halves(design, rng)
            yield [
                p_values(np.vstack([pool[first], each[second]]), halves)
                for each in changed
            ]

    return _count(tests(), factors, n_sets)


def limits(
    kind: str, n_steps: int, sizes: npt.ArrayLike, rng: np.random.Generator
) -> Floats:
    """Return the false alarms of the pooled term for AR(1) curves and very many runs.

    A shuffled table holds 1 + size²/4 times the error of the observed one, so its critical
    value is as many times too small. The sum of squares of the effect that is not there
    is a sum of χ² weighted by the eigenvalues of its part of the covariance.
    """
    steps = np.arange(n_steps)
    covariance = CORRELATION ** np.abs(steps[:, None] - steps)
    mean = np.full((n_steps, n_steps), 1 / n_steps)
    part = np.eye(n_steps) - mean if kind == "parallel" else mean
    weights = np.linalg.eigvalsh(part @ covariance @ part)
    sums = np.sort(rng.chisquare(1, size=(100_000, n_steps)) @ weights)
    critical = np.quantile(sums, 1 - ALPHA)
    too_much = 1 + np.asarray(sizes, dtype=np.float64) ** 2 / 4
    return np.asarray(1 - np.searchsorted(sums, critical / too_much, "right") / len(sums))


def _count(tests: Iterable[list[Ratios]], sizes: Sequence[float], n_sets: int) -> Rates:
    """Count what was found; p has axes (data set, size, one of `Ratios`)."""
    p = np.array([[list(each) for each in row] for row in tests])
    found = p <= ALPHA + TIED
    moved = (np.abs(p - p[:, :1]) > TIED).any(axis=1).sum(axis=0)
    place = {name: i for i, name in enumerate(Ratios._fields)}

    def of(effect: str, error: str) -> npt.NDArray[np.bool_]:
        return found[:, :, place[f"{effect}_{error}"]]

    def only(one: str, other: str) -> dict[str, list[int]]:
        return {
            effect: (of(effect, one) & ~of(effect, other)).sum(axis=0).tolist()
            for effect in EFFECTS
        }

    return Rates(
        sizes=[float(size) for size in sizes],
        n_sets=n_sets,
        found={
            effect: {error: of(effect, error).sum(axis=0).tolist() for error in ERRORS}
            for effect in EFFECTS
        },
        only_split=only("split", "pooled"),
        only_pooled=only("pooled", "split"),
        moved={
            effect: {error: int(moved[place[f"{effect}_{error}"]]) for error in ERRORS}
            for effect in EFFECTS
        },
    )
