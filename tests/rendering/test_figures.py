from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

import curvewise
from curvewise import MissingPackageError, OptionError, plot_curves
from curvewise.rendering.figures import (
    axes_or_current,
    check_figure_path,
    fit_legends,
    label_text,
    legend_below,
    one_axes,
    save_figures,
    score_label,
)
from tests.platforms import needs_links
from tests.simulation import some_curves

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise import Curves


def small() -> Figure:
    return Figure((1, 1))


def test_figures_are_written_whole_and_all_of_them_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "figure.png"
    path.write_text("old", encoding="utf-8")

    written: list[Path] = []

    def fail(self: Figure, target: Path, **_: object) -> None:
        target.write_text("half", encoding="utf-8")
        written.append(target)
        if len(written) == 1:
            return  # the first is whole
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(OptionError) as refused:
        save_figures({tmp_path / "new.png": Figure, path: Figure})
    assert str(refused.value) == (
        f"The figure cannot be saved as {str(path)!r}: No space left on device. Make room, "
        "or choose another place."
    )
    assert len(written) == 2
    assert path.read_text(encoding="utf-8") == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["figure.png"]


@needs_links
def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link.png").symlink_to(tmp_path / "target.png")
    save_figures({tmp_path / "link.png": small})
    assert (tmp_path / "link.png").is_symlink()
    assert (tmp_path / "target.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "begins"), [("f.svg", b"<?xml"), ("f.pdf", b"%PDF"), ("f.PNG", b"\x89PNG")]
)
def test_the_name_decides_the_format(tmp_path: Path, name: str, begins: bytes) -> None:
    check_figure_path(tmp_path / name)
    save_figures({tmp_path / name: small})
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_others_may_read_a_figure_as_they_may_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        save_figures({tmp_path / "figure.png": small})
        assert os.umask(0o022) == 0o022  # left as it was
    finally:
        os.umask(before)
    assert (tmp_path / "figure.png").stat().st_mode & 0o777 == 0o644


def test_checking_a_path_leaves_everything_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "old.png").write_text("old", encoding="utf-8")
    check_figure_path(tmp_path / "old.png")
    check_figure_path(tmp_path / "new.png")
    assert [file.name for file in tmp_path.iterdir()] == ["old.png"]
    assert (tmp_path / "old.png").read_text(encoding="utf-8") == "old"


def test_files_that_cannot_be_figures_are_refused(tmp_path: Path) -> None:
    for name in ("figure.xyz", "figure", "figure.eps"):
        with pytest.raises(OptionError, match=r"end the name in one of .*png.*svg"):
            check_figure_path(tmp_path / name)
    with pytest.raises(OptionError, match=r"There is no folder .*nowhere.* Make it first"):
        check_figure_path(tmp_path / "nowhere" / "figure.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(OptionError, match="is a directory; name a file in it"):
        check_figure_path(tmp_path / "folder.png")
    with pytest.raises(OptionError, match="No figure can be saved as"):
        check_figure_path(tmp_path / f"{'x' * 300}.png")
    if Path("/proc/self").exists():
        with pytest.raises(OptionError, match="No figure can be saved as"):
            check_figure_path(Path("/proc/figure.png"))


@pytest.mark.parametrize(
    ("name", "most", "shown"),
    [
        ("A1", 40, "A1"),
        ("x" * 40, 40, "x" * 40),
        ("first half, second half", 11, "first… half"),
        ("first half, second half", 10, "first…half"),
        # Matplotlib would leave this one out of legends.
        ("_hidden", 40, " _hidden"),
        ("red \x1b[31m", 40, "red \\x1b[31m"),
        ("", 40, ""),
    ],
)
def test_names_fit_into_a_picture(name: str, most: int, shown: str) -> None:
    assert label_text(name, most) == shown
    assert len(shown.strip()) <= most


def test_the_axis_of_scores_says_which_ones_are_better() -> None:
    assert score_label(higher_is_better=True) == "score"
    assert score_label(higher_is_better=False) == "score (lower is better)"


def test_a_new_figure_gets_the_size_and_an_old_one_keeps_its_own() -> None:
    given = Figure().subplots()
    assert axes_or_current(given, (3, 7)) is given
    assert not plt.get_fignums()
    new = axes_or_current(None, (3, 7)).get_figure()
    assert new is plt.gcf()
    assert new.get_size_inches().tolist() == [3, 7]
    assert axes_or_current(None, (9, 9)).get_figure() is new
    assert new.get_size_inches().tolist() == [3, 7]
    plt.close("all")
    # Without a size pyplot chooses.
    assert axes_or_current(None) is plt.gca()
    plt.close("all")


def test_one_axes_are_drawn_on_without_pyplot() -> None:
    drawn = []
    figure = one_axes(lambda result, ax: drawn.append((result, ax)), "result", (3, 7))  # type: ignore[arg-type, return-value]
    assert figure.get_size_inches().tolist() == [3, 7]
    assert drawn == [("result", figure.axes[0])]
    assert not plt.get_fignums()


def test_a_legend_gets_as_many_columns_as_fit() -> None:
    names = [f"algorithm number {number}" for number in range(6)] + ["$x$"]
    figure = Figure(figsize=(9, 3), layout="constrained")
    ax = figure.subplots()
    lines = [ax.plot([0, 1], [0, number], label="line")[0] for number in range(7)]
    legend_below(ax, lines, names)
    (legend,) = figure.legends
    legend.set_title("what they are")
    figure.set_size_inches(3.3, 3)
    figure.draw_without_rendering()
    assert legend.get_window_extent().width > figure.bbox.width
    fit_legends(figure)
    figure.draw_without_rendering()
    assert legend.get_window_extent().x0 >= 0
    assert legend.get_window_extent().x1 <= figure.bbox.x1
    assert [text.get_text() for text in legend.get_texts()] == names
    assert not any(text.get_parse_math() for text in legend.get_texts())
    assert legend.get_title().get_text() == "what they are"


@pytest.mark.usefixtures("without_matplotlib")
@pytest.mark.parametrize(
    "draw",
    [
        plot_curves,
        lambda curves: curvewise.compare(curves, n_shuffles=99).figure(curves),
        lambda curves: curvewise.plot_location(
            curves, curvewise.locate(curves, n_shuffles=99, windows=False)
        ),
        lambda _: check_figure_path(Path("figure.png")),
    ],
)
def test_without_matplotlib_a_sentence_says_what_to_install(
    draw: Callable[[Curves], object],
) -> None:
    with pytest.raises(MissingPackageError, match="A figure needs matplotlib"):
        draw(some_curves(1))
