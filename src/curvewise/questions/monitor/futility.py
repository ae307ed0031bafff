"""Is it worth to go on? The simulated chance to find a stated effect by the last look.

The runs so far stay as they are; those of the batches to come are simulated, with the noise of
the runs so far and with the effect, in either direction. Boundaries take no notice of it, so
that alpha holds whether the advice is followed or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.choices import refuse_option
from curvewise.data.curves import Curves
from curvewise.inference.families import tag_of
from curvewise.inference.noise import pilot_noise
from curvewise.inference.scenarios import Scenario
from curvewise.kernels.sequential import Ranking, rejected_by
from curvewise.questions.monitor.relabellings import drawn_relabellings
from curvewise.questions.monitor.sequential_test import look_statistics, within_batches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.inference.noise import PilotNoise
    from curvewise.kernels import Floats, Integers
    from curvewise.questions.monitor.plan import MonitoringPlan

__all__ = ["MAX_CHANCE", "Prospect", "check_effect"]

MAX_CHANGE = 1e9  # times the largest score
MAX_CHANCE = 0.1  # below which stopping is advised
N_EXPERIMENTS, N_SHUFFLES = 200, 399
MAX_VALUES = 5_000_000  # scores that are simulated at a time
MAX_STEPS = 50  # of more, neighbouring ones are averaged: the chance is no different


def check_effect(effect: object) -> None:
    """Raise unless an effect is a scenario that changes something."""
    if not isinstance(effect, Scenario):
        refuse_option(
            "effect",
            f"must be a scenario, the smallest difference worth finding, such as "
            f"scenario('lift', 5), not {effect!r}.",
        )
    if effect.is_nothing:
        refuse_option(
            "effect",
            f"is {effect}, which changes nothing: state the smallest one worth finding.",
        )


@dataclass(frozen=True, eq=False)
class Prospect:
    """What is to come under a plan, if there is a stated effect.

    Attributes
    ----------
    curves : Curves
        All runs so far, in batches.
    noise : PilotNoise
        Of all algorithms together: what the mean of its algorithm in its batch leaves of a run.
    effect : Scenario
    plan : MonitoringPlan
    """

    curves: Curves
    noise: PilotNoise
    effect: Scenario
    plan: MonitoringPlan

    @classmethod
    def of(cls, curves: Curves, effect: Scenario, plan: MonitoringPlan) -> Prospect:
        """Learn the noise from the runs so far."""
        assert curves.blocks is not None  # noqa: S101 (batches are blocks)
        places = zip(curves.blocks, curves.labels, strict=True)
        cells = [f"{batch!r} {name!r}" for batch, name in places]
        noise = pilot_noise(Curves(curves.scores, cells, precision=curves.precision))[0]
        found = cls(curves, noise, effect, plan)
        largest = float(np.abs(curves.scores).max())
        with np.errstate(over="ignore", invalid="ignore"):
            changed = np.abs(found._changed(curves.scores.mean(axis=0)))
        if not (changed <= MAX_CHANGE * largest).all():
            refuse_option(
                "effect",
                f"is {effect}, which makes scores more than a billion times as large as they "
                "are: state the smallest one worth finding.",
            )
        return found

    def chance(self, pair: tuple[str, str], names: Sequence[str]) -> float:
        """Return the chance to find the effect by the last look, between two algorithms.

        ``names`` are the batches so far. The effect is given to the algorithm that it would
        put farther ahead; where that leaves little chance, also to the other, and the larger
        chance is returned.
        """
        two = self.curves.select(*sorted(pair))
        scores, labels, batches = within_batches(two, names)
        means = np.stack([scores[labels == code].mean(axis=0) for code in (0, 1)])
        rises = float(np.mean(self._changed(means[0]) - means[0])) >= 0
        higher = int(np.argmax(means.mean(axis=1)))
        likelier = higher if rises else 1 - higher
        rng = np.random.default_rng([self.plan.seed, len(names), tag_of(pair)])
        found = 0.0
        for changed in (likelier, 1 - likelier):
            n_found = 0
            for n in self._portions(len(names)):
                to_come = self._runs_to_come(
                    means[1 - changed], changed, len(names), n, rng
                )
                n_found += self._number_found(scores, labels, batches, to_come)
            found = max(found, n_found / N_EXPERIMENTS)
            if found >= MAX_CHANCE:
                break
        return found

    def _changed(self, curves: Floats) -> Floats:
        steps = self.curves.steps.astype(np.float64)
        return self.effect.changed(curves, steps=steps, height_sd=self.noise.height_sd)

    def _portions(self, look: int) -> list[int]:
        """Return how many experiments are simulated at a time, so that memory is bounded."""
        plan = self.plan
        n_runs = 2 * plan.batch_size * (plan.n_batches - look)
        most = max(1, MAX_VALUES // (n_runs * self.curves.n_steps))
        done = range(0, N_EXPERIMENTS, most)
        return [min(most, N_EXPERIMENTS - start) for start in done]

    def _runs_to_come(
        self,
        mean: Floats,
        changed: int,
        look: int,
        n_experiments: int,
        rng: np.random.Generator,
    ) -> Floats:
        """Simulate the batches to come; (n_experiments, n_runs, n_steps).

        In a batch the runs of algorithm 0 come first; those of ``changed`` have the effect.
        """
        n_batches, size = self.plan.n_batches - look, self.plan.batch_size
        shape = (n_experiments, n_batches, 2, size, len(mean))
        noise = self.noise.draw(rng, int(np.prod(shape[:-1]))).reshape(shape)
        runs = mean + noise
        own = runs[:, :, changed]
        if self.effect.on == "mean":
            own += self._changed(mean) - mean
        else:
            own[...] = self._changed(own)
        return runs.reshape(n_experiments, -1, len(mean))

    def _number_found(
        self, scores: Floats, labels: Integers, batches: Integers, to_come: Floats
    ) -> int:
        """Return in how many experiments an overall difference is found by the last look."""
        plan, look = self.plan, int(batches[-1]) + 1
        size = plan.batch_size
        parts = [labels[batches == batch] for batch in range(look)]
        parts += [np.repeat([0, 1], size)] * (plan.n_batches - look)
        looks, observed = drawn_relabellings(parts, N_SHUFFLES, plan.seed)
        every = np.concatenate(
            [batches, np.repeat(np.arange(look, plan.n_batches), 2 * size)]
        )
        before = _binned(scores)[None]
        tables = np.concatenate(
            [
                np.broadcast_to(before, (len(to_come), *before.shape[1:])),
                _binned(to_come),
            ],
            axis=1,
        )
        rankings: list[list[Ranking]] = [[] for _ in to_come]
        for number, relabelled in enumerate(looks):
            n_runs = relabelled.shape[1]
            # What was seen already is the same in all experiments.
            own = before[:, :n_runs] if number < look else tables[:, :n_runs]
            found, tolerances = look_statistics(own, every[:n_runs], relabelled)
            ranked = [
                Ranking.of(values, float(tolerance), observed)
                for values, tolerance in zip(found[0], tolerances[0], strict=True)
            ]
            for place, path in enumerate(rankings):
                path.append(ranked[0 if number < look else place])
        return sum(
            rejected_by(path, plan.shares, observed, plan.alpha) is not None
            for path in rankings
        )


def _binned(curves: Floats) -> Floats:
    """Average neighbouring steps, the last axis, where there are many."""
    n_steps = curves.shape[-1]
    edges = np.arange(min(n_steps, MAX_STEPS)) * n_steps // min(n_steps, MAX_STEPS)
    widths = np.diff(edges, append=n_steps)
    return np.add.reduceat(curves, edges, axis=-1) / widths
