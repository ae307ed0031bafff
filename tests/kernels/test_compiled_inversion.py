from __future__ import annotations

import sys

import numpy as np
import pytest

from curvewise.kernels import inversion
from curvewise.kernels.compiled_inversion import enclosing_roots
from curvewise.kernels.inversion import LIKENESS_TOLERANCE, shift_interval


@pytest.mark.parametrize("whole", [False, True])
def test_compiled_roots_are_those_of_numpy(
    whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Differences that tie and labellings that only swap names among them."""
    rng = np.random.default_rng(1)
    shuffled = rng.normal(size=500)
    likeness = rng.choice([-1.0, -0.6, -0.2, 0.2, 0.6, 1.0], size=500)
    if whole:
        shuffled = np.round(shuffled)
    found = enclosing_roots(1.0, shuffled, likeness, 1e-9, LIKENESS_TOLERANCE)
    compiled = shift_interval(1.0, shuffled, likeness, 0.05, exact=True)
    monkeypatch.delitem(sys.modules, inversion.COMPILED)
    expected = inversion._enclosing_roots(1.0, shuffled, likeness, 1e-9)
    np.testing.assert_array_equal(found, expected)
    assert np.isinf(expected[0]).any()
    assert shift_interval(1.0, shuffled, likeness, 0.05, exact=True) == compiled
