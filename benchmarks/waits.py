"""What a user waits for: CPU seconds of whole questions, the largest that are common."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks.designs import random_walks
from benchmarks.timing import best_seconds, timed

__all__ = [
    "against_shuffles",
    "comparing",
    "on_all_cores",
    "other_waits",
    "peak_memory",
    "power_seconds",
]

MAX_SECONDS_TWICE = 10.0


def _curves(n_groups: int, n_runs: int, n_steps: int) -> Any:
    import curvewise as cw

    return cw.Curves(*random_walks(n_groups, n_runs, n_steps))


def comparing() -> dict[str, float]:
    """Time exact answers, and many algorithms; compiled code is loaded already."""
    import curvewise as cw
    from curvewise.kernels.anova import Design
    from curvewise.kernels.invert import count_heights

    seconds = {}
    for n_runs in (10, 11):
        curves = _curves(2, n_runs, 8)
        ask = partial(cw.compare, curves)
        seconds[f"exact default, 2 × {n_runs} runs"] = best_seconds(ask, 5)
    for n_groups, n_runs in ((2, 16), (2, 18), (2, 20), (3, 6), (4, 4)):
        curves = _curves(n_groups, n_runs, 8)
        ask = partial(cw.compare, curves, exact=True, overall="F")

        seconds[f"exact, all five statistics, {n_groups} × {n_runs} runs"] = best_seconds(
            ask, 1 if n_runs >= 18 else 2
        )
    scores, labels = random_walks(2, 20, 8)
    design = Design.from_scores(scores, labels, np.zeros_like(labels))
    heights = design.factor[0, 0] * design.coordinates[:, 0]
    bound = float(design.extreme_rule.bounds[1])
    seconds["exact height, 2 × 20 runs"] = best_seconds(lambda: count_heights(heights, 20, bound))
    for n_groups in (50, 100, 200, 400, 1_000):
        curves = _curves(n_groups, 5, 100)
        seconds[f"compare {n_groups} algorithms × 5 runs × 100 steps"] = best_seconds(
            partial(cw.compare, curves, rng=0), 1 if n_groups == 1_000 else 2
        )
    return seconds


def on_all_cores() -> dict[str, float]:
    """Time large exact answers by the clock, with as many threads as there are cores."""
    import curvewise as cw

    seconds = {}
    for n_runs in (18, 20):
        ask = partial(cw.compare, _curves(2, n_runs, 8), exact=True, overall="F", n_jobs=-1)
        started = time.perf_counter()
        ask()
        seconds[f"exact, all five statistics, 2 × {n_runs} runs"] = time.perf_counter() - started
    return seconds


def other_waits() -> dict[str, float]:
    """Time the other questions on large work."""
    import curvewise as cw

    works: dict[str, Any] = {}
    pairs = _curves(50, 10, 20), _curves(20, 20, 20)
    works["pairs: 50 × 10 runs"] = lambda: cw.compare_pairs(pairs[0], rng=0)
    works["pairs: 20 × 20 runs"] = lambda: cw.compare_pairs(pairs[1], rng=0)
    located = _curves(6, 5, 199), _curves(2, 10, 10_000), _curves(2, 10, 100_000)
    works["locate: 6×5×199"] = lambda: cw.locate(located[0], rng=0)
    works["locate: 2×10×10,000"] = lambda: cw.locate(located[1], rng=0)
    works["locate: 2×10×100,000"] = lambda: cw.locate(located[2], rng=0)
    sides: dict[str, Any] = {"control": "0", "experimental": "1", "rng": 0}
    conditions = {f"task {number}": _curves(2, 5, 200 + number) for number in range(60)}
    works["transfer: 60 tasks 2×5×200"] = lambda: cw.transfer_many(conditions, **sides)
    works["transfer: 2×10×100,000"] = lambda: cw.transfer(located[2], **sides)
    seconds = {}
    for name, work in works.items():
        # Short ones more than once: the first time compiled code is loaded.
        seconds[name] = timed(work)[1]
        if seconds[name] < MAX_SECONDS_TWICE:
            seconds[name] = min(seconds[name], timed(work)[1])
        print(name, f"{seconds[name]:.2f} s")
    return seconds


PEAK = """
import re
from pathlib import Path
import numpy as np
import curvewise as cw
from benchmarks.designs import random_walks

def peak():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) / 1024

{warm_up}
before = peak()
{work}
print(peak() - before)
"""
LOCATING = {
    "warm_up": "cw.locate(cw.Curves(*random_walks(2, 10, 2_000)), rng=0)\n"
    "curves = cw.Curves(*random_walks(2, 10, 100_000))",
    "work": "cw.locate(curves, rng=0)",
}
MANY_TABLES = {
    "warm_up": "cw.compare_many({'a': cw.Curves(*random_walks(2, 10, 50))})\n"
    "tables = {str(i): cw.Curves(*random_walks(2, 10, 50)) for i in range(1_000)}",
    "work": "found = cw.compare_many(tables)",
}


def peak_memory() -> dict[str, float]:
    """Measure by how many MB memory grows, each in a process of its own."""
    found = {}
    for name, work in {
        "locate: 2×10×100,000, 16 MB of scores": LOCATING,
        "compare_many: 1,000 tables 2×10": MANY_TABLES,
    }.items():
        line = [sys.executable, "-c", PEAK.format(**work)]
        done = subprocess.run(line, check=True, capture_output=True, text=True)
        found[name] = float(done.stdout)
        print(name, f"{found[name]:.0f} MB")
    return found


def against_shuffles() -> dict[str, dict[str, float]]:
    """Time `compare` against the number of shuffles, where compiled code is loaded already."""
    import curvewise as cw

    found: dict[str, dict[str, float]] = {}
    for name, shape in (("D1", (2, 10, 8)), ("D3", (5, 10, 50))):
        curves = _curves(*shape)
        found[name] = {}
        for n_shuffles in (10**4, 10**5, 10**6, 10**7):
            ask = partial(
                cw.compare, curves, exact=False, n_shuffles=n_shuffles, rng=0, overall="F"
            )
            found[name][f"{n_shuffles:,}"] = best_seconds(ask)
    return found


def power_seconds() -> dict[str, float]:
    """Measure CPU time of a whole power curve: ten numbers of runs, three sizes, 50 steps."""
    import curvewise as cw

    pilots = _curves(2, 10, 50)
    options: dict[str, Any] = {"sizes": (2, 4, 8), "rng": 0}
    effect = cw.scenario("lift")
    cw.estimate_power(pilots, effect=effect, n_runs=5, n_experiments=100, rng=0)  # warm
    best = best_seconds(
        lambda: cw.estimate_power(pilots, effect=effect, n_runs=range(4, 24, 2), **options)
    )
    return {"a power curve: 10 numbers of runs, 3 sizes, 2,000 experiments each": best}
