"""Table 1 of Gorski & Laird (2009) under several readings of their section 3.

A reading is one way to interpret the text where it leaves a choice: how the learner plays
(`mean_curves.LEARNERS`), how many episodes are compared, what is added to the rewards for
the transfer ratio, which scores bound the box of transfer regret, and whether trials are
counted from 0 or 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from studies.gorski2009.mean_curves import MAX_EPISODES, ORDERED, PLAIN
from studies.gorski2009.measuring import OPTIMUM, measure, metric_values, relative_reduction
from studies.gorski2009.published import METRICS, RISES, rule_constant
from studies.sources.grid_worlds import WORLDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from studies.gorski2009.mean_curves import Floats, Means
    from studies.gorski2009.published import Row

__all__ = ["KINDS", "PLAIN_WINDOW", "Reading", "measure_readings"]

Window = tuple[int, int] | float

KINDS = {  # what a reading changes
    "learner": "how the learner plays",
    "window": "how many episodes are compared",
    "asymptote": "the window, to end where both mean curves have levelled off",
    "learner and window": "both at once",
    "shift": "what is added for the transfer ratio",
    "box": "between which scores the box of transfer regret lies",
    "count": "from what number trials are counted for ARR",
}
ONLY_METRIC = {  # the only metric that a reading of this kind can change
    "shift": "transfer_ratio",
    "box": "transfer_regret",
    "count": "average_relative_reduction",
}
PLAIN_WINDOW = (WORLDS["4x4"].n_episodes, WORLDS["3x3"].n_episodes)
# Episodes compared in the 4x4 and in the 3x3 world. A fraction ends the window where both
# mean curves have levelled off to within this fraction.
WINDOWS: tuple[Window, ...] = (
    (15, 8),
    (16, 9),
    (30, 15),
    (40, 20),
    0.05,
    0.01,
    (10, 10),
    (20, 20),
    (40, 40),
)


class Reading(NamedTuple):
    """A reading of section 3, and the four metrics it gives in each world."""

    kind: str
    name: str
    rows: dict[str, Row]

    def bears_on(self, metric: str) -> bool:
        """Return whether this reading can change the metric."""
        return ONLY_METRIC.get(self.kind, metric) == metric

    def keeps(self, metric: str) -> bool:
        """Return whether the metric changes between the worlds in the published direction."""
        change = self.rows["3x3"][metric] - self.rows["4x4"][metric]
        return change > 0 if RISES[metric] else change < 0

    @property
    def keeps_all(self) -> bool:
        """Whether all four metrics change in the published direction."""
        return all(self.keeps(metric) for metric in METRICS)

    def distance(self, world: str, published: Row) -> float:
        """Return the largest absolute difference from a published row."""
        row = self.rows[world]
        return max(abs(row[metric] - published[metric]) for metric in METRICS)

    def rule(self, world: str) -> float:
        """Return b of a row; see `rule_constant`."""
        return rule_constant(self.rows[world])


def measure_readings(means: Mapping[str, Mapping[str, Means]]) -> tuple[Reading, ...]:
    """Return all readings, the plain one first; ``means`` is keyed by learner."""
    plain = means[PLAIN]
    return (
        *(Reading("learner", name, _rows(each)) for name, each in means.items()),
        *(Reading(*_kind_and_name(each), _rows(plain, each)) for each in WINDOWS),
        # Chosen after seeing the published rows: it comes close to the first.
        Reading(
            "learner and window", f"{ORDERED}, 13 and 7 episodes", _rows(means[ORDERED], (13, 7))
        ),
        *_shifted(plain),
        *_boxed_and_counted(plain),
    )


def _kind_and_name(window: Window) -> tuple[str, str]:
    if isinstance(window, tuple):
        return "window", f"{window[0]} and {window[1]} episodes"
    return "asymptote", f"until both stay within {window:.0%} of their end"


def _rows(means: Mapping[str, Means], window: Window = PLAIN_WINDOW) -> dict[str, Row]:
    if isinstance(window, tuple):
        stops = zip(means.items(), window, strict=True)
        return {world: metric_values(measure(*each.until(stop))) for (world, each), stop in stops}
    return {
        world: metric_values(measure(*each.until(MAX_EPISODES), until_asymptote=window))
        for world, each in means.items()
    }


def _compared(means: Mapping[str, Means]) -> dict[str, tuple[Floats, Floats]]:
    stops = zip(means.items(), PLAIN_WINDOW, strict=True)
    return {world: each.until(stop) for (world, each), stop in stops}


def _shifted(means: Mapping[str, Means]) -> Iterator[Reading]:
    """Yield the readings of the shift, which change only the transfer ratio."""
    plain, curves = _rows(means), _compared(means)
    lowest = {world: float(np.min(pair)) for world, pair in curves.items()}
    shifts = {
        "the lowest mean becomes 1, not 0": {world: 1 - lowest[world] for world in curves},
        "the worst single reward becomes 0": {world: -means[world].worst for world in curves},
        "the same is added in both worlds": dict.fromkeys(curves, -min(lowest.values())),
    }
    for name, shift in shifts.items():
        rows = {}
        for world, (control, transfer) in curves.items():
            offset = shift[world]
            lifted = measure(control + offset, transfer + offset, optimum=OPTIMUM + offset)
            ratio = metric_values(lifted)["transfer_ratio"]
            rows[world] = {**plain[world], "transfer_ratio": ratio}
        yield Reading("shift", name, rows)


def _boxed_and_counted(means: Mapping[str, Means]) -> Iterator[Reading]:
    """Yield the readings that change only the box of regret, and only the count of ARR."""
    plain, curves = _rows(means), _compared(means)
    boxed, counted = {}, {}
    for world, (control, transfer) in curves.items():
        gain = float(np.mean(transfer - control))
        box = OPTIMUM - means[world].worst
        boxed[world] = {**plain[world], "transfer_regret": gain / box}
        from_0 = relative_reduction(control, transfer, first=0)
        counted[world] = {**plain[world], "average_relative_reduction": from_0}
    yield Reading("box", "regret's box holds all single rewards", boxed)
    yield Reading("count", "ARR counts trials from 0", counted)
