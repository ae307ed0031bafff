from __future__ import annotations

import numpy as np
import pytest

from curvewise.kernels.steps import MAX_RELABELLINGS, Tiles
from tests.kernels.location.test_compiled_scan import design_of, drawn


@pytest.mark.parametrize("sizes", [(4, 5), (3, 3, 4)])
@pytest.mark.parametrize("in_order", [False, True])
def test_tiles_hold_every_sum_once(sizes: tuple[int, ...], *, in_order: bool) -> None:
    design = design_of("random walk", sizes, 1_100)
    labels = drawn(design, MAX_RELABELLINGS + 5)
    order = np.random.default_rng(0).permutation(design.n_steps) if in_order else None
    tiles = Tiles.of(design, labels)
    whole = design.sums(labels)
    found = np.full_like(whole, np.nan)
    for steps, number, sums in tiles.along(order):
        place = slice(None), steps, tiles.parts[number]
        assert np.isnan(found[place]).all()
        found[place] = sums
    expected = whole if order is None else whole[:, order]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    means = np.concatenate(tiles.means(), axis=-1)
    np.testing.assert_allclose(means, whole.mean(axis=1), atol=1e-12)
