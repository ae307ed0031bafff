"""Loggers that are known by their headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from curvewise.readers.parsing.loggers import LOGGERS, logger_of
from curvewise.readers.tables.columns import step_names, time_names

if TYPE_CHECKING:
    from curvewise.readers.parsing.loggers import Logger


@pytest.mark.parametrize(
    ("header", "name", "step"),
    [
        (["rollout/ep_rew_mean", "time/total_timesteps"], "Stable-Baselines3", None),
        (
            ["eprewmean", "misc/nupdates", "misc/total_timesteps"],
            "OpenAI baselines",
            None,
        ),
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
    logger = logger_of(header)
    assert logger is not None
    assert logger.name == name
    first = next(column for column in logger.steps if column in header)
    assert first == step if step else first in header


def test_other_headers_tell_none() -> None:
    assert logger_of(["epoch", "loss"]) is None
    assert logger_of([]) is None


def test_rows_are_episodes_where_the_return_of_one_is_logged() -> None:
    acme = logger_of(["actor_steps", "episode_return"])
    assert acme is not None
    assert acme.layout(["actor_steps", "episode_return"]).of_episodes
    assert not acme.layout(["actor_steps", "critic_loss"]).of_episodes


@pytest.mark.parametrize("logger", LOGGERS, ids=lambda logger: logger.name)
def test_each_logger_is_told_by_a_column_of_its_own(logger: Logger) -> None:
    assert logger_of(logger.marks) is logger
    known = [*logger.steps, *step_names(logger.marks), *time_names(logger.marks)]
    assert set(logger.marks) & set(known)
