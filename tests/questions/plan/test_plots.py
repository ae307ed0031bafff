from __future__ import annotations

from matplotlib.figure import Figure

import curvewise as cw
from tests.questions.plan.test_result import found


def test_the_runs_that_are_enough_are_marked() -> None:
    plan = found()
    ax = cw.plot_plan(plan, ax=Figure().subplots())
    assert [text.get_text() for text in ax.texts] == [f"{plan.n_runs} runs"]
    labels = ax.get_legend_handles_labels()[1]
    assert "runs vary more" in labels
    assert "nothing could be significant" in labels
    assert "range of what is needed" in labels


def test_lines_are_whole() -> None:
    for question in ("algorithm", "overall"):
        plan = found(question=question)
        most = int(plan.n_runs_range.high)
        for powers in (plan.power_at, *plan.power_at_ends):
            assert {plan.smallest_n, most} <= set(powers)
        assert set(plan.power_at) == set(plan.test_power_at)


def test_the_test_alone_is_drawn_where_it_is_not_what_is_claimed() -> None:
    ax = cw.plot_plan(found(), ax=Figure().subplots())
    assert "its test alone" in ax.get_legend_handles_labels()[1]
    assert ax.get_ylabel() == "power to claim a difference in height"
    overall = cw.plot_plan(found(question="overall"), ax=Figure().subplots())
    assert "its test alone" not in overall.get_legend_handles_labels()[1]
    assert overall.get_ylabel() == "power to find a difference at all"


def test_what_is_not_reached_has_no_mark() -> None:
    ax = cw.plot_plan(found(max_runs=8, effect=cw.scenario("lift", 0.3)), Figure().subplots())
    assert not ax.texts
    assumed = cw.plot_plan(found(noise=cw.noise(sd=1)), Figure().subplots())
    assert "runs vary as assumed" in assumed.get_legend_handles_labels()[1]


def test_legend_and_labels_fit_a_column_of_a_paper() -> None:
    figure = found().figure(width=3.3, style="paper")
    figure.draw_without_rendering()
    (ax,), (legend,) = figure.axes, figure.legends
    assert legend.get_window_extent().y1 < ax.get_window_extent().y0
    label = ax.yaxis.label.get_window_extent()
    assert label.y0 > 0
    assert label.y1 < figure.bbox.height
