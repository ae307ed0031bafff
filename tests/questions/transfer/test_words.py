"""Every sentence about a gain, in full: read them aloud."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, Interval, describe, transfer
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.tell import advice, notes, sentence
from tests.questions.transfer.gains import SIDES, pair, several_tasks, tictactoe

if TYPE_CHECKING:
    from curvewise import Transfer


CTR = "calibrated_transfer_ratio"


FACTS = {
    "control": "C",
    "experimental": "E",
    "shifted": "",
    "unreached": "",
    "period": "over training",
    "threshold": "70",
    "control_time": "4",
    "time": "2",
}


@pytest.mark.parametrize(
    ("name", "value", "facts", "sentence"),
    [
        ("transfer_ratio", 1.106, {}, "The area under E's curve is 1.106 times C's."),
        (
            "transfer_ratio",
            1.106,
            {"shifted": " (both shifted so that the worst mean score is 0)"},
            (
                "The area under E's curve is 1.106 times C's (both shifted so that the worst mean "
                "score is 0)."
            ),
        ),
        (
            "transfer_regret",
            0.071,
            {},
            "E is better: the area between the curves is 7.1% of the box that both span.",
        ),
        (
            "transfer_regret",
            -0.071,
            {},
            "E is worse: the area between the curves is 7.1% of the box that both span.",
        ),
        (CTR, 0.0936, {}, "E achieved 9.4% of the improvement still possible over C."),
        (CTR, -0.2, {}, "E fell short of C by 20.0% of the improvement still possible."),
        (
            "average_relative_reduction",
            0.2015,
            {},
            (
                "E reached the same performance with 20.2% less training than C, averaged over "
                "performance."
            ),
        ),
        (
            "average_relative_reduction",
            -0.5,
            {},
            (
                "E reached the same performance with 50.0% more training than C, averaged over "
                "performance."
            ),
        ),
        (
            "average_relative_reduction",
            1.0,
            {},
            "C never reaches any of the scores between its own first one and where E ends.",
        ),
        ("jumpstart", 10.4, {}, "E scores 10.40 more than C at the first step."),
        ("jumpstart", -10.4, {}, "E scores 10.40 less than C at the first step."),
        ("asymptotic_advantage", 12.0, {}, "E scores 12.00 more than C at the end."),
        ("area_difference", 50745, {}, "E scores 50745 more than C summed over training."),
        ("average_gain", -6.3, {}, "E scores 6.300 less than C on average over training."),
        (
            "average_relative_reduction",
            0.6,
            {"unreached": "; scores that C never reaches count as 100% less"},
            (
                "E reached the same performance with 60.0% less training than C, averaged over "
                "performance; scores that C never reaches count as 100% less."
            ),
        ),
        (
            "time_to_threshold",
            0.6,
            {},
            (
                "The median run of E needs 40.0% less training than that of C to reach the "
                "threshold, a score of 70."
            ),
        ),
        (
            "time_to_threshold",
            1.5,
            {},
            (
                "The median run of E needs 50.0% more training than that of C to reach the "
                "threshold, a score of 70."
            ),
        ),
        (
            "time_to_threshold",
            math.inf,
            {},
            (
                "Fewer than half of the runs of E reach the threshold, a score of 70; of C "
                "half do by step 4."
            ),
        ),
        (
            "time_to_threshold",
            0.0,
            {"control_time": "", "time": "3"},
            (
                "Half of the runs of E reach the threshold, a score of 70, by step 3; of C "
                "fewer than half do."
            ),
        ),
        (
            "time_to_threshold",
            0.0,
            {"time": "0"},
            (
                "Half of the runs of E are at the threshold, a score of 70, at step 0; of C "
                "fewer are."
            ),
        ),
        (
            "time_to_threshold",
            1.0,
            {},
            "E and C do not differ in the median, and differ in other runs.",
        ),
        ("average_gain", 0.0, {}, "E and C do not differ by this metric."),
        ("transfer_ratio", 1.0, {}, "E and C do not differ by this metric."),
    ],
)
def test_what_a_value_means(name: str, value: float, facts: dict[str, str], sentence: str) -> None:
    assert RECORDS[name].reading(value, {**FACTS, **facts}, significant=True) == sentence


def test_what_the_sentences_take_from_the_conditions() -> None:
    curves = pair([[-1.0, 0, 1]], [[0.0, 2, 4]], steps=[1, 2, 3])
    found = transfer(curves, **SIDES, threshold=2)
    assert found.transfer_ratio.reading == (
        "The area under E's curve is 3.000 times C's (both shifted so that the worst mean score "
        "is 0)."
    )
    assert found.average_relative_reduction.reading.endswith(
        "over performance; scores that C never reaches count as 100% less."
    )
    assert found.time_to_threshold.reading == (
        "Half of the runs of E reach the threshold, a score of 2, by step 2; of C fewer than half "
        "do."
    )
    assert found.average_gain.reading == "E scores 2.000 more than C on average over training."


def found(name: str = CTR, **fields: Any) -> Transfer:
    """The gain of A1 on A2, with these numbers of the metric to quote."""
    given: dict[str, Any] = {
        "value": 0.0936,
        "interval": Interval(0.01911, 0.1551),
        "pvalue": 0.01278,
        "exact": False,
    }
    own = replace(tictactoe().metrics[name], **{**given, **fields})
    metrics = {**tictactoe().metrics, name: own}
    return replace(tictactoe(), metrics=metrics, recommended=name)


METHOD = (
    "A2 (10 runs) is the control, A1 (10 runs) the experimental condition; 8 steps, 0 to "
    "8000; areas as sums over steps; best possible score 100."
)


READING = "A1 achieved 9.4% of the improvement still possible over A2."


@pytest.mark.parametrize(
    ("fields", "sureness"),
    [
        (
            {},
            (
                "This is statistically significant (calibrated transfer ratio 0.09360; 95% interval "
                "0.01911 to 0.1551; p = 0.013)."
            ),
        ),
        (
            {"exact": True, "interval": None},
            (
                "This is statistically significant (calibrated transfer ratio 0.09360; exact p = "
                "0.013)."
            ),
        ),
        (
            {"pvalue": 0.3, "interval": Interval(-0.1, 0.2)},
            (
                "This is not statistically significant (calibrated transfer ratio 0.09360; 95% "
                "interval -0.1000 to 0.2000; p = 0.30)."
            ),
        ),
        (
            {"pvalue": 0.3, "interval": None},
            (
                "This is not statistically significant (calibrated transfer ratio 0.09360; p = "
                "0.30)."
            ),
        ),
        (
            {"pvalue": 0.3, "interval": Interval(-math.inf, math.inf)},
            (
                "This is not statistically significant (calibrated transfer ratio 0.09360; too "
                "few runs, or shuffles, for a 95% interval; p = 0.30)."
            ),
        ),
        (
            {"pvalue": 0.0712, "interval": Interval(0.0, 0.2), "moved_by_test": True},
            (
                "This is not statistically significant (calibrated transfer ratio 0.09360; 95% "
                "interval 0 to 0.2000; p = 0.071). By itself the interval leaves out "
                '"no effect"; the shuffle test, which is exact with few runs, decides, and the '
                "interval is stretched to it."
            ),
        ),
        (
            {"interval": Interval(0.001, 0.2), "moved_by_test": True},
            (
                "This is statistically significant (calibrated transfer ratio 0.09360; 95% "
                "interval 0.001000 to 0.2000; p = 0.013). By itself the interval includes "
                '"no effect"; the shuffle test, which is exact with few runs, decides, and the '
                "interval ends before it."
            ),
        ),
    ],
)
def test_the_paragraph_to_quote(fields: dict[str, Any], sureness: str) -> None:
    result = found(**fields)
    assert describe(result) == f"{READING} {sureness} {METHOD}"
    assert result.describe() == describe(result)


def test_without_a_value_only_the_method_is_said() -> None:
    assert describe(found(value=None, interval=None, pvalue=None, reading="")) == METHOD


def test_p_equal_to_what_confidence_leaves_is_significant() -> None:
    # 1 − 0.9 is 0.0999… in binary.
    result = found(pvalue=0.1, confidence=0.9)
    assert "This is statistically significant" in describe(result)
    assert "not statistically" in describe(found(pvalue=0.101, confidence=0.9, interval=None))


def test_the_method_says_blocks_steps_areas_and_optimum() -> None:
    result = replace(
        found(),
        n_blocks=10,
        integration="trapezoid",
        optimum_known=False,
        optimum=61.2,
        n_runs=(1, 20),
    )
    assert describe(result).endswith(
        " A2 (1 run) is the control, A1 (20 runs) the experimental condition in 10 blocks; 8 "
        "steps, 0 to 8000; areas by trapezoids; best possible score unknown, the best mean "
        "score observed (61.20) in its place."
    )
    single = replace(found(), steps=np.array([3]), optimum=0.95)
    assert describe(single).endswith(
        "; 1 step; areas as sums over steps; best possible score 0.95."
    )


def test_names_cannot_steer_a_terminal() -> None:
    curves = Curves([[0.0, 1.0], [0.0, 2.0], [1.0, 2.0], [2.0, 3.0]], ["\x1b[31m"] * 2 + ["E"] * 2)
    odd = transfer(curves, control="\x1b[31m", experimental="E", n_resamples=0)
    assert "\x1b" not in describe(odd)
    assert "\\x1b[31m" in describe(odd)


@pytest.mark.parametrize(
    ("name", "known", "sentence"),
    [
        (
            CTR,
            True,
            (
                "Quote this one: the optimum is known, and the calibrated transfer ratio measures "
                "against it, so it means the same on every task."
            ),
        ),
        (
            "average_relative_reduction",
            False,
            (
                "Quote this one: without a known optimum, the average relative reduction still "
                "means the same on every task, since it compares times to equal performance."
            ),
        ),
        (
            CTR,
            False,
            (
                "Quote this one, with a caveat: the best observed score stands in for the "
                "optimum, so it holds for this task only."
            ),
        ),
        (
            "average_gain",
            False,
            "Quote this one: the metrics that mean the same on every task say nothing here.",
        ),
    ],
)
def test_why_a_metric_is_the_one_to_quote(name: str, known: bool, sentence: str) -> None:
    result = replace(tictactoe(), recommended=name, optimum_known=known)
    assert advice(result) == result.advice == sentence


def test_across_tasks() -> None:
    tasks = several_tasks()
    ratio, reduction = tasks.across.values()
    means = {
        CTR: replace(ratio, value=0.42, interval=Interval(0.3, 0.5), pvalue=0.0123),
        reduction.name: replace(
            reduction, value=0.2, interval=None, pvalue=0.2, n_tasks=3, n_all=3
        ),
    }
    assert describe(replace(tasks, across=means)) == (
        "e against c on 3 tasks: the mean calibrated transfer ratio over 2 of them is 0.4200, "
        "95% interval 0.3000 to 0.5000 (p = 0.012), which is statistically significant. As "
        "further description, the mean average relative reduction is 0.2000 (p = 0.20). Only "
        "metrics that mean the same on every task are averaged; transfer ratio and transfer "
        "regret do not."
    )
    moved = replace(means[CTR], interval=Interval(0.0, 0.5), pvalue=0.2, moved_by_test=True)
    assert (
        "(p = 0.20), which is not statistically significant; by itself the interval leaves out "
        '"no effect"; the shuffle test, which is exact with few runs, decides, and the interval '
        "is stretched to it. As further description"
    ) in describe(replace(tasks, across={**means, CTR: moved}))
    assert describe(replace(tasks, across={})) == (
        "e against c on 3 tasks: no metric is defined and comparable on two of them, so "
        "nothing is said across tasks."
    )
    one = replace(tasks, tasks={"b": tasks["b"]}, across={})
    assert describe(one) == describe(tasks["b"])


# --- When runs reach a threshold, in words.


def reached(**changes: Any) -> Transfer:
    steps = np.arange(1, 9)
    control, experimental = (
        np.array([steps >= time for time in times], dtype=float)
        for times in ([4, 6, 99], [2, 3, 5])
    )
    measured = transfer(
        pair(control, experimental, steps=steps), **SIDES, threshold=1.0, n_resamples=0
    )
    return replace(measured, survival=replace(measured.survival, **changes))


def test_who_reaches_it_by_when_and_how_sure() -> None:
    assert sentence(reached()) == (
        "Reaching a score of 1: 3 of 3 runs of E (median step 3), 2 of 3 of C (median step "
        "6); log-rank test, exact p = 0.20."
    )
    assert "; log-rank test, p = 0.20." in sentence(reached(exact=False))
    assert sentence(reached(pvalue=None)).endswith("(median step 6).")


def test_names_are_escaped() -> None:
    odd = replace(reached(), control="\x1b[1m")
    assert "\x1b" not in sentence(odd)


def test_crossing_is_said_in_both_places() -> None:
    crossing = reached(crossing=6.0, ahead_at_last="control")
    for text in (sentence(crossing), notes(crossing)[-1]):
        assert "E is ahead at first, and C by step 6: where such curves cross" in text
        assert "neither the medians nor the means nor p tell all" in text
    other = reached(crossing=6.0, ahead_at_last="experimental")
    assert "C is ahead at first, and E by step 6" in sentence(other)


def test_notes_say_what_counts_as_reaching() -> None:
    (note,) = notes(reached())
    assert note.startswith("Reaching a score of 1. Log-rank test of the times, exact p = ")
    assert "at 3 consecutive steps. Log-rank" in notes(reached(hold=3))[0]
    assert notes(reached(pvalue=None)) == ("Reaching a score of 1.",)
    assert "never reaches it, as it counts" in notes(reached(failed_never_reach=True))[1]
    unasked = replace(reached(), threshold_given=False)
    assert ", where the runs of both end on average." in notes(unasked)[0]
