from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest

import curvewise as cw
from studies import store
from studies.piater1997 import study
from studies.piater1997.power import critical_value, f_of_two
from studies.piater1997.tables import deal, replicate, trained
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


def test_every_claim_is_judged(made: Study) -> None:
    assert len(made.claims) >= 20
    for each in made.claims:
        assert each.ours
        assert each.verdict in {"agrees", "differs", "cannot be known"}
    assert made.quick
    assert made.name == "piater1997"


def test_what_no_seed_can_change(made: Study) -> None:
    assert claim(made, "follow from the sums of squares").verdict == "agrees"
    assert claim(made, "exceed 1000").ours == (
        "c(2,7) = 1,716, c(3,4) = 5,775, c(4,3) = 15,400"
    )
    assert claim(made, "The sums of squares of A1, A3").verdict == "cannot be known"
    assert claim(made, "Fewest heads").ours.startswith("15;")
    assert claim(made, "Degrees of freedom").ours == "1 and 144"
    assert claim(made, "Means of the standard F").ours.startswith("1.014 for both")


def test_fourth_table_is_exact(
    made: Study, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "OUT", out)
    curves = deal(trained(1997, quick=True), 1997, quick=True)
    assert curves.shape == (20, 3, 10, 8)
    table = replicate(curves, 1997, quick=True)["Table 4"]
    assert table.ss["interaction"] == pytest.approx(np.full(20, 840.0), abs=1e-9)
    assert table.ss["algorithm"] == pytest.approx(np.zeros(20), abs=1e-9)
    assert (table.p["algorithm"] == 1).all()
    said = claim(made, "differ in shape and not at all in height")
    assert said.ours == "SS interaction 840.00; SS algorithm 0.00"
    assert said.verdict == "agrees"


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
    first, second = np.zeros((1, 12)), np.zeros((1, 12))
    first[0, [0, 3, 5, 7]] = 1
    second[0, [1, 2, 8, 11]] = 1
    algorithm, interaction = f_of_two(scores, first, second)
    chosen = np.concatenate([scores[first[0] == 1], scores[second[0] == 1]])
    curves = cw.Curves(chosen, ["A"] * 4 + ["B"] * 4)
    effects = cw.compare(curves, n_shuffles=1, exact=False, rng=0).effects["pooled"]
    assert algorithm[0] == pytest.approx(effects["algorithm"].statistic)
    assert interaction[0] == pytest.approx(effects["interaction"].statistic)


def test_critical_value_is_a_mean_of_21() -> None:
    null = np.random.default_rng(0).permutation(np.arange(1.0, 1001))
    assert critical_value(null) == 950
