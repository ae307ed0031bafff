from __future__ import annotations

import numpy as np

from curvewise.kernels.compiled_kernels import add_shares


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
