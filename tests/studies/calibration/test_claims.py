"""Claims: a result that is known to be wrong is called wrong, a right one right."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import curvewise as cw
from studies.calibration.data_sets import draw_data_set
from studies.calibration.designs import DESIGNS
from studies.calibration.measuring import rates_of
from studies.calibration.plan import FULL, QUICK, Cell
from studies.calibration.processes import PROCESSES
from studies.calibration.questions import QUESTIONS
from studies.calibration.transferring import METRICS
from studies.calibration.truths import TRUTHS

if TYPE_CHECKING:
    from studies.calibration.data_sets import DataSet


def drawn(truth: str, design: str = "5 + 5", seed: int = 0) -> DataSet:
    rng = np.random.default_rng(seed)
    return draw_data_set(PROCESSES["AR(1)"], DESIGNS[design], TRUTHS[truth], rng)


def is_wrong(question: str, claim: str, found: Any, data: DataSet) -> bool | None:
    (own,) = (each for each in QUESTIONS[question].claims if each.name == claim)
    return own.is_wrong(found, data)


def effects(**significant: bool) -> SimpleNamespace:
    return SimpleNamespace(
        difference=None,
        **{
            name: SimpleNamespace(significant=significant.get(name, False))
            for name in ("overall", "algorithm", "interaction")
        },
    )


def test_a_verdict_is_wrong_only_behind_the_overall_test() -> None:
    name = "a false claim in the verdict"
    parallel = drawn("height differs")
    alone, behind = effects(interaction=True), effects(overall=True, interaction=True)
    assert is_wrong("compare", "shape found", alone, parallel) is True
    assert is_wrong("compare", name, alone, parallel) is False
    assert is_wrong("compare", name, behind, parallel) is True
    assert is_wrong("compare", "height found", behind, parallel) is None
    assert is_wrong("compare", name, effects(overall=True), drawn("one differs")) is None
    assert is_wrong("compare", name, effects(overall=True), drawn("curves cross")) is False


@pytest.mark.parametrize(("end", "wrong"), [(1.9, True), (2.1, False)])
def test_an_interval_misses_when_the_true_difference_is_outside(end: float, wrong: bool) -> None:
    data = drawn("height differs")
    unit = data.process.reference(20).unit
    difference = SimpleNamespace(interval=cw.Interval(-end * unit, unit))
    found = SimpleNamespace(difference=difference)
    name = "interval of the difference misses"
    # The interval of A - B, which is -2 units, must reach down to it.
    assert is_wrong("compare", name, found, data) is wrong


def test_of_tables_named_the_share_of_false_ones_counts() -> None:
    data = drawn("one differs")
    data = SimpleNamespace(  # type: ignore[assignment]
        rng=np.random.default_rng(0), truly_different=frozenset("abc")
    )
    name = "a named table does not differ"
    for named, share in ((("a", "d"), 0.5), (("a", "b", "c", "d"), 0.25), ((), 0), (("a",), 0)):
        found = SimpleNamespace(significant=lambda _, named=named: named)
        told = [is_wrong("compare_many", name, found, data) for _ in range(400)]
        assert np.mean([bool(each) for each in told]) == pytest.approx(share, abs=0.1)
    for at_least, wrong in ((3, False), (4, True)):
        found = SimpleNamespace(at_least={"overall": at_least})
        name = "fewer tables differ than stated"
        assert is_wrong("compare_many", name, found, data) is wrong


def location(**told: Any) -> SimpleNamespace:
    steps = np.ones(20)
    steps[told.pop("named", slice(0, 0))] = 0.01
    nothing = SimpleNamespace(regions=(), clusters=())
    height = SimpleNamespace(
        pvalue_adjusted=steps, pvalue_stepdown=steps, pvalue_intervalwise=steps, clusters=()
    )
    return SimpleNamespace(
        effects={"algorithm": height, "interaction": nothing},
        **{"differs_from": None, "differs_until": None, "crossing": None, **told},
    )


def test_places_are_wrong_outside_the_planted_difference() -> None:
    data = drawn("a quarter differs")  # steps 6 to 10 of 20
    step, paragraph = "a step that does not differ", "a false claim in the paragraph"
    early, late = '"differs from" is too early', '"differs until" is too late'
    right = location(named=slice(5, 10), differs_from=6, differs_until=10)
    for name in (step, early, late, paragraph):
        assert is_wrong("locate", name, right, data) is False
    assert is_wrong("locate", step, location(named=slice(4, 6)), data) is True
    assert is_wrong("locate", early, location(differs_from=5), data) is True
    assert is_wrong("locate", early, location(differs_from=20), data) is False
    assert is_wrong("locate", late, location(differs_until=11), data) is True
    assert is_wrong("locate", late, location(differs_until=1), data) is False
    assert is_wrong("locate", paragraph, location(differs_until=11), data) is True
    everywhere = drawn("height differs")
    assert is_wrong("locate", step, right, everywhere) is None
    assert is_wrong("locate", early, right, everywhere) is None
    assert is_wrong("locate", "a step, interval-wise", right, data) is None
    assert is_wrong("locate", "a step, interval-wise", right, drawn("learn alike")) is True


@pytest.mark.parametrize(("low", "wrong"), [(10, False), (11, True), (-np.inf, False)])
def test_a_crossing_is_judged_by_the_true_one(low: float, wrong: bool) -> None:
    crossing = SimpleNamespace(interval=cw.Interval(low, 12))
    found = location(crossing=crossing)
    missed, told = "interval of the crossing misses", "a crossing where there is none"
    assert is_wrong("locate", missed, found, drawn("curves cross")) is wrong  # at 10.5
    assert is_wrong("locate", missed, location(), drawn("curves cross")) is False
    assert is_wrong("locate", told, found, drawn("curves cross")) is None
    assert is_wrong("locate", told, found, drawn("nothing differs")) is True
    assert is_wrong("locate", missed, found, drawn("nothing differs")) is None


def test_windows_are_wrong_where_their_steps_do_not_differ() -> None:
    data = drawn("a quarter differs")
    found = cw.locate(data.curves, n_resamples=0)
    assert found.windows is not None
    name = "a window that does not differ"
    for effect, first, last, wrong in (
        (0, 0, 4, True),
        (0, 0, 5, False),
        (0, 6, 8, False),
        (1, 6, 8, True),
        (1, 4, 5, False),
        (1, 10, 19, True),
    ):
        adjusted = np.ones_like(found.windows.pvalue_adjusted)
        adjusted[effect, first, last] = 0.01
        windows = SimpleNamespace(
            starts=found.windows.starts,
            stops=found.windows.stops,
            lengths=found.windows.lengths,
            pvalue_adjusted=adjusted,
        )
        told = is_wrong("locate", name, SimpleNamespace(windows=windows), data)
        assert told is wrong, (effect, first, last)


def test_pairs_and_the_best_are_judged_by_the_planted_means() -> None:
    data = drawn("one differs", "3 × 5")
    for a, b, wrong in (("A", "C", False), ("B", "A", True)):
        pairs = (SimpleNamespace(a=a, b=b),)
        found = SimpleNamespace(significant=lambda _, pairs=pairs: pairs)
        name = "a pair told apart, height"
        assert is_wrong("compare_pairs", name, found, data) is wrong
    for truth, truly in (("one differs", "C"), ("near ties", "A"), ("two tie", "A")):
        data = drawn(truth, "3 × 5")
        for lost in "ABC":
            found = SimpleNamespace(worse=(lost,))
            told = is_wrong("best", "the best is ruled out", found, data)
            assert told is (lost == truly)


def test_the_interval_of_a_gap_is_held_against_the_true_gap_to_the_leader() -> None:
    data = drawn("one differs", "3 × 5")
    gap = data.heights[2] - data.heights[0]
    name = "interval of the last algorithm misses"
    for shift, wrong in ((0.1, False), (-0.1, True)):
        row = SimpleNamespace(name="C", interval=cw.Interval(-np.inf, gap + shift))
        found = SimpleNamespace(leader="A", rows=(row,))
        assert is_wrong("best", name, found, data) is wrong
    leads = SimpleNamespace(leader="C", rows=(SimpleNamespace(name="C", interval=None),))
    assert is_wrong("best", name, leads, data) is False


def test_contrasts_are_judged_by_their_true_value() -> None:
    name, family = "a contrast of 0 found", "a contrast of 0 in the family"
    found = SimpleNamespace(significant=True)
    assert is_wrong("contrast of several", name, found, drawn("one differs", "3 × 5")) is None
    assert is_wrong("contrast of several", name, found, drawn("others balance", "3 × 5"))
    for design in ("3 × 5", "6 × 5"):
        assert drawn("others balance", design).heights.sum() == pytest.approx(0)
    for named, wrong in ((("A - C",), False), (("A - B", "A - C"), True)):
        found = SimpleNamespace(significant=lambda named=named: named)
        data = drawn("one differs", "3 × 5")
        assert is_wrong("contrast_many", family, found, data) is wrong


def test_true_metrics_are_those_of_the_true_mean_curves() -> None:
    name = "interval: average gain"
    data = drawn("one learns faster")
    gain = data.heights[1] - data.heights[0]
    for shift, wrong in ((0.0, False), (0.2, True)):
        interval = cw.Interval(gain + shift - 0.1, gain + shift + 0.1)
        metric = SimpleNamespace(interval=interval)
        found = SimpleNamespace(metrics=dict.fromkeys(METRICS, metric), shift=0.0)
        assert is_wrong("transfer", name, found, data) is wrong
    shifted = SimpleNamespace(metrics=dict.fromkeys(METRICS, metric), shift=1.0)
    assert is_wrong("transfer", "interval: transfer ratio", shifted, data) is None


def test_aggregates_are_held_against_many_runs_of_the_process() -> None:
    question = QUESTIONS["aggregate of 10 tasks"]
    process, design = PROCESSES["AR(1)"], DESIGNS["5 + 5"]
    rng = np.random.default_rng(0)
    data = draw_data_set(process, design, TRUTHS["nothing differs"], rng, question.n_tasks)
    found = question.ask(data)
    told = {claim.name: claim.is_wrong(found, data) for claim in question.claims}
    # The mean of a process that is 0 on average is that of the heights of tasks, which is 0.
    low, high = found.mean["A"].interval
    assert abs(found.truth.numbers.mean()) < 0.05 * (high - low)
    assert told["interval of the mean misses"] == (not low <= 0 <= high)
    # Percentile intervals of 5 runs are shorter than those of Student's t.
    one, other = found.percentile["mean"]
    assert other - one < high - low
    assert not told["band of the profile misses somewhere"]
    truth = found.truth
    moved = replace(found, truth=replace(truth, numbers=truth.numbers + 9))
    for claim in question.claims:
        if "difference" not in claim.name and "step" not in claim.name:
            assert claim.is_wrong(moved, data) or "gap" in claim.name, claim.name
    curves = replace(truth, iqm_curve=truth.iqm_curve + 9, mean_curve=truth.mean_curve + 9)
    for claim in question.claims:
        if "step" in claim.name:
            assert claim.is_wrong(replace(found, truth=curves), data)


def test_every_other_task_has_few_runs_where_numbers_differ() -> None:
    question = QUESTIONS["aggregate of 10 tasks, unequal runs"]
    rng = np.random.default_rng(0)
    data = draw_data_set(
        PROCESSES["AR(1)"], DESIGNS["5 + 5"], TRUTHS["nothing differs"], rng, question.n_tasks
    )
    sizes = [own["A"] for own in question.ask(data).mean.n_runs.values()]
    assert sizes == [5, 3] * 5


def test_every_claim_is_measured_in_both_plans() -> None:
    """Each cell names what there is, is stored under its own name, and no claim is left out."""
    assert len({cell.slug for cell in FULL}) == len(FULL)
    for plan in (FULL, QUICK):
        assert {cell.question for cell in plan} == set(QUESTIONS)
        assert {cell.process for cell in plan} <= set(PROCESSES)
        assert {cell.design for cell in plan} <= set(DESIGNS)
        assert {cell.truth for cell in plan} <= set(TRUTHS)
    assert {cell.process for cell in FULL} == set(PROCESSES)
    assert {cell.design for cell in FULL} == set(DESIGNS)
    assert {cell.truth for cell in FULL} == set(TRUTHS)


def test_a_refused_data_set_counts_as_no_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        msg = "All runs are the same."
        raise cw.CurvesError(msg)

    monkeypatch.setattr(cw, "compare", refuse)
    cell = Cell("compare", "AR(1)", "5 + 5", "nothing differs", 3)
    assert rates_of(cell, 0, range(3)) == {}


def judged(**given: Any) -> SimpleNamespace:
    """What compare_tasks may have found, with nothing in it but what is given."""
    won = given.pop("won", {})
    found = {
        "a": "A",
        "on_the_whole": SimpleNamespace(significant=False, interval=(0.4, 0.6)),
        "at_least": SimpleNamespace(differ=0, a_better=0, b_better=0),
        "different": (),
        "per_task": {task: SimpleNamespace(winner=name) for task, name in won.items()},
        **given,
    }
    return SimpleNamespace(**found)


def test_what_is_said_of_many_tasks_is_held_against_their_leads() -> None:
    data = SimpleNamespace(
        truly_different={"x", "y"},
        leads={"x": 1.0, "y": -1.0, "z": 0.0},
        tasks={"x": None, "y": None, "z": None},
        winning={"x": 0.9, "y": 0.1, "z": 0.5}.__getitem__,
        rng=np.random.default_rng(0),
    )

    def wrong(claim: str, **given: Any) -> bool | None:
        return is_wrong("compare_tasks", claim, judged(**given), data)  # type: ignore[arg-type]

    won = SimpleNamespace(significant=True, interval=(0.6, 0.9))
    assert wrong("a winner on the whole found", on_the_whole=won) is True
    assert wrong("height differs anywhere") is None
    assert wrong("interval of the probability misses", on_the_whole=won) is True
    assert wrong("interval of the probability misses") is False
    for differ, too_many in ((2, False), (3, True)):
        counts = SimpleNamespace(differ=differ, a_better=1, b_better=1)
        assert wrong("fewer tasks differ than stated", at_least=counts) is too_many
        assert wrong("better on fewer tasks than stated", at_least=counts) is False
    both = SimpleNamespace(differ=2, a_better=2, b_better=0)
    assert wrong("better on fewer tasks than stated", at_least=both) is True
    assert wrong("a named task does not differ", different=("z",)) is True
    assert wrong("a named task does not differ", different=("x", "y")) is False
    assert wrong("a named winner is not better", won={"x": "B"}) is True
    assert wrong("a named winner is not better", won={"x": "A", "y": "B"}) is False
    assert wrong("a named winner is not better", won={"x": None}) is False
