"""Real curves: five runs × 199 iterations of six agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from curvewise import compare, describe, read

if TYPE_CHECKING:
    from pathlib import Path


def test_dqn_and_rainbow_on_montezumas_revenge(atari: Path) -> None:
    curves = read(atari / "montezumarevenge.csv", only=["DQN", "Rainbow"])
    found = compare(curves, error="pooled")
    assert found.algorithm.statistic == pytest.approx(170.63, abs=0.005)
    assert list(found.algorithm.df) == [1, 1592]
    assert found.algorithm.pvalue == pytest.approx(176 / 252)
    assert found.algorithm.pvalue_parametric < 1e-36
    assert describe(compare(curves)).startswith(
        "DQN and Rainbow do not differ detectably in height (exact p = 0.698) or in shape "
    )
    assert "the conventional F test would have said p < 1e-36" in describe(
        compare(curves)
    )


def test_c51_and_iqn_on_seaquest(atari: Path) -> None:
    curves = read(atari / "seaquest.csv", only=["C51", "IQN"])
    found = compare(curves, error="pooled")
    assert found.algorithm.statistic == pytest.approx(129.26, abs=0.005)
    assert found.algorithm.pvalue == pytest.approx(0.2857, abs=5e-5)
    assert found.effects["split"]["interaction"].pvalue == pytest.approx(0.0079, abs=5e-5)


@pytest.mark.parametrize(
    "game",
    ["asterix", "breakout", "freeway", "pong", "qbert", "seaquest", "spaceinvaders"],
)
def test_six_agents_of_any_game_are_compared(atari: Path, game: str) -> None:
    curves = read(atari / f"{game}.csv")
    assert curves.scores.shape == (30, 199)
    found = compare(curves, n_shuffles=499, rng=0)
    assert list(found.algorithm.df) == [5, 24]
    assert describe(found).startswith("The 6 algorithms ")
