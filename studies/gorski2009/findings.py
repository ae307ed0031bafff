"""All that the study computes, before a word is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import curvewise as cw
from studies.gorski2009.mean_curves import LEARNERS, PLAIN, mean_curves
from studies.gorski2009.measuring import with_intervals
from studies.gorski2009.readings import measured_readings
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.gorski2009.mean_curves import Means
    from studies.gorski2009.readings import Reading

__all__ = ["Findings", "findings"]


@dataclass(frozen=True, eq=False)
class Findings:
    """Curves, readings and criteria.

    Attributes
    ----------
    n_plain, n_others : int
        Trials of each condition of the plain learner, and of every other.
    means : mapping
        By name of the learner, then by world.
    readings : tuple of Reading
        The plain one first.
    table : mapping
        The plain reading in each world, with intervals.
    """

    n_plain: int
    n_others: int
    means: Mapping[str, Mapping[str, Means]]
    readings: tuple[Reading, ...]
    table: Mapping[str, cw.Transfer]
    criteria: cw.Criteria

    @property
    def plain(self) -> Mapping[str, Means]:
        """The mean curves of the plain learner, by world."""
        return self.means[PLAIN]


def findings(*, seed: int, quick: bool) -> Findings:
    """Play both worlds under every reading, and decide the ten criteria."""
    n_plain, n_others = (1_000, 500) if quick else (20_000, 2_000)
    means = {
        name: mean_curves(
            name,
            n_trials=n_plain if name == PLAIN else n_others,
            seed=seed,
            quick=quick,
        )
        for name in LEARNERS
    }
    return Findings(
        n_plain=n_plain,
        n_others=n_others,
        means=means,
        readings=measured_readings(means),
        table={
            world: with_intervals(
                world, each, stream(seed, "gorski2009: intervals", place)
            )
            for place, (world, each) in enumerate(means[PLAIN].items())
        },
        criteria=cw.check_criteria(rng=stream(seed, "gorski2009: criteria")),
    )
