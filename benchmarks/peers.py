"""Where and how much, beside peers; fresh processes; and reading, beside polars."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.designs import random_walks
from benchmarks.timing import best_seconds, seconds_of_process

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["other_questions", "reading", "startup"]


def other_questions() -> dict[str, float]:
    """Time where and how much beside peers that do the same; how many times faster."""
    import mne

    import curvewise as cw

    scores, labels = random_walks(2, 10, 200)
    scores[labels == labels[0], 50:80] += 3 * scores.std()  # mne stops without a cluster
    curves = cw.Curves(scores, labels)
    groups = [curves.scores[curves.codes == code] for code in (0, 1)]
    options: dict[str, Any] = {"exact": False, "n_resamples": 0, "rng": 0}
    cw.locate(curves, n_shuffles=99, **options)  # compiles

    def by_mne(n_shuffles: int) -> Any:
        *_, null = mne.stats.permutation_cluster_test(
            groups,
            threshold=4.4,
            n_permutations=n_shuffles + 1,
            tail=1,
            stat_fun=mne.stats.f_oneway,
            rng=1,
            verbose="error",
        )
        assert len(null) == n_shuffles + 1

    rng = np.random.default_rng(1)
    runs = 1 + rng.normal(size=(60, 1_000)).cumsum(axis=1) / 50
    conditions = cw.Curves(runs, ["C"] * 30 + ["E"] * 30)
    sides: dict[str, Any] = {"control": "C", "experimental": "E", "n_shuffles": 99}
    sides |= {"exact": False, "rng": 0}
    cw.transfer(conditions, n_resamples=4_000, **sides)  # compiles

    def by_loop(n_resamples: int) -> list[float]:
        """One metric, one resample at a time: what one writes first."""
        ratios = []
        for _ in range(n_resamples):
            c, e = runs[rng.integers(0, 30, 30)], runs[rng.integers(30, 60, 30)]
            ratios.append(float(e.mean(axis=0).sum() / c.mean(axis=0).sum()))
        return ratios

    combined = _rate(lambda n: cw.compare(curves, exact=False, n_shuffles=n, rng=0), 9_999)
    steps = _rate(lambda n: cw.locate(curves, windows=False, n_shuffles=n, **options), 9_999)
    windows = _rate(lambda n: cw.locate(curves, n_shuffles=n, **options), 9_999)
    metrics = _rate(lambda n: cw.transfer(conditions, n_resamples=n, **sides), 9_999)
    return {
        "the combined overall test of 200 steps, over mne": combined / _rate(by_mne, 999),
        "F, p and clusters at each of 200 steps, over mne": steps / _rate(by_mne, 999),
        "the same and all 20,100 windows, over mne without windows": windows / _rate(by_mne, 999),
        "nine metrics of 2×30×1000 with intervals, over one in a NumPy loop": metrics
        / _rate(by_loop, 999),
    }


def _rate(work: Callable[[int], Any], count: int) -> float:
    """Return how many shuffles or resamples are done in a CPU second, at best."""
    return count / best_seconds(lambda: work(count))


def startup() -> dict[str, float]:
    """Measure CPU time of fresh processes, as multiples of one that only imports NumPy."""
    import curvewise as cw

    curves = cw.load_example("tictactoe")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.csv"
        rows = [
            f"{label},{run},{step},{score}"
            for label, run, row in zip(curves.labels, curves.runs, curves.scores, strict=True)
            for step, score in zip(curves.steps, row, strict=True)
        ]
        path.write_text("\n".join(["agent,seed,step,score", *rows]), encoding="utf-8")
        example = (
            "import curvewise as cw; "
            "cw.compare(cw.load_example('tictactoe'), n_shuffles=10_000, rng=0)"
        )
        commands = {
            "import numpy": ["-c", "import numpy"],
            "import polars": ["-c", "import polars"],
            "compare the example, 10,000 shuffles": ["-c", example],
            "curvewise --help": ["-m", "curvewise", "--help"],
            "curvewise compare on a small CSV": ["-m", "curvewise", "compare", str(path)],
        }
        seconds = dict.fromkeys(commands, np.inf)
        for _ in range(9):
            for name, command in commands.items():
                line = [sys.executable, *command]
                own = seconds_of_process(line)
                seconds[name] = min(seconds[name], own)
    return {name: float(value / seconds["import numpy"]) for name, value in seconds.items()}


READING = """
import re, sys, time
from pathlib import Path
path, reader = sys.argv[1:]
if reader == "polars":
    import polars
    read = polars.read_parquet if path.endswith("parquet") else polars.read_csv
else:
    import curvewise
    read = curvewise.read
started = time.process_time()
read(path)
seconds = time.process_time() - started
# Not getrusage: its peak is inherited from the process that started this one.
status = Path("/proc/self/status").read_text()
print(seconds, int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) / 1024)
"""


def _read_apart(path: Path, reader: str) -> list[float]:
    """Return seconds and peak memory in MB of one process that reads a file."""
    line = [sys.executable, "-c", READING, str(path), reader]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    return [float(x) for x in done.stdout.split()]


def reading() -> dict[str, float]:
    """Read ten million long rows, beside polars' own read of the same file, and a wide table."""
    import polars as pl

    n_runs, n_steps = 100, 100_000
    matrix = n_runs * n_steps * 8 / 2**20
    found = {}
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "agent": np.repeat([f"agent {i}" for i in range(10)], n_runs * n_steps // 10),
            "seed": np.tile(np.repeat(np.arange(10), n_steps), 10),
            "step": np.tile(np.arange(n_steps) * 100, n_runs),
            "return": rng.normal(size=n_runs * n_steps).round(4),
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        long = Path(folder) / "large.csv"
        frame.write_csv(long)
        frame.write_parquet(long.with_suffix(".parquet"))
        for kind in ("CSV", "Parquet"):
            path = long.with_suffix(f".{kind.lower()}")
            best: dict[str, list[float]] = {}
            for _ in range(3):
                for reader in ("polars", "curvewise"):
                    measured = _read_apart(path, reader)
                    best[reader] = [*map(min, measured, best.get(reader, measured))]
            (own, memory), (peers, peers_memory) = best["curvewise"], best["polars"]
            found[f"time to read 1e7 rows of {kind}, over polars' own"] = own / peers
            found[f"memory above polars' peak, over the matrix, {kind}"] = (
                memory - peers_memory
            ) / matrix
        wide = Path(folder) / "wide.csv"
        columns = np.round(rng.normal(size=(20, n_steps)).cumsum(axis=1), 4)
        header = ",".join(["agent", "seed", *map(str, range(n_steps))])
        rows = [
            ",".join(["AB"[run // 10], str(run), *map(str, row)])
            for run, row in enumerate(columns.tolist())
        ]
        wide.write_text("\n".join([header, *rows, ""]), encoding="utf-8")
        seconds = min(_read_apart(wide, "curvewise")[0] for _ in range(3))
        found["a wide CSV of 20 rows × 100,000 columns, seconds"] = seconds
    return found
