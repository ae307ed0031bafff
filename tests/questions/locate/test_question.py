"""locate(): at which steps, from when, until when."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvewise import (
    Curves,
    CurvesError,
    OptionError,
    compare,
    describe,
    locate,
)
from curvewise.questions.locate import scan as scanning
from tests.simulation import autoregressive, some_curves
from tests.textbook import all_relabellings, sums_of_squares


def step_ratios(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """F at each step by its definition."""
    n, m = len(scores), len(np.unique(labels))
    between = within = 0.0
    for group in np.unique(labels):
        rows = scores[labels == group]
        between = between + len(rows) * (rows.mean(axis=0) - scores.mean(axis=0)) ** 2
        within = within + np.sum((rows - rows.mean(axis=0)) ** 2, axis=0)
    return np.asarray((between / (m - 1)) / (within / (n - m)))


def with_regions(seed: int, sizes: tuple[int, ...], n_steps: int, shift: float) -> Curves:
    curves = some_curves(seed, sizes, n_steps)
    scores = curves.scores.copy()
    scores[curves.codes == 0, n_steps // 3 : n_steps // 2] += shift
    return Curves(scores, curves.labels, np.arange(n_steps) * 10)


@pytest.mark.parametrize("sizes", [(3, 4), (2, 3, 3), (4, 4)])
def test_adjusted_p_equals_brute_force(sizes: tuple[int, ...]) -> None:
    curves = with_regions(1, sizes, 5, 1.5)
    own = curves.scores - curves.scores.mean(axis=1, keepdims=True)
    where = locate(curves, windows=False, exact=True)
    for name, scores in (("algorithm", curves.scores), ("interaction", own)):
        observed = step_ratios(scores, curves.codes)
        null = np.array(
            [step_ratios(scores, labels) for labels in all_relabellings(sizes)]
        )
        single = (null.max(axis=1)[:, None] >= observed * (1 - 1e-9)).mean(axis=0)
        plain = (null >= observed * (1 - 1e-9)).mean(axis=0)
        order = np.argsort(-observed)
        down = np.array(
            [
                (null[:, order[i:]].max(axis=1) >= observed[order[i]] * (1 - 1e-9)).mean()
                for i in range(5)
            ]
        )
        stepped = np.empty(5)
        stepped[order] = np.maximum.accumulate(down)
        effect = where.effects[name]
        np.testing.assert_allclose(effect.statistic, observed)
        np.testing.assert_allclose(effect.pvalue, plain)
        np.testing.assert_allclose(effect.pvalue_adjusted, single)
        np.testing.assert_allclose(effect.pvalue_stepdown, stepped)


def test_adjusted_p_equals_brute_force_within_blocks() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(10, 4)) + np.repeat(rng.normal(size=(5, 1)), 2, axis=0)
    scores[::2, 2] += 1
    blocks = np.repeat(np.arange(5), 2)
    where = locate(Curves(scores, ["A", "B"] * 5, blocks=blocks), exact=True)
    differences = scores[::2] - scores[1::2]
    signs = np.array(np.meshgrid(*[[1, -1]] * 5)).reshape(5, -1).T
    means = signs @ differences / 5
    variances = (differences**2).sum(axis=0) / 5 - means**2
    squares = means**2 / variances * 4
    observed = squares[0]
    np.testing.assert_allclose(where.statistic, observed)
    expected = (squares.max(axis=1)[:, None] >= observed * (1 - 1e-9)).mean(axis=0)
    np.testing.assert_allclose(where.pvalue_adjusted, expected)


@pytest.mark.parametrize("sizes", [(4, 4), (3, 5), (3, 3, 2)])
def test_profiles_add_up_to_the_anova(sizes: tuple[int, ...]) -> None:
    curves = with_regions(4, sizes, 9, 1.0)
    where = locate(curves, windows=False)
    ss = sums_of_squares(curves.scores, curves.codes)
    np.testing.assert_allclose(
        where.algorithm_profile.sum(), ss["algorithm"] + ss["interaction"]
    )
    np.testing.assert_allclose(where.interaction_profile.sum(), ss["interaction"])
    for effect in ("algorithm", "interaction"):
        parts = [where.share(effect, a, b) for a, b in ((0, 20), (30, 30), (40, 80))]
        np.testing.assert_allclose(sum(parts), 1)
        assert where.share(effect) == pytest.approx(1)
        np.testing.assert_allclose(where.effects[effect].cumulative_share[-1], 1)


@pytest.mark.parametrize("sizes", [(4, 4), (3, 5), (2, 3, 3)])
def test_a_planned_window_is_the_comparison_of_that_window(
    sizes: tuple[int, ...],
) -> None:
    curves = with_regions(5, sizes, 6, 1.5)
    where = locate(curves, exact=True)
    for first in range(0, 60, 10):
        for last in range(first, 60, 10):
            window = where.window(first, last)
            found = compare(curves.window(first, last), exact=True)
            assert (window.start, window.stop) == (first, last)
            pairs = [(window.algorithm, found.algorithm)]
            if found.interaction is not None:
                assert window.interaction is not None
                pairs.append((window.interaction, found.interaction))
            for ours, theirs in pairs:
                assert ours.statistic == pytest.approx(theirs.statistic)
                assert list(ours.df) == list(theirs.df)
                assert ours.pvalue == pytest.approx(theirs.pvalue)
                assert ours.pvalue_adjusted >= 1 / where.n_relabellings


def test_the_intervalwise_p_is_the_largest_of_the_windows_that_hold_a_step() -> None:
    where = locate(with_regions(6, (4, 4), 6, 1.5), exact=True)
    for step in range(0, 60, 10):
        held = [
            where.window(first, last).algorithm.pvalue
            for first in range(0, step + 1, 10)
            for last in range(step, 60, 10)
        ]
        at_step = where.effects["algorithm"].pvalue_intervalwise
        assert at_step is not None
        assert at_step[step // 10] == pytest.approx(max(held))


@pytest.mark.parametrize("n_steps", [7, 30])
@pytest.mark.parametrize("sizes", [(5, 6), (3, 4, 4)])
def test_compiled_windows_count_the_same(
    sizes: tuple[int, ...], n_steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    curves = with_regions(7, sizes, n_steps, 2.0)
    monkeypatch.setattr(scanning, "REPAYS", 10**18)
    slow = locate(curves, exact=False, n_shuffles=1_500, rng=1)
    monkeypatch.setattr(scanning, "REPAYS", 0)
    fast = locate(curves, exact=False, n_shuffles=1_500, rng=1)
    assert slow.windows is not None
    assert fast.windows is not None
    np.testing.assert_array_equal(slow.windows.pvalue, fast.windows.pvalue)
    np.testing.assert_array_equal(
        slow.windows.pvalue_adjusted, fast.windows.pvalue_adjusted
    )


def test_many_steps_are_tested_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "MOST_PLACES", 5)
    curves = with_regions(8, (4, 4), 12, 2.0)
    where = locate(curves, exact=True)
    assert where.windows is not None
    assert len(where.windows.starts) == 5
    window = where.window(50, 60)
    assert window.start <= 50
    assert window.stop >= 60
    found = compare(curves.window(window.start, window.stop), exact=True)
    assert window.algorithm.pvalue == pytest.approx(found.algorithm.pvalue)
    assert len(where.effects["algorithm"].pvalue_intervalwise) == 12  # type: ignore[arg-type]


def test_nested_windows_end_in_single_steps_and_agree_on_the_whole() -> None:
    where = locate(with_regions(9, (4, 5), 7, 2.0), exact=True)
    plain = where.effects["algorithm"].pvalue
    assert where.pvalue_until[-1] == pytest.approx(plain[-1])
    assert where.pvalue_from[0] == pytest.approx(plain[0])
    assert where.pvalue_until[0] == pytest.approx(where.pvalue_from[-1])


def test_from_and_until_stop_at_the_first_window_that_passes() -> None:
    where = locate(with_regions(10, (6, 6), 20, 6.0), windows=False)
    until = where.pvalue_until <= 0.05
    n_rejected = 20 if until.all() else int(np.argmin(until))
    assert where.differs_until == 10 * (n_rejected - 1)
    assert 0 < n_rejected < 20
    # The difference was planted in the steps 60 to 90.
    assert where.differs_from == 60
    assert where.differs_until == 90
    assert [(region.start, region.stop) for region in where.regions] == [(60, 90)]
    assert where.regions[0].leader == "A"


def test_nothing_is_claimed_where_nothing_is() -> None:
    where = locate(some_curves(2, (5, 5), 10), windows=False)
    assert where.regions == ()
    assert (where.differs_from, where.differs_until) == (None, None)


def test_parallel_curves_have_no_interaction_region() -> None:
    curves = some_curves(11, (6, 6), 15)
    lifted = curves.scores + 50.0 * (curves.codes == 0)[:, None]
    where = locate(Curves(lifted, curves.labels), windows=False)
    plain = locate(curves, windows=False)
    assert len(where.regions) == 1
    assert where.regions[0].n_steps == 15
    np.testing.assert_array_equal(
        where.effects["interaction"].pvalue_adjusted,
        plain.effects["interaction"].pvalue_adjusted,
    )


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1_000), scale=st.sampled_from([1e-6, 0.37, 1e9]))
def test_neither_names_nor_order_nor_units_change_a_p(seed: int, scale: float) -> None:
    curves = with_regions(seed, (4, 5), 6, 1.0)
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(4), 4 + rng.permutation(5)])
    renamed = np.array(["zeta" if name == "A" else "eta" for name in curves.labels])
    other = Curves(curves.scores[order] * scale + 3 * scale, renamed[order], curves.steps)
    options = {"exact": False, "n_shuffles": 300, "rng": seed, "n_resamples": 99}
    first, second = locate(curves, **options), locate(other, **options)  # type: ignore[arg-type]
    np.testing.assert_allclose(first.pvalue_adjusted, second.pvalue_adjusted)
    assert first.windows is not None
    assert second.windows is not None
    np.testing.assert_allclose(
        first.windows.pvalue_adjusted, second.windows.pvalue_adjusted
    )
    assert first.differs_until == second.differs_until


def test_jobs_change_no_digit_and_another_seed_does() -> None:
    curves = with_regions(12, (8, 8), 12, 1.0)
    options = {"exact": False, "n_shuffles": 6_000, "n_resamples": 200}
    one = locate(curves, rng=3, **options).to_dict()  # type: ignore[arg-type]
    two = locate(curves, rng=3, n_jobs=2, **options).to_dict()  # type: ignore[arg-type]
    other = locate(curves, rng=4, **options).to_dict()  # type: ignore[arg-type]
    assert one == two
    assert one["algorithm"]["pvalue_adjusted"] != other["algorithm"]["pvalue_adjusted"]
    assert one["band"] != other["band"]


def test_constant_steps_and_ties_are_no_trouble() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 2, size=(10, 8)).cumsum(axis=1) * 0.1 + 1000.0
    scores[:, 0] = 1000.0
    where = locate(Curves(scores, ["A"] * 5 + ["B"] * 5), exact=True)
    assert where.statistic[0] == 0
    assert where.pvalue_adjusted[0] == 1
    assert np.isfinite(where.pvalue_adjusted).all()
    ten_times = locate(Curves(np.rint(scores * 10), ["A"] * 5 + ["B"] * 5), exact=True)
    np.testing.assert_array_equal(where.pvalue_adjusted, ten_times.pvalue_adjusted)
    np.testing.assert_array_equal(where.pvalue_until, ten_times.pvalue_until)


def test_runs_without_spread_still_have_valid_p() -> None:
    scores = np.vstack([np.tile([1.0, 2, 3], (4, 1)), np.tile([1.0, 3, 5], (4, 1))])
    where = locate(Curves(scores, ["A"] * 4 + ["B"] * 4), exact=True)
    assert where.pvalue_adjusted.tolist() == [1.0, 1 / 35, 1 / 35]
    assert where.window(1, 2).algorithm.pvalue == pytest.approx(1 / 35)
    json.dumps(where.to_dict(), allow_nan=False)


def test_a_single_step_has_no_shape() -> None:
    curves = some_curves(1, (5, 5), 1)
    where = locate(curves)
    assert list(where.effects) == ["algorithm"]
    assert where.pvalue_adjusted[0] == pytest.approx(compare(curves).algorithm.pvalue)
    assert where.window().interaction is None
    assert where.interaction_profile.tolist() == [0]
    assert str(where)


def test_the_band_holds_the_difference_and_narrows_with_runs() -> None:
    widths = []
    for size in (6, 60):
        curves = some_curves(3, (size, size), 10)
        band = locate(curves, windows=False, n_shuffles=99, exact=False, rng=0).band
        assert band is not None
        means = [curves.scores[curves.codes == code].mean(axis=0) for code in (0, 1)]
        np.testing.assert_allclose(band.difference, means[0] - means[1])
        assert (band.low < band.difference).all()
        assert (band.difference < band.high).all()
        widths.append((band.high - band.low).mean())
    assert widths[1] < 0.5 * widths[0]


def test_the_band_of_pairs_in_blocks_is_that_of_their_differences() -> None:
    rng = np.random.default_rng(5)
    shared = 100 * rng.normal(size=(8, 1))
    scores = np.vstack(
        [shared + rng.normal(size=(8, 6)), shared + rng.normal(size=(8, 6))]
    )
    labels, blocks = ["A"] * 8 + ["B"] * 8, [*range(8), *range(8)]
    paired = locate(Curves(scores, labels, blocks=blocks), windows=False, rng=0).band
    loose = locate(Curves(scores, labels), windows=False, rng=0).band
    assert paired is not None
    assert loose is not None
    np.testing.assert_allclose(paired.difference, loose.difference)
    assert (paired.high - paired.low).max() < 0.2 * (loose.high - loose.low).min()


def test_too_few_runs_for_a_band_give_none() -> None:
    assert locate(some_curves(0, (2, 6)), windows=False).band is None
    assert locate(some_curves(0, (4, 4, 4)), windows=False).band is None
    assert locate(some_curves(0, (5, 5)), windows=False, n_resamples=0).band is None


def test_crossing_lines_cross_where_they_do() -> None:
    steps = np.arange(0, 110, 10)
    rng = np.random.default_rng(1)
    rising, falling = steps / 100, 0.9 - steps / 100
    scores = np.vstack([rising] * 8 + [falling] * 8) + 0.01 * rng.normal(size=(16, 11))
    crossing = locate(Curves(scores, ["up"] * 8 + ["down"] * 8, steps), rng=0).crossing
    assert crossing is not None
    assert crossing.step == pytest.approx(45, abs=1)
    assert crossing.interval.low < 45 < crossing.interval.high
    assert (crossing.leads_before, crossing.leads_after) == ("down", "up")
    losses = Curves(scores, ["up"] * 8 + ["down"] * 8, steps, higher_is_better=False)
    other = locate(losses, rng=0).crossing
    assert other is not None
    assert other.leads_before == "up"


def test_curves_that_do_not_cross_have_no_crossing() -> None:
    curves = some_curves(0, (6, 6), 8)
    lifted = curves.scores + 9.0 * (curves.codes == 0)[:, None]
    assert locate(Curves(lifted, curves.labels), windows=False).crossing is None


def test_clusters_are_the_neighbouring_steps_above_the_threshold() -> None:
    where = locate(
        with_regions(10, (6, 6), 20, 6.0), windows=False, cluster_threshold=9.0
    )
    effect = where.effects["algorithm"]
    assert effect.cluster_threshold == 9
    above = effect.statistic >= 9
    assert sum(cluster.mass for cluster in effect.clusters) == pytest.approx(
        effect.statistic[above].sum()
    )
    main = max(effect.clusters, key=lambda cluster: cluster.mass)
    assert main.start <= 60
    assert main.stop >= 90
    assert main.pvalue <= 0.05
    with pytest.raises(OptionError, match="cluster_threshold is an F"):
        locate(some_curves(0), cluster_threshold=-1)


def test_step_down_is_never_stricter() -> None:
    curves = with_regions(13, (6, 6), 12, 2.0)
    single = locate(curves, windows=False)
    down = locate(curves, windows=False, adjust="step-down")
    assert (down.pvalue_adjusted <= single.pvalue_adjusted).all()
    np.testing.assert_array_equal(
        down.pvalue_adjusted, single.effects["algorithm"].pvalue_stepdown
    )


def test_shares_carry_an_interval_and_survive_pickling() -> None:
    where = locate(with_regions(10, (6, 6), 20, 6.0), windows=False)
    share = where.share("algorithm", 60, 90)
    assert share.interval is not None
    assert 0 <= share.interval.low < share < share.interval.high <= 1
    again = pickle.loads(pickle.dumps(share))  # noqa: S301 (our own)
    assert (again, again.interval) == (share, share.interval)
    assert pickle.loads(pickle.dumps(where)).share("algorithm", 60, 90) == share  # noqa: S301


@pytest.mark.parametrize(
    ("ask", "match"),
    [
        (lambda w: w.window(200, 300), "No step lies in the window from 200"),
        (lambda w: w.window(40, 10), "No step lies in the window from 40 to 10"),
        (lambda w: w.window(41, 49), "No step lies in the window from 41 to 49"),
        (lambda w: w.window(-9, -5), "No step lies in the window from -9 to -5"),
        (lambda w: w.window("a", 20), "start of a window is a step, a number"),
        (lambda w: w.share("algorithm", 200, 300), "No step lies in the window"),
    ],
)
def test_windows_that_are_none_are_refused(ask: object, match: str) -> None:
    where = locate(with_regions(1, (4, 4), 6, 1.0))
    with pytest.raises(CurvesError, match=match):
        ask(where)  # type: ignore[operator]


def test_options_that_mean_nothing_are_refused() -> None:
    curves = some_curves(0)
    with pytest.raises(OptionError, match="No adjustment is called 'holm'"):
        locate(curves, adjust="holm")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="n_resamples must be"):
        locate(curves, n_resamples=-1)
    with pytest.raises(OptionError, match="No effect is called 'height'"):
        locate(curves).share("height")
    with pytest.raises(OptionError, match="Windows were left out"):
        locate(curves, windows=False).window(0, 1)
    with pytest.raises(OptionError, match=r"locate\(\) takes Curves"):
        locate([1, 2])  # type: ignore[arg-type]
    with pytest.raises(CurvesError, match="at least two algorithms"):
        locate(curves.select("A"))


def test_too_few_runs_are_said_first() -> None:
    where = locate(some_curves(0, (3, 3)))
    assert "no data could be significant" in where.warnings[0]
    assert where.regions == ()


def test_a_large_enumeration_is_refused() -> None:
    scores = autoregressive(np.random.default_rng(0), 40, 5)
    with pytest.raises(OptionError, match="Sample them instead"):
        locate(Curves(scores, ["A"] * 20 + ["B"] * 20), exact=True)


def test_the_leader_of_a_region_is_found_within_blocks() -> None:
    """Easier blocks must not make an algorithm look better than it is."""
    rng = np.random.default_rng(0)
    rows, labels, blocks = [], [], []
    for block in range(16):
        pair = ("A", "B") if block < 8 else ("B", "C")
        ease = 10.0 if block < 8 else 0.0
        for name in pair:
            rows.append(ease + 3 * "ABC".index(name) + 0.3 * rng.normal(size=6))
            labels.append(name)
            blocks.append(block)
    curves = Curves(rows, labels, blocks=blocks)
    where = locate(curves, windows=False, rng=0)
    assert where.regions[0].leader == "C"
    means = [curves.scores[curves.codes == code].mean() for code in range(3)]
    assert np.argmax(means) != 2


def test_a_window_of_portions_says_what_was_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scanning, "MOST_PLACES", 3)
    where = locate(with_regions(8, (4, 4), 12, 2.0), exact=True)
    assert where.window(50, 60).asked == (50, 60)
    assert where.window(0, 30).asked is None


def test_single_precision_and_a_large_range_cost_no_finding() -> None:
    """Late losses of 0.01 are stored as finely as early ones of 10,000, by their size."""
    rng = np.random.default_rng(1)
    base = np.array([1e4, 1e2, 1, 0.1, 0.01, 0.01, 0.01, 0.01])
    scores = base * (1 + 0.1 * rng.normal(size=(16, 8)))
    scores[:8, 4:] *= 2
    labels = ["A"] * 8 + ["B"] * 8
    double = locate(Curves(scores, labels), rng=0)
    single = locate(Curves(scores.astype(np.float32), labels), rng=0)
    np.testing.assert_allclose(single.pvalue_adjusted, double.pvalue_adjusted)
    assert (single.differs_from, single.differs_until) == (4, 7)
    assert single.window(5, 7).pvalue_adjusted == pytest.approx(
        double.window(5, 7).pvalue_adjusted
    )


def test_spreads_that_differ_are_told_with_equal_run_counts_too() -> None:
    scores = autoregressive(np.random.default_rng(2), 12, 12)
    assert locate(Curves(scores, ["A"] * 6 + ["B"] * 6), windows=False).warnings == ()
    scores[:6] *= 6
    where = locate(Curves(scores, ["A"] * 6 + ["B"] * 6), windows=False)
    assert any("Runs of A vary about" in warning for warning in where.warnings)


def test_who_is_ahead_only_on_average_is_said_so() -> None:
    scores = 0.1 * np.random.default_rng(0).normal(size=(16, 10))
    scores[:8, :6] += 2
    scores[:8, 6:] -= 2
    where = locate(Curves(scores, ["A"] * 8 + ["B"] * 8), windows=False)
    (region,) = where.regions
    assert (region.leader, region.throughout) == ("A", False)
    assert "A ahead on average" in describe(where)
