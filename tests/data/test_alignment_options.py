"""Options of alignment are checked once, alone and together."""

from __future__ import annotations

from typing import Any

import pytest

from curvewise import OptionError
from curvewise.data.tables import AlignmentOptions


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"how": "spline"}, "align must be 'linear', 'previous' or 'bins', not 'spline'"),
        ({"short": "ignore"}, "short must be"),
        ({"n_steps": 1}, "n_steps must be an integer of 2 or more, not 1"),
        ({"n_steps": 10**9}, "n_steps must be 10,000,000 at most, not 1,000,000,000"),
        ({"n_steps": 2.5}, "n_steps must be an integer"),
        ({"n_steps": True}, "n_steps must be an integer"),
        ({"short": "prefix", "min_steps": 0}, "min_steps must be an integer of 1 or more"),
        ({"short": "drop"}, "reason is needed"),
        ({"short": "drop", "reason": "  "}, "reason is needed"),
        ({"reason": "a broken disk"}, 'reason goes with short="drop" only'),
        ({"min_steps": 3}, 'min_steps goes with short="prefix" only'),
    ],
)
def test_values_that_cannot_be_used(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        AlignmentOptions(**options)


def test_defaults() -> None:
    options = AlignmentOptions()
    assert (options.how, options.short, options.n_steps) == ("linear", "refuse", None)
    AlignmentOptions(short="drop", reason="a broken disk")
