from __future__ import annotations

import numpy as np

from curvewise.kernels.anova.compiled_screening import add_shares


def test_one_pass_gives_what_five_give() -> None:
    rng = np.random.default_rng(0)
    sums, shift = rng.normal(size=(3, 4, 9)), rng.normal(size=(4, 9))
    of_all, of_step = rng.random((2, 3, 4))
    given = [each.astype(np.float32) for each in (sums, shift, of_all, of_step)]
    together, largest = np.empty((2, 3, 9), dtype=np.float32)
    add_shares(*given, together, largest)
    squares = (sums + shift) ** 2
    assert np.allclose(together, (of_all[:, :, None] * squares).sum(axis=1), rtol=1e-5)
    assert np.allclose(largest, (of_step[:, :, None] * squares).max(axis=1), rtol=1e-5)
