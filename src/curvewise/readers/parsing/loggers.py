"""Loggers that write a table for each run: how their headers tell them, and what counts steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from curvewise.readers.logged import DOUBLE, SINGLE
from curvewise.readers.parsing.run_columns import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LOGGERS", "Logger", "logger_of"]


@dataclass(frozen=True)
class Logger:
    """A logger, told by the columns it always writes.

    Attributes
    ----------
    name : str
    marks : tuple of str
        Columns that are all there.
    steps : tuple of str
        Columns that count steps, the usual one first.
    episodes : str
        A column that is there if each row is an episode.
    precision : float
        The machine epsilon of the type in which it keeps numbers.
    n_sampled : int
        How many rows it writes where it samples a longer log; 0 if it never does.
    """

    name: str
    marks: tuple[str, ...]
    steps: tuple[str, ...]
    episodes: str = ""
    precision: float = DOUBLE
    n_sampled: int = 0

    def layout(self, header: Sequence[str]) -> Layout:
        """Return how the columns of a table of this logger are to be taken."""
        return Layout(
            steps=self.steps,
            of_episodes=self.episodes in header,
            precision=self.precision,
        )


# The first whose marks are all there. Other tables are taken by the usual names.
LOGGERS = (
    Logger(
        "Stable-Baselines3",
        ("time/total_timesteps",),
        ("time/total_timesteps", "time/iterations", "time/episodes"),
    ),
    Logger(
        "OpenAI baselines",
        ("misc/total_timesteps",),
        ("misc/total_timesteps", "misc/serial_timesteps", "misc/nupdates"),
    ),
    Logger(
        "OpenAI baselines",
        ("total_timesteps", "nupdates"),
        ("total_timesteps", "serial_timesteps", "nupdates"),
    ),
    Logger(
        "OpenAI baselines",
        ("TimestepsSoFar", "EpisodesSoFar"),
        ("TimestepsSoFar", "EpisodesSoFar", "ItersSoFar"),
    ),
    Logger(
        "OpenAI baselines",
        ("total/steps", "total/episodes"),
        ("total/steps", "total/epochs", "total/episodes"),
    ),
    Logger(
        "Spinning Up",
        ("TotalEnvInteracts",),
        ("TotalEnvInteracts", "Epoch"),
        precision=SINGLE,
    ),
    Logger("garage", ("TotalEnvSteps",), ("TotalEnvSteps", "Iteration")),
    Logger(
        "rlkit",
        ("exploration/num steps total",),
        ("exploration/num steps total", "Epoch", "epoch"),
    ),
    Logger(
        "rlpyt",
        ("Diagnostics/CumSteps",),
        (
            "Diagnostics/CumSteps",
            "Diagnostics/Iteration",
            "Diagnostics/CumCompletedTrajs",
        ),
    ),
    Logger(
        "Acme",
        ("actor_steps",),
        (
            *("actor_steps", "learner_steps", "evaluator_steps"),
            *("actor_episodes", "evaluator_episodes"),
        ),
        episodes="episode_return",
    ),
    Logger(
        "Acme",
        ("episode_length", "episode_return", "episodes", "steps"),
        ("steps", "episodes"),
        episodes="episode_return",
    ),
    Logger("Weights & Biases", ("_step", "_timestamp"), ("_step",), n_sampled=500),
    Logger(
        "TensorBoard's page",
        ("Wall time", "Step", "Value"),
        ("Step",),
        precision=SINGLE,
        n_sampled=1_000,
    ),
    Logger("Lightning", ("step", "epoch"), ("step", "epoch"), precision=SINGLE),
    Logger("Keras", ("epoch", "val_loss"), ("epoch",), precision=SINGLE),
)


def logger_of(header: Sequence[str]) -> Logger | None:
    """Return the logger that writes such a header, if it is a known one."""
    names = set(header)
    return next((logger for logger in LOGGERS if names.issuperset(logger.marks)), None)
