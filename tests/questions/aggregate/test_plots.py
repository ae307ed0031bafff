from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import curvewise as cw
from curvewise.rendering.figures import COLOURS
from curvewise.rendering.page import EndLabel
from tests.questions.aggregate.several_tasks import some_tasks


@pytest.fixture(autouse=True)
def _closed_figures() -> object:
    yield
    plt.close("all")


def test_intervals_are_drawn_best_first_in_the_colours_of_the_algorithms() -> None:
    found = cw.aggregate(some_tasks(), rng=0)
    ax = Figure(figsize=(3.3, 2.2)).subplots()
    assert cw.plot_aggregate(found, ax) is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == ["C", "B", "A"]
    lines = {tuple(np.asarray(line.get_xdata())): line.get_color() for line in ax.lines}
    for place, name in enumerate("ABC"):
        assert lines[tuple(found[name].interval)] == COLOURS[place]
    assert "(12 tasks, mean over training;\n95% intervals)" in ax.get_xlabel()


@pytest.mark.parametrize("width", [3.3, 7.0])
def test_curves_and_bands_are_those_of_the_result(width: float) -> None:
    found = cw.aggregate(some_tasks(sizes=(2,) * 6), on="every step", rng=0)
    figure = found.figure(width=width, style="paper")
    (ax,) = figure.axes
    figure.draw_without_rendering()
    for line, (name, own) in zip(ax.lines, found.items(), strict=True):
        assert line.get_label() == name
        np.testing.assert_array_equal(np.asarray(line.get_ydata()), own.curve)
    # The names stand at the ends, inside the figure, and the curves keep most of the width.
    names = [text.get_text() for text in ax.texts if isinstance(text, EndLabel)]
    assert sorted(names) == list("ABCDEF")
    assert ax.get_window_extent().width > figure.bbox.width / 2
    assert ax.get_ylabel() == "IQM of normalised scores"
    assert ax.get_xlabel() == "step"
    assert ax.get_title(loc="left") == "12 tasks; 95% bands for all steps at once"


def test_of_many_algorithms_the_names_stand_below() -> None:
    tasks = {
        str(task): cw.Curves(
            np.random.default_rng(task).normal(size=(20, 3)), np.repeat(np.arange(10), 2)
        )
        for task in range(3)
    }
    figure = cw.aggregate(tasks, on="every step", rng=0).figure()
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 10


def test_shares_of_training_are_percentages() -> None:
    tasks = some_tasks()
    own = tasks["task 1"]
    tasks["task 1"] = cw.Curves(own.scores, own.labels, range(5, 10))
    figure = cw.aggregate(tasks, on="every step", statistic="gap", rng=0).figure()
    (ax,) = figure.axes
    assert ax.get_xlabel() == "share of training"
    assert ax.xaxis.get_major_formatter()(0.5) == "50%"
    assert ax.get_ylabel() == "optimality gap of normalised scores (lower is better)"


def test_a_single_step_is_drawn_with_its_band() -> None:
    tasks = {task: own.window(0, 0) for task, own in some_tasks().items()}
    figure = cw.aggregate(tasks, on="every step", rng=0).figure()
    assert len(figure.axes[0].containers) == 3


def test_profiles_are_drawn_with_bands_that_fill_between() -> None:
    profile = cw.aggregate(some_tasks(), reference="raw", rng=0).profile()
    ax = cw.plot_profiles(profile)
    assert [line.get_label() for line in ax.lines] == ["C", "B", "A"]
    assert ax.get_xlabel() == "score τ (mean over training)"
    assert len(ax.collections) == 3
    assert ax.get_title(loc="left") == "12 tasks; 95% bands for all τ at once"


@pytest.mark.parametrize(("width", "n_columns"), [(3.3, 2), (7.0, 3)])
def test_the_legend_of_profiles_is_as_wide_as_the_figure(width: float, n_columns: int) -> None:
    profile = cw.aggregate(_renamed({"A": "Rainbow", "B": "QR-DQN (JAX)", "C": "DQN"})).profile()
    figure = Figure(figsize=(width, 3), layout="constrained")
    ax = cw.plot_profiles(profile, figure.subplots())
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert legend._ncols == n_columns  # type: ignore[attr-defined]
    assert legend.get_window_extent().width <= figure.bbox.width
    assert ax.get_window_extent().height > figure.bbox.height / 3


def _renamed(names: dict[str, str]) -> dict[str, cw.Curves]:
    return {
        task: cw.Curves(own.scores, [names[name] for name in own.labels])
        for task, own in some_tasks().items()
    }


def test_names_cannot_steer_the_picture() -> None:
    odd = {"A": "$x^2$", "B": "_hidden", "C": "c" * 60}
    found = cw.aggregate(_renamed(odd), rng=0)
    ax = Figure().subplots()
    cw.plot_profiles(found.profile(), ax)
    legend = ax.get_legend()
    assert legend is not None
    shown = {text.get_text() for text in legend.get_texts()}
    assert shown == {"$x^2$", " _hidden", "c" * 13 + "…" + "c" * 12}
    assert not any(text.get_parse_math() for text in legend.get_texts())


def test_what_cannot_be_drawn_is_refused() -> None:
    found = cw.aggregate(some_tasks())
    sentence = 'no curves to draw. Ask for them with on="every step"'
    with pytest.raises(cw.OptionError, match=sentence):
        cw.plot_aggregate_curves(found)
    with pytest.raises(cw.OptionError, match="it was given Aggregate"):
        cw.plot_profiles(found)  # type: ignore[arg-type]
    with pytest.raises(cw.OptionError, match=r"plot_aggregate\(\) draws what aggregate\(\) found"):
        cw.plot_aggregate(some_tasks())  # type: ignore[arg-type]
