"""What is measured is checked before anything is computed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from curvewise import OptionError
from curvewise.questions.transfer.options import TransferOptions
from curvewise.text import naming_flags


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("optimum", math.nan, "optimum must be a finite number"),
        ("optimum", "high", "optimum must be a finite number"),
        ("threshold", "high", "threshold must be a finite number"),
        ("window", 3, "window is a pair of steps"),
        ("window", (1, 2, 3), "window is a pair of steps"),
        ("until_asymptote", 2, "until_asymptote is a share of the range"),
        ("until_asymptote", 0, "until_asymptote is a share of the range"),
        ("integration", "simpson", "integration must be 'sum' or 'trapezoid'"),
        ("interval", "normal", "interval must be 'inverted', 'student' or 'percentile'"),
        ("confidence", 95, "confidence must lie between 0 and 1"),
        ("n_resamples", 1.5, "n_resamples must be"),
        ("n_resamples", 5, "n_resamples must be"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_name(
    option: str, value: object, message: str
) -> None:
    given: dict[str, Any] = {option: value}
    with pytest.raises(OptionError, match=message) as refused:
        TransferOptions("C", "E", **given)
    assert refused.value.option == option


def test_flags_are_named_where_flags_are_typed() -> None:
    with naming_flags(), pytest.raises(OptionError, match=r"^--until-asymptote is a"):
        TransferOptions("C", "E", until_asymptote=3)


@pytest.mark.parametrize(
    "options",
    [
        {"optimum": 0},
        {"optimum": np.float64(-1.5), "threshold": np.int64(3)},
        {"window": [1, 5], "until_asymptote": 0.05},
        {"n_resamples": 0, "interval": "student", "integration": "trapezoid"},
    ],
)
def test_what_can_be_used_is_kept(options: dict[str, Any]) -> None:
    found = TransferOptions("C", "E", **options)
    assert {name: getattr(found, name) for name in options} == options
    assert found.optimum_known is ("optimum" in options)


def test_alpha_is_what_confidence_leaves() -> None:
    assert TransferOptions("C", "E").alpha == pytest.approx(0.05)
    assert TransferOptions("C", "E", confidence=0.9).alpha == pytest.approx(0.1)
