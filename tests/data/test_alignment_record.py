"""What alignment did, on record."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise import align
from curvewise.data.align import algorithm_logs, usable_part
from tests.data.run_logs import log


def test_spacing_is_the_median_of_runs_and_steps() -> None:
    runs = [
        usable_part(log("A", 0, [0, 1, 2, 50])),
        usable_part(log("A", 1, [0, 3, 6])),
        usable_part(log("B", 0, [7])),
    ]
    found = algorithm_logs(runs)
    assert [(own.name, own.n_runs, own.spacing) for own in found] == [("A", 2, 2.0), ("B", 1, None)]


def test_coverage_and_who_bounds_the_range() -> None:
    logs = [
        log("A", 0, np.arange(0, 101, 10)),
        log("A", 1, np.arange(0, 61, 10)),
        log("B", 0, np.arange(30, 101, 5)),
    ]
    found = align(logs, short="prefix", min_steps=2).preparation
    assert found is not None
    assert found.coverage == pytest.approx(0.3)
    assert (found.begins_with, found.ends_with) == ("B/0", "A/1")
    assert (found.first, found.last, found.n_cut) == (30, 60, 3)
    windowed = align(logs, start=30, stop=60).preparation
    assert windowed is not None
    assert windowed.coverage == 1  # of what was asked for


def test_steps_in_gaps_are_reported() -> None:
    gap = log("A", 0, [*range(21), *range(80, 101)])
    found = align([gap, log("B", 0, range(0, 101, 10))]).preparation
    assert found is not None
    assert found.notes == (
        "run '0' of 'A': 5 common steps lie in gaps of its log, the widest from step 20 to 80",
    )
    assert found.runs[0].largest_gap == 60
    other = log("A", 1, [*range(31), *range(80, 101)])
    found = align([gap, other, log("B", 0, range(0, 101, 10))]).preparation
    assert found is not None
    assert found.notes == (
        (
            "common steps of 2 runs lie in gaps of their logs, the widest from step 20 to 80 "
            "(run '0' of 'A')"
        ),
    )


def test_notes_of_logs_are_kept_and_say_whose_they_are() -> None:
    logs = [log("A", 0, [0, 1], notes=("the last line is cut",)), log("A", 1, [0, 1])]
    found = align(logs).preparation
    assert found is not None
    assert found.notes == ("run '0' of 'A': the last line is cut",)
    assert (found.how, found.sentence()) == ("", "")  # nothing was aligned
