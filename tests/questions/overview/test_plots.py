from __future__ import annotations

from curvewise import overview
from tests.simulation import some_curves


def test_the_picture_is_that_of_the_comparison() -> None:
    curves = some_curves(0, (3, 3, 3))
    found = overview(curves, n_shuffles=99, rng=0)
    for given in (curves, None):
        drawn, expected = found.figure(given), found.comparison.figure(given)
        assert [ax.get_title() for ax in drawn.axes] == [ax.get_title() for ax in expected.axes]
        assert [len(ax.lines) for ax in drawn.axes] == [len(ax.lines) for ax in expected.axes]
    # Without curves the null distributions are drawn alone.
    assert len(found.figure(curves).axes) == 3
    assert len(found.figure().axes) == 2
