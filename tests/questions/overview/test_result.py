from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from curvewise import compare, load_example, overview
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Curves, Overview

GIVEN: dict[str, Any] = {"n_shuffles": 999, "rng": 0}


@cache
def found() -> Overview:
    return overview(load_example("tictactoe"), **GIVEN)


def test_json_is_that_of_the_comparison_with_where_and_who() -> None:
    shown = json.loads(json.dumps(found().to_dict(), allow_nan=False))
    alone = compare(load_example("tictactoe"), **GIVEN).to_dict()
    added = {key: shown.pop(key) for key in ("where", "best", "withheld")}
    assert shown == json.loads(json.dumps(alone))
    assert list(shown) == list(alone)
    assert set(added["where"]) == {
        "regions",
        "differs_from",
        "differs_until",
        "smallest_pvalue_adjusted",
    }
    location, best = found().location, found().best
    assert location is not None
    assert best is not None
    assert added["where"]["regions"] == [
        json.loads(json.dumps(region.to_dict())) for region in location.regions
    ]
    assert added["where"]["smallest_pvalue_adjusted"] == location.pvalue_adjusted.min()
    assert added["where"]["differs_from"] == location.differs_from
    assert added["where"]["differs_until"] == location.differs_until
    assert added["best"] == {
        "leader": best.leader,
        "mean": best.rows[0].mean,
        "contenders": list(best.contenders),
        "worse": list(best.worse),
    }
    assert added["withheld"] is None


@pytest.mark.parametrize(
    ("curves", "options", "withheld"),
    [
        (some_curves(0, (2, 2, 2)), {}, "undecidable"),
        (load_example("tictactoe"), {"spread": "unequal"}, "unequal spread"),
        (load_example("tictactoe").select("A1", "A3"), {}, "no difference"),
    ],
)
def test_what_was_not_asked_is_none(curves: Curves, options: dict[str, Any], withheld: str) -> None:
    shown = overview(curves, **GIVEN, **options).to_dict()
    assert (shown["where"], shown["best"]) == (None, None)
    assert shown["withheld"] == withheld
    assert json.dumps(shown)


def test_tables_and_caveats_are_those_of_the_comparison() -> None:
    few = overview(some_curves(0, (2, 2, 2)))
    assert few.caveats == few.comparison.caveats != ()
    assert few.warnings == few.comparison.warnings
    assert str(few) == str(few.comparison)
    assert few._repr_html_() == few.comparison._repr_html_()
    assert found().tables() == found().comparison.tables()


def test_an_overview_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        found().withheld = "no difference"  # type: ignore[misc]
