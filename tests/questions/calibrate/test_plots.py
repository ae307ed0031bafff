"""Bars of how often tests cry wolf."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from curvewise import Curves, OptionError, calibrate, plot_calibration
from tests.questions.calibrate.test_question import smooth


def test_a_bar_for_each_procedure() -> None:
    found = calibrate(smooth(3, 10), rng=0)
    ax = Figure().subplots()
    assert plot_calibration(found, ax=ax) is ax
    widths = [bar.get_width() for bar in ax.patches]  # type: ignore[attr-defined]
    assert widths == pytest.approx([row.rate for row in found.rows])
    hatched = [bool(bar.get_hatch()) for bar in ax.patches]
    assert hatched == [row.by_construction for row in found.rows]
    assert [text.get_text() for text in ax.get_yticklabels()] == [row.title for row in found.rows]
    assert [text.get_text() for text in ax.texts] == [f"{row.rate:.1%}" for row in found.rows]


def test_counts_have_no_spread() -> None:
    ax = plot_calibration(calibrate(smooth(3, 5), rng=0), ax=Figure().subplots())
    assert ax.texts[0].get_text().endswith(" of 10 splits")
    assert len(ax.lines) == 1  # what is promised


def test_algorithms_are_dots_and_named() -> None:
    names = ["_x$", "y" * 60, "z", "w"]
    scores = np.vstack([smooth(seed, 6).scores for seed in range(4)])
    found = calibrate(Curves(scores, np.repeat(names, 6)), rng=0)
    figure = found.figure()
    figure.draw_without_rendering()
    (ax,) = figure.axes
    legend = ax.get_legend()
    assert legend is not None
    title = legend.get_title().get_text()
    assert title.startswith("Halves of _x$ (6 runs), yyyy")
    assert title.endswith("and 1 more")
    dots = next(line for line in ax.lines if line.get_label() == "each algorithm")
    assert len(np.asarray(dots.get_xdata())) == 4 * 5


def test_only_a_calibration_is_drawn() -> None:
    with pytest.raises(OptionError, match=r"plot_calibration\(\) draws what calibrate\(\)"):
        plot_calibration("rates")  # type: ignore[arg-type]
