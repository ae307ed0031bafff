from __future__ import annotations

import json
import math
from functools import cache

import curvewise as cw
from tests.simulation import some_curves


@cache
def found(**options: object) -> cw.Plan:
    values: dict[str, object] = {
        "effect": cw.scenario("lift", 1.5),
        "n_experiments": 200,
        "n_shuffles": 99,
        "rng": 0,
    }
    return cw.plan(some_curves(0, (5,)), **{**values, **options})  # type: ignore[arg-type]


def test_the_table_says_what_is_needed_by_spread() -> None:
    plan = found()
    table = plan.table()
    assert [row[0] for row in table.rows] == [
        "less than the pilots",
        "as in the pilots",
        "more than the pilots",
    ]
    assert [row[1] for row in table.rows] == [
        f"{plan.n_runs_range.low:.0f}",
        str(plan.n_runs),
        f"{plan.n_runs_range.high:.0f}",
    ]
    assert table.header[2:] == ("power with these", "its test")
    assert found(question="overall").table().header[2:] == ("power with these",)
    assumed = found(noise=cw.noise(sd=1)).table()
    assert [row[0] for row in assumed.rows] == ["as assumed"]


def test_what_is_out_of_reach_is_none_in_json() -> None:
    plan = found(max_runs=8, effect=cw.scenario("lift", 0.9))
    assert math.isinf(plan.n_runs_range.high)
    record = json.loads(json.dumps(plan.to_dict(), allow_nan=False))
    assert record["n_runs_range"][1] is None
    assert set(record["power_at"]) == set(record["test_power_at"])
    assert "more than 8" in plan.table().text()
    assert (plan.effect_source, plan.noise_df) == ("stated", 4)
