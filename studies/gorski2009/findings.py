"""Everything that the study computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import curvewise as cw
from studies.gorski2009.mean_curves import LEARNERS, PLAIN, mean_curves
from studies.gorski2009.measuring import measure_with_intervals
from studies.gorski2009.readings import measure_readings
from studies.streams import stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from studies.gorski2009.mean_curves import Means
    from studies.gorski2009.readings import Reading

__all__ = ["Findings", "findings"]


@dataclass(frozen=True, eq=False)
class Findings:
    """The curves, the metrics under each reading, and the criteria.

    Attributes
    ----------
    n_plain, n_others : int
        Trials per condition of the plain learner, and of each other learner.
    means : mapping
        Mean curves, by name of the learner, then by world.
    readings : tuple of Reading
        Every reading of section 3, the plain one first.
    table : mapping
        The plain reading in each world, with intervals.
    criteria : Criteria
        The ten criteria, decided by computation.
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
    """Run both grid worlds with every learner, and decide the ten criteria."""
    n_plain, n_others = (1_000, 500) if quick else (20_000, 2_000)
    means = {
        name: mean_curves(
            name, n_trials=n_plain if name == PLAIN else n_others, seed=seed, quick=quick
        )
        for name in LEARNERS
    }
    return Findings(
        n_plain=n_plain,
        n_others=n_others,
        means=means,
        readings=measure_readings(means),
        table={
            world: measure_with_intervals(world, each, stream(seed, "gorski2009: intervals", index))
            for index, (world, each) in enumerate(means[PLAIN].items())
        },
        criteria=cw.check_criteria(rng=stream(seed, "gorski2009: criteria")),
    )
