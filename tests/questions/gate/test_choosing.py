"""Which test answers a gate."""

from __future__ import annotations

from typing import Any

import pytest

from curvewise import Curves, gate
from tests.simulation import some_curves


@pytest.mark.parametrize(
    ("sizes", "options", "test"),
    [
        ((5, 5), {}, "shuffle"),
        ((5, 6), {}, "both"),
        ((5, 6), {"spread": "equal"}, "shuffle"),
        ((5, 5), {"spread": "unequal"}, "Welch"),
        ((5, 6), {"exact": True}, "shuffle"),
        ((5, 6), {"center": "trimmed"}, "shuffle"),
        ((5, 6), {"on": "every step"}, "shuffle"),
        ((1, 20), {}, "shuffle"),
        ((2, 20), {}, "shuffle"),
        ((20, 2), {}, "shuffle"),
        ((3, 20), {}, "both"),
        ((5, 6), {"unit": "sd"}, "normal"),
        ((5, 6), {"on": ("reach", 0.0)}, "log-rank"),
    ],
)
def test_the_test_follows_from_runs_and_options(
    sizes: tuple[int, int], options: dict[str, Any], test: str
) -> None:
    found = gate(some_curves(0, sizes), candidate="A", baseline="B", margin=1, rng=0, **options)
    assert found.test == test


def test_runs_in_blocks_are_shuffled_in_them() -> None:
    curves = some_curves(0, (6, 3), blocks=[1, 1, 2, 2, 3, 3, 1, 2, 3])
    found = gate(curves, candidate="A", baseline="B", margin=1)
    assert (found.test, found.n_blocks, found.n_relabellings) == ("shuffle", 3, 27)
    assert found.runs_to_decide is not None


def test_blocks_that_differ_have_no_plan() -> None:
    curves = some_curves(0, (4, 3), blocks=[1, 1, 2, 3, 1, 2, 3])
    found = gate(curves, candidate="A", baseline="B", margin=1)
    assert found.runs_to_decide is None
    assert found.n_enough is None
    assert found.describe()


def test_the_larger_p_of_both_tests_is_taken() -> None:
    curves = some_curves(3, (5, 9))
    asked: dict[str, Any] = {"candidate": "A", "baseline": "B", "rng": 0}
    for options in ({"margin": 0.5}, {"margin": 0.1, "unit": "relative"}):
        shifted = Curves(curves.scores + 20, curves.labels)
        given: dict[str, Any] = {**asked, **options}
        both = gate(shifted, **given)
        parts = [gate(shifted, **given, spread=own) for own in ("equal", "unequal")]
        assert both.pvalue_pass == max(own.pvalue_pass for own in parts)
        assert both.limits.low == pytest.approx(min(own.limits.low for own in parts))
        assert both.limits.high == pytest.approx(max(own.limits.high for own in parts))


def test_a_plan_in_sds_does_not_depend_on_the_spread() -> None:
    curves = some_curves(4, (5, 5))
    wide = Curves(9 * curves.scores, curves.labels)
    found = [
        gate(own, candidate="A", baseline="B", margin=1, unit="sd").runs_to_decide
        for own in (curves, wide)
    ]
    assert found[0] == found[1]
