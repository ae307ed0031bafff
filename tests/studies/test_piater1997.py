from __future__ import annotations

import dataclasses
import io
from typing import TYPE_CHECKING

import numpy as np
import pytest

import curvewise as cw
from studies import store
from studies.piater1997 import study
from studies.piater1997.curves import draw_replications, trained_curves
from studies.piater1997.heights import heights
from studies.piater1997.power import (
    critical_value,
    draw_without_replacement,
    f_ratios_of_two,
    measure_power,
)
from studies.piater1997.quantile_ranges import (
    QuantileRange,
    frequency,
    joint_ranges,
    judge_frequency,
    judge_replications,
    quantile_range,
)
from studies.piater1997.replications import replicate
from studies.piater1997.table_claims import table_claims
from tests.simulation import autoregressive

if TYPE_CHECKING:
    from pathlib import Path

    from studies.report import Claim, Study


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep nothing outside the test: everything is computed anew."""
    return tmp_path_factory.mktemp("out")


@pytest.fixture(scope="module")
def made(out: Path) -> Study:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "OUT", out)
        return study(quick=True)


def claim(made: Study, words: str) -> Claim:
    (found,) = (each for each in made.claims if words in each.claim)
    return found


@pytest.mark.slow
def test_every_claim_is_judged(made: Study) -> None:
    assert len(made.claims) >= 35
    for each in made.claims:
        assert each.ours
        assert each.verdict in {"agrees", "differs", "cannot be known"}
    assert made.quick
    assert made.name == "piater1997"


@pytest.mark.slow
def test_every_table_and_figure_has_a_claim(made: Study) -> None:
    where = " ".join(each.where for each in made.claims)
    for name in ("Table 1", "Table 2", "Table 3", "Table 4"):
        assert name in where
    for name in ("Figure 3", "Figure 4", "Figure 5", "Figure 6", "Figure 7"):
        assert name in where
    assert "Figures 1 and 2" in made.paragraphs[-1]


@pytest.mark.slow
def test_what_no_seed_can_change(made: Study) -> None:
    assert claim(made, "follow from the sums of squares").ours == ("40 follow, to rounding")
    assert claim(made, "exceed 1000").ours == ("c(2,7) = 1,716, c(3,4) = 5,775, c(4,3) = 15,400")
    assert claim(made, "exceed 1000").verdict == "agrees"
    same = claim(made, "All tables are of the same")
    assert same.ours.startswith("9,073.90 by Tables 1, 3 and 4;")
    assert same.verdict == "differs"
    assert claim(made, "Fewest heads").ours.startswith("15;")
    assert claim(made, "Place of the critical value").ours.endswith("= 950")
    assert claim(made, "Degrees of freedom").ours == "1 and 144"
    assert claim(made, "Means of the standard F").ours.startswith("1.014 for both")
    # The words can be read as means of the shuffled F.
    assert claim(made, "Means of the standard F").verdict == "cannot be known"
    assert claim(made, "SS algorithm is the sum").verdict == "differs"
    assert claim(made, "SS interaction can be stopped").verdict == "agrees"


@pytest.mark.slow
def test_few_replications_that_share_runs_refute_nothing(made: Study) -> None:
    ranges = [each for each in made.claims if "pass themselves" in each.note]
    assert len(ranges) == 12
    assert not [each.claim for each in ranges if each.verdict == "differs"]
    sums = claim(made, "Sums of squares of A1, A3")
    assert "Outside: " in sums.note
    assert "cannot refute" in sums.note
    assert sums.verdict == "cannot be known"


@pytest.mark.slow
def test_replications_that_share_no_run_refute(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "OUT", out)
    pool = trained_curves(1997, quick=True)
    tables = {
        name: dataclasses.replace(table, rough=False)
        for name, table in replicate(
            draw_replications(pool, 1997, quick=True), 1997, quick=True
        ).items()
    }
    claims = table_claims(tables, heights(pool))
    verdicts = {each.claim: each.verdict for each in claims}
    assert verdicts["Sums of squares of A1, A3"] == "differs"
    assert verdicts["p of the randomized test of A1, A3"] == "cannot be known"
    assert verdicts["Sums of squares of A1, A1+v"] == "agrees"


@pytest.mark.slow
def test_p_of_other_curves_cannot_be_known(made: Study) -> None:
    second = claim(made, "p of the randomized test of A1, A3")
    assert second.verdict == "cannot be known"
    assert "other curves" in second.note


@pytest.mark.slow
def test_fourth_table_is_exact(made: Study, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "OUT", out)
    curves = draw_replications(trained_curves(1997, quick=True), 1997, quick=True)
    assert curves.shape == (20, 3, 10, 8)
    table = replicate(curves, 1997, quick=True)["Table 4"]
    assert table.ss["interaction"] == pytest.approx(np.full(20, 840.0), abs=1e-9)
    assert table.ss["algorithm"] == pytest.approx(np.zeros(20), abs=1e-9)
    assert (table.p["algorithm"] == 1).all()
    # A p below 1, as published, takes leaving out the shuffles that tie with F = 0.
    assert (table.p_larger["algorithm"] < 1).all()
    shape_claim = claim(made, "differ in shape and not at all in height")
    assert shape_claim.ours == "SS interaction 840.00; SS algorithm 0.00"
    assert shape_claim.verdict == "agrees"


@pytest.mark.slow
def test_power_is_near_the_published(
    made: Study, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "OUT", out)
    by_stretch, by_size = measure_power(trained_curves(1997, quick=True)[0], 1997, quick=True)
    at = by_stretch.points.index(1.1)
    assert 0.6 <= by_stretch.mean("algorithm")[at] <= 0.95
    shared = by_size.points.index(10.0)
    np.testing.assert_array_equal(by_size.algorithm[:, shared], by_stretch.algorithm[:, at])
    assert claim(made, "Without a stretch").verdict == "agrees"


@pytest.mark.slow
def test_pictures_can_be_drawn(made: Study) -> None:
    assert [each.name for each in made.pictures] == [
        "tables",
        "curves",
        "null",
        "profiles",
        "power",
    ]
    for picture in made.pictures:
        picture.figure.savefig(io.BytesIO(), format="png")


def test_f_of_two_samples_is_that_of_compare() -> None:
    rng = np.random.default_rng(0)
    scores = autoregressive(rng, 12, 7)
    first, second = np.array([[0, 3, 5, 7]]), np.array([[1, 2, 8, 11]])
    algorithm, interaction = f_ratios_of_two(scores, first, second)
    chosen = np.concatenate([scores[first[0]], scores[second[0]]])
    curves = cw.Curves(chosen, ["A"] * 4 + ["B"] * 4)
    effects = cw.compare(curves, n_shuffles=1, exact=False, rng=0).effects["pooled"]
    assert algorithm[0] == pytest.approx(effects["algorithm"].statistic)
    assert interaction[0] == pytest.approx(effects["interaction"].statistic)


def test_samples_are_fair_and_without_repeats() -> None:
    samples = draw_without_replacement(5, 2, 20_000, np.random.default_rng(0))
    assert (samples[:, 0] != samples[:, 1]).all()
    pairs = np.bincount(samples[:, 0] * 5 + samples[:, 1], minlength=25)
    expected = 20_000 * (1 - np.eye(5).ravel()) / 20
    assert np.abs(pairs - expected).max() < 5 * np.sqrt(1_000)


def test_critical_value_is_a_mean_of_21() -> None:
    null = np.random.default_rng(0).permutation(np.arange(1.0, 1001))
    assert critical_value(null) == 950


@pytest.mark.parametrize("rough", [False, True])
def test_a_claim_about_one_draw_is_settled_by_nearly_all_or_hardly_any(*, rough: bool) -> None:
    refuted = "cannot be known" if rough else "differs"
    assert judge_frequency(np.arange(10) < 9, rough=rough) == "agrees"
    assert judge_frequency(np.arange(10) < 1, rough=rough) == refuted
    assert judge_frequency(np.arange(10) < 5, rough=rough) == "cannot be known"
    assert judge_replications(holds=True, rough=rough) == "agrees"
    assert judge_replications(holds=False, rough=rough) == refuted


@pytest.mark.parametrize("n_numbers", [2, 3, 5])
def test_joint_ranges_are_the_narrowest_that_90_per_cent_pass(n_numbers: int) -> None:
    values = np.random.default_rng(n_numbers).normal(size=(n_numbers, 2_000))
    found = joint_ranges(list(values))

    def passing(tail: float) -> float:
        low, high = np.quantile(values, [tail, 1 - tail], axis=1)[..., None]
        return float(np.mean(np.all((values >= low) & (values <= high), axis=0)))

    assert found.inside.mean() >= 0.9
    assert passing(found.tail) == found.inside.mean()
    assert passing(found.tail + 0.001) < 0.9
    # Independent numbers all keep to their ranges with chance (1 - 2q) ** n.
    assert found.tail == pytest.approx((1 - 0.9 ** (1 / n_numbers)) / 2, abs=0.003)


def test_joint_ranges_of_one_number_are_its_quantile_range() -> None:
    values = np.random.default_rng(0).normal(size=300)
    found = joint_ranges([values])
    assert found.ranges[0] == quantile_range(values)
    assert found.text() == "5 % to 95 %"
    assert found.inside.sum() == 270
    assert quantile_range(np.arange(101.0)) == (5, 50, 95)


def test_joint_ranges_contain_their_ends_and_constants() -> None:
    almost = 840 + 1e-10 * np.random.default_rng(0).normal(size=300)
    found = joint_ranges([almost, np.zeros(300), np.arange(300.0)])
    constant, zero, spread = found.ranges
    assert constant == QuantileRange(840, 840, 840)
    assert constant.contains(840)
    assert zero.contains(0)
    assert spread.contains(spread.low)
    assert spread.contains(spread.high)
    assert found.tail == 0.05


def test_a_share_shows_on_which_side_of_90_per_cent_it_lies() -> None:
    assert frequency(np.arange(300) < 269) == "269 of 300 replications (89.7 %)"
    assert frequency(np.arange(300) < 270) == "270 of 300 replications (90 %)"
    assert frequency(np.arange(289) < 260) == "260 of 289 replications (89.97 %)"
