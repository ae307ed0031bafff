"""What is asked of a gate is checked before any work is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from curvewise import OptionError
from curvewise.inference.asking import asked_of
from curvewise.questions.gate.ask import gate
from curvewise.text import naming_flags

if TYPE_CHECKING:
    from curvewise.questions.gate.ask import GateOptions


def options(margin: float, **given: Any) -> GateOptions:
    asked: GateOptions = asked_of(gate, candidate="a", baseline="b", margin=margin, **given)
    return asked


def test_bounds_lie_on_one_side_or_on_both() -> None:
    assert options(2).bounds == (-2.0,)
    assert options(2, two_sided=True).bounds == (-2.0, 2.0)
    assert options(0).bounds == (0.0,)


def test_a_threshold_is_one_only_with_reach() -> None:
    assert options(2, on=("reach", 5)).threshold == 5
    assert options(2, on=(1, 5)).threshold is None


def test_flags_are_named_where_flags_are_typed() -> None:
    with naming_flags(), pytest.raises(OptionError, match="--two-sided needs a margin"):
        options(0, two_sided=True)
    with naming_flags(), pytest.raises(OptionError, match="--unit relative does not go with"):
        options(0.1, unit="relative", center="ranks")
