"""Which way round an array of curves lies."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise.readers.table_formats import orientation


def walks(rng: np.random.Generator, n_runs: int, n_steps: int) -> np.ndarray:
    return np.cumsum(rng.normal(size=(n_runs, n_steps)), axis=1)


@pytest.mark.parametrize("shape", [(10, 10), (5, 200), (30, 8)])
def test_random_walks(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    n_found = 0
    for _ in range(20):
        arrays = [walks(rng, *shape), walks(rng, *shape)]
        assert orientation(arrays) == "runs × steps"
        n_found += orientation([array.T for array in arrays]) == "steps × runs"
    # Columns in no order look ordered once in a hundred times.
    assert n_found >= 18


def test_learning_curves_with_noise() -> None:
    rng = np.random.default_rng(2)
    trend = 1 - np.exp(-np.arange(12) / 4)
    arrays = [trend + rng.normal(0, 0.05, (8, 12)) for _ in range(2)]
    assert orientation(arrays) == "runs × steps"
    assert orientation([array.T for array in arrays]) == "steps × runs"


def test_runs_told_in_order_of_their_scores_are_runs() -> None:
    rng = np.random.default_rng(3)
    array = np.arange(10)[:, None] + walks(rng, 10, 30)
    assert orientation([array]) != "steps × runs"


def test_noise_alone_tells_nothing() -> None:
    rng = np.random.default_rng(4)
    found = [orientation([rng.normal(size=(10, 10))]) for _ in range(200)]
    assert found.count("steps × runs") <= 2
    assert found.count(None) >= 190


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((10, 10)),
        np.arange(4.0)[:, None] + np.zeros((4, 4)),
        np.where(np.eye(10) > 0, np.nan, np.arange(10.0)[:, None]),
        np.zeros((0, 0)),
        np.arange(10.0)[None],
    ],
)
def test_arrays_that_tell_nothing(array: np.ndarray) -> None:
    assert orientation([array]) is None
