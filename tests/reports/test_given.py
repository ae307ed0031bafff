"""What was given for a report, checked and sorted."""

from __future__ import annotations

from typing import Any

import pytest

import curvewise as cw
from curvewise.reports.ask import Given
from tests.simulation import some_curves

FEW: dict[str, Any] = {"n_shuffles": 99, "rng": 0}


def test_results_go_to_their_tables_and_members_of_families_first() -> None:
    tables = {"x": some_curves(0, (4, 4)), "y": some_curves(1, (4, 4))}
    family = cw.compare_many(tables, **FEW)
    where = cw.locate(tables["x"], n_resamples=0, **FEW)
    given = Given.of(tables, [family, {"x": where}])
    assert given.several
    assert given.whole == (family,)
    assert given.about("x") == (family["x"], where)
    assert given.about("y") == (family["y"],)
    assert given.everything == [family, where]


def test_a_single_table_has_no_name() -> None:
    curves = some_curves(0, (4, 4))
    found = cw.compare(curves, **FEW)
    given = Given.of(curves, [found])
    assert not given.several
    assert given.whole == ()
    assert given.about("") == (found,)


def test_what_cannot_be_reported_is_refused() -> None:
    curves = some_curves(0, (3, 3))
    compared = cw.compare(curves)
    with pytest.raises(cw.OptionError, match=r"takes results, such as compare.* not a str"):
        Given.of(curves, ["x"])
    with pytest.raises(cw.OptionError, match="takes results"):
        Given.of(curves, [{"x": compared}])
    with pytest.raises(cw.OptionError, match=r"takes Curves, or a mapping .* not a list"):
        Given.of([1], [])
    with pytest.raises(cw.OptionError, match="takes Curves"):
        Given.of({}, [])
    with pytest.raises(cw.OptionError, match="no curves of task 'z'"):
        Given.of({"x": curves}, [{"z": compared}])
    for wrong in ([1], 1):
        with pytest.raises(cw.OptionError, match="not a int"):
            Given.of({"x": curves}, [{"x": wrong}])
    other = cw.locate(curves.window(0, 3), n_resamples=0, **FEW)
    with pytest.raises(cw.OptionError, match="about other curves than those in"):
        Given.of(curves, [other])
    with pytest.raises(cw.OptionError, match="about other curves than those of 'x' in"):
        Given.of({"x": curves}, [{"x": other}])
