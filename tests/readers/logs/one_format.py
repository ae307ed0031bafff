"""Reads logs by one format alone, and compares them with what training itself recorded."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING

import numpy as np

from curvewise.readers.folders import walk
from curvewise.readers.logged import Wanted
from curvewise.readers.logs import LOG_FORMATS

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.logged import Claim, LoggedRun

Points = dict[tuple[str, float], float]


def homes(module_name: str, *paths: Path) -> dict[Path, list[Claim]]:
    """The claims of a format below paths, by home; no file is claimed twice."""
    (log_format,) = [each for each in LOG_FORMATS if each.module_name == module_name]
    found: dict[Path, list[Claim]] = {}
    folders = walk(paths).folders
    by_path = {folder.path: folder for folder in folders}
    for folder in folders:
        for claim in list(log_format.claims(folder)):
            for file in claim.files:
                del by_path[file.path.parent].files[file.path.name]
            found.setdefault(claim.home, []).append(claim)
    return found


def read_all(
    module_name: str, *paths: Path, wanted: Wanted | None = None
) -> dict[str, LoggedRun]:
    """The runs of a format below the first path, by where they are and their key."""
    (log_format,) = [each for each in LOG_FORMATS if each.module_name == module_name]
    runs = {}
    for home, claims in homes(module_name, *paths).items():
        place = home.relative_to(paths[0]).as_posix() if home != paths[0] else home.name
        for run in log_format.read(claims, wanted or Wanted()):
            runs[f"{place}#{run.key}" if run.key else place] = run
    return runs


def read_one(module_name: str, path: Path, wanted: Wanted | None = None) -> LoggedRun:
    (run,) = read_all(module_name, path, wanted=wanted).values()
    return run


def points(run: LoggedRun, metric: str) -> list[tuple[float, float]]:
    series = run.series[metric]
    return list(zip(series.steps.tolist(), series.scores.tolist(), strict=True))


def assert_as_recorded(folder: Path, runs: dict[str, LoggedRun]) -> None:
    """Every value of truth.csv is in the run of its path, each once, and nothing else is."""
    truth: dict[tuple[str, str], Points] = {}
    with (folder / "truth.csv").open() as file:
        for row in csv.DictReader(file):
            record = truth.setdefault((row["algorithm"], row["run"]), {})
            record[row["metric"], float(row["step"])] = float(row["score"])
    with (folder / "runs.csv").open() as file:
        identities = {row["path"]: row for row in csv.DictReader(file)}
    whole = {path: run for path, run in runs.items() if run.status != "deleted"}
    assert set(whole) == set(identities)
    assert sum(map(len, truth.values())) > 50
    for path, row in identities.items():
        expected = truth.get((row["algorithm"], row["run"]), {})
        metrics = {metric for metric, _ in expected}
        found = {
            (metric, step): score
            for metric in metrics
            for step, score in points(runs[path], metric)
        }
        n_records = sum(len(runs[path].series[metric].steps) for metric in metrics)
        assert n_records == len(expected), path
        assert set(found) == set(expected), path
        for place, score in expected.items():
            assert math.isclose(found[place], score, rel_tol=1e-12) or (
                np.isnan(score) and np.isnan(found[place])
            ), (path, place)
        if row["status"] == "empty":
            assert not runs[path].series
