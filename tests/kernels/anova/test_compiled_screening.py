from __future__ import annotations

import numpy as np

from curvewise.kernels.anova.compiled_screening import (
    add_shares,
    count_between,
    standardise,
    to_values,
)


def singles(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).random(shape).astype(np.float32)


def test_one_pass_gives_what_five_give() -> None:
    rng = np.random.default_rng(0)
    sums, shifts = rng.normal(size=(3, 4, 9)), rng.normal(size=(2, 4, 9))
    of_all, of_step = rng.random((2, 2, 3, 4))
    given = [each.astype(np.float32) for each in (sums, shifts, of_all, of_step)]
    shares = np.full((2, 2, 3, 9), np.nan, dtype=np.float32)
    add_shares(*given, shares)
    squares = (sums + shifts[:, None]) ** 2
    together = (of_all[..., None] * squares).sum(axis=2)
    largest = (of_step[..., None] * squares).max(axis=2)
    assert np.allclose(shares, np.stack([together, largest], axis=1), rtol=1e-5)


def test_shares_become_values() -> None:
    shares = singles(4, 3, 9)
    values = shares.copy()
    to_values(values)
    assert np.allclose(values, (shares / np.sqrt(1 - shares)) ** 0.25, rtol=1e-5)


def test_values_are_standardised_by_those_that_are_learnt_from() -> None:
    values = singles(4, 3, 9)
    values[1, 2] = 0.5
    scaled, deviations = values.copy(), np.empty((4, 3), dtype=np.float32)
    standardise(scaled, 8, np.float32(2), deviations)
    learnt = values[:, :, :8].astype(np.float64)
    assert np.allclose(deviations, learnt.std(axis=2), rtol=1e-5)
    apart = values - learnt.mean(axis=2, keepdims=True)
    varies = deviations > 0
    expected = 2 * apart[varies] / learnt.std(axis=2)[varies][:, None]
    assert np.allclose(scaled[varies], expected, rtol=1e-4, atol=1e-5)
    assert not scaled[~varies].any()


def test_values_are_counted_twice() -> None:
    values = np.array([[1.0, 2, 3, 2], [5, 5, 1, 3]], dtype=np.float32)
    fewest, most = np.empty((2, 2), dtype=np.int64)
    count_between(values, np.array([0.5, 0.0]), fewest, most)
    assert (fewest.tolist(), most.tolist()) == ([1, 2], [2, 2])
