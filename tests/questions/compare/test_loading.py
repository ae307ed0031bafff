"""Compiled code is loaded for many comparisons together, if not for one."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
import numpy as np
import curvewise as cw
from curvewise.questions.compare.ask import load_compiler

scores = np.random.default_rng(0).normal(size=(20, 30))
table = cw.Curves(scores, np.repeat(["A", "B"], 10))
load_compiler([table] * {n_tables})
print("numba" in sys.modules)
"""


@pytest.mark.compiled
@pytest.mark.parametrize(("n_tables", "loaded"), [(1, "False"), (1_000, "True")])
def test_it_is_loaded_where_all_tables_together_repay_it(n_tables: int, loaded: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(n_tables=n_tables)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [loaded]
