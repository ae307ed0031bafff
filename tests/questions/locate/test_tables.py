"""A location laid out as tables."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import Interval, locate
from curvewise.questions.locate.method import Share
from curvewise.questions.locate.result import MAX_REGIONS, Cluster, Region
from curvewise.text import naming_flags, p_text
from tests.questions.locate.planted import with_regions
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Location
    from curvewise.rendering.tables import Table


@cache
def planted() -> Location:
    return locate(with_regions(10, (6, 6), 20, 6.0), n_resamples=99, rng=0)


def by_header(location: Location) -> dict[str, Table]:
    return {table.header[0]: table for table in location.tables()}


def test_regions_windows_clusters_and_steps_are_shown() -> None:
    assert list(by_header(planted())) == ["regions", "most striking window", "clusters", "step"]


def test_the_table_of_regions_says_who_is_ahead_and_how_much_it_is() -> None:
    table = by_header(planted())["regions"]
    assert table.header == (
        "regions",
        "ahead",
        "from",
        "to",
        "largest F",
        "p",
        "share of the total difference",
    )
    (region,) = planted().regions
    assert region.share is not None
    interval = region.share.interval
    assert interval is not None
    assert table.rows[0][:4] == ("any difference", "A", "60", "90")
    assert table.rows[0][-1] == (f"{region.share:.0%} ({interval.low:.0%} to {interval.high:.0%})")
    assert [row[0] for row in table.rows[1:]] == ["change of difference"] * len(
        planted().effects["interaction"].regions
    )
    assert table.notes == (
        (
            "p is adjusted for 20 steps (largest F of each relabelling): the chance that any "
            "step is named falsely is at most 0.05, for each of the two questions; a change is "
            "named only if some difference is."
        ),
        (
            "Shares describe the observed differences, including chance; intervals are "
            "bootstrap intervals."
        ),
    )
    down = replace(planted(), adjust="step-down")
    assert "(largest F, stepping down of each" in by_header(down)["regions"].notes[0]


def test_where_no_step_stands_out_that_is_said() -> None:
    nothing = locate(some_curves(2, (5, 5), 10), n_resamples=0)
    tables = by_header(nothing)
    assert tables["regions"].rows == (("no step stands out", *[""] * 6),)
    assert "clusters" not in tables


def region(start: int, n_steps: int) -> Region:
    return Region(start, start + n_steps - 1, n_steps, 9.0, 0.01, "A", share=Share(0.05))


def test_of_many_regions_the_longest_are_shown_in_their_order() -> None:
    regions = tuple(region(10 * place, 1 + place % 3) for place in range(15))
    effect = replace(planted().effects["algorithm"], regions=regions)
    many = replace(planted(), effects={"algorithm": effect})
    table = by_header(many)["regions"]
    assert len(table.rows) == MAX_REGIONS
    starts = [int(row[2]) for row in table.rows]
    assert starts == sorted(starts)
    # Two of the five shortest are left; the rest are longer.
    assert sum(row[2] == row[3] for row in table.rows) == 2
    assert table.rows[0][-1] == "5%"
    assert table.notes[-1] == "The longest regions are shown; 3 more are in `to_dict()`."
    with naming_flags():
        assert by_header(many)["regions"].notes[-1].endswith("3 more are in --json.")


def test_the_most_striking_window_of_each_effect_is_shown() -> None:
    table = by_header(planted())["most striking window"]
    assert [row[0] for row in table.rows] == ["differ on average", "gap changes"]
    windows = planted().windows
    assert windows is not None
    window = windows.most_striking()
    assert table.rows[0][1:3] == (str(window.start), str(window.stop))
    inside = (planted().steps >= window.start) & (planted().steps <= window.stop)
    smallest = planted().pvalue_adjusted[inside].min()
    assert table.rows[0][-1] == p_text(smallest)
    assert table.notes == (
        (
            "p allows for all windows and both effects, so any window may be chosen by "
            "looking; p if planned holds only for a window fixed before seeing the data. p of "
            "its steps: do the curves differ somewhere in it? It allows for all steps, as in "
            "the regions."
        ),
    )
    without = replace(planted(), windows=None)
    assert "most striking window" not in by_header(without)


def test_clusters_that_chance_explains_are_left_out() -> None:
    clusters = (Cluster(0, 20, 30.0, 0.01), Cluster(50, 60, 9.0, 0.5))
    effect = replace(planted().effects["algorithm"], clusters=clusters)
    table = by_header(replace(planted(), effects={"algorithm": effect}))["clusters"]
    assert [row[:3] for row in table.rows] == [("any difference", "0", "20")]
    assert table.notes[0].startswith("Clusters of steps with F of 4.965 or more, by summed")
    assert table.notes[0].endswith(
        "Those with p above 0.05 are left out; all of them are in `to_dict()`."
    )
    with naming_flags():
        shown = by_header(replace(planted(), effects={"algorithm": effect}))["clusters"]
        assert shown.notes[0].endswith("all of them are in --json.")


def test_steps_are_shown_while_they_are_few() -> None:
    table = by_header(planted())["step"]
    assert len(table.rows) == 20
    assert table.header == (
        "step",
        *("difference SS", "so far", "F", "p"),
        *("change SS", "so far", "F", "p"),
    )
    assert table.rows[-1][2] == table.rows[-1][6] == "100%"
    many = locate(some_curves(0, (4, 4), 26), windows=False, n_resamples=0)
    assert "step" not in by_header(many)


def test_a_single_step_has_no_column_for_change() -> None:
    table = by_header(locate(some_curves(1, (5, 5), 1), n_resamples=0))["step"]
    assert table.header == ("step", "difference SS", "so far", "F", "p")
    assert len(table.notes) == 1


@pytest.mark.parametrize("interval", [None, Interval(0.1, 0.3)])
def test_a_share_may_be_missing_or_have_no_interval(interval: Interval | None) -> None:
    regions = (replace(region(0, 2), share=Share(0.2, interval)),)
    effect = replace(planted().effects["algorithm"], regions=regions)
    table = by_header(replace(planted(), effects={"algorithm": effect}))["regions"]
    assert table.rows[0][-1] == ("20%" if interval is None else "20% (10% to 30%)")
    bare = replace(effect, regions=(replace(region(0, 2), share=None),))
    table = by_header(replace(planted(), effects={"algorithm": bare}))["regions"]
    assert table.rows[0][-1] == ""


def test_everything_prints() -> None:
    text = str(planted())
    assert "share of the total difference" in text
    assert np.all([name in text for name in ("regions", "clusters", "p if planned")])
