"""How often a difference is claimed with some number of runs: roughly first, then for sure.

Few experiments tell about how many runs it takes, and all of them are simulated with those. A
difference in height is claimed where its test and the overall test are significant. The test of
height is quickly simulated by itself, in all experiments; so the few need only tell in how many
of them there is height and no more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from curvewise.questions.power.limits import check_weights
from curvewise.questions.power.simulation import COUNTED, claim_of

if TYPE_CHECKING:
    from curvewise.inference.effects import EffectName
    from curvewise.kernels import Integers
    from curvewise.kernels.anova.screening import Tests
    from curvewise.questions.power.modelling import Model

__all__ = ["Claims"]

N_ROUGHLY = 500  # experiments


@dataclass
class Claims:
    """How often a difference is claimed, by the number of runs; what was simulated is kept.

    Attributes
    ----------
    model : Model
    question : "algorithm", "interaction" or "overall"
    times : float
        What the effect is multiplied by.
    n_jobs : int
    power_at, test_power_at : dict
        How often the difference is claimed, and how often found by its test alone, with every
        number of runs that was tried; as well as it is known.
    """

    model: Model
    question: EffectName
    times: float
    n_jobs: int
    power_at: dict[int, float] = field(default_factory=dict)
    test_power_at: dict[int, float] = field(default_factory=dict)
    _counts: dict[int, tuple[int, Integers]] = field(default_factory=dict)
    _of_heights: dict[int, float] = field(default_factory=dict)

    def of_heights(self, n_runs: int) -> float:
        """Return how often the test of height is significant, in all experiments."""
        if n_runs not in self._of_heights:
            simulation, truth = self.model.of_heights()
            n_all = self.model.assumptions.n_experiments
            check_weights(simulation, n_runs)
            (counts,) = simulation.n_rejected(
                n_runs, [(truth, self.times, n_all)], n_jobs=self.n_jobs, tests="height"
            )
            self._of_heights[n_runs] = float(counts[COUNTED.index("algorithm")]) / n_all
        return self._of_heights[n_runs]

    def roughly(self, n_runs: int) -> float:
        """Return how often the difference is claimed, by a few experiments."""
        n_few = min(N_ROUGHLY, self.model.assumptions.n_experiments)
        n_done, counts = self._counted(n_runs, n_few)
        found, claimed = counts[self._places] / n_done
        if self.question == "algorithm" and n_done < self.model.assumptions.n_experiments:
            alone = self.of_heights(n_runs)
            found, claimed = alone, max(alone - (found - claimed), 0.0)
        return self._noted(n_runs, found, claimed)

    def surely(self, n_runs: int) -> float:
        """Return how often the difference is claimed, by all experiments."""
        n_done, counts = self._counted(n_runs, self.model.assumptions.n_experiments)
        return self._noted(n_runs, *(counts[self._places] / n_done))

    @property
    def _places(self) -> list[int]:
        """Where counts have the test and what is claimed."""
        return [COUNTED.index(self.question), claim_of(self.question)]

    def _counted(self, n_runs: int, n_wanted: int) -> tuple[int, Integers]:
        """Return how many experiments were simulated, at least as many as wanted, and counts."""
        n_done, counts = self._counts.get(n_runs, (0, np.zeros(len(COUNTED), np.int64)))
        if n_done < n_wanted:
            simulation = self.model.simulation
            check_weights(simulation, n_runs)
            case = self.model.truth(), self.times, n_wanted
            tests: Tests = "height first" if self.question == "algorithm" else "all"
            (more,) = simulation.n_rejected(
                n_runs, [case], first=n_done, n_jobs=self.n_jobs, tests=tests
            )
            self._counts[n_runs] = n_wanted, counts + more
        return self._counts[n_runs]

    def _noted(self, n_runs: int, found: float, claimed: float) -> float:
        self.test_power_at[n_runs] = float(found)
        self.power_at[n_runs] = float(claimed)
        return float(claimed)
