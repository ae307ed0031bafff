from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from curvewise import contrast, contrast_many
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Contrast, Contrasts

AB: dict[str, float] = {"A": 1, "B": -1}
ABC: dict[str, float] = {"A": 1, "B": -0.5, "C": -0.5}


@cache
def one() -> Contrast:
    return contrast(some_curves(0, (5, 5, 5)), ABC, alternative="less", rng=0)


@cache
def several() -> Contrasts:
    curves = some_curves(0, (5, 5, 5))
    return contrast_many(curves, {"first": AB, "second": ABC}, rng=0, n_shuffles=999)


def test_json_has_everything_but_the_null_distribution() -> None:
    shown = json.loads(json.dumps(one().to_dict()))
    assert set(shown) == {
        "question",
        "source",
        "center",
        "coefficients",
        "weights",
        "value",
        "interval",
        "confidence",
        "statistic",
        "df",
        "pvalue",
        "pvalue_adjusted",
        "significant",
        "alternative",
        "alpha",
        "approximate",
        "higher_is_better",
        "exact",
        "n_relabellings",
        "n_shuffles",
        "engine",
        "seed",
        "smallest_pvalue",
        "preparation",
        "warnings",
        "caveats",
    }
    assert shown["question"] == "contrast"
    assert shown["interval"] == [None, one().interval.high]
    assert shown["coefficients"] == ABC
    assert shown["approximate"]
    assert shown["seed"] == 0


def test_what_json_cannot_say_is_none() -> None:
    few = contrast(some_curves(0, (3, 3)), AB, weights=np.arange(6))
    shown = json.loads(json.dumps(few.to_dict()))
    assert shown["interval"] == [None, None]
    assert shown["weights"] == list(range(6))
    assert shown["caveats"][0]["kind"] == "too few runs"
    assert shown["warnings"] == list(few.warnings)
    infinite = replace(few, statistic=math.inf).to_dict()
    assert json.loads(json.dumps(infinite, allow_nan=False))["statistic"] is None


def test_smallest_pvalue_is_by_runs_and_by_shuffles() -> None:
    assert contrast(some_curves(0, (3, 3)), AB).smallest_pvalue == 0.1
    drawn = contrast(some_curves(0, (5, 5, 5)), ABC, n_shuffles=99)
    assert drawn.smallest_pvalue == 0.01


def test_the_table_says_how_it_was_asked() -> None:
    lines = str(one()).splitlines()
    assert lines[0].split() == ["contrast", "value", "95%", "interval", "t", "df", "p"]
    assert lines[2].startswith("A - 0.5 B - 0.5 C")
    assert lines[3:] == [
        "Over training: mean. Alternative: less.",
        "More than two algorithms: residuals are shuffled, p is approximate.",
    ]
    assert "<table>" in one()._repr_html_()
    few = contrast(some_curves(0, (3, 3)), AB, weights=np.arange(6))
    assert "Over training: weights as given. Alternative: two-sided." in str(few)
    assert "Warning: With 3 + 3 runs" in str(few)
    assert "<strong>Warning:</strong> With 3 + 3 runs" in few._repr_html_()


@pytest.mark.parametrize(
    ("coefficients", "formula"),
    [
        ({"A": 1.0, "B": -1.0}, "A - B"),
        ({"A": -1.0, "B": 1.0}, "-A + B"),
        ({"A": 1.0, "B": -0.5, "C": -0.5}, "A - 0.5 B - 0.5 C"),
        ({"A": -2.0, "B": 1 / 3, "C": 5 / 3}, "-2 A + 0.3333 B + 1.667 C"),
    ],
)
def test_the_formula_reads_as_a_sum(coefficients: dict[str, float], formula: str) -> None:
    assert replace(one(), coefficients=coefficients).formula == formula


def test_the_adjusted_p_decides_in_a_family() -> None:
    alone = replace(one(), pvalue=0.04, alpha=0.05)
    assert alone.significant
    assert not replace(alone, pvalue_adjusted=0.08).significant
    # A p at alpha is significant.
    assert replace(alone, pvalue_adjusted=0.05).significant


def test_a_family_is_a_mapping_by_name() -> None:
    assert list(several()) == ["first", "second"]
    assert len(several()) == 2
    assert several()["first"].coefficients == AB
    assert set(several().significant()) <= {"first", "second"}
    shown = json.loads(json.dumps(several().to_dict()))
    assert set(shown) == {
        "question",
        "adjust",
        "alpha",
        "seed",
        "contrasts",
        "preparation",
        "warnings",
        "caveats",
    }
    assert (shown["question"], shown["adjust"], shown["seed"]) == ("contrast_many", "holm", 0)
    assert shown["contrasts"]["second"] == json.loads(json.dumps(several()["second"].to_dict()))


def test_the_table_of_a_family_has_adjusted_p() -> None:
    lines = str(several()).splitlines()
    assert lines[0].split()[-2:] == ["p", "adjusted"]
    assert [line.split()[0] for line in lines[2:4]] == ["first", "second"]
    assert lines[-1] == "Adjusted by holm."
    assert "<table>" in several()._repr_html_()
