"""Memory does not grow with the number of shuffles: a process measures itself."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import re, sys
from pathlib import Path
import numpy as np
import curvewise as cw
# Not getrusage: its peak is inherited from the process that started this one.
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
scores = np.random.default_rng(0).normal(size=(24, 8)).cumsum(axis=1)
curves = cw.Curves(scores, np.repeat(["A", "B"], 12))
cw.compare(curves, exact=False, n_shuffles=3_000_000, rng=0)
before = peak()
found = cw.compare(curves, exact=False, n_shuffles=int(sys.argv[1]), rng=0)
grown = (peak() - before) / 1024
print(found.n_shuffles, len(found.algorithm.null_distribution), grown, before / 1024)
"""


def test_two_hundred_million_shuffles_need_no_more_than_three() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, "200000000"],
        capture_output=True,
        text=True,
        check=True,
    )
    n_shuffles, n_kept, megabytes, before = done.stdout.split()
    assert int(n_shuffles) == 200_000_000
    assert int(n_kept) <= 131_072
    # As floats the five null distributions alone would take eight gigabytes.
    assert 50 < float(before) < 1_000
    assert float(megabytes) < 40
