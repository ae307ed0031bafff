"""Aggregates by rliable, for tests/kernels/test_aggregates.py.

    python tests/reference/aggregates_rliable.py 2026-11-17 > tests/reference/aggregates_rliable.json

Needs rliable's ``metrics.py`` only, which imports where the package does not: put the folder
``rliable`` of its source on the path. Scores come from a formula, so that the test can make the
very same ones.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

# Runs × tasks.
DESIGNS = [[3, 10], [5, 26], [10, 57], [4, 1], [7, 5]]
GAMMAS = [1.0, 0.5]


def scores(n_runs: int, n_tasks: int, algorithm: int) -> np.ndarray:
    """Scores of an algorithm on tasks of different heights, some of them tied."""
    run = np.arange(n_runs)[:, None]
    task = np.arange(n_tasks)[None, :]
    noise = np.sin(7.0 * run + 3 * task + 5 * algorithm + run**2) + np.cos(11 * run - task)
    made = 0.6 + 0.5 * np.sin(2.0 * task) + 0.15 * noise + 0.1 * algorithm
    return np.asarray(np.where(task % 4 == 3, np.round(made, 1), made))


def main() -> None:
    """Print the reference values."""
    source = next(
        place for folder in sys.path if (place := Path(folder) / "rliable" / "metrics.py").is_file()
    )
    spec = importlib.util.spec_from_file_location("metrics", source)
    assert spec is not None
    assert spec.loader is not None
    metrics = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(metrics)
    cases = []
    for n_runs, n_tasks in DESIGNS:
        one, other = (scores(n_runs, n_tasks, algorithm) for algorithm in (0, 1))
        cases.append(
            {
                "n_runs": n_runs,
                "n_tasks": n_tasks,
                "iqm": float(metrics.aggregate_iqm(one)),
                "mean": float(metrics.aggregate_mean(one)),
                "gap": [float(metrics.aggregate_optimality_gap(one, gamma)) for gamma in GAMMAS],
                "probability_of_improvement": float(metrics.probability_of_improvement(other, one)),
            }
        )
    record = {
        "made_by": "aggregates_rliable.py",
        "with": f"rliable 1.2.0 (metrics.py), NumPy {np.__version__}, SciPy {version('scipy')}",
        "on": sys.argv[1],
        "cases": cases,
    }
    print(json.dumps(record, indent=1))  # noqa: T201 (this is its output)


if __name__ == "__main__":
    main()
