"""How often the shuffle test finds each effect, with both error terms, as one effect grows.

Each data set is tested at all sizes of the effect with the same noise and the same shuffles,
so comparisons between sizes and between error terms are paired.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from studies.anovas import Ratios
from studies.error_terms.autoregression import autoregressive, profile
from studies.error_terms.shuffles import (
    ALPHA,
    EFFECTS,
    ERRORS,
    TIE_TOLERANCE,
    Design,
    all_halves,
    p_values,
    shuffled_halves,
)
from studies.sources.modifications import modified

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["N_DRAWN", "Interval", "Rates", "rates_of_autoregressive", "rates_of_modified"]

Floats = npt.NDArray[np.float64]

N_DRAWN = 10  # curves of either kind, as in Figure 6 of the 1998 paper


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Rates:
    """The number of data sets, out of ``n_sets``, in which each effect was found.

    ``found[effect][error]`` has a count for each size; ``only_split`` and ``only_pooled``
    count data sets in which one error term found the effect and the other did not;
    ``moved[effect][error]`` counts data sets whose p at any size differs from that at the
    first size.
    """

    sizes: list[float]
    n_sets: int
    found: dict[str, dict[str, list[int]]]
    only_split: dict[str, list[int]]
    only_pooled: dict[str, list[int]]
    moved: dict[str, dict[str, int]]

    def plain(self) -> dict[str, Any]:
        """Return the fields as JSON data; ``Rates(**plain)`` restores the object."""
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
            n_missed = self.n_sets - count
            low = betaincinv(count, n_missed + 1, tail) if count else 0.0
            high = betaincinv(count + 1, n_missed, 1 - tail) if n_missed else 1.0
            ends.append(Interval(float(low), float(high)))
        return ends

    def gain(self, effect: str, z: float = 1.96) -> list[tuple[float, Interval]]:
        """Return how much more often split finds the effect than pooled, with an interval.

        The data are paired, so only data sets on which the two disagree count. Half a data
        set is added to either side, so that the interval has a width even without any.
        """
        gains = []
        for split, pooled in zip(self.only_split[effect], self.only_pooled[effect], strict=True):
            difference = (split - pooled) / self.n_sets
            spread = split + pooled + 1 - (split - pooled) ** 2 / self.n_sets
            half = z * float(np.sqrt(spread)) / self.n_sets
            gains.append((difference, Interval(difference - half, difference + half)))
        return gains


def rates_of_autoregressive(
    design: Design, kind: str, sizes: Sequence[float], n_sets: int, rng: np.random.Generator
) -> Rates:
    """Return the rates for AR(1) curves, with a profile of each size added to one algorithm."""
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
    rng: np.random.Generator,
    *,
    overlapping: bool,
    n_shuffles: int,
) -> Rates:
    """Return the rates for ten curves against ten modified ones, drawn from the same pool.

    With ``overlapping`` the two draws are independent, as in the papers, so that some curves
    are compared with themselves.
    """
    design = Design(N_DRAWN, pool.shape[1], n_shuffles)
    changed = modified(pool, case, factors)

    def tests() -> Iterator[list[Ratios]]:
        for _ in range(n_sets):
            order = rng.permutation(len(pool))
            first, second = order[:N_DRAWN], order[N_DRAWN : 2 * N_DRAWN]
            if overlapping:
                second = rng.permutation(len(pool))[:N_DRAWN]
            halves = shuffled_halves(design, rng)
            yield [p_values(np.vstack([pool[first], each[second]]), halves) for each in changed]

    return _count(tests(), factors, n_sets)


def _count(tests: Iterable[list[Ratios]], sizes: Sequence[float], n_sets: int) -> Rates:
    """Count the effects found; p has axes (data set, size, field of `Ratios`)."""
    p = np.array([[list(each) for each in row] for row in tests])
    found = p <= ALPHA + TIE_TOLERANCE
    moved = (np.abs(p - p[:, :1]) > TIE_TOLERANCE).any(axis=1).sum(axis=0)
    index = {name: i for i, name in enumerate(Ratios._fields)}

    def found_by(effect: str, error: str) -> npt.NDArray[np.bool_]:
        return found[:, :, index[f"{effect}_{error}"]]

    def found_only_by(one: str, other: str) -> dict[str, list[int]]:
        return {
            effect: (found_by(effect, one) & ~found_by(effect, other)).sum(axis=0).tolist()
            for effect in EFFECTS
        }

    return Rates(
        sizes=[float(size) for size in sizes],
        n_sets=n_sets,
        found={
            effect: {error: found_by(effect, error).sum(axis=0).tolist() for error in ERRORS}
            for effect in EFFECTS
        },
        only_split=found_only_by("split", "pooled"),
        only_pooled=found_only_by("pooled", "split"),
        moved={
            effect: {error: int(moved[index[f"{effect}_{error}"]]) for error in ERRORS}
            for effect in EFFECTS
        },
    )
