"""All that this study counts, each part by a stream of random numbers of its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from studies.piater1998 import pools, type_one
from studies.piater1998 import power as power_figure
from studies.piater1998.closed_form import predicted, predicted_by_kind
from studies.sources.cross_validation import stored_curves
from studies.sources.modifications import CASES, modified
from studies.store import fingerprint, kept
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
    "Found",
    "find",
]

EFFECTS = ("algorithm", "interaction")
ALGORITHM, INTERACTION = range(2)
CONVENTIONAL, SHUFFLE, SPLIT = range(3)
FULL_FACTORS = tuple(range(11))
QUICK_FACTORS = (0, 1, 2, 4, 10)
N_QUICK = 10  # repetitions in the quick form, of one pool
# Repetitions of Figures 3 and 4; chess with squares as names is our addition.
N_REPETITIONS = {"chess_numeric": 100, "chess_nominal": 20, "tictactoe": 100, "rl": 100}
N_ELSEWHERE = 20  # cross validations on which Figure 6 is tried as well
N_AT_ONCE = 10  # cross validations that are made, and kept, together

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Found:
    """All that was counted."""

    factors: tuple[int, ...]
    chess: Floats = field(repr=False)  # the curves of Figures 5 and 6, (20, 20)
    pools: dict[str, Floats] = field(repr=False)  # (pools, runs, steps)
    counts: dict[str, Floats] = field(repr=False)  # (repetitions, tests, effects)
    predicted: dict[str, Floats] = field(repr=False)  # (pools, 5): `Prediction`
    shuffled: Floats = field(repr=False)  # (cases, factors, repetitions, tests, effects)
    closed: Floats = field(repr=False)  # (cases, factors, effects)
    by_kind: Floats = field(repr=False)  # (cases, factors, effects)
    power: Floats = field(repr=False)  # (cases, factors, tests, effects)
    disjoint: Floats = field(repr=False)  # (cases, f = 0 and the last, tests, effects)
    one_distribution: Floats = field(repr=False)  # (cases, effects), the last f
    elsewhere: dict[str, Floats] = field(repr=False)  # (pools, cases, tests, effects)

    @property
    def mean_shuffled(self) -> Floats:
        """The points of Figure 5; (cases, factors, tests, effects)."""
        return np.asarray(self.shuffled.mean(axis=2))

    def expected(self, name: str) -> Floats:
        """Return the closed form for Figure 3, both effects, in the mean of the pools."""
        return np.asarray(self.predicted[name][:, 3:].mean(axis=0))


def find(seed: int, *, quick: bool) -> Found:
    """Count everything; in the full form, keep what takes long."""
    factors = QUICK_FACTORS if quick else FULL_FACTORS

    def rng(purpose: str) -> np.random.Generator:
        return stream(seed, f"piater1998: {purpose}")

    every = _quick_pools() if quick else _full_pools(seed, rng("rl"))
    chess = every["chess_numeric"][0]

    def part(name: str, compute: Callable[..., Any], **sizes: int) -> Floats:
        def made() -> Any:
            return compute(chess, factors, rng(name), **sizes)

        if quick:
            return np.asarray(made())
        key = {
            "seed": seed,
            "curves": fingerprint(chess),
            "factors": factors,
            **sizes,
        }
        return np.asarray(kept(f"piater1998/{name}", key, made))

    n_draws, last = (100 if quick else 800), factors[-1]
    one_learner, elsewhere = rng("one learner"), rng("elsewhere")
    one_distribution = rng("one distribution")
    pairs = [
        [(chess, changed) for changed in modified(chess, case, factors)] for case in CASES
    ]
    return Found(
        factors=factors,
        chess=chess,
        pools=every,
        counts={
            name: np.asarray(
                type_one.one_learner(
                    np.repeat(each, N_QUICK, axis=0) if quick else each, one_learner
                ),
                dtype=np.float64,
            )
            for name, each in every.items()
        },
        predicted={
            name: np.array([predicted(pool) for pool in each])
            for name, each in every.items()
        },
        shuffled=part(
            "modified", type_one.with_modified, n_repetitions=1 if quick else 10
        ),
        closed=np.array(
            [[predicted(np.concatenate(pair))[3:] for pair in row] for row in pairs]
        ),
        by_kind=np.array([[predicted_by_kind(*pair) for pair in row] for row in pairs]),
        power=part("power", power_figure.power, n_draws=n_draws),
        disjoint=power_figure.power(
            chess, (0, last), rng("disjoint"), n_draws=5 * n_draws, disjoint=True
        ),
        elsewhere={
            name: np.array(
                [
                    power_figure.power(curves, (last,), elsewhere, n_draws=n_draws // 4)[
                        :, 0
                    ]
                    for curves in every[name][:N_ELSEWHERE]
                ]
            )
            for name in _cross_validated()
        },
        one_distribution=np.array(
            [
                power_figure.one_distribution(
                    chess, case, last, one_distribution, n_runs=n_draws // 100
                )
                for case in CASES
            ]
        ),
    )


def _cross_validated() -> tuple[str, ...]:
    return tuple(name for name in pools.SOURCES if name != "rl")


def _quick_pools() -> dict[str, Floats]:
    """Return the stored curves, one pool of each source."""
    stored = {name: stored_curves(name)[None] for name in _cross_validated()}
    return {**stored, "rl": pools.stored_rl_curves()[None]}


def _full_pools(seed: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Return fresh curves for every repetition."""

    def made(name: str) -> Floats:
        parts, n_pools = [], N_REPETITIONS[name]
        for first in range(0, n_pools, N_AT_ONCE):
            places = range(first, min(first + N_AT_ONCE, n_pools))
            compute = partial(pools.cross_validations, name, seed, places)
            key = {"seed": seed, "places": list(places)}
            parts.append(kept(f"piater1998/{name}-{first}", key, compute))
        return np.concatenate(parts)

    key = {"seed": seed, "n_pools": N_REPETITIONS["rl"]}
    learned = kept(
        "piater1998/rl", key, partial(pools.rl_pools, rng, n_pools=N_REPETITIONS["rl"])
    )
    return {**{name: made(name) for name in _cross_validated()}, "rl": np.array(learned)}
