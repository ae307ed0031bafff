"""What a comparison may claim."""

from __future__ import annotations

import numpy as np
import pytest

from curvewise import Curves, compare
from curvewise.questions.compare.result import holds, in_what, is_claimed, is_undecidable
from tests.simulation import some_curves


def lifted(by: float, n_runs: int = 5) -> Curves:
    curves = some_curves(0, (n_runs, n_runs))
    return Curves(curves.scores + by * (curves.codes == 1)[:, None], curves.labels)


def test_height_is_claimed_behind_the_overall_test() -> None:
    found = compare(lifted(9))
    assert is_claimed(found, "algorithm")
    assert not is_claimed(found, "interaction")
    nothing = compare(lifted(0))
    assert not holds(nothing, "algorithm")
    assert not is_claimed(nothing, "algorithm")


def test_a_single_step_has_no_shape_to_claim() -> None:
    found = compare(lifted(9).window(0, 0))
    assert not holds(found, "interaction")


@pytest.mark.parametrize(("n_runs", "undecidable"), [(2, True), (5, False)])
def test_few_runs_are_undecidable(n_runs: int, undecidable: bool) -> None:
    assert is_undecidable(compare(lifted(9, n_runs))) == undecidable


def test_where_spreads_differ_it_may_be_the_spread() -> None:
    curves = lifted(9)
    scores = curves.scores.copy()
    scores[:5] = scores[:5].mean(axis=0) + 1e-3 * np.arange(5)[:, None]
    assert in_what(compare(Curves(scores, curves.labels))) == " in mean or in spread"
    assert in_what(compare(curves)) == ""
