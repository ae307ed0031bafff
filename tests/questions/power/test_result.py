from __future__ import annotations

import json

import pytest

import curvewise as cw
from tests.simulation import some_curves


def found(**options: object) -> cw.Power:
    values: dict[str, object] = {
        "effect": cw.scenario("lift", 1),
        "n_runs": (3, 6),
        "n_experiments": 100,
        "n_shuffles": 99,
        "rng": 0,
    }
    return cw.estimate_power(some_curves(0, (5,)), **{**values, **options})  # type: ignore[arg-type]


def test_the_table_has_a_row_for_runs_and_sizes() -> None:
    table = found(sizes=(1, 2)).table()
    assert table.header == (
        *("runs of each", "size", "overall", "height", "its test", "shape", "its test"),
    )
    assert [row[:2] for row in table.rows] == [("3", "1"), ("3", "2"), ("6", "1"), ("6", "2")]
    assert table.rows[0][2] == "0 (not attainable)"
    assert "–" in table.rows[2][3]


def test_assumed_noise_leaves_no_range() -> None:
    result = found(noise=cw.noise(sd=1))
    assert "–" not in result.table().text()
    assert json.loads(json.dumps(result.to_dict()))["assumptions"]["noise_df"] is None


def test_curves_of_one_step_have_no_shape() -> None:
    pilots = some_curves(0, (5,), 1)
    result = cw.estimate_power(
        pilots, effect=cw.scenario("lift", 1), n_runs=6, n_experiments=100, rng=0
    )
    assert result.interaction is None
    assert result.table().header == ("runs of each", "overall", "height")
    assert result.overall.power == pytest.approx(result.algorithm.power)
    assert result.algorithm.verdict.power == pytest.approx(result.algorithm.power)


def test_claims_are_in_the_record() -> None:
    record = found().to_dict()
    assert set(record["overall"]) == {"power", "interval", "range"}
    assert set(record["algorithm"]["claimed"]) == {"power", "interval", "range"}
    assert found().overall.verdict.name == "overall"


def test_attributes_of_the_assumptions_are_at_hand() -> None:
    result = found()
    assert (result.effect_source, result.noise_df) == ("stated", 4)
    assert result.to_dict()["assumptions"]["effect"] == "a lift of 1"
