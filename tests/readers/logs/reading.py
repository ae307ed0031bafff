"""Reads the runs of one or more formats below a folder, as the scanner does."""

from __future__ import annotations

import csv
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from curvewise.readers.folders import walk
from curvewise.readers.logged import Wanted
from curvewise.readers.logs import LogFormat

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise.readers.logged import LoggedRun

__all__ = ["check_truth", "runs_below", "settled"]

# Files beside the real logs that are no logs.
NOT_LOGS = ("truth", "runs.csv", "NOTES.md", "README.md")


def runs_below(
    path: Path, *modules: str, wanted: Wanted | None = None
) -> dict[str, LoggedRun]:
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
        taken = {
            file.path for those in claims.values() for c in those for file in c.files
        }
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


def check_truth(
    logs: Path, *modules: str, wanted: Wanted | None = None
) -> dict[str, LoggedRun]:
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
