"""Figures for papers: their size and type, and nothing over or outside anything."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

import curvewise as cw
from curvewise.rendering.figures import save_figures
from curvewise.rendering.forest import Row, forest, legend_of_significance
from curvewise.rendering.page import Page
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path

LONG = ("DQN (Adam + MSE in JAX)", "Quantile regression (JAX)", "A", "B", "C", "D")


def six_agents() -> cw.Curves:
    rng = np.random.default_rng(0)
    runs = [place + rng.normal(size=40).cumsum() for place in range(6) for _ in range(3)]
    labels = [name for name in LONG for _ in range(3)]
    return cw.Curves(runs, labels, steps=np.arange(40) * 1_000_000)


def all_is_within(figure: Figure) -> bool:
    figure.draw_without_rendering()
    drawn = figure.get_tightbbox()  # in inches
    width, height = figure.get_size_inches()
    return bool(
        drawn.x0 > -0.02
        and drawn.x1 < width + 0.02
        and drawn.y0 > -0.02
        and drawn.y1 < height + 0.02
    )


@pytest.mark.parametrize("width", [3.3, 7.0])
@pytest.mark.parametrize("question", ["compare", "locate"])
def test_six_agents_with_long_names_fit_a_column(width: float, question: str) -> None:
    curves = six_agents()
    found = getattr(cw, question)(curves, n_shuffles=99, rng=0)
    figure = found.figure(curves, width=width, style="paper")
    assert figure.get_figwidth() == width
    assert all_is_within(figure)
    for ax in figure.axes:
        legend = ax.get_legend()
        assert legend is None or not legend.get_window_extent().overlaps(ax.bbox)


def test_type_is_that_of_paper_and_nothing_is_set_for_good() -> None:
    before = dict(mpl.rcParams)
    curves = some_curves(0)
    figure = cw.compare(curves, rng=0).figure(curves, style="paper")
    assert figure.get_figwidth() == 5.5
    assert figure.axes[0].xaxis.label.get_fontsize() == 8
    assert figure.axes[0].get_xticklabels()[0].get_fontsize() == 7
    assert dict(mpl.rcParams) == before


def test_titles_and_labels_are_those_given() -> None:
    curves = some_curves(0)
    found = cw.compare(curves, rng=0)
    figure = found.figure(curves, title="$T$", xlabel="epochs", ylabel="loss", details=False)
    assert figure.get_suptitle() == "$T$"
    assert (figure.axes[-1].get_xlabel(), figure.axes[0].get_ylabel()) == ("epochs", "loss")


def test_a_title_stands_above_a_legend_that_is_above_the_axes() -> None:
    curves = some_curves(0)
    found = cw.locate(curves, windows=False, n_resamples=0, n_shuffles=99, rng=0)
    title = "A title in $ that is too long for one line of a figure " * 2
    figure = found.figure(curves, title=title, width=5)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    written = legend.get_title()
    assert written.get_text().split() == title.split()
    box, whole = written.get_window_extent(), figure.bbox
    assert whole.x0 <= box.x0 < box.x1 <= whole.x1
    assert box.y1 <= whole.y1
    lines = [text.get_window_extent() for text in legend.get_texts()]
    assert box.y0 >= max(line.y1 for line in lines)
    (without,) = found.figure(curves, width=5).legends
    names = [text.get_text() for text in without.get_texts()]
    assert [text.get_text() for text in legend.get_texts()] == names


def test_what_a_figure_cannot_do_is_refused() -> None:
    curves = some_curves(0, (3, 3, 3))
    with pytest.raises(cw.OptionError, match="draws no curves, so smooth does nothing"):
        cw.best(curves, n_shuffles=99, rng=0).figure(curves, smooth=3)
    with pytest.raises(cw.OptionError, match=r"1\.5 to 60 inches wide, not 0\.5"):
        Page(width=0.5)
    with pytest.raises(cw.OptionError, match="style"):
        Page(style="poster")  # type: ignore[arg-type]


def test_letters_stay_letters(tmp_path: Path) -> None:
    curves = some_curves(0)
    figure = cw.compare(curves, rng=0).figure(curves, style="paper")
    save_figures({tmp_path / "figure.pdf": lambda: figure})
    save_figures({tmp_path / "figure.svg": lambda: figure})
    written = (tmp_path / "figure.pdf").read_bytes()
    assert b"/Type3" not in written
    assert re.search(rb"/Subtype */(TrueType|CIDFontType2)", written)
    assert "<text" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_a_name_has_the_same_colour_in_two_selections() -> None:
    curves = six_agents()
    colours = []
    for names in (("A", "B"), ("D", "B", "C")):
        chosen = curves.select(*names)
        ax = cw.plot_curves(chosen, ax=mpl.figure.Figure().subplots(), runs=False)
        colours.append(ax.lines[names.index("B")].get_color())
    assert colours[0] == colours[1]


def test_long_names_of_rows_and_axes_are_broken_on_a_narrow_page() -> None:
    names = [f"a long algorithm against number {row}" for row in range(9)]

    def drawn(page: Page) -> Figure:
        rows = [Row(own, 1.0, (0.0, 2.0), "0.5", "black") for own in names]
        with page.type_sizes():
            figure = Figure(figsize=(8, 4), layout="constrained")
            ax = figure.subplots()
            forest(ax, rows, "adjusted p")
            ax.set_xlabel("how often a run of the first of the two beats one of the second")
            legend_of_significance(ax, rows, "better (adjusted p ≤ 0.05)", "not told apart")
            return page.set(figure)

    wide = drawn(Page()).axes[0]
    assert [label.get_text() for label in wide.get_yticklabels()] == names
    figure = drawn(Page(3.3, "paper"))
    figure.draw_without_rendering()
    (ax,) = figure.axes
    assert [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()] == names
    # Much is left for the intervals, and nothing is cut off.
    assert ax.get_window_extent().width > 0.25 * figure.bbox.width
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    boxes += [ax.xaxis.label.get_window_extent(), *(t.get_window_extent() for t in ax.texts)]
    assert min(box.x0 for box in boxes) > -1
    assert max(box.x1 for box in boxes) < figure.bbox.width + 1
    for upper, lower in pairwise(boxes[: len(names)]):
        assert upper.y0 > lower.y1 - 2
    assert ax.get_legend() is None, "above the figure, where it takes no width"
    (legend,) = figure.legends
    assert legend.get_window_extent().x1 < figure.bbox.width + 1
    assert not any(legend.get_window_extent().overlaps(t.get_window_extent()) for t in ax.texts)
