from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curvewise.kernels.codes import distinct


@given(st.lists(st.integers(0, 50), min_size=1))
def test_the_codes_are_those_that_unique_finds(codes: list[int]) -> None:
    array = np.array(codes, dtype=np.int64)
    np.testing.assert_array_equal(distinct(array), np.unique(array))


def test_a_comparison_without_blocks_imports_no_masked_arrays() -> None:
    code = (
        "import sys, curvewise as cw\n"
        "cw.compare(cw.load_example('tictactoe'), rng=0)\n"
        "print('numpy.ma' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
