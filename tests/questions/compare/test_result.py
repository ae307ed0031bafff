from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest

from curvewise import Curves, Interval, compare
from tests.simulation import some_curves


def test_everything_is_json_ready_even_what_is_infinite() -> None:
    curve = np.arange(4.0)
    found = compare(
        Curves([curve] * 3 + [curve + 1] * 3, list("AAABBB"), steps=[0, 1, 2, 3])
    )
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["algorithm"]["statistic"] is None
    assert record["difference"]["interval"] == [None, None]
    assert record["effects"]["pooled"]["interaction"]["pvalue"] == 1
    assert record["warnings"] == list(found.warnings)
    assert [row["source"] for row in record["table"]["rows"]][:3] == [
        "interaction",
        "algorithm",
        "training",
    ]


def test_nothing_is_rounded() -> None:
    found = compare(some_curves(0, (5, 5)))
    record = json.loads(json.dumps(found.to_dict()))
    assert record["algorithm"]["statistic"] == found.algorithm.statistic
    assert (
        record["algorithm"]["pvalue"] == found.algorithm.n_extreme / found.n_relabellings
    )


def test_results_are_frozen() -> None:
    found = compare(some_curves(0, (5, 5)))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.alpha = 0.1  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.algorithm.pvalue = 0.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        found.algorithm.null_distribution[0] = 1


def test_table_is_looked_up_by_source() -> None:
    table = compare(some_curves(0, (5, 5))).table
    assert list(table) == [
        "interaction",
        "algorithm",
        "training",
        "curves",
        "residual",
        "error",
        "total",
    ]
    row = table["algorithm"]
    assert row.ms == row.ss / row.df
    assert row.pvalue is not None
    assert row.pvalue_parametric is not None
    assert table["total"].ms is None
    with pytest.raises(KeyError):
        table["nothing"]


def test_blocks_have_rows_of_their_own() -> None:
    table = compare(some_curves(0, (4, 4), blocks=[0, 1, 2, 3] * 2)).table
    assert table["blocks"].df == 3
    assert table["blocks × training"].df == 15
    assert table["curves"].df == 3
    assert table["residual"].df == 15


def test_the_error_term_is_named_in_every_print() -> None:
    curves = some_curves(0, (5, 5))
    split, pooled = compare(curves), compare(curves, error="pooled")
    assert "Error term: split (algorithm against curves" in str(split)
    assert "Error term: pooled" in str(pooled)
    assert "Error term: pooled" in pooled._repr_html_()
    assert split.table["algorithm"].statistic != pooled.table["algorithm"].statistic
    assert split.table["algorithm"].ss == pooled.table["algorithm"].ss


def test_warnings_are_in_every_print() -> None:
    found = compare(some_curves(0, (3, 3)))
    assert "Warning: With 3 + 3 runs" in str(found)
    assert "With 3 + 3 runs" in found._repr_html_()


def test_sampled_p_has_an_interval_and_an_error_and_exact_p_has_none() -> None:
    sampled = compare(some_curves(0, (9, 9, 9)), n_shuffles=399, rng=0).algorithm
    assert sampled.pvalue_error == pytest.approx(
        math.sqrt(sampled.pvalue * (1 - sampled.pvalue) / 399)
    )
    assert sampled.pvalue_interval.low < sampled.pvalue < sampled.pvalue_interval.high
    exact = compare(some_curves(0, (4, 4))).algorithm
    assert exact.pvalue_error == 0
    assert exact.pvalue_interval == Interval(exact.pvalue, exact.pvalue)
