"""Every window of training, looked up."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import OptionError, compare, locate
from curvewise.questions.locate import method
from tests.questions.locate.planted import with_regions
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Curves
    from curvewise.questions.locate.method import WindowTests


def windows_of(curves: Curves) -> WindowTests:
    found = locate(curves, exact=True, n_resamples=0).windows
    assert found is not None
    return found


@pytest.mark.parametrize("sizes", [(4, 4), (3, 5), (2, 3, 3)])
def test_a_planned_window_is_the_comparison_of_that_window(sizes: tuple[int, ...]) -> None:
    curves = with_regions(5, sizes, 6, 1.5)
    where = locate(curves, exact=True)
    for first in range(0, 60, 10):
        for last in range(first, 60, 10):
            window = where.window(first, last)
            found = compare(curves.window(first, last), exact=True)
            assert (window.start, window.stop) == (first, last)
            pairs = [(window.algorithm, found.algorithm)]
            if found.interaction is not None:
                assert window.interaction is not None
                pairs.append((window.interaction, found.interaction))
            for ours, theirs in pairs:
                assert ours.statistic == pytest.approx(theirs.statistic)
                assert list(ours.df) == list(theirs.df)
                assert ours.pvalue == pytest.approx(theirs.pvalue)
                assert ours.pvalue_adjusted >= 1 / where.n_relabellings


def test_a_window_of_portions_says_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method, "MAX_PLACES", 3)
    where = locate(with_regions(8, (4, 4), 12, 2.0), exact=True)
    window = where.window(50, 60)
    assert window.asked == (50.0, 60.0)
    assert where.window(0, 30).asked is None
    # The test at each step needs no portions.
    assert [window.start, window.stop] == [40, 70]
    assert window.somewhere.pvalue_adjusted == where.pvalue_adjusted[5:7].min()
    assert where.pvalue_adjusted[4:8].min() < where.pvalue_adjusted[5:7].min()


@pytest.mark.parametrize("adjust", ["max-f", "step-down"])
def test_curves_differ_somewhere_in_a_window_that_holds_a_step_of_a_region(adjust: Any) -> None:
    where = locate(with_regions(1, (6, 6), 8, 6.0), adjust=adjust, n_resamples=0)
    named = where.pvalue_adjusted <= 0.05
    assert 0 < named.sum() < 8
    for first in range(8):
        for last in range(first, 8):
            window = where.window(10 * first, 10 * last)
            inside = slice(first, last + 1)
            assert window.somewhere.pvalue_adjusted == where.pvalue_adjusted[inside].min()
            assert window.somewhere.significant == named[inside].any()
            assert window.height is window.algorithm
            assert window.shape is window.interaction


def test_a_window_is_significant_where_either_effect_is() -> None:
    window = windows_of(with_regions(5, (5, 5), 6, 9.0)).smallest_containing(10, 40)
    assert window.interaction is not None
    assert window.pvalue_adjusted == min(
        window.algorithm.pvalue_adjusted, window.interaction.pvalue_adjusted
    )
    assert window.significant == (window.pvalue_adjusted <= 0.05)
    assert window.significant
    record = json.loads(json.dumps(window.to_dict(), allow_nan=False))
    assert record["algorithm"]["significant"] == window.algorithm.significant
    assert record["n_steps"] == 4
    assert record["asked"] is None
    assert record["somewhere"] == window.somewhere.to_dict()
    assert record["algorithm"]["df"] == [1, 8]
    assert record["interaction"]["df"] == [3, 24]


def test_the_most_striking_window_has_the_smallest_p() -> None:
    for seed in range(4):
        found = windows_of(with_regions(seed, (5, 5), 8, 2.0))
        for row, name in enumerate(("algorithm", "interaction")):
            window = found.most_striking(name)
            effect = window.algorithm if row == 0 else window.interaction
            assert effect is not None
            usable = found.lengths > row
            assert effect.pvalue_adjusted == found.pvalue_adjusted[row][usable].min()
            assert effect.name == name


def test_of_equally_striking_windows_the_shortest_is_named() -> None:
    found = windows_of(with_regions(0, (5, 5), 6, 2.0))
    flat = replace(found, score=np.zeros_like(found.score))
    assert flat.most_striking().n_steps == 1
    assert flat.most_striking("interaction").n_steps == 2


def test_no_window_begins_after_it_ends() -> None:
    found = windows_of(some_curves(0, (4, 4)))
    below = np.tril(np.ones((6, 6), dtype=bool), -1)
    for values in (found.pvalue, found.pvalue_adjusted):
        assert (values[:, below] == 1).all()
    assert found.to_dict()["n_windows"] == 21
    # A window of one step has no shape.
    assert (np.diagonal(found.pvalue[1]) == 1).all()
    assert found.smallest_containing(2, 2).interaction is None


def test_a_single_step_has_one_window() -> None:
    found = windows_of(some_curves(1, (5, 5), 1))
    record = found.to_dict()
    assert record["n_windows"] == 1
    assert list(record["most_striking"]) == ["algorithm"]


def test_effects_that_are_none_are_refused() -> None:
    with pytest.raises(OptionError, match="No effect is called 'hight'; there are") as no:
        windows_of(some_curves(0, (4, 4))).most_striking("hight")
    assert no.value.option == "effect"
