"""What is asked of a gate is checked before any work is done."""

from __future__ import annotations

import pytest

from curvewise import OptionError
from curvewise.questions.gate.options import GateOptions
from curvewise.text import naming_flags


def test_bounds_lie_on_one_side_or_on_both() -> None:
    assert GateOptions("a", "b", 2).bounds == (-2.0,)
    assert GateOptions("a", "b", 2, two_sided=True).bounds == (-2.0, 2.0)
    assert GateOptions("a", "b", 0).bounds == (0.0,)


def test_a_threshold_is_one_only_with_reach() -> None:
    assert GateOptions("a", "b", 2, on=("reach", 5)).threshold == 5
    assert GateOptions("a", "b", 2, on=(1, 5)).threshold is None


def test_flags_are_named_where_flags_are_typed() -> None:
    with naming_flags(), pytest.raises(OptionError, match="--two-sided needs a margin"):
        GateOptions("a", "b", 0, two_sided=True)
    with (
        naming_flags(),
        pytest.raises(OptionError, match="--unit relative does not go with"),
    ):
        GateOptions("a", "b", 0.1, unit="relative", center="ranks")
