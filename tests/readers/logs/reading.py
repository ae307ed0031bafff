"""Reads logs by formats alone, and compares them with what training itself recorded."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from curvewise.readers.logs import LOG_FORMATS, LogFormat
from curvewise.readers.walk import Wanted, walk

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.walk import Claim, LoggedRun

Points = dict[tuple[str, float], float]


def homes(module_name: str, *paths: Path) -> dict[Path, list[Claim]]:
    """The claims of a format below paths, by home; no file is claimed twice."""
    (log_format,) = [each for each in LOG_FORMATS if each.module_name == module_name]
    found: dict[Path, list[Claim]] = {}
    folders = walk(paths).folders
    by_path = {folder.path: folder for folder in folders}
    claims = [claim for folder in folders for claim in log_format.claims(folder)]
    for claim in claims:
        first = claim.files[0].path
        if first.name not in by_path[first.parent].files:
            continue
        for file in claim.files:
            by_path[file.path.parent].files.pop(file.path.name, None)
        found.setdefault(claim.home, []).append(claim)
    return found


def read_all(module_name: str, *paths: Path, wanted: Wanted | None = None) -> dict[str, LoggedRun]:
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


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of truth.csv or runs.csv, of which there are some."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows
    return rows


# Files beside the real logs that are no logs.
NOT_LOGS = ("truth", "runs.csv", "NOTES.md", "README.md")


def runs_below(path: Path, *modules: str, wanted: Wanted | None = None) -> dict[str, LoggedRun]:
    """Return the runs of some formats by their place below a folder, in order of formats."""
    found: dict[str, LoggedRun] = {}
    folders = walk([path]).folders
    for module in modules:
        log_format = LogFormat(module, module)
        claims = defaultdict(list)
        for folder in folders:
            for name in list(folder.files):
                if name.startswith(NOT_LOGS):
                    del folder.files[name]
            for claim in log_format.claims(folder):
                claims[claim.home].append(claim)
        taken = {file.path for those in claims.values() for c in those for file in c.files}
        for folder in folders:
            kept = {n: f for n, f in folder.files.items() if f.path not in taken}
            folder.files = kept
        for home, those in claims.items():
            for run in log_format.read(those, wanted or Wanted()):
                name = home.relative_to(path).as_posix()
                if name not in found:
                    found[name] = run
                    continue
                earlier = found[name]
                earlier.series = {**run.series, **earlier.series}
                earlier.notes += run.notes
                earlier.config = {**run.config, **earlier.config}
    return found


def settled(run: LoggedRun, metric: str) -> dict[float, float]:
    """Return the scores of a metric by step; of a step logged twice the later holds."""
    matching = [name for name in run.series if metric in {name, name.partition(":")[2]}]
    if not matching:
        return {}
    (name,) = matching
    series = run.series[name]
    return dict(zip(series.steps.tolist(), series.scores.tolist(), strict=True))


def check_truth(logs: Path, *modules: str, wanted: Wanted | None = None) -> dict[str, LoggedRun]:
    """Check every value of truth.csv, and that there is no other; return the runs."""
    with (logs / "runs.csv").open(encoding="utf-8") as file:
        places = {
            (row["algorithm"], row["run"], row["task"] or ""): row["path"]
            for row in csv.DictReader(file)
        }
    truth: dict[tuple[str, str], dict[float, float]] = defaultdict(dict)
    with (logs / "truth.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            who = row["algorithm"], row["run"]
            (path,) = (
                place
                for (algorithm, run, task), place in places.items()
                if (algorithm, run) == who and row.get("task", task) == task
            )
            truth[path, row["metric"]][float(row["step"])] = float(row["score"])
    runs = runs_below(logs, *modules, wanted=wanted)
    metrics = {metric for _, metric in truth}
    for path in places.values():
        for metric in metrics:
            expected = truth.get((path, metric), {})
            found = settled(runs[path], metric)
            assert sorted(found) == sorted(expected), (path, metric)
            np.testing.assert_allclose(
                [found[step] for step in expected],
                list(expected.values()),
                rtol=1e-6,
                err_msg=f"{path} {metric}",
            )
    assert set(places.values()) == set(runs)
    return runs
