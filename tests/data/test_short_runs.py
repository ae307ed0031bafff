"""Runs that end early, diverge or are empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import CurvesError, align, compare, read
from curvewise.data.align import find_short, usable_part
from curvewise.kernels.survival import failure_pvalue
from curvewise.text import naming_flags
from tests.data.run_logs import log

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise import RunLog

NAN, INF = float("nan"), float("inf")
EVERYTHING = (-np.inf, np.inf)


@pytest.mark.parametrize(
    ("scores", "steps", "diverged_at", "n_holes"),
    [
        ([1, 2, 3], [0, 1, 2], None, 0),
        ([1, NAN, 3], [0, 2], None, 1),  # a single hole
        ([1, NAN, 3, NAN, 5], [0, 2, 4], None, 2),
        ([1, NAN, 3, INF, 5], [0, 2], 3, 1),  # infinite is a result
        ([NAN, NAN, 3], [2], None, 2),  # nothing to log yet
        ([1, 2, NAN], [0, 1], 2, 0),
        ([1, NAN, NAN, 4], [0], 1, 0),
        ([NAN, 1, NAN, 2, -INF, NAN, 3], [1, 3], 4, 2),
        ([NAN, NAN], [], None, 0),
        ([], [], None, 0),
    ],
)
def test_a_run_is_used_up_to_where_it_diverges(
    scores: list[float], steps: list[int], diverged_at: float | None, n_holes: int
) -> None:
    found = usable_part(log("A", 0, np.arange(len(scores)), scores))
    assert found.steps.tolist() == steps
    assert np.isfinite(found.scores).all()
    assert (found.diverged_at, found.n_holes) == (diverged_at, n_holes)


def short(*logs: RunLog, window: tuple[float, float] = EVERYTHING) -> list[bool]:
    runs = [usable_part(own) for own in logs]
    find_short(runs, window)
    return [run.is_short for run in runs]


def test_short_is_before_nine_tenths_of_the_longest_range() -> None:
    whole = log("A", 0, [100, 1100])
    assert short(whole, log("A", 1, [100, 900, 950, 999])) == [False, True]
    assert short(whole, log("A", 1, [100, 900, 950, 1000])) == [False, False]
    # The range begins where the first run does.
    assert short(whole, log("A", 1, [0, 900, 950, 985])) == [False, True]


def test_a_run_is_whole_until_its_next_point_is_due() -> None:
    often = log("A", 0, [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000])
    assert short(often, log("A", 1, [300, 600])) == [False, True]
    assert short(often, log("A", 1, [400, 800])) == [False, False]
    assert short(often, log("A", 1, [250, 500, 750])) == [False, True]


def test_where_most_runs_are_short_the_longer_ones_may_be_the_odd_ones() -> None:
    logs = [log("A", k, [0, 10, 20, 30]) for k in range(4)]
    logs.append(log("A", 4, [0, 10, 20, 30, 40, 50, 60]))
    with pytest.raises(CurvesError, match=r"Most runs end by step 30: .* with stop=30"):
        align(logs)
    with pytest.raises(CurvesError, match="end early") as refusal:
        align([*logs[:1], *(log("A", 9 + k, [0, 20, 40, 60]) for k in range(3))])
    assert "Most runs" not in str(refusal.value)


def test_short_inside_a_window_only() -> None:
    logs = log("A", 0, [0, 50, 100]), log("A", 1, [0, 30, 60])
    assert short(*logs) == [False, True]
    assert short(*logs, window=(-np.inf, 60)) == [False, False]
    diverging = log("A", 1, [0, 30, 60, 100], [1, 2, 3, NAN])
    assert short(logs[0], diverging) == [False, True]
    assert short(logs[0], diverging, window=(0, 60)) == [False, False]


def test_failed_runs_are_short_if_they_end_before_the_others() -> None:
    whole = log("A", 0, [0, 1000])
    assert short(whole, log("A", 1, [0, 990], status="failed")) == [False, True]
    assert short(whole, log("A", 1, [0, 1000], status="failed")) == [False, False]
    assert short(whole, log("A", 1, [0, 990], status="running")) == [False, False]
    assert short(log("A", 0, [0, 10], status="killed")) == [False]


def test_runs_without_a_score_are_short() -> None:
    assert short(log("A", 0, [0, 9]), log("A", 1, [])) == [False, True]
    assert short(log("A", 0, [0, 9]), log("A", 1, [0, 9], [NAN, NAN])) == [False, True]
    with pytest.raises(CurvesError, match="No run of 2 has a finite score"):
        short(log("A", 0, []), log("B", 0, [0], [NAN]))


WHOLE = [log(name, run, range(0, 101, 10)) for name in "AB" for run in range(3)]
CRASHED = log("A", "c", range(0, 61, 10), status="failed")
EMPTY = log("B", "e", [])


def test_refusing_names_runs_counts_and_policies() -> None:
    with pytest.raises(CurvesError) as caught:
        align([*WHOLE, CRASHED, EMPTY])
    text = str(caught.value)
    assert "1 of 4 runs of A and 1 of 4 of B end early, diverge or are empty" in text
    assert "A: run 'c' ends at step 60 (failed); B: run 'e' is empty" in text
    assert "the longest run ends at step 100" in text
    for policy in ("prefix", "worst", "carry", "drop"):
        assert f'\n  short="{policy}": ' in text
    assert "Not possible here" in text
    with naming_flags(), pytest.raises(CurvesError, match="--short worst: "):
        align([*WHOLE, CRASHED])


def test_refusing_says_where_a_prefix_would_end_and_the_p_of_failing() -> None:
    failing = [log("A", f"c{run}", range(0, 61, 10)) for run in range(3)]
    p = failure_pvalue([3, 0], [6, 3])
    with pytest.raises(CurvesError, match=r"\(step 60\)") as caught:
        align([*WHOLE, *failing])
    assert f"exact p of such counts, if failing is chance: {p:.3f}" in str(caught.value)
    assert "c0" in str(caught.value)


def test_refusing_does_not_advise_a_prefix_of_one_step() -> None:
    logs = [*WHOLE, log("A", "c", [0])]
    with pytest.raises(CurvesError, match="leaves no two steps that all runs share"):
        align(logs)
    with pytest.raises(CurvesError, match="All runs share step 0 only"):
        align(logs, short="prefix", min_steps=1)


def test_runs_that_still_run_call_for_a_prefix() -> None:
    with pytest.raises(CurvesError, match='1 of them is still running, for which short="pre'):
        align([*WHOLE, log("A", "r", range(0, 61, 10), status="running")])


def test_advice_is_never_to_drop_without_the_reason() -> None:
    with pytest.raises(CurvesError, match="nothing to do with the scores"):
        align([*WHOLE, CRASHED])


def test_prefix_ends_where_the_shortest_run_does() -> None:
    curves = align([*WHOLE, CRASHED], short="prefix")
    assert curves.steps.tolist() == list(range(0, 61, 10))
    assert curves.n_runs == 7
    np.testing.assert_array_equal(curves.scores, np.tile(np.sqrt(curves.steps), (7, 1)))


def test_a_prefix_of_less_than_half_is_for_those_who_ask() -> None:
    early = log("B", "x", [0, 10, 20])
    with pytest.raises(CurvesError, match=r"has 3 of the 11 steps .* less than half"):
        align([*WHOLE, early], short="prefix")
    curves = align([*WHOLE, early], short="prefix", min_steps=3)
    assert curves.steps.tolist() == [0, 10, 20]
    with pytest.raises(CurvesError, match="3 steps, fewer than min_steps=4"):
        align([*WHOLE, early], short="prefix", min_steps=4)


@pytest.mark.parametrize("higher", [True, False])
def test_worst_is_the_worst_score_of_any_run_at_any_step(higher: bool) -> None:
    extreme = log("B", "x", range(0, 101, 10), [5, -7, 30, *[6] * 8])
    curves = align([*WHOLE, extreme, CRASHED, EMPTY], short="worst", higher_is_better=higher)
    worst = -7 if higher else 30
    crashed = curves.scores[(curves.runs == "c").argmax()]
    np.testing.assert_array_equal(crashed[:7], np.sqrt(curves.steps[:7]))
    assert (crashed[7:] == worst).all()
    assert (curves.scores[(curves.runs == "e").argmax()] == worst).all()
    assert curves.preparation is not None
    assert curves.preparation.fill == worst
    assert not curves.preparation.quotes_scores


def test_worst_from_the_first_score_that_is_not_finite() -> None:
    diverged = log("A", "d", [0, 10, 20, 30, 40], [9, 9, INF, INF, 9])
    steady = [log(name, 0, [0, 10, 20, 30, 40], [1, 2, 3, 4, 5]) for name in "AB"]
    curves = align([*steady, diverged], short="worst")
    assert curves.scores[1].tolist() == [9, 9, 1, 1, 1]


def test_carry_holds_the_last_score() -> None:
    curves = align([*WHOLE, CRASHED], short="carry")
    row = curves.scores[(curves.runs == "c").argmax()]
    np.testing.assert_allclose(row[6:], np.sqrt(60))
    assert curves.preparation is not None
    assert curves.preparation.quotes_scores


def test_drop_leaves_short_runs_out_and_counts_them() -> None:
    curves = align([*WHOLE, CRASHED, EMPTY], short="drop", reason="the node broke")
    assert curves.n_runs == 6
    found = curves.preparation
    assert found is not None
    assert (found.n_dropped, found.reason, found.short) == (2, "the node broke", "drop")
    assert "1 of 4 runs of A and 1 of 4 of B" in found.sentence()
    assert "reason: the node broke" in found.sentence()


@pytest.mark.parametrize(
    ("logs", "options", "words"),
    [
        ([*WHOLE, EMPTY], {"short": "prefix"}, "is empty, so there is nothing to cut"),
        ([*WHOLE, EMPTY], {"short": "carry"}, "is empty, so there is nothing to carry on"),
        (
            [*WHOLE, log("C", 0, [0, 10, 20])],
            {"short": "drop", "reason": "r"},
            "All runs of 'C' are short",
        ),
    ],
)
def test_policies_that_cannot_be(logs: list[RunLog], options: dict[str, Any], words: str) -> None:
    with pytest.raises(CurvesError, match=words):
        align(logs, **options)


def test_without_short_runs_a_policy_does_nothing() -> None:
    plain = align(WHOLE)
    for options in ({"short": "worst"}, {"short": "drop", "reason": "r"}):
        curves = align(WHOLE, **options)  # type: ignore[arg-type]
        assert curves == plain
        assert curves.preparation is None


def test_runs_that_are_filled_up_are_not_prolonged_backwards() -> None:
    late = log("A", "late", [50, 60, 70])
    for options in ({"short": "worst"}, {"short": "carry"}):
        curves = align([*WHOLE, late], **options)  # type: ignore[arg-type]
        assert curves.steps.tolist() == list(range(50, 101, 10))
    # Nor do they make steps where the others have none.
    few = [log("A", 0, [0, 100]), log("B", 0, [0, 100]), log("B", 1, [0, 30])]
    with pytest.raises(CurvesError, match="has no step in the range"):
        align(few, short="carry", start=20, stop=60)


def _table(folder: Path, step: str, spacings: dict[tuple[str, int], float]) -> Path:
    """Write a table in which every run has nine points of its own spacing."""
    rng = np.random.default_rng(5)
    rows = [
        f"{name},{run},{place * spacing!r},{rng.normal()!r}"
        for (name, run), spacing in spacings.items()
        for place in range(9)
    ]
    path = folder / "runs.csv"
    path.write_text("\n".join([f"algorithm,seed,{step},score", *rows]), "utf-8")
    return path


@pytest.mark.parametrize("axis", ["seconds", "wall_time", "elapsed_ms"])
def test_on_a_clock_all_is_compared_up_to_the_first_end(tmp_path: Path, axis: str) -> None:
    spacings = {(name, run): 1 + run / 3 for name in "AB" for run in range(4)}
    curves = read(_table(tmp_path, axis, spacings), step=axis)
    assert (curves.steps[0], curves.steps[-1]) == (0, 8)
    said = compare(curves).describe()
    assert f"compared up to 8 ({axis}), where the first run ends" in said
    assert "early" not in said
    assert curves.preparation is not None
    assert not compare(curves).warnings


def test_far_steps_are_asked_about(tmp_path: Path) -> None:
    spacings = {(name, run): 1000.0 for name in "AB" for run in range(4)}
    thousands = {("B", run): 1e6 for run in range(4)}
    table = _table(tmp_path, "step", spacings | thousands)
    with pytest.raises(CurvesError, match="end at 8M, those of run '0' of 'A' at 8000: are"):
        read(table)
    with pytest.raises(CurvesError) as asked:
        read(table)
    typed = str(asked.value).partition("there: ")[2].rstrip(".").split()
    assert typed == ['short="prefix"', "n_steps=9", "min_steps=9"]
    assert read(table, short="prefix", n_steps=9, min_steps=9).steps[-1] == 8000
    # One run of an algorithm that counts in thousands.
    with pytest.raises(CurvesError, match="those of run '3' of 'B' at 8: are they counted"):
        read(_table(tmp_path, "step", spacings | {("B", 3): 1.0}))


def test_the_end_that_is_advised_is_one_to_type(tmp_path: Path) -> None:
    spacings = {(name, run): 1.123456789 + run % 2 / 9e5 for name in "AB" for run in range(4)}
    table = _table(tmp_path, "step", {**spacings, ("B", 3): 2.0})
    with pytest.raises(CurvesError, match=r"compare up to there with stop=8\.988\."):
        read(table)
    assert read(table, stop=8.988).n_runs == 8
