"""Names at the ends of curves do not cover each other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from curvewise import Curves, plot_curves
from curvewise.rendering.page import EndLabel, moved_apart


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(1, 5)), min_size=1, max_size=8))
def test_boxes_are_apart_and_within_bounds(boxes: list[tuple[float, float]]) -> None:
    wanted, heights = map(np.array, zip(*boxes, strict=True))
    places = moved_apart(wanted, heights, (0.0, 100.0))
    order = np.argsort(wanted, kind="stable")
    gaps = np.diff(places[order])
    assert (gaps >= (heights[order][1:] + heights[order][:-1]) / 2 - 1e-9).all()
    assert (places - heights / 2 >= -1e-9).all()
    assert (places + heights / 2 <= 100 + 1e-9).all()


def test_names_of_curves_that_end_together_are_apart() -> None:
    curves = Curves(np.tile([0.0, 1.0], (6, 1)), [f"algorithm {i}" for i in range(6)])
    figure = Figure(figsize=(5, 3), layout="constrained")
    ax = plot_curves(curves, ax=figure.subplots())
    figure.draw_without_rendering()
    boxes = sorted((label.text_box for label in ax.findobj(EndLabel)), key=lambda box: box.y0)
    assert len(boxes) == 6
    for low, high in pairwise(boxes):
        assert low.y1 <= high.y0 + 1
    assert all(box.x0 > ax.bbox.x1 for box in boxes)
    assert all(box.x1 <= figure.bbox.x1 for box in boxes)
