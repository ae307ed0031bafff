"""Pairs of conditions with a known gain, for the tests of `transfer`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw
from curvewise import Curves

if TYPE_CHECKING:
    from curvewise import Transfer, Transfers
    from curvewise.kernels import Floats

__all__ = ["FEW", "SIDES", "growth", "of_runs", "pair", "rising", "several_tasks", "tictactoe"]

SIDES: dict[str, Any] = {"control": "C", "experimental": "E"}
FEW: dict[str, Any] = {"n_resamples": 99, "n_shuffles": 99, "rng": 0}


def pair(control: Any, experimental: Any, **options: Any) -> Curves:
    """Curves of the conditions C and E, given as rows."""
    return Curves.from_dict({"C": control, "E": experimental}, rows="runs", **options)


def rising(seed: int, n_runs: int = 6, gain: float = 1.0, n_steps: int = 12) -> Curves:
    """Rising curves of C and E, which is higher by a gain throughout."""
    rng = np.random.default_rng(seed)
    mean = np.linspace(0, 3, n_steps)
    control = mean + rng.normal(size=(n_runs, 1))
    control = control + 0.3 * rng.normal(size=(n_runs, n_steps))
    experimental = mean + gain + rng.normal(size=(n_runs, 1))
    experimental = experimental + 0.3 * rng.normal(size=(n_runs, n_steps))
    return pair(control, experimental, steps=np.arange(1, n_steps + 1))


def of_runs(control: Floats, experimental: Floats, **options: Any) -> Transfer:
    """Measure the gain of runs that are given as rows, with few shuffles."""
    names = options.pop("names", ("c", "e"))
    higher = options.pop("higher_is_better", True)
    curves = Curves(
        np.concatenate([control, experimental]),
        [names[0]] * len(control) + [names[1]] * len(experimental),
        higher_is_better=higher,
    )
    return cw.transfer(curves, control=names[0], experimental=names[1], **{**FEW, **options})


def growth(n_runs: int, rate: float, top: float, n_steps: int = 30) -> Floats:
    """Curves that approach the top at a rate."""
    noise = np.random.default_rng(int(1000 * rate)).normal(size=(n_runs, n_steps))
    return np.asarray(top * (1 - np.exp(-rate * np.arange(n_steps))) + 0.3 * noise)


@cache
def tictactoe() -> Transfer:
    curves = cw.load_example("tictactoe")
    return cw.transfer(curves, control="A2", experimental="A1", optimum=100, **FEW)


@cache
def several_tasks() -> Transfers:
    """Three tasks; on one all scores are equal, and it has no known optimum."""
    rows = np.concatenate([growth(4, 0.05, 50), growth(4, 0.1, 60)])
    labels = ["c"] * 4 + ["e"] * 4
    tasks = {name: Curves(rows * k, labels) for k, name in enumerate(["$a$", "b"], 1)}
    tasks["flat"] = Curves(np.ones((8, 30)), labels)
    optimum = {"$a$": 70.0, "b": 150.0}
    return cw.transfer_many(tasks, control="c", experimental="e", optimum=optimum, **FEW)
