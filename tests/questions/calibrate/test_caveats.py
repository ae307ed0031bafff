"""What is said about few runs, and blocks."""

from __future__ import annotations

from curvewise.questions.calibrate.result import BlocksNotUsed, TooFewToSplit, TooFewToTell


def test_who_has_too_few_runs_is_named_and_what_would_do() -> None:
    assert TooFewToSplit(("A",), 4).sentence() == (
        "A is left out: with fewer than 4 runs there are no two halves to compare."
    )
    assert TooFewToSplit(("A", "B"), 4).sentence().startswith("A and B are left out")
    told = TooFewToTell(("A",), 6).sentence()
    assert told.startswith("A has fewer than 6 runs")
    assert told.endswith("6 runs or more would do.")
    assert TooFewToTell(("A", "B"), 6).sentence().startswith("A and B have fewer")


def test_blocks_are_said_not_to_be_used() -> None:
    assert "split the runs of one block at a time" in BlocksNotUsed().sentence()
