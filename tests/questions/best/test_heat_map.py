from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from curvewise import Curves, OptionError, best_many, plot_bests
from curvewise.questions.best.tell import map_size
from tests.simulation import some_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from curvewise import Bests


@cache
def found(n_tasks: int = 3, n_algorithms: int = 3) -> Bests:
    rng = np.random.default_rng(0)
    tasks = {}
    for task in range(n_tasks):
        curves = some_curves(task, (5,) * min(n_algorithms, 8), 2)
        lift = 2 * rng.normal(size=n_algorithms)
        tasks[f"task {task}"] = Curves(curves.scores + lift[curves.codes][:, None], curves.labels)
    return best_many(tasks, n_shuffles=199, rng=0)


def drawn(bests: Bests, **options: Any) -> Axes:
    figure = plt.figure(figsize=map_size(bests), layout="constrained")
    ax = plot_bests(bests, figure.subplots(), **options)
    figure.canvas.draw()
    plt.close(figure)
    return ax


def dots(ax: Axes) -> dict[tuple[int, int], bool]:
    """Whether the dot at (task, algorithm) is filled."""
    lines: list[Any] = list(ax.lines)
    return {
        (int(y), int(x)): line.get_markerfacecolor() != "none"
        for line in lines
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


def test_dots_say_who_leads_and_who_may_be_the_best() -> None:
    bests = found()
    ax = drawn(bests)
    names = [one.name for one in bests.standings]
    expected = {
        (y, names.index(name)): name == own.leader
        for y, own in enumerate(bests.values())
        for name in own.contenders
    }
    assert dots(ax) == expected
    assert any(expected.values())
    assert len(expected) < 9


def test_axes_name_tasks_and_algorithms_with_their_counts() -> None:
    bests = found()
    ax = drawn(bests)
    assert [text.get_text() for text in ax.get_yticklabels()] == list(bests)
    assert [text.get_text() for text in ax.get_xticklabels()] == [
        f"{one.name}: {one.n_may_be_best}" for one in bests.standings
    ]
    assert ax.get_xlabel() == "algorithm: on how many of\n3 tasks it may be the best"
    figure = ax.get_figure()
    assert figure is not None
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "leads",
        "may be the best too",
        "no dot: adjusted p ≤ 0.05",
    ]


@pytest.mark.parametrize("show", ["ranks", "scores"])
def test_better_is_bluer(show: Any) -> None:
    bests = found()
    (image,) = drawn(bests, show=show).images
    shown = np.asarray(image.get_array())
    order = [bests.algorithms.index(one.name) for one in bests.standings]
    means = bests.means[:, order]
    assert np.array_equal(np.argsort(shown, axis=1), np.argsort(means, axis=1))
    assert shown.min(axis=1).tolist() == [0] * 3
    assert shown.max(axis=1).tolist() == [1] * 3
    red, _, blue = to_rgb(image.cmap(1.0))
    assert blue > red
    red, _, blue = to_rgb(image.cmap(0.0))
    assert red > blue
    if show == "scores":
        low, high = means.min(axis=1), means.max(axis=1)
        expected = (means - low[:, None]) / (high - low)[:, None]
        np.testing.assert_allclose(shown, expected)


def test_equal_and_missing_algorithms_have_a_place() -> None:
    same = np.tile([[1.0], [2], [3], [4]], (2, 1))
    tasks = {"equal": Curves(same, np.repeat(list("AB"), 4)), "more": some_curves(0, (4, 4, 4), 2)}
    bests = best_many(tasks, missing="keep", n_shuffles=99, rng=0)
    for show in ("ranks", "scores"):
        (image,) = drawn(bests, show=show).images
        shown: Any = np.ma.masked_invalid(np.ma.asarray(image.get_array()))
        assert shown[0].compressed().tolist() == [0.5, 0.5]
        assert shown.mask.sum() == 1


@pytest.mark.slow
def test_it_is_readable_with_many_tasks() -> None:
    bests = found(57, 6)
    ax = drawn(bests)
    figure = ax.get_figure()
    assert figure is not None
    boxes = [text.get_window_extent() for text in ax.get_yticklabels()]
    assert all(upper.y0 >= lower.y1 - 0.5 for upper, lower in pairwise(boxes))
    assert all(float(text.get_fontsize()) >= 6 for text in ax.get_yticklabels())
    assert bests.figure().get_size_inches()[1] <= 15


def test_names_are_shown_as_they_are() -> None:
    curves = some_curves(0, (5, 5), 2)
    odd = Curves(curves.scores, np.where(curves.labels == "A", "$x$", "_b"))
    ax = drawn(best_many({"$\\frac{$": odd, "t" * 99: odd}, rng=0))
    names = [text.get_text() for text in ax.get_xticklabels()]
    assert {name.split(":")[0] for name in names} == {"$x$", " _b"}
    assert len(ax.get_yticklabels()[1].get_text()) == 28


def test_what_is_shown_is_checked_and_the_current_axes_are_used() -> None:
    with pytest.raises(OptionError, match="show must be 'ranks' or 'scores', not 'x'"):
        plot_bests(found(), show="x")  # type: ignore[arg-type]
    figure, ax = plt.subplots()
    assert plot_bests(found()) is ax
    plt.close(figure)


def test_a_map_fits_a_column_of_a_paper() -> None:
    figure = found(8, 6).figure(width=3.3, style="paper", xlabel="agents", ylabel="games")
    figure.canvas.draw()
    (ax,) = figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("agents", "games")
    assert ax.get_window_extent().width > 0.4 * figure.bbox.width
    assert ax.get_window_extent().height > 0.3 * figure.bbox.height
    assert {float(text.get_fontsize()) for text in ax.get_yticklabels()} == {7}
