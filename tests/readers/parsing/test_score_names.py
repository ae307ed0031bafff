"""Names of scores, told from those of algorithms and runs."""

from __future__ import annotations

import pytest

from curvewise.readers.parsing.columns import is_run_name, is_score_name, score_name_in


@pytest.mark.parametrize(
    "name", ["loss", "val_accuracy", "eval/mean_reward", "ndcg@5", "multi_logloss", "F1"]
)
def test_scores(name: str) -> None:
    assert is_score_name(name)
    assert not is_run_name(name)


@pytest.mark.parametrize("name", ["0", "seed1", "run_12", "fold=3", "trial 4", "s5"])
def test_runs(name: str) -> None:
    assert is_run_name(name)
    assert not is_score_name(name)


@pytest.mark.parametrize("name", ["ppo", "double_q", "ppo2_large", "lossless"])
def test_algorithms(name: str) -> None:
    assert not is_score_name(name)
    assert not is_run_name(name)


def test_the_score_in_the_name_of_a_file() -> None:
    names = ["returns", "ppo_rewards", "Accuracy", "sarsa_seed1", "lossless", "losses"]
    expected = ["return", "reward", "accuracy", "score", "score", "loss"]
    assert [score_name_in(name) for name in names] == expected
