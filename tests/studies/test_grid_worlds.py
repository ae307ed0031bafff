"""The grid worlds of the transfer study, by the metrics that the study compares."""

from __future__ import annotations

import math

import numpy as np
import pytest

from curvewise import Curves, transfer
from studies.sources.grid_worlds import WORLDS, learning_curves


@pytest.mark.parametrize("n_runs", [400, pytest.param(2_000, marks=pytest.mark.slow)])
def test_the_grid_worlds_keep_the_papers_point(n_runs: int) -> None:
    """CTR and ARR fall from the larger world to the smaller; ratio and regret rise."""
    values = {}
    for name, world in WORLDS.items():
        rng = np.random.default_rng(7)
        curves = Curves.from_dict(
            {
                "scratch": learning_curves(world, n_runs, rng, transfer=False),
                "transfer": learning_curves(world, n_runs, rng, transfer=True),
            },
            steps=np.arange(1, world.n_episodes + 1),
        )
        assert curves.scores.max() == 1
        found = transfer(
            curves,
            control="scratch",
            experimental="transfer",
            optimum=1,
            n_resamples=0,
            n_shuffles=99,
            exact=False,
        )
        names = ["transfer_ratio", "transfer_regret", "calibrated_transfer_ratio"]
        names += ["average_relative_reduction"]
        values[name] = np.array([found.metrics[each].value for each in names], dtype=float)
    expected = {
        "4x4": np.array([1.2051, 0.1621, 0.7734, 0.6830]),
        "3x3": np.array([1.3348, 0.2187, 0.6307, 0.5711]),
    }
    for name, published in expected.items():
        error = 0.05 * math.sqrt(2_000 / n_runs)
        np.testing.assert_allclose(values[name], published, rtol=error)
    assert (values["3x3"] > values["4x4"]).tolist() == [True, True, False, False]
