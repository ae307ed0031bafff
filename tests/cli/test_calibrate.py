"""curvewise calibrate: how often tests cry wolf on the runs of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.cli.running import invoke, json_of, one_line

if TYPE_CHECKING:
    from pathlib import Path


def table(path: Path, n_runs: int = 6) -> Path:
    rng = np.random.default_rng(0)
    lines = ["algorithm,run,step,score"]
    for name in ("PPO", "SAC"):
        for run in range(n_runs):
            curve = rng.normal() + 0.3 * rng.normal(size=8).cumsum()
            lines += [f"{name},{run},{step},{score}" for step, score in enumerate(curve)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_sentence_the_tables_and_the_figure(tmp_path: Path) -> None:
    figure = tmp_path / "wolf.png"
    result = invoke("calibrate", table(tmp_path / "runs.csv"), "--plot", figure)
    assert result.exit_code == 0, result.output
    assert "the runs of each of 2 algorithms" in one_line(result.stdout)
    assert "by construction" in result.stdout
    assert figure.stat().st_size > 1_000


def test_one_algorithm_as_json(tmp_path: Path) -> None:
    path = table(tmp_path / "runs.csv")
    record = json_of("calibrate", path, "--only", "PPO", "--alpha", "0.1", "--seed", "3")
    assert list(record["algorithms"]) == ["PPO"]
    assert (record["alpha"], record["seed"]) == (0.1, 3)
    assert record["verdict"].startswith("Splitting the 6 runs of PPO in two at random")


def test_too_few_runs_and_splits_are_refused(tmp_path: Path) -> None:
    few = invoke("calibrate", table(tmp_path / "few.csv", 3))
    assert few.exit_code == 3
    assert "'PPO' has 3 runs: two halves to compare need 4" in one_line(few.stderr)
    result = invoke("calibrate", table(tmp_path / "runs.csv"), "--splits", "10")
    assert result.exit_code == 3
    assert "--splits must be an integer from 100 to 1,000,000, not 10." in one_line(result.stderr)
