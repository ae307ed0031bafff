"""Which metric is read."""

from __future__ import annotations

import pytest

from curvewise import CurvesError, OptionError
from curvewise.readers.naming.metric import choose_metric
from curvewise.text import naming_flags

TWO = ["a", "b"]


def _chosen(*names: str, asked: str | None = None) -> str:
    return choose_metric({name: [5, 5] for name in names}, TWO, asked).name


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("loss",), "loss"),
        (("train/loss", "val/accuracy", "val/loss"), "val/accuracy"),
        (("loss", "accuracy", "val_loss", "val_accuracy"), "val_accuracy"),
        (("eval/mean_reward", "evaluations:results", "monitor:r"), "evaluations:results"),
        (("eval/mean_reward", "eval/mean_ep_length", "train/loss"), "eval/mean_reward"),
        (("rollout/ep_rew_mean", "rollout/ep_len_mean", "time/fps"), "rollout/ep_rew_mean"),
        (("charts/episodic_return", "charts/SPS", "losses/value_loss"), "charts/episodic_return"),
        (("AverageEpRet", "AverageTestEpRet", "StdTestEpRet"), "AverageTestEpRet"),
        (("AverageEpRet", "StdEpRet", "MaxEpRet", "EpLen"), "AverageEpRet"),
        (("ReturnAverage", "ReturnStd", "ReturnMedian", "ReturnMax"), "ReturnAverage"),
        (("eprewmean", "eplenmean", "monitor:r"), "eprewmean"),
        (("train_loss", "val_loss", "lr"), "val_loss"),
        (("eval_loss", "eval_accuracy", "loss", "eval_runtime"), "eval_accuracy"),
        (("test_scores", "train_scores", "fit_times"), "test_scores"),
        (("train/epoch_accuracy", "validation/epoch_accuracy"), "validation/epoch_accuracy"),
        (
            ("env_runners/episode_return_mean", "learners/p0/entropy"),
            "env_runners/episode_return_mean",
        ),
        (("val_f1", "val_accuracy", "val_loss"), "val_accuracy"),
    ],
)
def test_what_stands_out_is_chosen(names: tuple[str, ...], expected: str) -> None:
    assert _chosen(*names) == expected
    assert _chosen(*names[::-1]) == expected


def test_the_reason_is_said_unless_it_was_asked_for() -> None:
    points = {"train/loss": [5, 5], "val/accuracy": [2, 2]}
    with naming_flags():
        assert choose_metric(points, TWO).reason == (
            "the only score of evaluation of 2 metrics; choose another by --metric"
        )
    assert not choose_metric(points, TWO, "train/loss").reason


@pytest.mark.parametrize(
    "names",
    [
        ("validation-merror", "validation-mlogloss", "train-merror", "train-mlogloss"),
        ("val_f1", "val_auc", "val_loss"),
        ("x", "y"),
        ("train/loss_a", "train/loss_b"),
    ],
)
def test_where_none_stands_out_all_are_listed(names: tuple[str, ...]) -> None:
    with naming_flags(), pytest.raises(CurvesError, match="Which metric") as caught:
        _chosen(*names)
    assert all(f"{name} (2 runs, 5 points each)" in str(caught.value) for name in names)
    assert "as in --metric " in str(caught.value)


def test_a_name_may_be_short_where_it_is_unique() -> None:
    names = ("monitor:r", "eval/mean_reward", "train/mean_reward", "Loss")
    assert _chosen(*names, asked="r") == "monitor:r"
    assert _chosen(*names, asked="eval/mean_reward") == "eval/mean_reward"
    assert _chosen(*names, asked="loss") == "Loss"
    with pytest.raises(OptionError, match="Several metrics could be meant") as caught:
        _chosen(*names, asked="mean_reward")
    assert caught.value.option == "metric"


def test_an_unknown_name_gets_a_hint_and_a_listing() -> None:
    with pytest.raises(OptionError) as caught:
        choose_metric({"val/accuracy": [3, 4], "loss": [9, 0]}, TWO, "val/acuracy")
    assert "Did you mean 'val/accuracy'?" in str(caught.value)
    assert "val/accuracy (2 runs, 3 to 4 points each) and loss (1 run, 9 points each)" in str(
        caught.value
    )


@pytest.mark.parametrize("name", ["heldout-rmse", "held_out_rmse", "holdout/rmse"])
def test_data_that_were_held_out_are_those_of_evaluation(name: str) -> None:
    assert choose_metric({"train-rmse": [9, 9], name: [9, 9]}, TWO).name == name


def test_episodes_of_the_final_model_are_no_curve_of_training() -> None:
    points = {"eval/episodic_return": [10, 10], "charts/episodic_return": [50, 60]}
    assert choose_metric(points, TWO).name == "charts/episodic_return"
    del points["charts/episodic_return"]
    points["losses/td_loss"] = [5, 5]
    assert choose_metric(points, TWO).name == "eval/episodic_return"


def test_a_metric_that_an_algorithm_lacks_is_refused_with_counts() -> None:
    points = {"acc": [3, 3, 0, 0, 0], "loss": [5, 5, 5, 5, 0]}
    algorithms = ["a", "a", "b", "b", "b"]
    with pytest.raises(CurvesError, match="2 of 2 runs of a and 0 of 3 runs of b") as caught:
        choose_metric(points, algorithms, "acc")
    assert "All algorithms have loss" in str(caught.value)
    # It is not proposed either.
    assert choose_metric(points, algorithms).name == "loss"
    apart = {"acc": [3, 3, 0, 0, 0], "loss": [0, 0, 5, 5, 5]}
    with pytest.raises(CurvesError, match=r"No metric is in all .*same runs.* only") as none:
        choose_metric(apart, algorithms, "acc")
    assert "Choose another" not in str(none.value)


def test_a_metric_that_single_runs_lack_is_left_to_the_rule_for_short_runs() -> None:
    points = {"acc": [3, 0, 3, 3], "loss": [5, 5, 5, 5]}
    assert choose_metric(points, ["a", "a", "b", "b"], "acc").name == "acc"


def test_algorithms_without_any_point_do_not_count() -> None:
    assert choose_metric({"acc": [3, 3, 0]}, ["a", "b", "c"]).name == "acc"


def test_no_point_at_all() -> None:
    for points in ({}, {"acc": [0, 0]}):
        with pytest.raises(CurvesError, match="nothing to read"):
            choose_metric(points, TWO)


def test_many_metrics_are_listed_in_part() -> None:
    with pytest.raises(CurvesError, match="and 88 more"):
        _chosen(*(f"x{number}" for number in range(100)))
