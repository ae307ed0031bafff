from __future__ import annotations

import warnings
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from curvewise import (
    Curves,
    OptionError,
    compare,
    plot_comparison,
    plot_curves,
    plot_null_distribution,
)
from curvewise.rendering.curve_plot import LINE_STYLES, bands
from curvewise.rendering.figures import COLOURS, check_figure_path, save_figure
from tests.simulation import some_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def legend_texts(figure: Figure) -> list[str]:
    return [text.get_text() for ax in figure.axes for text in ax.get_legend().get_texts()]  # type: ignore[union-attr]


def bar_heights(ax: Axes) -> float:
    return sum(bar.get_height() for bar in ax.patches if isinstance(bar, Rectangle))


def test_bands_are_mean_and_standard_deviation() -> None:
    curves = some_curves(0, (5, 1))
    first, second = bands(curves)
    rows = curves.scores[:5]
    np.testing.assert_allclose(first.mean, rows.mean(axis=0))
    np.testing.assert_allclose(first.high - first.mean, rows.std(axis=0, ddof=1))
    np.testing.assert_array_equal(second.low, second.high)


def test_every_run_and_mean_is_drawn_and_the_band_explained() -> None:
    figure, ax = plt.subplots()
    assert plot_curves(some_curves(0, (5, 4)), ax=ax) is ax
    assert len(ax.lines) == 9 + 2
    legend = ax.get_legend()
    assert legend is not None
    assert "band: mean ± 1 SD of the runs" in legend.get_title().get_text()
    assert legend_texts(figure) == ["A (5 runs)", "B (4 runs)"]
    plt.close(figure)


def test_the_current_axes_serve_when_none_are_given() -> None:
    figure, ax = plt.subplots()
    assert plot_curves(some_curves(0)) is ax
    plt.close(figure)


def test_the_p_of_the_picture_is_that_of_the_result() -> None:
    effect = compare(some_curves(0, (5, 5))).algorithm
    figure, ax = plt.subplots()
    plot_null_distribution(effect, ax=ax)
    texts = legend_texts(figure)
    assert texts[0].startswith("observed F = ")
    assert texts[0].endswith(f"exact p = {effect.pvalue:.3f}")
    assert texts[1].startswith("critical F = ")
    observed, critical = ax.lines
    assert np.asarray(observed.get_xdata())[0] == effect.statistic
    assert np.asarray(critical.get_xdata())[0] == effect.critical_value
    assert bar_heights(ax) == len(effect.null_distribution)
    plt.close(figure)


def test_far_values_do_not_flatten_the_histogram_and_are_counted() -> None:
    rng = np.random.default_rng(0)
    scores = rng.standard_cauchy((12, 4)) ** 3
    effect = compare(Curves(scores, list("AAAAAABBBBBB"))).algorithm
    figure, ax = plt.subplots()
    plot_null_distribution(effect, ax=ax)
    drawn = bar_heights(ax)
    beyond = ax.get_xlabel().partition("; ")[2].split(" ")[0].replace(",", "")
    assert drawn + int(beyond or 0) == len(effect.null_distribution)
    plt.close(figure)


@pytest.mark.parametrize(
    "curves",
    [
        some_curves(0, (5, 5)),
        some_curves(0, (5, 5), 1),
        some_curves(0, (2, 2, 2, 2, 2, 2, 2, 2)),
        Curves([[0, 1]] * 4 + [[1, 2]] * 4, list("AAAABBBB")),
        Curves(some_curves(0, (4, 4)).scores, ["_$x$ <b>\x1b"] * 4 + ["日本 $"] * 4),
    ],
    ids=["two", "single step", "eight", "no error", "odd names"],
)
def test_whatever_can_be_compared_can_be_drawn(curves: Curves, tmp_path: Path) -> None:
    found = compare(curves, n_shuffles=99, rng=0)
    figure = plot_comparison(curves, found)
    assert len(figure.axes) == (2 if found.interaction is None else 3)
    path = tmp_path / "figure.png"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        save_figure(figure, path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert len(legend_texts(figure)) >= len(curves.algorithms)


def test_colours_differ_in_grey_or_by_line_style() -> None:
    def grey(colour: str) -> float:
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    greys = [grey(colour) for colour in COLOURS]
    assert all(abs(a - b) > 30 for a, b in pairwise(greys))
    looks = list(islice(zip(cycle(COLOURS), cycle(LINE_STYLES), strict=False), 20))
    assert len(set(looks)) == 20


def test_a_figure_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "figure.png"
    path.write_text("old", encoding="utf-8")
    figure = Figure()

    def fail(self: Figure, target: Path, **_: object) -> None:
        Path(target).write_text("half", encoding="utf-8")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(OptionError, match="No space"):
        save_figure(figure, path)
    assert path.read_text(encoding="utf-8") == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["figure.png"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link.png").symlink_to(tmp_path / "target.png")
    save_figure(Figure(), tmp_path / "link.png")
    assert (tmp_path / "link.png").is_symlink()
    assert (tmp_path / "target.png").read_bytes().startswith(b"\x89PNG")


def test_files_that_cannot_be_figures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="end the name in one of"):
        check_figure_path(tmp_path / "figure.xyz")
    with pytest.raises(OptionError, match="There is no folder"):
        check_figure_path(tmp_path / "nowhere" / "figure.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(OptionError, match="is a directory"):
        check_figure_path(tmp_path / "folder.png")
    with pytest.raises(OptionError, match="File name too long"):
        check_figure_path(tmp_path / f"{'x' * 300}.png")
    with pytest.raises(OptionError, match="No figure can be saved as"):
        check_figure_path(Path("/proc/figure.png"))
