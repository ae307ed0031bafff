from __future__ import annotations

import numpy as np
import pytest

from curvewise import OptionError, compare, load_example
from curvewise.datasets import EXAMPLES, stored
from studies.sources import td_tictactoe


def test_the_stored_curves_are_those_their_script_makes() -> None:
    record = stored("tictactoe")
    assert record["made_by"] == "studies/sources/td_tictactoe.py"
    assert record["on"] == "2026-11-15"
    assert record["scores"] == td_tictactoe.example(record["seed"])


def test_the_example_has_the_reports_design() -> None:
    curves = load_example("tictactoe")
    assert curves.sizes == (10, 10, 10)
    assert curves.steps.tolist() == [0, 200, 500, 1000, 2000, 3000, 5000, 8000]
    table = compare(curves.select("A1", "A2"), n_shuffles=99, exact=False, rng=0).table
    assert [table[source].df for source in ("interaction", "algorithm", "error")] == [
        7,
        1,
        144,
    ]
    # Bands that 300 replications of the report's Table 1 fall into.
    assert 115_000 < table["training"].ss < 152_000
    assert 7_000 < table["error"].ss < 14_000


def test_learners_improve_with_training_and_begin_at_chance() -> None:
    curves = td_tictactoe.learning_curves(
        [0.1] * 20, np.random.default_rng(0), steps=(0, 300, 1_000)
    ).mean(axis=0)
    assert abs(curves[0]) < 6
    assert 10 < curves[1] < curves[2] < 100


def test_unknown_examples_are_refused() -> None:
    with pytest.raises(
        OptionError, match="'tictac'; there are 'tictactoe'; did you mean"
    ):
        load_example("tictac")
    assert EXAMPLES == ("tictactoe",)
