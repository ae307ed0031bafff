"""The embedded curves are those that their scripts make, and say where they are from."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import OptionError, Tasks, compare, load_example
from curvewise.data.examples import EXAMPLES, stored
from studies.sources import atari, atari_games

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_the_stored_curves_are_those_their_script_makes() -> None:
    pytest.importorskip("numba", reason="the learners are compiled")
    from studies.sources import td_tictactoe

    record = stored("tictactoe")
    assert record["made_by"] == "studies/sources/td_tictactoe.py"
    assert record["on"] == "2026-11-15"
    assert record["scores"] == td_tictactoe.example(record["seed"])


def test_the_example_has_the_reports_design() -> None:
    curves = load_example("tictactoe")
    assert curves.sizes == (10, 10, 10)
    assert curves.steps.tolist() == [0, 200, 500, 1000, 2000, 3000, 5000, 8000]
    table = compare(curves.select("A1", "A2"), n_shuffles=99, exact=False, rng=0).table
    assert [table[source].df for source in ("interaction", "algorithm", "error")] == [7, 1, 144]
    # Bands that 300 replications of the report's Table 1 fall into.
    assert 115_000 < table["training"].ss < 152_000
    assert 7_000 < table["error"].ss < 14_000


def test_learners_improve_with_training_and_begin_at_chance() -> None:
    pytest.importorskip("numba", reason="the learners are compiled")
    from studies.sources import td_tictactoe

    curves = td_tictactoe.learning_curves(
        [0.1] * 20, np.random.default_rng(0), steps=(0, 300, 1_000)
    ).mean(axis=0)
    assert abs(curves[0]) < 6
    assert 10 < curves[1] < curves[2] < 100


def test_the_usual_f_test_and_the_shuffles_disagree_on_montezumas_revenge() -> None:
    found = compare(load_example("atari"), error="pooled")
    assert found.algorithm.statistic == pytest.approx(170.63, abs=0.005)
    assert found.exact
    assert found.algorithm.pvalue == pytest.approx(88 / 126)
    assert found.algorithm.pvalue_parametric < 1e-36


@pytest.mark.parametrize("name", ["atari", "atari-8"])
def test_the_atari_curves_carry_licence_and_provenance(name: str) -> None:
    record = stored(name)
    assert "github.com/google/dopamine" in record["source"]
    assert record["licence"].startswith("Apache-2.0, see atari.LICENSE.txt")
    assert record["copyright"].startswith("Copyright 2018 The Dopamine Authors")
    assert record["changes"]
    licence = files("curvewise.data.examples").joinpath("atari.LICENSE.txt")
    text = licence.read_text(encoding="utf-8")
    assert text.startswith("Copyright 2018 The Dopamine Authors.")
    assert "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION" in text


def test_the_atari_script_separates_runs_and_rounds(tmp_path: Path) -> None:
    rows = [
        {"Iteration": iteration, "Value": 1 / (run + 3), "Agent": agent}
        for agent in ("DQN", "C51", "Rainbow")
        for run in range(2)
        for iteration in range(3)
    ]
    published = tmp_path / "game.json"
    published.write_text(json.dumps(rows), encoding="utf-8")
    expected = {agent: [[0.333333] * 3, [0.25] * 3] for agent in ("DQN", "Rainbow")}
    assert atari.example(atari.rows_of(published)) == expected
    table = tmp_path / "game.csv"
    lines = [f"{row['Agent']},{row['Iteration']},{row['Value']}" for row in rows]
    table.write_text("\n".join(["agent,iteration,score", *lines]), encoding="utf-8")
    record = atari.record(atari.rows_of(table), "2026-11-16")
    assert record["scores"] == expected
    assert record["steps"] == [0, 1, 2]
    assert set(record) == set(stored("atari"))


def test_the_eight_games_have_the_published_design() -> None:
    tasks = load_example("atari-8")
    assert tuple(tasks) == atari_games.GAMES
    assert len(tasks.algorithms) == 6
    assert {own.sizes for own in tasks.values()} == {(5,) * 6}
    assert {own.n_steps for own in tasks.values()} == {20}
    # The other example has all iterations of the same runs.
    whole = load_example("atari").select("Rainbow").scores
    thin = tasks["montezumarevenge"].select("Rainbow").scores
    np.testing.assert_allclose(thin[:, 3], whole[:, 30:40].mean(axis=1), rtol=1e-3)
    np.testing.assert_allclose(thin[:, -1], whole[:, 190:].mean(axis=1), rtol=1e-3)


def test_the_script_of_the_games_takes_means_over_bins() -> None:
    rows = [
        atari.Row(agent, iteration, iteration + run)
        for agent in ("DQN", "IQN")
        for run in range(2)
        for iteration in range(12)
    ]
    record = atari_games.record({"pong": rows, "qbert": rows}, "2026-11-17")
    assert record["steps"] == [9, 11]
    assert record["tasks"]["pong"] == record["tasks"]["qbert"]
    assert record["tasks"]["pong"]["IQN"] == [[4.5, 10.5], [5.5, 11.5]]
    assert set(record) == set(stored("atari-8"))
    assert json.loads(atari.written(record)) == record


def test_every_example_says_what_it_is() -> None:
    for name in EXAMPLES:
        found = load_example(name)
        curves = next(iter(found.values())) if isinstance(found, Tasks) else found
        assert curves.source.startswith(f"embedded example {name!r}: ")
        assert {"about", "made_by", "on"} <= set(stored(name))


def test_unknown_examples_are_refused() -> None:
    with pytest.raises(
        OptionError,
        match="No example is called 'tictac'; there are 'tictactoe', 'atari', 'atari-8'; did",
    ):
        load_example("tictac")
