"""All counts of this study; each part draws from a random stream of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from studies.piater1998 import curve_pools, type_one
from studies.piater1998 import power as power_figure
from studies.piater1998.closed_form import predict, predict_by_kind
from studies.sources.cross_validation import stored_curves
from studies.sources.modifications import CASES, modified
from studies.store import fingerprint, load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ALGORITHM",
    "CONVENTIONAL",
    "EFFECTS",
    "INTERACTION",
    "SHUFFLE",
    "SPLIT",
    "Counts",
    "count_all",
]

EFFECTS = ("algorithm", "interaction")
ALGORITHM, INTERACTION = range(2)
CONVENTIONAL, SHUFFLE, SPLIT = range(3)
FULL_FACTORS = tuple(range(11))
QUICK_FACTORS = (0, 1, 2, 4, 10)
N_REPETITIONS_QUICK = 10  # all of one pool
# Repetitions of Figures 3 and 4; chess with squares coded as names is our addition.
N_REPETITIONS = {"chess_numeric": 100, "chess_nominal": 20, "tictactoe": 100, "rl": 100}
N_OTHER_CROSS_VALIDATIONS = 20  # on which Figure 6 is repeated
N_PER_FILE = 10  # cross validations stored in one file

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Counts:
    """Everything that was counted or predicted.

    Attributes
    ----------
    factors : tuple of int
        The factors f of the modifications.
    chess : array (20, 20)
        The curves of Figures 5 and 6.
    pools : dict of arrays (pools, runs, steps)
        The curves of each source.
    one_learner : dict of arrays (repetitions, tests, effects)
        Rejections in splits of the curves of one learner, by source: Figures 3 and 4.
    predictions : dict of arrays (pools, 5)
        The closed form for each pool (see `Prediction`), by source.
    modified : array (cases, factors, repetitions, tests, effects)
        Rejections in splits of curves and modified curves: Figure 5.
    closed_form, by_kind : array (cases, factors, effects)
        The predictions for Figure 5, without and with the number of modified curves in a
        half taken into account.
    power : array (cases, factors, tests, effects)
        Shares of rejections: Figure 6.
    disjoint : array (cases, 2, tests, effects)
        Shares of rejections with draws that have no run in common, at f = 0 and the last f.
    one_distribution : array (cases, effects)
        Shares of rejections with one null distribution for all draws, at the last f.
    other_cross_validations : dict of arrays (pools, cases, tests, effects)
        Figure 6 at the last f for other cross validations, by source.
    """

    factors: tuple[int, ...]
    chess: Floats = field(repr=False)
    pools: dict[str, Floats] = field(repr=False)
    one_learner: dict[str, Floats] = field(repr=False)
    predictions: dict[str, Floats] = field(repr=False)
    modified: Floats = field(repr=False)
    closed_form: Floats = field(repr=False)
    by_kind: Floats = field(repr=False)
    power: Floats = field(repr=False)
    disjoint: Floats = field(repr=False)
    one_distribution: Floats = field(repr=False)
    other_cross_validations: dict[str, Floats] = field(repr=False)

    @property
    def modified_means(self) -> Floats:
        """The points of Figure 5: means over repetitions; (cases, factors, tests, effects)."""
        return np.asarray(self.modified.mean(axis=2))

    def predicted_rejections(self, name: str) -> Floats:
        """Return the closed form for Figure 3, averaged over the pools; (effects,)."""
        return np.asarray(self.predictions[name][:, 3:].mean(axis=0))


def count_all(seed: int, *, quick: bool) -> Counts:
    """Count everything; the full form stores the parts that take long."""
    factors = QUICK_FACTORS if quick else FULL_FACTORS

    def rng(purpose: str) -> np.random.Generator:
        return stream(seed, f"piater1998: {purpose}")

    pools = _quick_pools() if quick else _full_pools(seed, rng("rl"))
    chess = pools["chess_numeric"][0]

    def stored_part(name: str, count: Callable[..., Any], **sizes: int) -> Floats:
        def compute() -> Any:
            return count(chess, factors, rng(name), **sizes)

        if quick:
            return np.asarray(compute())
        key = {"seed": seed, "curves": fingerprint(chess), "factors": factors, **sizes}
        return np.asarray(load_or_compute(f"piater1998/{name}", key, compute))

    n_draws, last = (100 if quick else 800), factors[-1]
    # Shared by the sources or cases of one part, which draw from them in turn.
    rng_one_learner, rng_elsewhere = rng("one learner"), rng("elsewhere")
    rng_one_distribution = rng("one distribution")
    pairs = [[(chess, changed) for changed in modified(chess, case, factors)] for case in CASES]
    return Counts(
        factors=factors,
        chess=chess,
        pools=pools,
        one_learner={
            name: np.asarray(
                type_one.one_learner(
                    np.repeat(of_source, N_REPETITIONS_QUICK, axis=0) if quick else of_source,
                    rng_one_learner,
                ),
                dtype=np.float64,
            )
            for name, of_source in pools.items()
        },
        predictions={
            name: np.array([predict(pool) for pool in of_source])
            for name, of_source in pools.items()
        },
        modified=stored_part("modified", type_one.with_modified, n_repetitions=1 if quick else 10),
        closed_form=np.array(
            [[predict(np.concatenate(pair))[3:] for pair in row] for row in pairs]
        ),
        by_kind=np.array([[predict_by_kind(*pair) for pair in row] for row in pairs]),
        power=stored_part("power", power_figure.power, n_draws=n_draws),
        disjoint=power_figure.power(
            chess, (0, last), rng("disjoint"), n_draws=5 * n_draws, disjoint=True
        ),
        other_cross_validations={
            name: np.array(
                [
                    power_figure.power(curves, (last,), rng_elsewhere, n_draws=n_draws // 4)[:, 0]
                    for curves in pools[name][:N_OTHER_CROSS_VALIDATIONS]
                ]
            )
            for name in _cross_validated()
        },
        one_distribution=np.array(
            [
                power_figure.one_distribution(
                    chess, case, last, rng_one_distribution, n_runs=n_draws // 100
                )
                for case in CASES
            ]
        ),
    )


def _cross_validated() -> tuple[str, ...]:
    return tuple(name for name in curve_pools.SOURCES if name != "rl")


def _quick_pools() -> dict[str, Floats]:
    """Return the stored curves, one pool for each source."""
    stored = {name: stored_curves(name)[None] for name in _cross_validated()}
    return {**stored, "rl": curve_pools.stored_rl_curves()[None]}


def _full_pools(seed: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Return new curves for every repetition."""

    def cross_validated_pools(name: str) -> Floats:
        parts, n_pools = [], N_REPETITIONS[name]
        for first in range(0, n_pools, N_PER_FILE):
            indices = range(first, min(first + N_PER_FILE, n_pools))
            compute = partial(curve_pools.cross_validations, name, seed, indices)
            key = {"seed": seed, "places": list(indices)}
            parts.append(load_or_compute(f"piater1998/{name}-{first}", key, compute))
        return np.concatenate(parts)

    n_rl_pools = N_REPETITIONS["rl"]
    rl_pools = load_or_compute(
        "piater1998/rl",
        {"seed": seed, "n_pools": n_rl_pools},
        partial(curve_pools.rl_pools, rng, n_pools=n_rl_pools),
    )
    return {
        **{name: cross_validated_pools(name) for name in _cross_validated()},
        "rl": np.array(rl_pools),
    }
