"""The ten criteria of Gorski & Laird (2009), decided by running the metrics."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path  # noqa: TC003 (pytest reads the annotations)
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

from curvewise import describe
from curvewise.cli import app
from curvewise.questions.criteria.plots import figure_of_criteria, plot_criterion
from curvewise.questions.criteria.question import check_criteria
from curvewise.questions.criteria.result import CRITERIA, JUDGED, PUBLISHED
from curvewise.questions.transfer.question import transfer

if TYPE_CHECKING:
    from curvewise.kernels import Floats
    from curvewise.questions.criteria.result import Criteria
    from curvewise.questions.criteria.verdict import Tried

CELLS = [(criterion, metric) for criterion in CRITERIA for metric in JUDGED]
# Where running them gives a cross and the paper a tick.
DIFFERENCES = [
    ("defined", "transfer_regret"),
    ("consistent", "transfer_regret"),
    ("distinguishing", "transfer_ratio"),
    ("distinguishing", "average_relative_reduction"),
    ("parameter-free", "average_relative_reduction"),
    ("degenerate", "transfer_regret"),
]
run = CliRunner()


@cache
def found() -> Criteria:
    return check_criteria()


def tried(criterion: str, metric: str, case: str) -> Tried:
    (only,) = [
        each for each in found()[criterion, metric].tried if case in each.case.name
    ]
    return only


def test_every_cell_is_decided() -> None:
    assert list(found()) == CELLS
    assert len(found()) == 40
    for key, verdict in found().items():
        assert (verdict.criterion, verdict.metric) == key
        assert verdict.published is PUBLISHED[key]
        assert len(verdict.values) == len(verdict.case.pairs)
        assert verdict.sentence


def test_the_published_table_as_it_is_printed() -> None:
    ticks = [sum(PUBLISHED[c, metric] for c in CRITERIA) for metric in JUDGED]
    assert ticks == [5, 7, 7, 7]
    printed = {
        "transfer_ratio": "xxx✓✓✓xx✓✓",
        "transfer_regret": "✓✓x✓x✓x✓✓✓",
        "calibrated_transfer_ratio": "x✓✓✓✓xx✓✓✓",
        "average_relative_reduction": "xx✓✓✓✓✓✓x✓",
    }
    for metric, column in printed.items():
        assert [PUBLISHED[c, metric] for c in CRITERIA] == [s == "✓" for s in column]


def test_the_paper_is_reproduced_on_its_own_cases() -> None:
    for key, verdict in found().items():
        assert verdict.holds_in_paper is PUBLISHED[key], key


def test_it_differs_from_the_paper_where_it_is_said_to() -> None:
    assert [(v.criterion, v.metric) for v in found().differences] == DIFFERENCES
    for verdict in found().differences:
        assert not verdict.holds
        assert not verdict.case.source
        assert verdict.reason == verdict.case.note != ""
    assert all(v.reason == "" for v in found().values() if v.agrees)


@pytest.mark.parametrize("criterion", [c for c in CRITERIA if c != "testable"])
def test_the_curves_that_are_kept_give_the_values_that_are_kept(criterion: str) -> None:
    for verdict in found().select(criterion).values():
        for each in verdict.tried:
            for pair, value in zip(each.case.pairs, each.values, strict=True):
                again = transfer(
                    pair.curves,
                    control="control",
                    experimental="experimental",
                    optimum=pair.optimum,
                    integration=pair.integration,
                    n_resamples=0,
                    n_shuffles=2,
                    rng=0,
                ).metrics[verdict.metric]
                assert again.value == value


def by_hand(control: Floats, ahead: Floats, optimum: float) -> list[float]:
    """The first three metrics, straight from their definitions."""
    scores = np.concatenate([control, ahead])
    return [
        ahead.sum() / control.sum(),
        (ahead - control).sum() / (np.ptp(scores) * len(control)),
        1 - (optimum - ahead).sum() / (optimum - control).sum(),
    ]


def test_figure_3_has_the_same_area_in_the_same_box() -> None:
    case = tried("distinguishing", "regret", "the same area").case
    areas, values = [], []
    for pair in case.pairs:
        control, ahead = pair.control[0], pair.experimental[0]
        assert min(control.min(), ahead.min()) == 0
        assert max(control.max(), ahead.max()) == pair.optimum == 1
        areas.append((ahead - control).sum())
        values.append(by_hand(control, ahead, 1))
    assert areas[0] == pytest.approx(areas[1])
    for place, metric in enumerate(("ratio", "regret", "CTR")):
        came = tried("distinguishing", metric, "the same area")
        assert came.values == pytest.approx([pair[place] for pair in values])
        assert came.holds is (metric != "regret")
    assert tried("distinguishing", "ARR", "the same area").holds


def test_for_equal_areas_ratio_and_ctr_rank_the_pairs_of_figure_3_oppositely() -> None:
    ratio = tried("distinguishing", "ratio", "the same area").values
    ctr = tried("distinguishing", "CTR", "the same area").values
    assert sorted(map(float, filter(None, ratio)), reverse=True) == list(ratio)
    assert sorted(map(float, filter(None, ctr))) == list(ctr)


@pytest.mark.parametrize("metric", JUDGED)
def test_figure_4_is_an_affine_change_and_only_the_ratio_sees_it(metric: str) -> None:
    came = tried("similar", metric, "squeezed")
    squeezed, whole = came.case.pairs
    for name in ("control", "experimental"):
        slope, height = np.polyfit(getattr(whole, name)[0], getattr(squeezed, name)[0], 1)
        assert (slope, height) == (pytest.approx(0.25), pytest.approx(0.75))
    assert squeezed.optimum == whole.optimum == 1
    assert came.holds is (metric != "transfer_ratio")
    assert (came.values[0] == pytest.approx(came.values[1])) is came.holds


@pytest.mark.parametrize("metric", JUDGED)
def test_multiplied_scores_change_no_metric(metric: str) -> None:
    assert tried("similar", metric, "multiplied").holds
    assert found()["unitless", metric].holds


def test_no_tick_rests_on_undefined_values() -> None:
    for verdict in found().values():
        if verdict.holds:
            assert all(None not in each.values for each in verdict.tried)


def test_a_metric_with_units_would_fail_unitless() -> None:
    for case in (each.case for each in found()["unitless", "ratio"].tried):
        areas = [
            transfer(
                pair.curves,
                control="control",
                experimental="experimental",
                integration=pair.integration,
                n_resamples=0,
                n_shuffles=2,
                rng=0,
            ).area_difference.value
            for pair in case.pairs
        ]
        assert areas[0] != pytest.approx(areas[1])


def test_arr_is_1_above_a_control_only_if_that_never_improves() -> None:
    flat = tried("consistent", "ARR", "a control that never improves")
    rising = tried("consistent", "ARR", "an improving control")
    assert flat.values == pytest.approx((1, 1, 1))
    assert not flat.holds
    assert rising.holds
    for pair, value in zip(rising.case.pairs, rising.values, strict=True):
        assert pair.experimental.min() > pair.control.max()
        # What the control reaches on trial x was reached on trial 1.
        control, last = pair.control[0], pair.experimental[0, -1]
        trials = np.arange(2, len(control) + 1)
        saved = np.sum(np.diff(control) * (1 - 1 / trials)) + (last - control[-1])
        assert value == pytest.approx(saved / (last - control[0]))


def test_each_metric_is_undefined_where_it_divides_by_0() -> None:
    undefined = {
        metric: {
            each.case.name for each in found()["defined", metric].tried if not each.holds
        }
        for metric in JUDGED.values()
    }
    assert undefined["ratio"] == {"the control scores 0 throughout"}
    assert undefined["regret"] == {"all scores are equal"}
    assert undefined["CTR"] == {"the control is optimal throughout"}
    assert "the experimental condition ends where the control begins" in undefined["ARR"]
    ends = tried("defined", "ARR", "ends where").case.pairs[0]
    assert ends.experimental[0, -1] == ends.control[0, 0]


def test_a_standard_has_the_value_its_words_say() -> None:
    assert tried("meaningful", "CTR", "optimal").values == pytest.approx((1, 1, 1))
    assert tried("meaningful", "CTR", "half of what").values == pytest.approx([0.5] * 3)
    assert tried("meaningful", "ARR", "half the training").values == pytest.approx(
        [0.5] * 3
    )
    assert not tried("meaningful", "ARR", "optimal").holds


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_only_testable_depends_on_chance_and_its_verdicts_do_not(seed: int) -> None:
    other = check_criteria(rng=seed)
    for key, verdict in other.items():
        assert verdict.holds is found()[key].holds
        same = verdict.values == found()[key].values
        assert same is (verdict.criterion != "testable")
    assert other.seed == seed


def test_the_same_rng_gives_the_same_result() -> None:
    again = check_criteria(rng=0)
    assert again.to_dict() == found().to_dict()
    assert check_criteria(rng=np.random.default_rng(0)).seed is None


def test_testable_keeps_intervals_and_p() -> None:
    for verdict in found().select("testable").values():
        (outcome,) = verdict.deciding.outcomes
        assert outcome.interval is not None
        assert outcome.value is not None
        assert outcome.interval.low < outcome.value < outcome.interval.high
        assert outcome.pvalue is not None
        assert 0 < outcome.pvalue <= 0.05
        assert "p = " in verdict.sentence


def test_verdicts_are_found_by_any_name_of_the_metric() -> None:
    criteria = found()
    verdict = criteria["defined", "transfer_regret"]
    assert criteria["Defined", "regret"] is verdict
    assert criteria["defined", "Transfer Regret"] is verdict
    assert ("defined", "CTR") in criteria
    assert ("defined", "jumpstart") not in criteria
    with pytest.raises(KeyError, match="did you mean 'similar'"):
        criteria["simliar", "ratio"]
    with pytest.raises(KeyError, match="No criterion is called 'meaning'"):
        criteria.select("meaning")


def test_the_tables_have_every_cell_and_every_cross() -> None:
    table, crosses, why = found().tables()
    assert [row[0] for row in table.rows] == list(CRITERIA)
    marked = {
        (row[0], metric)
        for row in table.rows
        for metric, cell in zip(JUDGED, row[1:], strict=True)
        if "(" in cell
    }
    assert marked == set(DIFFERENCES)
    assert len(crosses.rows) == sum(not v.holds for v in found().values()) == 20
    assert len(why.rows) == len(DIFFERENCES)
    assert str(found()).count("\n\n") == 2
    assert found()._repr_html_().count("<table>") == 3
    assert len(found().select("unitless").tables()) == 1


def test_the_words_tell_who_fails_what() -> None:
    text = describe(found())
    assert text.startswith("Of 10 criteria the metrics meet: CTR 7 (not defined,")
    assert "6 verdicts of 40 differ" in text
    unitless = describe(found().select("unitless"))
    assert unitless == (
        "Unitless: all of ratio, regret, CTR and ARR. Gorski & Laird (2009) found the same."
    )
    assert describe(found().select("defined")).startswith("Defined: none of ratio,")
    assert describe(found().select("similar")).startswith("Similar: regret, CTR and ARR;")


def test_as_json_everything_is_finite_and_complete() -> None:
    record = json.loads(json.dumps(found().to_dict(), allow_nan=False))
    assert record["question"] == "criteria"
    assert [tuple(key) for key in record["differences"]] == DIFFERENCES
    assert len(record["verdicts"]) == 40
    for verdict in record["verdicts"]:
        for pair in verdict["case"]["pairs"]:
            assert len(pair["control"][0]) == len(pair["steps"])


@pytest.mark.parametrize("cell", CELLS)
def test_the_plot_has_a_panel_for_every_pair(cell: tuple[str, str]) -> None:
    verdict = found()[cell]
    ax = plot_criterion(verdict, ax=Figure().subplots())
    assert len(ax.child_axes) == len(verdict.case.pairs)
    for panel, pair in zip(ax.child_axes, verdict.case.pairs, strict=True):
        drawn = [np.asarray(line.get_ydata()) for line in panel.lines]
        for scores in (pair.control, pair.experimental):
            mean = scores.mean(axis=0)
            assert any(
                line.shape == mean.shape and np.allclose(line, mean) for line in drawn
            )
        low, high = panel.get_ylim()
        assert low < min(map(np.min, drawn))
        assert math.isfinite(high)


def test_the_plot_takes_the_current_axes_and_figures_fit_their_rows() -> None:
    plt.close("all")
    assert plot_criterion(found()["similar", "ratio"]) is plt.gcf().axes[0]
    plt.close("all")
    assert len(figure_of_criteria(found()).axes) == len(DIFFERENCES)
    assert len(figure_of_criteria(found().select("unitless")).axes) == 4
    assert len(figure_of_criteria(found().select("similar")).axes) == 1


def test_the_command_prints_the_table_and_saves_a_figure(tmp_path: Path) -> None:
    path = tmp_path / "figure3.png"
    result = run.invoke(app, ["criteria", "--criterion", "Similar", "--plot", str(path)])
    assert result.exit_code == 0
    assert result.stdout.startswith("Similar: regret, CTR and ARR; not ratio.")
    assert "1.046" in result.stdout
    assert "defined" not in result.stdout
    assert path.stat().st_size > 1_000


def test_the_command_prints_json_markdown_and_latex() -> None:
    record = json.loads(run.invoke(app, ["criteria", "--json"]).stdout)
    assert record["verdict"].startswith("Of 10 criteria")
    assert record["n_verdicts"] == 40
    assert "| defined | × |" in run.invoke(app, ["criteria", "--markdown"]).stdout
    latex = run.invoke(app, ["criteria", "--criterion", "testable", "--latex"]).stdout
    assert r"\toprule" in latex
    assert "✓" not in latex


def test_the_command_refuses_a_criterion_that_there_is_not() -> None:
    result = run.invoke(app, ["criteria", "--criterion", "simlar"])
    assert result.exit_code == 3
    assert "did you mean 'similar'?" in " ".join(result.stderr.split())
