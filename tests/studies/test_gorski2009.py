from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from studies import store
from studies.gorski2009.grid_table import (
    LEARNERS,
    METRICS,
    PUBLISHED,
    learning_curves,
    measured,
    one_rule,
    reduction,
    values,
)
from studies.gorski2009.study import study
from studies.sources import grid_worlds
from studies.sources.grid_worlds import WORLDS

if TYPE_CHECKING:
    from studies.gorski2009.grid_table import Learner
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


@pytest.mark.parametrize("transfer", [False, True])
@pytest.mark.parametrize("name", list(WORLDS))
def test_the_plain_learner_plays_as_the_source_does(name: str, transfer: bool) -> None:
    plain = learning_curves(
        LEARNERS[0], WORLDS[name], 20, np.random.default_rng(3), transfer=transfer
    )
    source = grid_worlds.learning_curves(
        WORLDS[name], 20, np.random.default_rng(3), transfer=transfer
    )
    np.testing.assert_array_equal(plain, source)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.name)
def test_every_learner_changes_the_play_and_stays_below_the_optimum(
    learner: Learner,
) -> None:
    curves = learning_curves(
        learner, WORLDS["3x3"], 40, np.random.default_rng(5), transfer=True
    )
    assert curves.shape == (40, 10)
    assert curves.max() == 1
    plain = learning_curves(
        LEARNERS[0], WORLDS["3x3"], 40, np.random.default_rng(5), transfer=True
    )
    assert np.array_equal(curves, plain) == (learner == LEARNERS[0])


def test_reduction_counted_from_one_is_that_of_curvewise() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        control = np.sort(rng.random(12))
        transfer = np.sort(control + rng.random(12) * (1 - control))
        expected = values(measured(control, transfer))["average_relative_reduction"]
        assert reduction(control, transfer, first=1) == pytest.approx(expected)
        assert reduction(control, transfer, first=0) >= expected


def test_b_tells_how_far_the_optimum_is_above_the_box() -> None:
    control, transfer = np.array([-3.0, -1, 0, 0.5]), np.array([-1.0, 0.2, 0.5, 0.8])
    assert one_rule(values(measured(control, transfer))) == pytest.approx(4 / 3.8)
    assert one_rule(PUBLISHED["4x4"]) == pytest.approx(1.0107, abs=1e-4)
    assert one_rule(PUBLISHED["3x3"]) == pytest.approx(1.0, abs=1e-4)


def test_table_1_is_that_of_the_plain_reading(found: Study) -> None:
    sheet = next(each for each in found.sheets if each.title == "Table 1")
    ours = [float(row[3]) for row in sheet.rows]
    np.testing.assert_allclose(ours, [*PLAIN["4x4"], *PLAIN["3x3"]], atol=0.03)
    published = [float(row[2]) for row in sheet.rows]
    assert published == [value for row in PUBLISHED.values() for value in row.values()]
    assert [each.verdict for each in claims(found, "The values follow")] == [
        "differs",
        "differs",
    ]


@pytest.mark.parametrize("title", METRICS.values())
def test_the_worlds_are_ordered_as_published(found: Study, title: str) -> None:
    learners, everything = claims(found, f"From 4x4 to 3x3 the {title} ")
    assert learners.verdict == "agrees"
    # In windows of equal length, the ratio and regret fall.
    turned = title in ("transfer ratio", "transfer regret")
    assert everything.verdict == ("cannot be known" if turned else "agrees")
    assert ("20 and 20 episodes" in everything.note) == turned


def test_published_rows_do_not_come_of_one_rule(found: Study) -> None:
    (claim,) = claims(found, "One rule")
    assert claim.verdict == "differs"
    assert "1.0102 to 1.0112" in claim.ours
    assert "Where b passes that of the 4x4 row" in claim.note


@pytest.mark.parametrize(
    ("start", "verdict"),
    [
        ("The transfer condition starts", "agrees"),
        ("Training brings both", "differs"),
        ("Ticks and crosses", "agrees"),
        ("Only the transfer regret is the same", "agrees"),
        ("Only the transfer ratio differs", "agrees"),
        ("ARR is negative", "differs"),
        ("The transfer ratio is undefined", "differs"),
        ("Transfer regret is always defined", "differs"),
        ("Curves are similar", "differs"),
        ("ARR is 1", "differs"),
    ],
)
def test_verdicts(found: Study, start: str, verdict: str) -> None:
    assert {each.verdict for each in claims(found, start)} == {verdict}


def test_pictures_can_be_written(
    found: Study, tmp_path_factory: pytest.TempPathFactory
) -> None:
    names = [picture.name for picture in found.pictures]
    assert names == ["figures-1-2", "table-1-readings", "figure-3", "figure-4"]
    folder = tmp_path_factory.mktemp("pictures")
    for picture in found.pictures:
        picture.figure.savefig(folder / f"{picture.name}.svg")
