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


def test_lines_for_height_are_whole() -> None:
    plan = found()
    most = int(plan.n_runs_range.high)
    for powers in (plan.power_at, *plan.power_at_ends):
        assert {plan.smallest_n, most} <= set(powers)
    shape = found(question="overall")
    assert shape.smallest_n not in shape.power_at


def test_what_is_not_reached_has_no_mark() -> None:
    ax = cw.plot_plan(
        found(max_runs=8, effect=cw.scenario("lift", 0.3)), Figure().subplots()
    )
    assert not ax.texts
    assumed = cw.plot_plan(found(noise=cw.noise(sd=1)), Figure().subplots())
    assert "runs vary as assumed" in assumed.get_legend_handles_labels()[1]
