from __future__ import annotations

import numpy as np

import curvewise as cw
from curvewise.questions.power.result import NotAttainable, QuietStep, UnequalRuns
from curvewise.text import naming_flags
from tests.questions.power.test_result import found
from tests.simulation import some_curves


def kinds(result: cw.Power) -> list[str]:
    return [caveat.kind for caveat in result.caveats]


def test_a_difference_where_pilots_hardly_vary_is_pointed_out() -> None:
    pilots = some_curves(0, (6,))
    scores = pilots.scores * np.array([0.01, 1, 1, 1, 1, 1])
    quiet = cw.Curves(scores, pilots.labels)
    options = {"n_runs": 5, "n_experiments": 100, "rng": 0}
    lifted = cw.estimate_power(quiet, effect=cw.scenario("lift", 1), **options)  # type: ignore[arg-type]
    assert kinds(lifted) == ["quiet step"]
    assert lifted.overall.power > 0.9
    faster = cw.estimate_power(quiet, effect=cw.scenario("stretch", 2), **options)  # type: ignore[arg-type]
    assert "quiet step" not in kinds(faster)
    assert "At step 0 the difference is 280.0" in QuietStep(0, 3, 280).sentence()


def test_pooled_noise_of_different_spread_is_pointed_out() -> None:
    pilots = some_curves(0, (9, 9))
    wide = cw.Curves(pilots.scores * (1 + 9 * pilots.codes[:, None]), pilots.labels)
    options = {"effect": cw.scenario("lift", 1), "n_runs": 5, "n_experiments": 100}
    pooled = cw.estimate_power(wide, rng=0, **options)  # type: ignore[arg-type]
    assert kinds(pooled) == ["spread taken for equal"]
    with naming_flags():
        assert "use --no-pool with at least 8 pilots of each" in pooled.warnings[0]
    assert kinds(cw.estimate_power(wide, pool=False, rng=0, **options)) == []  # type: ignore[arg-type]


def test_other_caveats() -> None:
    assert kinds(found(n_runs=5, effect=cw.scenario("lift", 1), n_shuffles=9)) == [
        "too few shuffles"
    ]
    assert kinds(found(n_runs=5, ratio=2)) == ["unequal runs"]
    assert "More than four runs to one bring little" in UnequalRuns(8).sentence()
    assert "four runs" not in UnequalRuns(2).sentence()
    assert "With 2 and 3 runs no data" in NotAttainable((2, 3), 4, 0.05).sentence()
    observed = cw.estimate_power(
        some_curves(0, (4, 5)), effect="observed", n_runs=5, n_experiments=100, rng=0
    )
    assert "A pilot of 4 runs cannot tell the size of the effect" in observed.warnings[0]
