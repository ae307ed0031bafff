"""Run all contestants on all designs, interleaved, one thread each, and print ratios.

    make bench

Writes ``benchmarks/out/bench.json``, ``benchmarks/cost.png``, and the table between the
marks in ``benchmarks/README.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Before anything imports NumPy: a peer with threads of its own would be another contest.
for name in ("OPENBLAS", "OMP", "MKL", "NUMBA"):
    os.environ[f"{name}_NUM_THREADS"] = "1"

import numpy as np

from benchmarks.contestants import CONTESTANTS, curvewise

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.contestants import Outcome

HERE = Path(__file__).parent
DESIGNS = {
    "D1": (2, 10, 8),
    "D2": (2, 20, 16),
    "D3": (5, 10, 50),
    "D4": (2, 10, 10_000),
    "D5": (10, 30, 200),
}


def table(n_groups: int, n_runs: int, n_steps: int) -> tuple[Any, Any]:
    """Random walks: curves whose scores depend on each other."""
    rng = np.random.default_rng(n_groups * n_runs * n_steps)
    scores = rng.normal(size=(n_groups * n_runs, n_steps)).cumsum(axis=1)
    return scores, np.repeat(np.arange(n_groups), n_runs)


def check(outcome: Outcome, wanted: int, overall: float, name: str) -> None:
    """Refuse a contestant that did not do the work, or did other work."""
    if outcome.n_shuffles != wanted:
        msg = f"{name} did {outcome.n_shuffles} shuffles of {wanted}"
        raise AssertionError(msg)
    if not 0 < outcome.pvalue <= 1:
        msg = f"{name} found p = {outcome.pvalue}"
        raise AssertionError(msg)
    if outcome.overall is not None and not np.isclose(outcome.overall, overall):
        msg = f"{name} found F = {outcome.overall}, not {overall}"
        raise AssertionError(msg)


def measure(n_rounds: int) -> dict[str, dict[str, float]]:
    """Return the shuffles a second of each contestant on each design, the best round's."""
    rates: dict[str, dict[str, float]] = {name: {} for name in CONTESTANTS}
    for place, (design, shape) in enumerate(DESIGNS.items()):
        scores, labels = table(*shape)
        overall = curvewise(scores, labels, 3_000_000).overall  # also compiles
        for round_ in range(n_rounds):
            for name, (contestant, shuffles) in CONTESTANTS.items():
                n_shuffles = shuffles[place]
                if not n_shuffles:
                    continue
                if round_ == 0:
                    contestant(scores, labels, max(n_shuffles // 100, 1))  # warm
                started = time.perf_counter()
                outcome = contestant(scores, labels, n_shuffles)
                rate = n_shuffles / (time.perf_counter() - started)
                check(outcome, n_shuffles, float(overall or 0), f"{name} on {design}")
                rates[name][design] = max(rate, rates[name].get(design, 0.0))
        print(
            design,
            {
                name: f"{rate[design]:.3g}"
                for name, rate in rates.items()
                if design in rate
            },
        )
    return rates


def exact_seconds() -> dict[str, float]:
    """Time exact answers for two algorithms, eight steps, on two threads."""
    import curvewise as cw
    from curvewise.kernels.anova.design import Design
    from curvewise.kernels.anova.subset_sums import count_heights

    seconds = {}
    for n_runs in (16, 18):
        scores, labels = table(2, n_runs, 8)
        curves = cw.Curves(scores, labels)
        cw.compare(
            curves.window(0, 7).select("0", "1"),
            n_shuffles=3_000_000,
            exact=False,
            overall="F",
        )
        started = time.perf_counter()
        assert cw.compare(curves, exact=True, n_jobs=2, overall="F").exact
        seconds[f"both effects, 2 x {n_runs} runs"] = time.perf_counter() - started
    scores, labels = table(2, 20, 8)
    design = Design.from_scores(scores, labels, np.zeros_like(labels))
    heights = design.factor[0, 0] * design.coordinates[:, 0]
    started = time.perf_counter()
    assert count_heights(heights, 20, float(design.extreme_rule.bounds[1])) > 0
    seconds["height, 2 x 20 runs"] = time.perf_counter() - started
    return seconds


def threads() -> dict[str, float]:
    """Compare two threads with one on D1."""
    import curvewise as cw

    scores, labels = table(*DESIGNS["D1"])
    curves = cw.Curves(scores, labels)
    seconds = {}
    for n_jobs in (1, 2):
        best = np.inf
        for _ in range(3):
            started = time.perf_counter()
            cw.compare(
                curves,
                exact=False,
                n_shuffles=300_000_000,
                rng=0,
                n_jobs=n_jobs,
                overall="F",
            )
            best = min(best, time.perf_counter() - started)
        seconds[f"300 million shuffles of D1, {n_jobs} thread{'s' * (n_jobs > 1)}"] = best
    return seconds


def power_seconds() -> dict[str, float]:
    """Measure CPU time of a whole power curve: ten numbers of runs, three sizes, 50 steps."""
    import curvewise as cw

    scores, labels = table(2, 10, 50)
    pilots = cw.Curves(scores, labels)
    options: dict[str, Any] = {"sizes": (2, 4, 8), "rng": 0}
    effect = cw.scenario("lift")
    cw.estimate_power(pilots, effect=effect, n_runs=5, n_experiments=100, rng=0)  # warm
    best = np.inf
    for _ in range(3):
        started = time.process_time()
        cw.estimate_power(pilots, effect=effect, n_runs=range(4, 24, 2), **options)
        best = min(best, time.process_time() - started)
    return {"a power curve: 10 numbers of runs, 3 sizes, 2,000 experiments each": best}


def other_questions() -> dict[str, float]:
    """Time where and how much beside peers that do the same; how many times faster."""
    import mne

    import curvewise as cw

    scores, labels = table(2, 10, 200)
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

    combined = _rate(
        lambda n: cw.compare(curves, exact=False, n_shuffles=n, rng=0), 9_999
    )
    steps = _rate(
        lambda n: cw.locate(curves, windows=False, n_shuffles=n, **options), 9_999
    )
    windows = _rate(lambda n: cw.locate(curves, n_shuffles=n, **options), 9_999)
    metrics = _rate(lambda n: cw.transfer(conditions, n_resamples=n, **sides), 9_999)
    return {
        "the combined overall test of 200 steps, over mne": combined / _rate(by_mne, 999),
        "F, p and clusters at each of 200 steps, over mne": steps / _rate(by_mne, 999),
        "the same and all 20,100 windows, over mne without windows": windows
        / _rate(by_mne, 999),
        "nine metrics of 2×30×1000 with intervals, over one in a NumPy loop": metrics
        / _rate(by_loop, 999),
    }


def _rate(work: Callable[[int], Any], count: int) -> float:
    """Return how many shuffles or resamples are done in a second, at best."""
    best = np.inf
    for _ in range(3):
        started = time.perf_counter()
        work(count)
        best = min(best, time.perf_counter() - started)
    return float(count / best)


def startup() -> dict[str, float]:
    """Time fresh processes, as multiples of one that only imports NumPy."""
    import curvewise as cw

    curves = cw.load_example("tictactoe")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.csv"
        rows = [
            f"{label},{run},{step},{score}"
            for label, run, row in zip(
                curves.labels, curves.runs, curves.scores, strict=True
            )
            for step, score in zip(curves.steps, row, strict=True)
        ]
        path.write_text("\n".join(["agent,seed,step,score", *rows]), encoding="utf-8")
        example = (
            "import curvewise as cw; "
            "cw.compare(cw.load_example('tictactoe'), n_shuffles=10_000, rng=0)"
        )
        commands = {
            "import numpy": ["-c", "import numpy"],
            "compare the example, 10,000 shuffles": ["-c", example],
            "curvewise --help": ["-m", "curvewise", "--help"],
            "curvewise compare on a small CSV": ["-m", "curvewise", "compare", str(path)],
        }
        seconds = dict.fromkeys(commands, np.inf)
        for _ in range(7):
            for name, command in commands.items():
                started = time.perf_counter()
                subprocess.run(
                    [sys.executable, *command], check=True, capture_output=True
                )
                seconds[name] = min(seconds[name], time.perf_counter() - started)
    return {
        name: float(value / seconds["import numpy"]) for name, value in seconds.items()
    }


READING = """
import re, sys, time
from pathlib import Path
started = time.perf_counter()
if sys.argv[2] == "polars":
    import polars
    polars.read_csv(sys.argv[1])
else:
    import curvewise
    curvewise.read(sys.argv[1])
seconds = time.perf_counter() - started
# Not getrusage: its peak is inherited from the process that started this one.
status = Path("/proc/self/status").read_text()
print(seconds, int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) / 1024)
"""


def reading() -> dict[str, float]:
    """Read ten million long rows, beside polars' own read of the same file."""
    import polars as pl

    n_runs, n_steps = 100, 100_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        pl.DataFrame(
            {
                "agent": np.repeat(
                    [f"agent {i}" for i in range(10)], n_runs * n_steps // 10
                ),
                "seed": np.tile(np.repeat(np.arange(10), n_steps), 10),
                "step": np.tile(np.arange(n_steps) * 100, n_runs),
                "return": np.random.default_rng(0).normal(size=n_runs * n_steps).round(4),
            }
        ).write_csv(path)
        best: dict[str, list[float]] = {}
        for _ in range(3):
            for reader in ("polars", "curvewise"):
                done = subprocess.run(
                    [sys.executable, "-c", READING, str(path), reader],
                    check=True, capture_output=True, text=True,
                )  # fmt: skip
                measured = [float(x) for x in done.stdout.split()]
                best[reader] = [*map(min, measured, best.get(reader, measured))]
    matrix = n_runs * n_steps * 8 / 2**20
    return {
        "time to read 1e7 rows, over polars' own": best["curvewise"][0]
        / best["polars"][0],
        "memory above polars' peak, over the matrix": (
            best["curvewise"][1] - best["polars"][1]
        )
        / matrix,
    }


def cost_plot(path: Path) -> None:
    """Draw what a shuffle costs against runs, steps, algorithms and shuffles."""
    from matplotlib.figure import Figure

    sweeps: dict[str, list[tuple[float, tuple[int, int, int], int]]] = {
        "runs per algorithm": [
            (n, (2, n, 8), 20_000_000) for n in (5, 8, 10, 15, 20, 30)
        ],
        "steps": [(k, (2, 10, k), 20_000_000) for k in (2, 8, 32, 128, 1_000, 10_000)],
        "algorithms": [(m, (m, 6, 20), 5_000_000) for m in (2, 3, 4, 6, 8, 12)],
        "shuffles": [(z, (2, 10, 8), z) for z in (10**4, 10**5, 10**6, 10**7, 10**8)],
    }
    for shape in ((2, 10, 8), (2, 20, 8), (3, 6, 20)):
        curvewise(*table(*shape), 5_000_000)  # compiled before anything is timed
    figure = Figure(figsize=(10, 7), layout="constrained")
    for ax, (name, sweep) in zip(figure.subplots(2, 2).flat, sweeps.items(), strict=True):
        costs = []
        for _, shape, n_shuffles in sweep:
            scores, labels = table(*shape)
            started = time.perf_counter()
            curvewise(scores, labels, n_shuffles)
            costs.append((time.perf_counter() - started) / n_shuffles * 1e9)
        ax.plot([x for x, _, _ in sweep], costs, "o-", color="#0072B2")
        ax.set(xlabel=name, ylabel="nanoseconds per shuffle")
        if name in {"steps", "shuffles"}:
            ax.set_xscale("log")
        if name == "shuffles":
            ax.set_yscale("log")  # small work is done in NumPy, large work compiled
        else:
            ax.set_ylim(bottom=0)
    figure.savefig(path, dpi=120)


def markdown(record: dict[str, Any]) -> str:
    """Lay the rates out as a table, with ratios to curvewise."""
    rates = record["shuffles_per_second"]
    lines = [
        "| shuffles a second (curvewise is so many times faster) | "
        + " | ".join(DESIGNS)
        + " |"
    ]
    lines.append("|:--|" + "--:|" * len(DESIGNS))
    for name, rate in rates.items():
        cells = []
        for design in DESIGNS:
            if design not in rate:
                cells.append("–")
                continue
            ratio = rates["curvewise"][design] / rate[design]
            times = "" if name == "curvewise" else f" ({ratio:.3g}×)"
            cells.append(f"{rate[design]:,.0f}{times}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "| exact, threads, and power | seconds |", "|:--|--:|"]
    for part in ("exact_seconds", "d1_300_million_shuffles_seconds", "power_seconds"):
        lines += [f"| {name} | {value:.2f} |" for name, value in record[part].items()]
    lines += [
        "",
        "| fresh processes, over `import numpy`; and reading | ratio |",
        "|:--|--:|",
    ]
    lines += [f"| {name} | {value:.2f} |" for name, value in record["ratios"].items()]
    lines += ["", "| where and how much, so many times faster | ratio |", "|:--|--:|"]
    lines += [f"| {name} | {value:.3g} |" for name, value in record["others"].items()]
    made = f"{record['date']}, {record['machine']}, {record['python']}."
    return "\n".join([*lines, "", made])


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    record = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "python": f"Python {platform.python_version()}, NumPy {np.__version__}",
        "shuffles_per_second": measure(arguments.rounds),
        "exact_seconds": exact_seconds(),
        "d1_300_million_shuffles_seconds": threads(),
        "power_seconds": power_seconds(),
        "ratios": {**startup(), **reading()},
        "others": other_questions(),
    }
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    (out / "bench.json").write_text(json.dumps(record, indent=2), encoding="utf-8")
    text = markdown(record)
    print(text)
    readme = HERE / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition("<!-- table -->")
    _, _, after = rest.partition("<!-- end -->")
    content = f"{before}<!-- table -->\n{text}\n<!-- end -->{after}"
    readme.write_text(content, encoding="utf-8")
    cost_plot(HERE / "cost.png")


if __name__ == "__main__":
    main()
