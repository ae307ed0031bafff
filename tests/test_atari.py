"""Real curves: five runs × 199 iterations of six agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import compare, describe, load_example, read

if TYPE_CHECKING:
    from pathlib import Path


def test_dqn_and_rainbow_on_montezumas_revenge() -> None:
    curves = load_example("atari")
    found = compare(curves, error="pooled")
    assert found.algorithm.statistic == pytest.approx(170.63, abs=0.005)
    assert list(found.algorithm.df) == [1, 1592]
    assert found.algorithm.pvalue == pytest.approx(176 / 252)
    assert found.algorithm.pvalue_parametric < 1e-36
    verdict = describe(compare(curves))
    assert verdict.startswith(
        "No difference was detected between the learning curves of DQN and Rainbow (overall "
    )
    assert "neither in height, the mean score over training (exact p = 0.70)" in verdict
    assert (
        "The conventional F test, with pooled error, would have said p < 1e-36 for height"
        in verdict
    )


def test_the_embedded_curves_are_those_of_the_table(atari: Path) -> None:
    table = read(atari / "montezumarevenge.csv", only=["DQN", "Rainbow"])
    curves = load_example("atari")
    assert curves.labels.tolist() == table.labels.tolist()
    np.testing.assert_array_equal(curves.scores, table.scores)


def test_c51_and_iqn_on_seaquest(atari: Path) -> None:
    curves = read(atari / "seaquest.csv", only=["C51", "IQN"])
    found = compare(curves, error="pooled")
    assert found.algorithm.statistic == pytest.approx(129.26, abs=0.005)
    assert found.algorithm.pvalue == pytest.approx(0.2857, abs=5e-5)
    assert found.effects["split"]["interaction"].pvalue == pytest.approx(0.0079, abs=5e-5)


@pytest.mark.parametrize(
    "game", ["asterix", "breakout", "freeway", "pong", "qbert", "seaquest", "spaceinvaders"]
)
def test_six_agents_of_any_game_are_compared(atari: Path, game: str) -> None:
    curves = read(atari / f"{game}.csv")
    assert curves.scores.shape == (30, 199)
    found = compare(curves, n_shuffles=499, rng=0)
    assert list(found.algorithm.df) == [5, 24]
    assert describe(found).startswith("The learning curves of the 6 algorithms ")
