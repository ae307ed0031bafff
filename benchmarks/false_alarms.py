"""How often common tools announce a difference that is not there, and find one that is.

    make other-tools

Writes the table between the marks in ``docs/other-tools.md``. Each procedure is what people do
with learning curves, done by the tool itself on the same simulated tables.
"""

from __future__ import annotations

import argparse
import os
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

for name in ("OPENBLAS", "OMP", "MKL", "NUMBA"):
    os.environ[f"{name}_NUM_THREADS"] = "1"

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).parents[1] / "docs" / "other-tools.md"
START, END = "<!-- table -->\n", "<!-- end -->"
ALPHA = 0.05
N_RUNS, N_STEPS = 5, 20
N_SHUFFLES = 199  # of procedures that sample
RUN_SD, CORRELATION = 0.7, 0.7  # a run that is lucky stays lucky
LIFT, SPEED = 1.5, 4.0
TOOLS = ("curvewise", "mne", "pingouin", "scipy", "statsmodels")
Found = dict[str, bool]


def simulate(rng: np.random.Generator, truth: str) -> tuple[Any, Any]:
    """Return five runs of each of two algorithms, and whose they are."""
    steps = np.arange(N_STEPS)
    rising = 4 * (1 - np.exp(-steps / 6))
    noise = rng.normal(size=(2 * N_RUNS, N_STEPS))
    for step in range(1, N_STEPS):
        noise[:, step] = (
            CORRELATION * noise[:, step - 1] + np.sqrt(1 - CORRELATION**2) * noise[:, step]
        )
    scores = rising + noise + RUN_SD * rng.normal(size=(2 * N_RUNS, 1))
    if truth == "better everywhere":
        scores[N_RUNS:] += LIFT
    elif truth == "learns faster":
        scores[N_RUNS:] += SPEED * np.exp(-steps / 4) * steps / 4
    return scores, np.repeat([0, 1], N_RUNS)


def final_t(scores: Any, labels: Any) -> Found:
    """Student's t of the last scores."""
    from scipy import stats

    found = stats.ttest_ind(*(scores[labels == own, -1] for own in (0, 1)))
    return {"any": bool(found.pvalue <= ALPHA)}


def every_t(scores: Any, labels: Any) -> Found:
    """Student's t at every step; one that is significant is enough."""
    from scipy import stats

    found = stats.ttest_ind(*(scores[labels == own] for own in (0, 1)))
    return {"any": bool(np.min(found.pvalue) <= ALPHA)}


def mean_shuffled(scores: Any, labels: Any) -> Found:
    """Shuffle the means over training."""
    from scipy import stats

    samples = [scores[labels == own].mean(axis=1) for own in (0, 1)]
    found = stats.permutation_test(samples, _difference, vectorized=True)
    return {"any": bool(found.pvalue <= ALPHA)}


def _difference(a: Any, b: Any, axis: int = -1) -> Any:
    return np.mean(a, axis=axis) - np.mean(b, axis=axis)


def mean_bootstrap(scores: Any, labels: Any) -> Found:
    """Percentile bootstrap of the difference of means over training."""
    from scipy import stats

    samples = [scores[labels == own].mean(axis=1) for own in (0, 1)]
    found = stats.bootstrap(
        samples, _difference, method="percentile", n_resamples=2_000, vectorized=True,
        rng=0,
    )  # fmt: skip
    low, high = found.confidence_interval
    return {"any": bool(low > 0 or high < 0)}


def _frame(scores: Any, labels: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(
        {
            "score": scores.ravel(),
            "run": np.repeat(np.arange(len(scores)), N_STEPS),
            "step": np.tile(np.arange(N_STEPS), len(scores)),
            "algorithm": np.repeat(np.array(["A", "B"])[labels], N_STEPS),
        }
    )


def two_way(scores: Any, labels: Any) -> Found:
    """Two-way ANOVA of all scores, as if they were independent."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    fitted = ols("score ~ C(algorithm) * C(step)", _frame(scores, labels)).fit()
    p = anova_lm(fitted)["PR(>F)"]
    shape = p["C(algorithm):C(step)"] <= ALPHA
    return {"any": bool(shape or p["C(algorithm)"] <= ALPHA), "shape": bool(shape)}


def mixed(scores: Any, labels: Any) -> Found:
    """Mixed ANOVA: runs are subjects, steps are within them."""
    import pingouin

    table = pingouin.mixed_anova(
        _frame(scores, labels), dv="score", within="step", between="algorithm",
        subject="run",
    )  # fmt: skip
    column = "p_unc" if "p_unc" in table.columns else "p-unc"
    p = dict(zip(table["Source"], table[column], strict=True))
    shape = p["Interaction"] <= ALPHA
    return {"any": bool(shape or p["algorithm"] <= ALPHA), "shape": bool(shape)}


def clusters(scores: Any, labels: Any) -> Found:
    """Cluster permutation test over steps."""
    from mne.stats import permutation_cluster_test

    groups = [scores[labels == own] for own in (0, 1)]
    _, _, pvalues, _ = permutation_cluster_test(
        groups, n_permutations=N_SHUFFLES + 1, rng=0, verbose="ERROR", out_type="mask"
    )
    return {"any": bool(min(pvalues, default=1.0) <= ALPHA)}


def curvewise(scores: Any, labels: Any) -> Found:
    """Take what curvewise compare claims."""
    import curvewise as cw

    found = cw.compare(cw.Curves(scores, labels))
    differ, shape = found.overall.significant, found.interaction
    assert shape is not None, "there are several steps"
    return {"any": differ, "shape": differ and shape.significant}


PROCEDURES: dict[str, tuple[str, Callable[[Any, Any], Found]]] = {
    "t test of final scores": ("scipy.stats.ttest_ind", final_t),
    "t test at every step, any star": ("scipy.stats.ttest_ind", every_t),
    "bootstrap interval of the mean over training": ("scipy.stats.bootstrap", mean_bootstrap),
    "shuffled means over training": ("scipy.stats.permutation_test", mean_shuffled),
    "two-way ANOVA of all scores": ("statsmodels anova_lm", two_way),
    "mixed ANOVA, runs as subjects": ("pingouin.mixed_anova", mixed),
    "cluster permutation test": ("mne permutation_cluster_test", clusters),
    "whole curves shuffled": ("curvewise compare", curvewise),
}
# What is asked of each kind of table: a false alarm, a false claim of shape, a find.
TRUTHS = {"nothing differs": "any", "better everywhere": "shape", "learns faster": "any"}
HEADERS = (
    "nothing differs: a difference is announced",
    "better everywhere by the same: shape is announced",
    "learns faster, ends alike: it is found",
)


def measure(n_tables: int) -> dict[str, dict[str, float | None]]:
    """Return how often each procedure finds what is asked of each kind of table."""
    rates: dict[str, dict[str, float | None]] = {name: {} for name in PROCEDURES}
    for truth, asked in TRUTHS.items():
        rng = np.random.default_rng(1)
        counts = dict.fromkeys(PROCEDURES, 0)
        told: set[str] = set()
        for _ in range(n_tables):
            scores, labels = simulate(rng, truth)
            for name, (_, procedure) in PROCEDURES.items():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = procedure(scores, labels)
                if asked in found:
                    told.add(name)
                    counts[name] += found[asked]
        for name, count in counts.items():
            rates[name][truth] = count / n_tables if name in told else None
    return rates


def written(rates: dict[str, dict[str, float | None]], n_tables: int) -> str:
    """Return the table as Markdown, with how it was made."""
    lines = [f"| procedure | by | {' | '.join(HEADERS)} |", "|:--|:--|--:|--:|--:|"]
    for name, own in rates.items():
        cells = ["–" if rate is None else f"{rate:.1%}" for rate in own.values()]
        lines.append(f"| {name} | {PROCEDURES[name][0]} | {' | '.join(cells)} |")
    error = np.sqrt(ALPHA * (1 - ALPHA) / n_tables)
    tools = ", ".join(f"{tool} {version(tool)}" for tool in TOOLS)
    lines += [
        "",
        f"{n_tables:,} tables of each kind, {N_RUNS} runs of each of two algorithms,",
        f"{N_STEPS} steps, alpha {ALPHA}; a rate of 5% has a standard error of {error:.1%}.",
        f"{tools}.",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, and write the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=1_000)
    n_tables = parser.parse_args().tables
    table = written(measure(n_tables), n_tables)
    print(table)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{START}{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
