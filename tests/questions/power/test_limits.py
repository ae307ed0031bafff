from __future__ import annotations

from typing import Any

import pytest

import curvewise as cw
from curvewise.questions.power.method import check_n_steps, check_ratio
from tests.questions.power.test_simulation import simulation
from tests.simulation import some_curves


@pytest.mark.parametrize("number", [0, -1, 10**12, float("nan"), 500.0, "many"])
def test_counts_that_cannot_be_done_are_refused(number: Any) -> None:
    with pytest.raises(cw.OptionError, match="from 100 to 1,000,000, not"):
        simulation(n_experiments=number)
    with pytest.raises(cw.OptionError, match="from 1 to 100,000, not"):
        simulation(n_shuffles=number)
    simulation(n_experiments=100, n_shuffles=1)


def test_sizes_of_experiments_are_bounded() -> None:
    with pytest.raises(cw.CurvesError, match="5,001 steps take too long"):
        check_n_steps(5_001)
    with pytest.raises(cw.OptionError, match="from 2 to 50"):
        simulation(n_algorithms=51)
    many = cw.Curves(some_curves(0, (102,)).scores, [*range(51)] * 2)
    with pytest.raises(cw.CurvesError, match="Keep the algorithms that will be compared"):
        cw.estimate_power(many, effect="observed", rng=0)
    with pytest.raises(cw.OptionError, match="must be 1 with them"):
        check_ratio(2, blocks=True)
    for ratio in (0, -1, 1e-9, 1e9):
        with pytest.raises(cw.OptionError, match=r"from 0\.01 to 100"):
            check_ratio(ratio, blocks=False)
    large = simulation(n_shuffles=100_000)
    large.check_memory(300)
    with pytest.raises(cw.OptionError, match="Use fewer runs, or n_shuffles=9999"):
        large.check_memory(3_000)
