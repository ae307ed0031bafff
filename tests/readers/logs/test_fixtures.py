"""What real libraries wrote is read as it was logged: fixtures/make.py made it."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import curvewise as cw
from curvewise.kernels import Floats

FIXTURES = Path(__file__).parent / "fixtures"
TOOLS = sorted(path.parent.name for path in FIXTURES.glob("*/truth.csv"))

Curve = tuple[Floats, Floats]
Run = tuple[str, str]


def truth_of(tool: str) -> dict[Run, dict[str, Curve]]:
    """By run and metric, steps in order and their scores."""
    records: dict[Run, dict[str, list[tuple[float, float]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    with (FIXTURES / tool / "truth.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            point = float(row["step"]), float(row["score"])
            records[row["algorithm"], row["run"]][row["metric"]].append(point)
    return {
        run: {
            metric: (steps, scores)
            for metric, points in metrics.items()
            for steps, scores in [np.array(sorted(points)).T]
        }
        for run, metrics in records.items()
    }


def read_of(tool: str) -> dict[Run, dict[str, Curve]]:
    """The same as `truth_of`, as curvewise reads it; runs without a point are left out."""
    curves: dict[Run, dict[str, Curve]] = defaultdict(dict)
    for log in cw.scan(FIXTURES / tool / "logs").run_logs():
        if log.n_points:
            metrics = curves[log.algorithm, log.run]
            assert log.metric not in metrics, f"two curves of {log}"
            metrics[log.metric] = log.steps, log.scores
    return curves


def alike(first: Curve, second: Curve) -> bool:
    return np.array_equal(first[0], second[0]) and np.allclose(
        first[1], second[1], rtol=1e-6, atol=0, equal_nan=True
    )


def number_in(name: str) -> str:
    return (re.findall(r"\d+", name) or [name])[-1]


@pytest.mark.parametrize("tool", TOOLS)
def test_every_record_is_read_and_no_other(tool: str) -> None:
    truth, read = truth_of(tool), read_of(tool)
    found: dict[Run, Run] = {}
    for run, metrics in truth.items():
        same = [
            other
            for other, curves in read.items()
            if all(
                metric in curves and alike(curve, curves[metric])
                for metric, curve in metrics.items()
            )
        ]
        assert len(same) == 1, f"{run} is read as {same}"
        found[run] = same[0]
    assert len(set(found.values())) == len(found), "two runs are read as one"
    names = {metric for metrics in truth.values() for metric in metrics}
    others = {run for run, curves in read.items() if names & curves.keys()}
    assert others == set(found.values()), "runs are read that were not logged"


@pytest.mark.parametrize("tool", TOOLS)
def test_runs_of_one_algorithm_are_together_and_named_by_their_seeds(tool: str) -> None:
    # By values, because what an algorithm is called is the reader's choice.
    truth, read = truth_of(tool), read_of(tool)
    algorithms = set()
    for (algorithm, run), metrics in truth.items():
        metric, curve = next(iter(metrics.items()))
        for (read_algorithm, read_run), curves in read.items():
            if metric in curves and alike(curve, curves[metric]):
                algorithms.add((algorithm, read_algorithm))
                assert number_in(read_run) == run
    expected = len({algorithm for algorithm, _ in truth})
    assert len(algorithms) == expected
    assert len({algorithm for algorithm, _ in algorithms}) == expected
    assert len({algorithm for _, algorithm in algorithms}) == expected


def test_there_are_fixtures_and_they_are_small() -> None:
    assert len(TOOLS) == 22
    files = [path for tool in TOOLS for path in (FIXTURES / tool).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 400_000
