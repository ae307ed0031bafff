"""The record of what was done, in words and as data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from curvewise import align
from curvewise.data.align import schedules_differ
from curvewise.text import naming_flags
from tests.data.run_logs import log

if TYPE_CHECKING:
    from curvewise.data.align import Preparation


def prepared(**options: object) -> Preparation:
    logs = [log("adam", run, np.arange(1000, 100_001, 1000)) for run in range(3)]
    logs += [log("sgd", run, np.arange(10_000, 100_001, 10_000)) for run in range(2)]
    logs += [log("sgd", 3, [10_000, 20_500, *range(30_000, 100_001, 10_000)])]
    if options.get("short"):
        logs.append(log("sgd", "x", np.arange(10_000, 60_001, 10_000)))
    found = align(logs, **options).preparation  # type: ignore[arg-type]
    assert found is not None
    return found


def test_one_line_says_rule_range_and_spacing() -> None:
    assert prepared().sentence() == (
        "Aligned: 10 steps from 10k to 100k, those of sgd/0 (logged least often); 1 of 6 "
        "runs by linear interpolation (1 of 60 scores); adam logs every 1000 steps, sgd every 10k."
    )
    assert prepared().in_short() == (
        "aligned (linear, 10 steps, 10k to 100k; 1 of 60 scores interpolated)"
    )


def test_short_runs_are_counted_by_algorithm() -> None:
    text = prepared(short="prefix").sentence()
    assert (
        "0 of 3 runs of adam and 1 of 4 of sgd ended early, diverged or were empty; all runs "
        "are compared up to step 60k, as far as the shortest goes "
        '(short="prefix"); exact p of these counts = 1.000.'
    ) in text
    with naming_flags():
        assert "(--short carry)" in prepared(short="carry").sentence()
    worst = prepared(short="worst")
    assert "count as the worst score of all" in worst.sentence()
    assert worst.in_short().endswith("1 short run (worst, 31.62)")


def test_other_ways_to_align() -> None:
    assert "7 steps from 10k to 100k, evenly spaced" in prepared(n_steps=7).sentence()
    logs = [log("A", run, range(101)) for run in range(2)]
    binned = align(logs, "bins", n_steps=10).preparation
    assert binned is not None
    assert "means over equal bins, whose middles are 10 steps from 5 to 95" in binned.sentence()
    assert not schedules_differ(binned.algorithms)
    assert schedules_differ(prepared().algorithms)
    cut = align([logs[0], log("A", 1, range(96))]).preparation
    assert cut is not None
    assert cut.sentence() == ("Aligned: 96 steps from 0 to 95, at which all runs were logged.")


def test_names_cannot_steer_a_terminal() -> None:
    logs = [log("\x1b[31m", 0, [0, 1, 2, 9]), log("B", 0, [0, 5, 9])]
    found = align(logs).preparation
    assert found is not None
    assert "\x1b" not in found.sentence()


def test_everything_is_json() -> None:
    data = json.loads(json.dumps(prepared(short="drop", reason="disk").to_dict()))
    assert data["how"] == "linear"
    assert data["algorithms"][1] == {"name": "sgd", "n_runs": 4, "n_short": 1, "spacing": 10_000.0}
    assert data["runs"][-1]["last"] == 60_000
    assert (data["n_dropped"], data["reason"]) == (1, "disk")
    assert data["sentence"].startswith("Aligned: ")
