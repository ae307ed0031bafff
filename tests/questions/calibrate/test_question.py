"""How often common tests cry wolf on the user's own runs."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import curvewise as cw
from curvewise import Curves, CurvesError, OptionError, calibrate
from curvewise.text import naming_flags

if TYPE_CHECKING:
    from curvewise import Calibration


def smooth(seed: int, n_runs: int, n_steps: int = 30) -> Curves:
    """Smooth curves with an offset of the whole run."""
    rng = np.random.default_rng(seed)
    at = np.arange(n_steps) / n_steps
    covariance = np.exp(-0.5 * ((at[:, None] - at) / 0.075) ** 2)
    root = np.linalg.cholesky(covariance + 1e-8 * np.eye(n_steps))
    scores = math.sqrt(1 - 0.55**2) * rng.normal(size=(n_runs, n_steps)) @ root.T
    return Curves(scores + 0.55 * rng.normal(size=(n_runs, 1)), ["A"] * n_runs)


def rates(found: Calibration) -> dict[str, float]:
    return {row.procedure: row.rate for row in found.rows}


# Mean over data sets and its standard deviation between them: of the F of height, the F of shape,
# t at every step, of the final score, of the area.
KNOWN = {
    5: ((0.60, 0.06, 0.51, 0.05, 0.05), 0.16),
    10: ((0.61, 0.04, 0.43, 0.05, 0.05), 0.08),
    20: ((0.60, 0.03, 0.42, 0.05, 0.05), 0.06),
}


@pytest.mark.parametrize(
    ("n_runs", "n_sets"),
    [(5, 100), (10, 60), (20, 20)] + [pytest.param(n, 400, marks=pytest.mark.slow) for n in KNOWN],
)
def test_rates_and_their_spread_are_as_known(n_runs: int, n_sets: int) -> None:
    means, spread = KNOWN[n_runs]
    found = np.array(
        [
            list(rates(calibrate(smooth(seed, n_runs), rng=seed)).values())[:5]
            for seed in range(n_sets)
        ]
    )
    error = spread / math.sqrt(n_sets)
    # The process is like the one of which these are known, not the same.
    assert found.mean(axis=0) == pytest.approx(means, abs=4 * error + 0.02)
    told = calibrate(smooth(0, n_runs), rng=0)["height"].sd
    for column in (0, 2):
        sd = float(found[:, column].std(ddof=1))
        assert 0.5 * spread < sd < 1.5 * spread
        assert told > 0.8 * sd


@pytest.mark.parametrize("n_runs", [6, 7, 8])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_what_curvewise_finds_is_a_tautology(n_runs: int, alpha: float) -> None:
    """Over all halves of the same runs an exact test rejects what alpha allows, and no more."""
    curves = smooth(n_runs, n_runs, 4)
    n_found = n_splits = 0
    for chosen in combinations(range(n_runs), n_runs // 2):
        if n_runs % 2 == 0 and 0 not in chosen:
            continue
        labels = np.where(np.isin(np.arange(n_runs), chosen), "one", "other")
        halved = Curves(curves.scores, labels)
        n_found += cw.compare(halved, overall="F", rng=0).algorithm.pvalue <= alpha
        n_splits += 1
    row = calibrate(curves, alpha=alpha, rng=0)["curvewise"]
    assert (row.n_found, row.n_splits) == (n_found, n_splits)
    assert row.by_construction
    assert row.sd == 0
    assert row.rate <= alpha


def test_all_splits_where_there_are_few_else_random_ones() -> None:
    few = calibrate(smooth(0, 10), rng=0).algorithms["A"]
    assert (few.n_splits, few.every) == (126, True)
    many = calibrate(smooth(0, 14), rng=0).algorithms["A"]
    assert (many.n_splits, many.every) == (1_000, False)
    assert many.rates[-1].n_splits == math.comb(14, 7) // 2
    more = calibrate(smooth(0, 14), n_splits=2_000, rng=0).algorithms["A"]
    assert (more.n_splits, more.every) == (1_716, True)


@given(st.integers(0, 50), st.floats(0.1, 50), st.floats(-99, 99), st.permutations(range(7)))
@settings(max_examples=20)
def test_order_and_units_change_nothing(
    seed: int, scale: float, shift: float, order: list[int]
) -> None:
    curves = smooth(seed, 7, 6)
    other = Curves(scale * curves.scores[order] + shift, curves.labels)
    assert rates(calibrate(curves)) == rates(calibrate(other))


def test_several_algorithms_are_weighted_by_runs_less_one() -> None:
    one, other = smooth(1, 6), smooth(2, 11)
    both = Curves(np.vstack([one.scores, other.scores]), ["x"] * 6 + ["y"] * 11)
    found = calibrate(both, rng=0)
    assert list(found.algorithms) == ["x", "y"]
    for place, row in enumerate(found.rows):
        mine = [own.rates[place] for own in found.algorithms.values()]
        assert row.rate == pytest.approx((5 * mine[0].rate + 10 * mine[1].rate) / 15)
        assert row.n_splits == mine[0].n_splits + mine[1].n_splits
        if not row.by_construction:
            spread = math.hypot(5 * mine[0].sd, 10 * mine[1].sd) / 15
            assert row.sd == pytest.approx(spread)
    # Who else is there changes nothing, nor how they are called.
    alone = calibrate(both, algorithm="y", rng=0)
    assert alone.algorithms["y"] == found.algorithms["y"]
    assert alone.rows == alone.algorithms["y"].rates


@pytest.mark.parametrize(
    ("n_runs", "sd"), [(4, 0.2), (5, 0.16), (6, 0.8 / 6), (10, 0.08), (16, 0.05), (40, 0.05)]
)
def test_the_spread_depends_on_the_runs_and_not_on_the_splits(n_runs: int, sd: float) -> None:
    for n_splits in (100, 2_000):
        row = calibrate(smooth(0, n_runs), n_splits=n_splits, rng=0)["height"]
        assert row.sd == pytest.approx(sd)
        assert row.is_rate == (n_runs >= 6)


def test_few_runs_of_several_algorithms_make_a_rate_together() -> None:
    scores = np.vstack([smooth(seed, 5).scores for seed in range(3)])
    found = calibrate(Curves(scores, np.repeat(list("ABC"), 5)), rng=0)
    assert found["height"].is_rate
    assert found["height"].sd == pytest.approx(0.16 / math.sqrt(3))
    assert not found.algorithms["A"].rates[0].is_rate
    two = calibrate(Curves(scores[:8], np.repeat(list("AB"), 4)), rng=0)
    assert not two["height"].is_rate


@pytest.mark.parametrize("n_runs", [1, 3])
def test_too_few_runs_are_refused(n_runs: int) -> None:
    runs = "1 run" if n_runs == 1 else "3 runs"
    with pytest.raises(CurvesError, match=f"'A' has {runs}: two halves to compare need 4"):
        calibrate(smooth(0, n_runs))


def test_who_has_too_few_runs_is_left_out_and_named() -> None:
    scores = smooth(0, 9).scores
    curves = Curves(scores, ["A"] * 6 + ["B"] * 3)
    found = calibrate(curves, rng=0)
    assert list(found.algorithms) == ["A"]
    assert "B is left out: with fewer than 4 runs" in found.warnings[0]
    with pytest.raises(CurvesError, match="'B' has 3 runs"):
        calibrate(curves, algorithm="B")
    with pytest.raises(CurvesError, match="did you mean 'A'"):
        calibrate(curves, algorithm="a")


@pytest.mark.parametrize(
    ("option", "value"),
    [("alpha", 0), ("alpha", "small"), ("n_splits", 99), ("n_splits", 1.5), ("n_splits", "all")],
)
def test_values_that_cannot_be_used_are_refused(option: str, value: object) -> None:
    with pytest.raises(OptionError, match=f"^{option} must") as refused:
        calibrate(smooth(0, 6), **{option: value})  # type: ignore[arg-type]
    assert refused.value.option == option
    with pytest.raises(OptionError, match=r"calibrate\(\) takes Curves"):
        calibrate([[1, 2]])  # type: ignore[arg-type]
    with naming_flags(), pytest.raises(OptionError, match="--splits must be"):
        calibrate(smooth(0, 6), n_splits=0)


def test_blocks_are_not_used_and_that_is_said() -> None:
    curves = smooth(0, 6)
    blocked = Curves(curves.scores, curves.labels, blocks=[0, 0, 0, 1, 1, 1])
    found = calibrate(blocked, rng=0)
    assert rates(found) == rates(calibrate(curves, rng=0))
    assert "without regard to blocks" in found.warnings[-1]


def test_one_step_has_no_shape() -> None:
    found = calibrate(smooth(0, 6, 1), rng=0)
    assert [row.procedure for row in found.rows] == [
        *("height", "every step", "final", "area"),
        "curvewise",
    ]
    assert len({row.rate for row in found.rows[:-1]}) == 1


def test_runs_that_are_all_the_same_are_refused() -> None:
    with pytest.raises(CurvesError, match="same curve: no split of them could differ"):
        calibrate(Curves(np.ones((6, 5)), ["A"] * 6), rng=0)
    other = np.concatenate([np.ones((6, 5)), smooth(0, 6, 5).scores])
    found = calibrate(Curves(other, ["A"] * 6 + ["B"] * 6), rng=0)
    of_same = [row for row in found.algorithms["A"].rates if not row.by_construction]
    assert {row.rate for row in of_same} == {0.0}


def test_thousands_of_runs_have_more_splits_than_can_be_counted() -> None:
    found = calibrate(smooth(0, 1_500, 3), n_splits=100, rng=0)
    assert found["curvewise"].rate == pytest.approx(0.05)
    assert "5% of all" in found.table().text()
    assert found.to_dict()["rows"][-1]["n_splits"] is None


def test_more_steps_than_are_tested_at_once_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = smooth(0, 8, 9)
    whole = calibrate(curves, rng=0).to_dict()
    monkeypatch.setattr("curvewise.questions.calibrate.ask.MAX_SCORES_AT_ONCE", 40)
    assert calibrate(curves, rng=0).to_dict() == whole
