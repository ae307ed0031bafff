"""Sums of heights that all pairs of an algorithm share."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from curvewise import Curves
from curvewise.inference.asking import check_curves
from curvewise.kernels import invert
from curvewise.questions.compare.ask import layout_and_design
from curvewise.questions.compare.method import exact_height
from curvewise.questions.pairs import method
from curvewise.questions.pairs.method import SharedHeights
from tests.simulation import some_curves

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np


pytestmark = pytest.mark.compiled


@pytest.fixture(autouse=True)
def _compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that few runs are counted as many are."""
    for module in (method, invert):
        monkeypatch.setattr(module, "counting_repays_compiling", lambda _: True)


def altered(curves: Curves, change: Callable[[np.ndarray], np.ndarray]) -> Curves:
    """Return the same curves with other scores."""
    names = [curves.algorithms[code] for code in curves.codes]
    return Curves(change(curves.scores), names)


@pytest.mark.parametrize(
    "change",
    [
        lambda scores: scores,
        lambda scores: scores.round(),
        lambda scores: scores + 1e9,
        lambda scores: scores[:, :1],
        lambda scores: scores * 1e-200,
    ],
)
def test_counts_are_those_of_each_pair_alone(
    change: Callable[[np.ndarray], np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    curves = altered(some_curves(2, (7, 7, 4, 9)), change)
    check_curves(curves, "a test")
    shared = SharedHeights(curves)
    fallen_back = []
    monkeypatch.setattr(method, "exact_height", lambda *pair: fallen_back.append(pair))
    for pair in combinations(curves.algorithms, 2):
        layout, design = layout_and_design(curves.select(*pair))
        assert shared.of(pair, layout, design) == exact_height(layout, design)
    assert not fallen_back
    assert set(shared._kept) == set(curves.algorithms)


def test_what_rounding_could_change_is_left_to_the_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = some_curves(1, (6, 6))
    layout, design = layout_and_design(curves)
    monkeypatch.setattr(invert, "EPSILON", 1e-3)
    first, second = (SharedHeights(curves)._sums(name) for name in curves.algorithms)
    assert invert.count_far(first, second, 1.0) is None
    names = curves.algorithms[0], curves.algorithms[1]
    found = SharedHeights(curves).of(names, layout, design)
    assert found == exact_height(layout, design)


def test_sums_for_which_there_is_no_room_are_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(method, "MAX_KEPT_SUMS", 2**6)
    curves = some_curves(2, (6, 6))
    shared = SharedHeights(curves)
    layout, design = layout_and_design(curves)
    names = curves.algorithms[0], curves.algorithms[1]
    assert shared.of(names, layout, design) == exact_height(layout, design)
    assert list(shared._kept) == [names[0]]
