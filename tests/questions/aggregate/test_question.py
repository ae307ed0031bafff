from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

import curvewise as cw
from tests.questions.aggregate.several_tasks import some_tasks


def record(found: cw.Aggregate) -> str:
    return json.dumps(found.to_dict())


def test_the_mean_of_raw_scores_is_a_stratified_t_interval() -> None:
    tasks = some_tasks()
    found = cw.aggregate(tasks, statistic="mean", reference="raw", confidence=0.9)
    means = [own.select("B").scores.mean(axis=1) for own in tasks.values()]  # a number for each run
    v = np.array([own.var(ddof=1) / len(own) for own in means])
    value = np.mean([own.mean() for own in means])
    df = v.sum() ** 2 / np.sum(v**2 / 3)
    reach = stats.t.ppf(0.95, df) * np.sqrt(v.sum()) / len(v)
    assert found["B"].value == pytest.approx(value)
    assert found["B"].df == pytest.approx(df)
    np.testing.assert_allclose(found["B"].interval, [value - reach, value + reach])


def test_one_task_is_a_one_sample_t_test() -> None:
    (curves,) = some_tasks(n_tasks=1).values()
    found = cw.aggregate({"only": curves}, reference="raw", on="final")
    last = curves.select("A").scores[:, -1]
    expected = stats.ttest_1samp(last, 0).confidence_interval(0.95)
    assert found["A"].interval.low == pytest.approx(expected.low)
    assert found["A"].interval.high == pytest.approx(expected.high)
    both = stats.ttest_ind(
        curves.select("C").scores[:, -1], curves.select("A").scores[:, -1], equal_var=False
    )
    pair = found.difference("A", "C")
    assert (pair.a, pair.b) == ("C", "A")
    ends = both.confidence_interval(0.95)
    assert tuple(pair.interval) == pytest.approx((ends.low, ends.high))


def test_the_iqm_is_scipys_trimmed_mean_of_all_normalised_runs() -> None:
    tasks = some_tasks()
    reference = {task: (-30.0, 30.0 + place) for place, task in enumerate(tasks)}
    found = cw.aggregate(tasks, reference=reference)
    assert found.statistic == "iqm"
    assert not found.statistic_given
    for name in "ABC":
        numbers = [
            (own.select(name).scores.mean(axis=1) + 30) / (60 + place)
            for place, own in enumerate(tasks.values())
        ]
        expected = stats.trim_mean(np.concatenate(numbers), 0.25)
        assert found[name].value == pytest.approx(expected)


def test_fewer_than_ten_tasks_are_averaged_unless_an_iqm_is_asked_for() -> None:
    tasks = some_tasks(n_tasks=9)
    assert cw.aggregate(tasks).statistic == "mean"
    found = cw.aggregate(tasks, statistic="iqm")
    assert [own.kind for own in found.caveats] == ["too few tasks for an IQM"]


def test_a_mapping_is_in_order_and_gaps_are_better_where_they_are_smaller() -> None:
    tasks = some_tasks(lead=2.0)
    assert list(cw.aggregate(tasks)) == ["C", "B", "A"]
    found = cw.aggregate(tasks, statistic="gap", gamma=0.9)
    assert list(found) == ["C", "B", "A"]
    assert found["C"].value < found["A"].value
    assert found.differences[0].value < 0


def test_a_gap_is_never_below_zero() -> None:
    found = cw.aggregate(some_tasks(n_tasks=3, lead=0), statistic="gap", gamma=0.1)
    assert min(own.interval.low for own in found.values()) == 0


@pytest.mark.parametrize("on", ["mean", "final", (1, 3), "every step"])
def test_no_digit_depends_on_the_order_of_tasks_runs_and_algorithms(on: Any) -> None:
    tasks = some_tasks(sizes=(4, 3, 5))
    rng = np.random.default_rng(1)
    mixed = {}
    for task in reversed(tasks):
        own = tasks[task]
        order = rng.permutation(own.n_runs)
        mixed[task] = cw.Curves(own.scores[order], own.labels[order])
    one, other = (cw.aggregate(given, on=on, rng=3) for given in (tasks, mixed))
    for name in "ABC":
        assert json.dumps(one[name].to_dict()) == json.dumps(other[name].to_dict())
    profiles = one.profile().to_dict(), other.profile().to_dict()
    assert profiles[0] == profiles[1]


def test_names_change_no_value_and_no_interval() -> None:
    tasks = some_tasks()
    turned = {"A": "z", "B": "y", "C": "x"}
    renamed = {
        f"{9 - place} {task}": cw.Curves(own.scores, [turned[name] for name in own.labels])
        for place, (task, own) in enumerate(tasks.items())
    }
    one, other = cw.aggregate(tasks), cw.aggregate(renamed)
    for name, new in turned.items():
        assert one[name].value == pytest.approx(other[new].value, rel=1e-12)
        np.testing.assert_allclose(one[name].interval, other[new].interval)


def test_lower_scores_that_are_better_are_turned() -> None:
    tasks = some_tasks()
    losses = {
        task: cw.Curves(-own.scores, own.labels, higher_is_better=False)
        for task, own in tasks.items()
    }
    up, down = cw.aggregate(tasks, rng=0), cw.aggregate(losses, rng=0)
    for name in "ABC":
        assert up[name].value == pytest.approx(down[name].value)
    raw = cw.aggregate(losses, reference="raw")
    assert raw["C"].value == pytest.approx(cw.aggregate(tasks, reference="raw")["C"].value)
    assert "with the sign turned" in str(raw)
    random, human = (dict.fromkeys(tasks, pair) for pair in ((30.0, -30.0), (-30.0, 30.0)))
    by_reference = cw.aggregate(losses, reference=random)
    assert by_reference["A"].value == pytest.approx(cw.aggregate(tasks, reference=human)["A"].value)


def test_data_give_every_task_the_range_from_0_to_1() -> None:
    tasks = some_tasks()
    found = cw.aggregate(tasks, statistic="mean", on="final")
    assert found.scales is not None
    for task, own in tasks.items():
        last = own.scores[:, -1]
        assert found.scales[task] == (last.min(), last.max())
    every = np.concatenate([own.scores.ravel() for own in found.runs.values()])
    assert (every.min(), every.max()) == (0.0, 1.0)


def test_another_scale_of_a_task_changes_nothing_that_is_normalised_by_data() -> None:
    tasks = some_tasks()
    moved = {
        task: cw.Curves(3 * own.scores - place, own.labels)
        for place, (task, own) in enumerate(tasks.items())
    }
    for on in ("mean", "every step"):
        one, other = (cw.aggregate(given, on=on, rng=0) for given in (tasks, moved))
        assert one["A"].value == pytest.approx(other["A"].value)
        np.testing.assert_allclose(one["A"].interval, other["A"].interval)


def test_curves_are_aggregates_of_each_step_and_their_mean_is_the_value() -> None:
    tasks = some_tasks()
    reference = dict.fromkeys(tasks, (-30.0, 30.0))
    found = cw.aggregate(tasks, on="every step", reference=reference, rng=0)
    for step in range(5):
        at = cw.aggregate(tasks, on=(step, step), reference=reference)
        for name in "ABC":
            curve, band = found[name].curve, found[name].band
            assert curve is not None
            assert band is not None
            assert curve[step] == pytest.approx(at[name].value)
            low, high = at[name].interval
            # A band for all steps is wider than the interval of one.
            assert band.low[step] < low < high < band.high[step]
    assert found["A"].value == pytest.approx(float(np.array(found["A"].curve).mean()))
    mean = cw.aggregate(tasks, on="every step", statistic="mean", reference=reference)
    alone = cw.aggregate(tasks, on="mean", statistic="mean", reference=reference)
    assert mean["B"].value == pytest.approx(alone["B"].value)
    np.testing.assert_allclose(mean["B"].interval, alone["B"].interval)
    assert found.steps is not None
    assert found.steps.tolist() == [0, 1, 2, 3, 4]


def test_tasks_with_steps_of_their_own_are_compared_at_shares_of_training() -> None:
    tasks = some_tasks(n_steps=9)
    one = next(iter(tasks))
    # The same curves, logged in other units; and a task that was logged half as often.
    other = tasks[one]
    tasks[one] = cw.Curves(other.scores, other.labels, 100 + 50 * np.arange(9))
    same = cw.aggregate(tasks, on="every step", rng=0)
    assert same.in_shares
    assert same.steps is not None
    np.testing.assert_allclose(same.steps, np.linspace(0, 1, 9))
    plain = cw.aggregate(some_tasks(n_steps=9), on="every step", rng=0)
    np.testing.assert_allclose(np.array(same["A"].curve), np.array(plain["A"].curve), rtol=1e-12)
    tasks[one] = cw.Curves(other.scores[:, ::2], other.labels, 10 * np.arange(5))
    coarse = cw.aggregate(tasks, on="every step", rng=0)
    assert coarse.steps is not None
    assert coarse.steps.tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_the_same_rng_gives_the_same_bands_and_another_other_ones() -> None:
    tasks = some_tasks()
    first, again, other = (
        cw.aggregate(tasks, on="every step", rng=seed, n_multipliers=199) for seed in (1, 1, 2)
    )
    assert record(first) == record(again)
    assert first["A"].band is not None
    assert other["A"].band is not None
    assert first["A"].band.low.tolist() != other["A"].band.low.tolist()
    assert first["A"].interval == other["A"].interval
    assert first.profile().reach == again.profile().reach != other.profile().reach


def test_tasks_that_lack_an_algorithm_are_refused_or_dropped() -> None:
    tasks = some_tasks()
    tasks["task 3"] = tasks["task 3"].select("A", "B")
    with pytest.raises(cw.CurvesError, match="'task 3' lacks C"):
        cw.aggregate(tasks)
    found = cw.aggregate(tasks, missing="drop")
    assert found.dropped == ("task 3",)
    assert "task 3" not in found.tasks
    again = cw.aggregate(cw.Tasks(tasks, missing="drop"))
    assert again.dropped == ("task 3",)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"statistic": "median"}, "statistic must be 'iqm', 'mean' or 'gap', not 'median'"),
        ({"on": "end"}, "on must be 'mean', 'final' or 'every step', not 'end'"),
        ({"on": 3}, r"on must be 'mean', 'final', 'every step' or \(start, stop\)"),
        ({"on": (1, "x")}, "on must be a finite step as the stop of a window, not 'x'"),
        ({"gamma": float("inf")}, "gamma must be a finite number"),
        ({"confidence": 95}, "confidence must lie between 0 and 1, such as 0.95"),
        ({"missing": "keep"}, "missing must be 'refuse' or 'drop', not 'keep'"),
        ({"n_multipliers": 10}, "n_multipliers must be an integer of 99 or more, not 10"),
        ({"n_multipliers": 99.5}, "n_multipliers must be an integer of 99 or more"),
        ({"rng": -1}, "rng must be a non-negative integer"),
    ],
)
def test_options_that_cannot_be_used_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(cw.OptionError, match=sentence) as refused:
        cw.aggregate(some_tasks(), **options)
    assert refused.value.option == next(iter(options))


def test_curves_of_one_task_are_refused() -> None:
    with pytest.raises(cw.CurvesError, match="These are the curves of one task"):
        cw.aggregate(some_tasks()["task 0"])  # type: ignore[arg-type]
