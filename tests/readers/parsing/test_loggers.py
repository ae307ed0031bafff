"""Loggers that are known by their headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from curvewise.readers.parsing.columns import LOGGERS, layout_of
from curvewise.readers.tables import step_names, time_names

if TYPE_CHECKING:
    from curvewise.readers.parsing.columns import Layout


@pytest.mark.parametrize(
    ("header", "name", "step"),
    [
        (["rollout/ep_rew_mean", "time/total_timesteps"], "Stable-Baselines3", None),
        (["eprewmean", "misc/nupdates", "misc/total_timesteps"], "OpenAI baselines", None),
        (["EpRewMean", "EpisodesSoFar", "TimestepsSoFar"], "OpenAI baselines", None),
        (["Epoch", "AverageEpRet", "TotalEnvInteracts"], "Spinning Up", None),
        (["Iteration", "TotalEnvSteps", "Evaluation/AverageReturn"], "garage", None),
        (["Diagnostics/CumSteps", "ReturnAverage"], "rlpyt", None),
        (["episode_return", "actor_steps", "evaluator_steps"], "Acme", "actor_steps"),
        (["epoch", "step", "val_loss"], "Lightning", "step"),
        (["epoch", "accuracy", "loss", "val_accuracy", "val_loss"], "Keras", "epoch"),
        (["_step", "_runtime", "_timestamp", "loss"], "Weights & Biases", "_step"),
        (["Wall time", "Step", "Value"], "TensorBoard's page", "Step"),
    ],
)
def test_headers_tell_loggers(header: list[str], name: str, step: str | None) -> None:
    logger = layout_of(header)
    assert logger.logger == name
    first = next(column for column in logger.steps if column in header)
    assert first == step if step else first in header


def test_other_headers_tell_none() -> None:
    assert not layout_of(["epoch", "loss"]).logger
    assert not layout_of([]).logger


@pytest.mark.parametrize("logger", LOGGERS, ids=lambda logger: logger.logger)
def test_each_logger_is_told_by_a_column_of_its_own(logger: Layout) -> None:
    marks = logger.marks or logger.steps[:1]
    assert layout_of(marks) is logger
    assert {*marks} & {*logger.steps, *step_names(marks), *time_names(marks)}
