"""Every warning about a gain, in full: read them aloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, compare, transfer, transfer_many
from curvewise.inference.caveats import DifferentSpread, TooFewRuns, TooFewShuffles
from curvewise.questions.transfer.result import (
    LevelThroughout,
    LowerIsBetter,
    NoAsymptote,
    NoIntervals,
    NotLevelledOff,
    ShiftedScores,
    TasksLeftOut,
    UnknownOptimum,
    WindowEndsAtAsymptote,
)
from curvewise.text import naming_flags
from tests.questions.transfer.gains import SIDES, pair, rising

if TYPE_CHECKING:
    from curvewise.inference.caveats import Caveat

FLAT_FROM_10 = np.minimum(np.arange(40.0), 10)


@pytest.mark.parametrize(
    ("caveat", "kind", "sentence"),
    [
        (
            NoIntervals("run"),
            "no intervals",
            (
                "At least one condition has a single run, so its run-to-run variation is "
                "unknown: metrics that need resamples have no intervals, and those of the others "
                "take both conditions to vary alike. Repeat the training with other seeds."
            ),
        ),
        (
            NoIntervals("block"),
            "no intervals",
            (
                "There is a single block, so variation between blocks is unknown: metrics that "
                "need resamples have no intervals. Repeat the training in other blocks."
            ),
        ),
        (
            LowerIsBetter(),
            "lower is better",
            (
                "Lower scores are better: shares and ratios count a lower score as a gain. "
                "Differences keep the sign of the scores as given, so below 0 is better."
            ),
        ),
        (
            ShiftedScores(6.8),
            "shifted scores",
            (
                "The transfer ratio needs mean curves without negative scores: 6.800 was added to "
                "both, and the ratio depends on that. Its interval takes the shift as given."
            ),
        ),
        (
            UnknownOptimum(),
            "unknown optimum",
            (
                "No best possible score was given (optimum): the best mean score observed stands "
                "in for it, so the calibrated transfer ratio must not be compared across tasks, "
                "and its interval takes that score as given."
            ),
        ),
        (
            NotLevelledOff(),
            "not levelled off",
            (
                "The curves have not levelled off within the window: with more training, what "
                "depends on the end (asymptotic advantage, average relative reduction, areas) "
                "would change."
            ),
        ),
        (
            LevelThroughout(500.0),
            "level throughout",
            "Both curves are level throughout; the whole window, up to step 500, is compared.",
        ),
        (
            NoAsymptote(0.5),
            "no asymptote",
            "No asymptote was reached; the whole window, up to step 0.5, is compared.",
        ),
        (
            WindowEndsAtAsymptote(300, 0.05),
            "window ends at asymptote",
            (
                "The window ends at step 300: from there on both mean curves stay within 0.05 of "
                "their range around their end."
            ),
        ),
        (
            TasksLeftOut("average_relative_reduction", ("pong", "maze")),
            "tasks left out",
            (
                "The mean average relative reduction leaves out pong and maze, where it is "
                "undefined. Look at the other metrics there: where the experimental condition "
                "fails, leaving the task out flatters it."
            ),
        ),
    ],
)
def test_each_sentence_in_full(caveat: Caveat, kind: str, sentence: str) -> None:
    assert caveat.sentence() == sentence
    assert caveat.kind == caveat.to_dict()["kind"] == kind


def test_options_are_named_as_they_are_typed() -> None:
    with naming_flags():
        assert "was given (--optimum)" in UnknownOptimum().sentence()


def caveats(curves: Curves, **options: Any) -> tuple[Caveat, ...]:
    """All caveats but that the runs, which are few here, are too few."""
    found = transfer(curves, **SIDES, n_resamples=0, n_shuffles=99, **options).caveats
    return tuple(caveat for caveat in found if not isinstance(caveat, TooFewRuns))


def test_runs_or_shuffles_too_few_for_any_p_are_said_first() -> None:
    few = transfer(pair(flat(5, 3), flat(9, 3)), **SIDES, n_resamples=0)
    assert few.caveats[0] == TooFewRuns((3, 3), 0.1, 0.05, 4)
    assert few.smallest_pvalue == 0.1
    enough = pair(flat(5, 4), flat(9, 4))
    assert isinstance(transfer(enough, **SIDES, n_resamples=0).caveats[0], UnknownOptimum)
    sampled = transfer(enough, **SIDES, n_resamples=0, n_shuffles=9, exact=False)
    assert sampled.caveats[0] == TooFewShuffles(9, 0.05)


def flat(level: float, n_runs: int = 2) -> np.ndarray:
    return level + 0.001 * np.random.default_rng(int(level)).normal(size=(n_runs, 40))


def test_what_needs_no_warning_has_none() -> None:
    curves = pair([FLAT_FROM_10, FLAT_FROM_10 + 0.1], [FLAT_FROM_10 + 1, FLAT_FROM_10 + 1.1])
    assert caveats(curves, optimum=20) == ()


def test_different_spread_is_said_as_by_the_other_questions() -> None:
    curves = pair(flat(5, 6), 9 + 50 * (flat(9, 6) - 9))
    (found,) = (c for c in caveats(curves) if isinstance(c, DifferentSpread))
    assert found in compare(curves).caveats


def test_a_single_run_or_block_is_said() -> None:
    assert caveats(pair(flat(1, 1), flat(2)), optimum=9) == (NoIntervals("run"),)
    scores, labels = np.vstack([flat(1), flat(2)]), ["C"] * 2 + ["E"] * 2
    blocked = Curves(scores, labels, blocks=[0] * 4)
    assert caveats(blocked, optimum=9) == (NoIntervals("block"),)


def test_lower_is_better_shift_and_optimum_are_said() -> None:
    losses = pair(flat(5), flat(3), higher_is_better=False)
    lower, shifted, unknown = caveats(losses)
    assert lower == LowerIsBetter()
    assert isinstance(shifted, ShiftedScores)
    assert shifted.shift == pytest.approx(5, abs=0.01)
    assert unknown == UnknownOptimum()


def test_what_is_said_about_the_end_of_the_window() -> None:
    rising_on = rising(7, n_steps=20)
    assert NotLevelledOff() in caveats(rising_on)
    assert caveats(rising_on, until_asymptote=0.01)[-1] == NoAsymptote(20)
    level = pair(flat(5), flat(9))
    assert caveats(level, until_asymptote=0.05)[-1] == LevelThroughout(39)
    levelling = pair([FLAT_FROM_10] * 2, [FLAT_FROM_10 + 1] * 2)
    ends = WindowEndsAtAsymptote(10, 0.05)
    assert caveats(levelling, until_asymptote=0.05)[-1] == ends
    single_step = pair([[1.0], [2.0]], [[3.0], [4.0]])
    assert caveats(single_step, optimum=9) == ()


def test_warnings_of_tasks_name_those_they_are_about() -> None:
    level, rising_on = pair(flat(5), flat(9)), rising(7, n_steps=20)
    rising_on = Curves(rising_on.scores + 5, rising_on.labels, rising_on.steps)
    found = transfer_many(
        {"level": level, "open": rising_on}, **SIDES, n_resamples=0, n_shuffles=99
    )
    told = (w for w in found.warnings if "smallest p" not in w and "vary more" not in w)
    unknown, open_end = told
    # What is about every task stands by itself.
    assert unknown == UnknownOptimum().sentence()
    assert open_end == f"open: {NotLevelledOff().sentence()}"
    record = found.to_dict()
    assert record["warnings"] == list(found.warnings)
    assert {"kind": "not levelled off", "members": ["open"]} in record["caveats"]


def test_a_mean_names_the_tasks_it_leaves_out() -> None:
    fails = pair(flat(5), flat(2))
    tasks = {"a": rising(1), "b": rising(2), "fails": fails}
    found = transfer_many(tasks, **SIDES, n_resamples=0, n_shuffles=9)
    name = "average_relative_reduction"
    assert TasksLeftOut(name, ("fails",)) in found.caveats
    defined = {"a": rising(1), "b": rising(2)}
    whole = transfer_many(defined, **SIDES, n_resamples=0, n_shuffles=9)
    assert not any(isinstance(caveat, TasksLeftOut) for caveat in whole.caveats)
