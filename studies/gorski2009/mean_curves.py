"""Mean learning curves in both grid worlds, for each variant of the learner."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from studies.sources.grid_worlds import WORLDS, Learner, learning_curves
from studies.store import load_or_compute
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "LEARNERS",
    "MAX_EPISODES",
    "N_BATCHES",
    "ORDERED",
    "PLAIN",
    "Floats",
    "Means",
    "mean_curves",
]

Floats = npt.NDArray[np.float64]

PLAIN = "plain"
ORDERED = "ties by an order that each trial keeps"
LEARNERS = {
    PLAIN: Learner(),
    "10 source episodes": Learner(n_source_episodes=10),
    "30 source episodes": Learner(n_source_episodes=30),
    "300 source episodes": Learner(n_source_episodes=300),
    "moves into the wall not offered": Learner(bumps=False),
    ORDERED: Learner(keeps_order=True),
    "next move chosen after the update": Learner(chooses_late=True),
    "discount .9": Learner(discount=0.9),
}
MAX_EPISODES = 40  # episodes of the longest window
N_BATCHES = 20


@dataclass(frozen=True, eq=False)
class Means:
    """Mean curves of equal batches of trials: arrays of (n_batches, n_episodes).

    ``worst`` is the lowest reward of any single episode within the plain window.
    """

    control: Floats
    transfer: Floats
    worst: float

    def until(self, stop: int) -> tuple[Floats, Floats]:
        """Return the mean curves of both conditions over the first ``stop`` episodes."""
        return self.control[:, :stop].mean(axis=0), self.transfer[:, :stop].mean(axis=0)


def mean_curves(name: str, *, n_trials: int, seed: int, quick: bool) -> dict[str, Means]:
    """Return the mean curves of a learner in both worlds, from the store if possible."""
    index = list(LEARNERS).index(name)
    # Longer windows are compared for the plain learner only.
    lengths = {
        world: MAX_EPISODES if name == PLAIN else each.n_episodes for world, each in WORLDS.items()
    }
    key = {
        "learner": asdict(LEARNERS[name]),
        "n_trials": n_trials,
        "n_episodes": lengths,
        "n_batches": N_BATCHES,
        "seed": seed,
    }

    def compute() -> dict[str, dict[str, Any]]:
        streams = iter(stream(seed, "gorski2009: learning", index).spawn(2 * len(WORLDS)))
        return {
            world: _play(LEARNERS[name], world, lengths[world], n_trials, streams)
            for world in WORLDS
        }

    size = "quick" if quick else "full"
    record = load_or_compute(f"gorski2009-{index}-{size}", key, compute)
    return {
        world: Means(np.array(each["control"]), np.array(each["transfer"]), each["worst"])
        for world, each in record.items()
    }


def _play(
    learner: Learner,
    name: str,
    n_episodes: int,
    n_trials: int,
    streams: Iterator[np.random.Generator],
) -> dict[str, Any]:
    """Run both conditions in one world, each with the next random stream."""
    world = WORLDS[name]._replace(n_episodes=n_episodes)
    curves = {
        condition: learning_curves(
            world, n_trials, next(streams), transfer=condition == "transfer", learner=learner
        )
        for condition in ("control", "transfer")
    }
    worst = min(float(each[:, : WORLDS[name].n_episodes].min()) for each in curves.values())
    batches = {
        condition: each.reshape(N_BATCHES, -1, n_episodes).mean(axis=1)
        for condition, each in curves.items()
    }
    return {**batches, "worst": worst}
