from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.steps import nested_maxima, sequential


def test_maxima_are_those_of_every_window_that_shrinks_from_one_end() -> None:
    values = np.random.default_rng(0).uniform(size=(6, 30))
    found = nested_maxima(values)
    assert found.shape == (2, 6, 30)
    for step in range(6):
        np.testing.assert_array_equal(found[0, step], values[step:].max(axis=0))
        np.testing.assert_array_equal(found[1, step], values[: step + 1].max(axis=0))


@pytest.mark.parametrize("seed", range(5))
def test_p_never_falls_along_a_sequence_and_follows_from_its_parts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    of_steps = rng.uniform(size=7)
    pvalues = rng.uniform(high=0.5, size=(2, 7))
    until, since = sequential(pvalues, of_steps)
    for step in range(7):
        assert until[step] == min(2 * pvalues[0, : step + 1].max(), of_steps[step:].min())
        assert since[step] == min(2 * pvalues[1, step:].max(), of_steps[: step + 1].min())
    assert (np.diff(until) >= 0).all()
    assert (np.diff(since) <= 0).all()
