from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from studies import store
from studies.gorski2009.mean_curves import LEARNERS
from studies.gorski2009.measuring import (
    measure,
    metric_values,
    overtaking_episode,
    relative_reduction,
)
from studies.gorski2009.published import METRICS, PUBLISHED, rule_constant, rule_constant_range
from studies.gorski2009.readings import Reading
from studies.gorski2009.study import study
from studies.gorski2009.text import join_words
from studies.sources.grid_worlds import WORLDS, learning_curves

if TYPE_CHECKING:
    from studies.report import Claim, Study

PLAIN = {  # what other code made of the plain reading
    "4x4": (1.2051, 0.1621, 0.7734, 0.6830),
    "3x3": (1.3348, 0.2187, 0.6307, 0.5711),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Study:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "OUT", tmp_path_factory.mktemp("out"))
        return study(quick=True)


def claims(found: Study, start: str) -> list[Claim]:
    chosen = [each for each in found.claims if each.claim.startswith(start)]
    assert chosen
    return chosen


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_changes_the_play_and_stays_below_the_optimum(name: str) -> None:
    curves, plain = (
        learning_curves(WORLDS["3x3"], 40, np.random.default_rng(5), transfer=True, learner=learner)
        for learner in (LEARNERS[name], LEARNERS["plain"])
    )
    assert curves.shape == (40, 10)
    assert curves.max() == 1
    assert np.array_equal(curves, plain) == (name == "plain")


def test_reduction_counted_from_one_is_that_of_curvewise() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        control = np.sort(rng.random(12))
        transfer = np.sort(control + rng.random(12) * (1 - control))
        expected = metric_values(measure(control, transfer))["average_relative_reduction"]
        assert relative_reduction(control, transfer, first=1) == pytest.approx(expected)
        assert relative_reduction(control, transfer, first=0) >= expected


def test_b_tells_how_far_the_optimum_is_above_the_box() -> None:
    control, transfer = np.array([-3.0, -1, 0, 0.5]), np.array([-1.0, 0.2, 0.5, 0.8])
    assert rule_constant(metric_values(measure(control, transfer))) == pytest.approx(4 / 3.8)
    assert rule_constant(PUBLISHED["4x4"]) == pytest.approx(1.0107, abs=1e-4)
    assert rule_constant(PUBLISHED["3x3"]) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("world", PUBLISHED)
def test_b_with_rounding_holds_the_b_of_the_digits(world: str) -> None:
    low, high = rule_constant_range(world)
    assert low < rule_constant(PUBLISHED[world]) < high
    assert high - low < 0.002


def test_a_reading_keeps_the_directions_it_has() -> None:
    published = Reading("learner", "as published", PUBLISHED)
    assert published.keeps_all
    assert published.distance("4x4", PUBLISHED["4x4"]) == 0
    swapped = {"4x4": PUBLISHED["3x3"], "3x3": PUBLISHED["4x4"]}
    shifted = Reading("shift", "swapped", swapped)
    assert not any(shifted.keeps(metric) for metric in METRICS)
    assert [metric for metric in METRICS if shifted.bears_on(metric)] == ["transfer_ratio"]


@pytest.mark.parametrize(
    ("control", "episode"),
    [([0, 0, 2, 2], 3), ([2, 2, 2, 2], 1), ([0, 2, 0, 2], 4), ([2, 2, 2, 0], None)],
)
def test_the_control_overtakes_where_it_stays_ahead(
    control: list[float], episode: int | None
) -> None:
    assert overtaking_episode(np.array(control), np.ones(4)) == episode


def test_words_are_listed() -> None:
    assert [join_words(["a"]), join_words("ab"), join_words("abc")] == [
        "a",
        "a and b",
        "a, b and c",
    ]


@pytest.mark.slow
def test_table_1_is_that_of_the_plain_reading(found: Study) -> None:
    table = next(each for each in found.tables if each.title == "Table 1")
    ours = [float(row[3]) for row in table.rows]
    np.testing.assert_allclose(ours, [*PLAIN["4x4"], *PLAIN["3x3"]], atol=0.03)
    published = [float(row[2]) for row in table.rows]
    assert published == [value for row in PUBLISHED.values() for value in row.values()]
    assert [each.verdict for each in claims(found, "The digits follow")] == ["differs", "differs"]


@pytest.mark.slow
def test_the_worlds_are_ordered_as_published(found: Study) -> None:
    (point,) = claims(found, "From the 4x4 to the 3x3 world")
    assert point.verdict == "agrees"
    assert "in 19 of 23 readings" in point.ours
    assert "learner 8 of 8" in point.note


@pytest.mark.slow
def test_only_ctr_and_arr_keep_their_direction_whatever_is_chosen(found: Study) -> None:
    (compared,) = claims(found, "CTR and ARR may be compared")
    assert compared.verdict == "agrees"
    assert "turned round by" not in compared.note
    (not_compared,) = claims(found, "Transfer ratio and transfer regret may not")
    assert not_compared.verdict == "agrees"
    # In windows of equal length, the ratio and regret fall.
    assert not_compared.note.count("20 and 20 episodes") == 2


@pytest.mark.slow
def test_published_rows_do_not_come_of_one_rule(found: Study) -> None:
    (claim,) = claims(found, "One method")
    assert claim.verdict == "differs"
    assert "1.0102 to 1.0112" in claim.ours
    assert "in which b passes 1.0107" in claim.note


@pytest.mark.slow
def test_cells_that_come_out_otherwise_are_listed(found: Study) -> None:
    named, tried = claims(found, "Ticks and crosses")
    assert [named.verdict, tried.verdict] == ["agrees", "differs"]
    table = next(each for each in found.tables if each.title.startswith("Cells"))
    assert tried.ours.startswith(f"{40 - len(table.rows)} of 40")
    assert all(each in tried.ours for row in table.rows for each in row[:2])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "verdict"),
    [
        ("In the 4x4 world the transfer condition", "agrees"),
        ("In the 3x3 world the curves", "agrees"),
        ("Training brings both", "differs"),
        ("Transfer ratio and transfer regret meet fewer", "differs"),
        ("Transfer regret is the same", "agrees"),
        ("The transfer ratio differs between the pairs", "agrees"),
        ("ARR is negative", "differs"),
        ("The transfer ratio is undefined", "differs"),
        ("Transfer regret is always defined", "differs"),
        ("The transfer ratio differs between curves", "differs"),
        ("ARR is 1", "cannot be known"),
    ],
)
def test_verdicts(found: Study, start: str, verdict: str) -> None:
    assert {each.verdict for each in claims(found, start)} == {verdict}


@pytest.mark.slow
def test_pictures_can_be_written(found: Study, tmp_path_factory: pytest.TempPathFactory) -> None:
    names = [picture.name for picture in found.pictures]
    assert names == ["figures-1-2", "table-1-readings", "figure-3", "figure-4"]
    folder = tmp_path_factory.mktemp("pictures")
    for picture in found.pictures:
        picture.figure.savefig(folder / f"{picture.name}.svg")
