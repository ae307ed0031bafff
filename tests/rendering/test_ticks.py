"""Steps on an axis, as people write them."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from curvewise import Curves, plot_curves


@pytest.mark.parametrize(
    ("last", "texts"),
    [
        (198, {"0", "100"}),
        (200e6, {"0", "100M"}),
        (20_000, {"0", "5k", "20k"}),
        (0.4, {"0", "0.2"}),
    ],
)
def test_ticks_are_short(last: float, texts: set[str]) -> None:
    curves = Curves(np.zeros((2, 2)), ["A", "B"], steps=[0, last])
    figure = Figure()
    ax = plot_curves(curves, ax=figure.subplots())
    figure.draw_without_rendering()
    shown = {tick.get_text() for tick in ax.get_xticklabels()}
    assert texts <= shown
