"""What is said of how runs became curves."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import align
from curvewise.inference.caveats import (
    CarriedOn,
    FilledWithWorst,
    RangeCoversLess,
    RunsDropped,
    RunsFailed,
    SchedulesDiffer,
    prepared,
)
from curvewise.kernels.survival import failure_pvalue
from curvewise.text import naming_flags
from tests.data.run_logs import log as log_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise import RunLog
    from curvewise.inference.caveats import Caveat

NUMBERS = itertools.count()


def log(algorithm: str, run: object, steps: npt.ArrayLike) -> RunLog:
    """A run whose scores differ a little from those of all others, and begin at 0."""
    slope = 1 + next(NUMBERS) / 100
    return log_of(algorithm, run, steps, lambda at: slope * np.sqrt(at))


WHOLE = [log(name, run, range(0, 101, 5)) for name in "AB" for run in range(5)]
FAILED = [log("B", f"x{run}", range(0, 61, 5)) for run in range(4)]


def found(logs: list[RunLog], **options: Any) -> list[Caveat]:
    return list(prepared(align(logs, **options)))


def test_nothing_was_done_and_nothing_is_said() -> None:
    assert found(WHOLE) == []
    # Nor of jitter, nor of ends that differ by little.
    assert found([log("A", run, np.arange(run / 9, 99, 5)) for run in range(9)]) == []


def test_failing_runs_are_counted_and_tested() -> None:
    (failed, _) = found([*WHOLE, *FAILED], short="prefix")
    p = failure_pvalue([0, 4], [5, 9])
    assert failed == RunsFailed(("A", "B"), (0, 4), (5, 9), p)
    assert p > 0.1
    assert "how many runs fail was not detected" in failed.sentence()
    more = [log("A", run, range(0, 101, 5)) for run in range(5, 15)]
    (failed, _) = found([*WHOLE, *more, *FAILED], short="prefix")
    assert isinstance(failed, RunsFailed)
    assert failed.pvalue is not None
    assert failed.pvalue <= 0.1
    assert "The algorithms also differ in how many runs fail (exact p = 0.0" in failed.sentence()
    assert failed.to_dict()["n_short"] == [0, 4]


def test_one_algorithm_has_nothing_to_differ_from() -> None:
    (failed, *_) = found([*WHOLE[5:], *FAILED], short="prefix")
    assert failed.sentence() == "4 of 9 runs of B ended early, diverged or were empty."


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"short": "worst"}, FilledWithWorst, "4 short runs scored 0, the worst score of all"),
        ({"short": "carry"}, CarriedOn, "The last score of 4 short runs was carried on"),
        (
            {"short": "drop", "reason": "a flood"},
            RunsDropped,
            "4 short runs were left out (a flood)",
        ),
    ],
)
def test_every_policy_says_what_it_may_do(
    options: dict[str, Any], kind: type[Caveat], words: str
) -> None:
    failed, other = found([*WHOLE, *FAILED], **options)
    assert isinstance(failed, RunsFailed)
    assert isinstance(other, kind)
    assert words in other.sentence()
    assert other.to_dict()["kind"] == other.kind


def test_a_range_that_covers_less() -> None:
    caveat = found([*WHOLE, *FAILED], short="prefix")[1]
    assert caveat == RangeCoversLess(0.6, 0, 60, "A/0", "B/x0")
    assert caveat.sentence() == (
        "Only 60% of the range of steps is compared, 0 to 60: A/0 begins latest, and B/x0 ends "
        "first."
    )


def test_schedules_that_differ() -> None:
    (caveat, _) = found([*WHOLE[:5], *[log("B", run, range(0, 101, 20)) for run in range(5)]])
    assert caveat == SchedulesDiffer(("A", "B"), (5, 20))
    assert "A was logged 4.000 times as often as B" in caveat.sentence()


def test_flags_are_named_where_they_are_typed() -> None:
    with naming_flags():
        assert "--short prefix" in RunsDropped(1, "x").sentence()
    assert "1 short run was left out" in RunsDropped(1, "x").sentence()


def test_scores_that_are_thrown_away_are_counted_with_what_to_type() -> None:
    late = log("A", "late", range(5, 101, 5))
    (caveat,) = found([*WHOLE, late])
    assert caveat.kind == "scores not used"
    assert caveat.to_dict()["n_unused"] == [10, 0, 0]
    assert caveat.sentence() == (
        "10 of 230 scores were not used: A/late has none before step 5 (start=5 if that is meant)."
    )
    assert found([*WHOLE, late], start=5) == []
    early = log("B", "early", range(0, 96, 5))
    with naming_flags():
        (caveat,) = found([*WHOLE, early])
        assert "B/early has none after step 95 (--to 95 if" in caveat.sentence()
    assert found([*WHOLE, early], stop=95) == []
    sparse = [log("B", f"s{run}", range(0, 101, 10)) for run in range(3)]
    caveat = found([*WHOLE, *sparse])[-1]
    assert "100 of 243 scores were not used: 100 lie between the 11 steps" in (caveat.sentence())
    assert "(for more steps: n_steps=22)" in caveat.sentence()
    assert "scores not used" not in [other.kind for other in found([*WHOLE, *sparse], n_steps=22)]


def test_a_step_that_only_one_run_has_is_counted_too() -> None:
    late = [log(name, run, range(5, 101, 5)) for name in "AB" for run in range(4)]
    (caveat,) = found([*late, log("B", "whole", range(0, 101, 5))])
    assert caveat.to_dict()["n_unused"] == [1, 0, 0]
    gap = [log(name, run, [0, 10, 30, 40]) for name in "AB" for run in range(4)]
    (caveat,) = found([*gap, log("B", "whole", [0, 10, 20, 30, 40])])
    assert caveat.to_dict()["n_unused"] == [0, 1, 0]
