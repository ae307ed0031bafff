"""The tables that are shuffled: algorithms × runs each × steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DESIGNS", "design_table", "random_walks"]

DESIGNS = {
    "D1": (2, 10, 8),
    "D2": (2, 20, 16),
    "D3": (5, 10, 50),
    "D4": (2, 10, 10_000),
    "D5": (10, 30, 200),
    "D6": (6, 5, 199),  # real curves
    "D5, white noise": (10, 30, 200),
}


def random_walks(n_groups: int, n_runs: int, n_steps: int) -> tuple[Any, Any]:
    """Curves whose scores depend on each other, and the algorithm of each."""
    rng = np.random.default_rng(n_groups * n_runs * n_steps)
    scores = rng.normal(size=(n_groups * n_runs, n_steps)).cumsum(axis=1)
    return scores, np.repeat(np.arange(n_groups), n_runs)


def design_table(design: str, atari: Path | None = None) -> tuple[Any, Any]:
    """Return the scores and the labels of a design.

    ``atari`` is a table of six agents on one game, in 199 iterations; without it D6 is the
    embedded example, which has their means over ten iterations.
    """
    import curvewise as cw

    if design == "D6":
        game = cw.read(atari) if atari else cw.load_example("atari-8")["qbert"]
        assert isinstance(game, cw.Curves)
        return game.scores, game.codes
    scores, labels = random_walks(*DESIGNS[design])
    return (np.diff(scores, axis=1, prepend=0) if "noise" in design else scores), labels
