"""Which column is what."""

from __future__ import annotations

import polars as pl
import pytest

from curvewise import CurvesError
from curvewise.data.tables import Columns
from curvewise.readers.tables import (
    ColumnsToRead,
    recognised,
    refuse_part,
    step_columns,
    step_names,
    time_names,
)
from curvewise.text import naming_flags


def test_usual_names_are_recognised_in_any_case_and_with_spaces() -> None:
    found = recognised(Columns(), [" Agent ", "SEED", "Step", "Reward", "note"])
    assert found == Columns(" Agent ", "SEED", "Step", "Reward")


def test_named_columns_are_not_taken_for_another_part() -> None:
    found = recognised(Columns(algorithm="model", run="method"), ["model", "method"])
    assert found == Columns("model", "method")


def test_a_block_may_also_be_the_run() -> None:
    assert recognised(Columns(block="seed"), ["agent", "seed"]).run == "seed"


def test_the_name_of_the_part_goes_before_other_usual_names() -> None:
    assert recognised(Columns(), ["seed", "run"]).run == "run"


def test_several_usual_names_need_a_choice() -> None:
    with pytest.raises(
        CurvesError,
        match=r"columns 'agent' and 'method' could each be the algorithm. Choose one, for "
        'example with algorithm="agent".',
    ):
        recognised(Columns(), ["agent", "method"])
    with naming_flags(), pytest.raises(CurvesError, match="with --algorithm agent"):
        recognised(Columns(), ["agent", "method"])


def test_a_named_column_must_exist() -> None:
    with pytest.raises(CurvesError, match=r"called 'retrun'; .* did you mean 'return'"):
        recognised(Columns(score="retrun"), ["agent", "return"])


def test_a_part_without_a_column_asks_for_its_name() -> None:
    with pytest.raises(CurvesError) as refused:
        refuse_part("run", ["x", "y"])
    assert str(refused.value) == (
        "Which column is the run? None of the remaining columns has a usual name "
        "(run/seed/fold/trial); there are 'x', 'y'. Name the column with run=\"COLUMN\"."
    )
    with naming_flags(), pytest.raises(CurvesError, match=r"'x'. Name the column with --run COL"):
        refuse_part("run", ["x"])


def test_steps_are_recognised_in_the_names_of_columns() -> None:
    names = ["10", "step_200", "Epoch 3", "t=0.5", "x-1", "1e3", "3k", "score", "step"]
    assert step_columns(names) == {
        "10": 10,
        "step_200": 200,
        "Epoch 3": 3,
        "t=0.5": 0.5,
        "x-1": 1,
        "1e3": 1000,
    }


def test_columns_to_read_have_types() -> None:
    schema = ColumnsToRead(["agent"], ["step", "score"], frozenset(["score"])).schema()
    assert schema == {"agent": pl.String(), "step": pl.Float64(), "score": pl.List(pl.Float64())}


def test_where_no_column_is_left_one_is_to_be_added() -> None:
    with pytest.raises(
        CurvesError, match=r"no column left .* the run. Add one, usually called run"
    ):
        refuse_part("run", [])


@pytest.mark.parametrize(
    ("part", "column"),
    [
        ("step", "total_timesteps"),
        ("step", "time/total_timesteps"),
        ("step", "global_step"),
        ("step", "_step"),
        ("step", "training_iteration"),
        ("step", "TotalEnvInteracts"),
        ("step", "num_env_steps_sampled_lifetime"),
        ("step", "iter"),
        ("step", "frames"),
        ("score", "r"),
        ("score", "episodic_return"),
        ("score", "rollout/ep_rew_mean"),
        ("score", "AverageEpRet"),
        ("score", "val_acc"),
        ("score", "eval/mean_reward"),
        ("algorithm", "exp_name"),
        ("algorithm", "optimizer"),
    ],
)
def test_names_of_tools_are_recognised_where_no_usual_name_is(part: str, column: str) -> None:
    assert getattr(recognised(Columns(), ["x", column]), part) == column
    usual = {"step": "epoch", "score": "reward", "algorithm": "agent"}[part]
    assert getattr(recognised(Columns(), [column, usual]), part) == usual


def test_several_names_of_tools_need_a_choice() -> None:
    with pytest.raises(CurvesError, match=r"'val_acc' and 'val_loss' could each be the sc"):
        recognised(Columns(), ["val_acc", "val_loss"])


def test_columns_that_may_count_steps_are_ordered_by_what_they_tell() -> None:
    names = ["Epoch", "batch", "AverageEpRet", "TotalEnvInteracts", "step", "Time"]
    assert step_names(names) == ["TotalEnvInteracts", "step", "Epoch", "batch"]
    assert step_names(["timers/training_iteration", "training_iteration"]) == ["training_iteration"]
    assert time_names(names) == ["Time"]


@pytest.mark.parametrize(
    ("names", "steps"),
    [
        (["t=-3", "t=-2", "t=-1"], [-3, -2, -1]),
        (["t_-1", "t_0", "t_+1"], [-1, 0, 1]),
        (["t-1", "t0", "t1"], [-1, 0, 1]),
        (["step-1", "step-2", "step-10"], [1, 2, 10]),
        (["step--2", "step--1"], [-2, -1]),
        (["step - 5", "step - 6"], [5, 6]),
        (["-1", "+1", "1e3"], [-1, 1, 1000]),
    ],
)
def test_signs_of_steps_are_told_from_dashes(names: list[str], steps: list[float]) -> None:
    assert list(step_columns(names).values()) == steps


def test_dashes_that_may_be_signs_are_asked_about() -> None:
    with pytest.raises(CurvesError, match=r"Is 't-3' the step 3 or -3\?"):
        step_columns(["t-3", "t-2", "t-1"])
