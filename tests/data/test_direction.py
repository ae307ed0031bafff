"""The direction of a metric, told by its name: the same rule for whatever holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import curvewise as cw
from curvewise.data.curves import lower_is_better

if TYPE_CHECKING:
    from pathlib import Path

LOWER = """
loss|val_loss|eval/loss|Loss|valLoss|valloss|loss1|loss_total|reward_loss|losses/value_loss
test/error|err|test_err|top-5 error|td_error|word_error_rate|merror|RMSE|testRMSE|val-mse|train/mae
mean_absolute_percentage_error|perplexity|ppl|nll|negative_log_likelihood|NegLogLikelihood|logloss
mlogloss|valid-binary_logloss|log_loss|cross_entropy|sparse_categorical_crossentropy|learn-MultiClass
bpb|bits_per_byte|bits per dim|regret|simple_regret|optimality_gap|cost|cost_return|WER|FID|fid50k
l2|L2|kl_divergence|KL|brier_score|1-accuracy|1 - acc|1-AUC|one_minus_f1|-reward|eval/-return
neg_elbo|accuracy_drop|false_positive_rate|FPR|false_negatives|edit_distance|collision_rate
time|wall time|latency_ms|seconds_per_step|time_to_threshold|error_per_episode|per_token_loss
"""
HIGHER = """
accuracy|return|score|eval/mean_reward|rollout/ep_rew_mean|success_rate|f1|r2|R^2|auc|mAP|BLEU|Elo
glossary|mirror|negotiation_score|lossless_ratio|entropy|multi_class_accuracy|explained_variance
neg_log_loss|neg_mean_squared_error|test/neg_root_mean_squared_error|-loss|1-loss|1 - error
error_reduction|loss_improvement|d2_absolute_error_score|brier_skill_score|profit_and_loss
log_likelihood|elbo|true_negative_rate|negative_predictive_value|reward_minus_cost
fps|steps_per_second|tokens/s|bits_per_second|survival_time|ep_len_mean|objective
"""


def _names(text: str) -> list[str]:
    return text.strip().replace("\n", "|").split("|")


@pytest.mark.parametrize("name", _names(LOWER))
def test_less_of_a_loss_is_better(name: str) -> None:
    assert lower_is_better(name)


@pytest.mark.parametrize("name", _names(HIGHER))
def test_more_of_a_score_is_better(name: str) -> None:
    assert not lower_is_better(name)


ARRAYS = {
    "good": [[0.9, 0.5, 0.2, 0.1], [0.8, 0.4, 0.2, 0.2]],
    "bad": [[0.9, 0.8, 0.7, 0.7], [1.0, 0.9, 0.8, 0.6]],
}


def _frame(score: str) -> pl.DataFrame:
    rows = [
        {"algo": name, "seed": seed, "step": step, score: value}
        for name, runs in ARRAYS.items()
        for seed, run in enumerate(runs)
        for step, value in enumerate(run)
    ]
    return pl.DataFrame(rows)


def _ways_in(metric: str, folder: Path, better: Any = None) -> dict[str, cw.Curves]:
    """Return the same scores from all that may hold them."""
    columns: Any = {"algorithm": "algo", "run": "seed", "step": "step", "score": metric}
    path = folder / "runs.csv"
    frame = _frame(metric)
    frame.write_csv(path)
    logs = [
        cw.RunLog(name, str(seed), metric, range(4), run)
        for name, runs in ARRAYS.items()
        for seed, run in enumerate(runs)
    ]
    tasks = frame.with_columns(task=pl.lit("t"))
    return {
        "file": cw.read(path, score=metric, higher_is_better=better),
        "frame": cw.Curves.from_frame(frame, **columns, higher_is_better=better),
        "dict": cw.Curves.from_dict(ARRAYS, steps=range(4), metric=metric, higher_is_better=better),
        "logs": cw.align(logs, higher_is_better=better),
        "tasks": cw.Tasks.from_frame(tasks, task="task", **columns, higher_is_better=better)["t"],
    }


@pytest.mark.parametrize(
    ("metric", "higher"), [("loss", False), ("val/error", False), ("accuracy", True)]
)
def test_every_way_in_tells_the_direction_by_the_name(
    tmp_path: Path, metric: str, higher: bool
) -> None:
    told = "higher" if higher else "lower"
    for way, curves in _ways_in(metric, tmp_path).items():
        assert curves.higher_is_better is higher, way
        assert f"4 steps of {metric}, {told} is better" in repr(curves)
    tasks = cw.Tasks({"t": curves})
    assert ("lower is better" in repr(tasks)) is not higher
    for way, curves in _ways_in(metric, tmp_path, np.bool_(not higher)).items():
        assert curves.higher_is_better is (not higher), way


def test_the_verdict_on_a_frame_of_losses_is_that_of_the_file(tmp_path: Path) -> None:
    ways = _ways_in("loss", tmp_path)
    found = {way: cw.best(curves, rng=0).describe() for way, curves in ways.items()}
    assert len(set(found.values())) == 1
    assert "good has the lowest" in found["frame"]
    assert "lower is better" in ways["file"].source


@pytest.mark.parametrize("value", ["no", "False", float("nan"), 1, 0, 1.0, [], "", b"x"])
def test_directions_are_booleans(tmp_path: Path, value: object) -> None:
    with pytest.raises(cw.OptionError, match="higher_is_better must be True or False"):
        _ways_in("loss", tmp_path, value)
    with pytest.raises(cw.OptionError, match="True or False"):
        cw.Curves([[1, 2], [2, 3]], ["A", "B"], higher_is_better=value)  # type: ignore[arg-type]
    with pytest.raises(cw.OptionError, match="True or False"):
        cw.Curves.from_frame(
            _frame("x"),
            algorithm="algo",
            run="seed",
            step="step",
            score="x",
            higher_is_better=value,  # type: ignore[arg-type]
        )
