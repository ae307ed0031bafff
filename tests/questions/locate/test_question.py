"""locate(): at which steps, from when, until when."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from curvewise import Curves, CurvesError, Interval, OptionError, compare, locate
from curvewise.questions.locate import method
from curvewise.shuffling.visit import FIRST_LOOK, reporting_progress
from curvewise.text import naming_flags
from tests.questions.locate.planted import step_ratios, with_regions
from tests.simulation import autoregressive, some_curves
from tests.textbook import all_relabellings, sums_of_squares

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize("sizes", [(3, 4), (2, 3, 3), (4, 4)])
def test_adjusted_p_equals_brute_force(sizes: tuple[int, ...]) -> None:
    curves = with_regions(1, sizes, 5, 1.5)
    own = curves.scores - curves.scores.mean(axis=1, keepdims=True)
    where = locate(curves, windows=False, exact=True)
    least = 0.0
    for name, scores in (("algorithm", curves.scores), ("interaction", own)):
        observed = step_ratios(scores, curves.codes)
        null = np.array([step_ratios(scores, labels) for labels in all_relabellings(sizes)])
        single = (null.max(axis=1)[:, None] >= observed * (1 - 1e-9)).mean(axis=0)
        # A change is claimed only behind a difference.
        if name == "algorithm":
            least = single.min()
        single = np.maximum(single, least)
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
        np.testing.assert_allclose(effect.pvalue_stepdown, np.maximum(stepped, least))


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
    np.testing.assert_allclose(where.algorithm_profile.sum(), ss["algorithm"] + ss["interaction"])
    np.testing.assert_allclose(where.interaction_profile.sum(), ss["interaction"])
    for effect in ("algorithm", "interaction"):
        parts = [where.share(effect, a, b) for a, b in ((0, 20), (30, 30), (40, 80))]
        np.testing.assert_allclose(sum(parts), 1)
        assert where.share(effect) == pytest.approx(1)
        np.testing.assert_allclose(where.effects[effect].cumulative_share[-1], 1)


# --- invariances -----------------------------------------------------------------------


def test_parallel_curves_have_no_interaction_region() -> None:
    curves = some_curves(11, (6, 6), 15)
    first = (curves.codes == 0)[:, None]
    where, further = (
        locate(Curves(curves.scores + shift * first, curves.labels), windows=False)
        for shift in (50.0, 90.0)
    )
    assert len(where.regions) == 1
    assert where.regions[0].n_steps == 15
    assert where.effects["interaction"].regions == ()
    np.testing.assert_array_equal(
        where.effects["interaction"].pvalue_adjusted, further.effects["interaction"].pvalue_adjusted
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
    np.testing.assert_allclose(first.windows.pvalue_adjusted, second.windows.pvalue_adjusted)
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
    assert single.window(5, 7).pvalue_adjusted == pytest.approx(double.window(5, 7).pvalue_adjusted)


# --- from when, until when -------------------------------------------------------------


@pytest.mark.parametrize("adjust", ["max-f", "step-down"])
@pytest.mark.parametrize("shift", [2.0, 6.0])
def test_nested_windows_agree_with_single_steps_and_the_whole(adjust: Any, shift: float) -> None:
    where = locate(with_regions(9, (4, 5), 7, shift), exact=True, adjust=adjust)
    plain, adjusted = where.effects["algorithm"].pvalue, where.pvalue_adjusted
    assert where.pvalue_until[0] == where.pvalue_from[-1] == adjusted.min()
    for p, end in ((where.pvalue_until, -1), (where.pvalue_from, 0)):
        # Never below the p of the same step alone, twice because there are two sequences.
        assert min(2 * plain[end], adjusted[end]) <= p[end] <= adjusted[end]


def test_from_and_until_are_the_last_steps_with_a_small_p() -> None:
    where = locate(with_regions(10, (6, 6), 20, 6.0), windows=False)
    n_rejected = int(np.sum(where.pvalue_until <= 0.05))
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


def test_a_single_step_has_no_shape() -> None:
    curves = some_curves(1, (5, 5), 1)
    where = locate(curves)
    assert list(where.effects) == ["algorithm"]
    assert where.pvalue_adjusted[0] == pytest.approx(compare(curves).algorithm.pvalue)
    assert where.window().interaction is None
    assert where.interaction_profile.tolist() == [0]
    assert str(where)


# --- two algorithms: band and crossing -------------------------------------------------


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
    scores = np.vstack([shared + rng.normal(size=(8, 6)), shared + rng.normal(size=(8, 6))])
    labels, blocks = ["A"] * 8 + ["B"] * 8, [*range(8), *range(8)]
    paired = locate(Curves(scores, labels, blocks=blocks), windows=False, rng=0).band
    loose = locate(Curves(scores, labels), windows=False, rng=0).band
    assert paired is not None
    assert loose is not None
    np.testing.assert_allclose(paired.difference, loose.difference)
    assert (paired.high - paired.low).max() < 0.2 * (loose.high - loose.low).min()


def test_crossing_lines_cross_where_they_do() -> None:
    steps = np.arange(0, 110, 10)
    rng = np.random.default_rng(1)
    rising, falling = steps / 100, 0.9 - steps / 100
    scores = np.vstack([rising] * 8 + [falling] * 8) + 0.01 * rng.normal(size=(16, 11))
    crossing = locate(Curves(scores, ["up"] * 8 + ["down"] * 8, steps), rng=0).crossing
    assert crossing is not None
    assert crossing.step == pytest.approx(45, abs=1)
    assert crossing.interval == Interval(40, 50)
    assert (crossing.leads_before, crossing.leads_after) == ("down", "up")
    losses = Curves(scores, ["up"] * 8 + ["down"] * 8, steps, higher_is_better=False)
    other = locate(losses, rng=0).crossing
    assert other is not None
    assert other.leads_before == "up"


def test_curves_that_do_not_cross_have_no_crossing() -> None:
    curves = some_curves(0, (6, 6), 8)
    lifted = curves.scores + 9.0 * (curves.codes == 0)[:, None]
    assert locate(Curves(lifted, curves.labels), windows=False).crossing is None


# --- shuffling until it is settled -----------------------------------------------------

QUICK: dict[str, Any] = {"windows": False, "n_resamples": 0, "exact": False}


@contextmanager
def capped(most: int) -> Iterator[None]:
    """Let "auto" and "precise" give up early, inside the with block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(method, "MAX_SHUFFLES", most)
        yield


def test_auto_decides_as_all_relabellings_would() -> None:
    """Whether any step differs, by either effect."""
    verdicts = set()
    for seed in range(12):
        curves = with_regions(seed, (5, 5), 6, 1.0 + seed % 3)
        exact = locate(curves, windows=False, n_resamples=0)
        with capped(2**15):
            auto = locate(curves, n_shuffles="auto", rng=seed, **QUICK)
        if auto.n_shuffles == 2**15:
            continue  # too close to call
        for name, effect in auto.effects.items():
            found = bool(effect.regions)
            assert found == bool(exact.effects[name].regions)
            verdicts.add(found)
    assert verdicts == {True, False}


def test_precise_waits_for_a_hundred_at_the_clearest_step_of_either_effect() -> None:
    curves = with_regions(1, (8, 8), 6, 0.6)
    found = locate(curves, n_shuffles="precise", rng=0, **QUICK)
    smallest = [effect.pvalue_adjusted.min() for effect in found.effects.values()]
    assert min(smallest) * (found.n_shuffles + 1) - 1 >= 100 - 1e-6
    assert found.n_shuffles >= FIRST_LOOK


@pytest.mark.parametrize("rule", ["auto", "precise"])
def test_a_single_step_settles_without_a_shape(rule: Any) -> None:
    found = locate(some_curves(2, (8, 8), 1), n_shuffles=rule, rng=0, **QUICK)
    assert found.n_shuffles == FIRST_LOOK


def test_shuffling_gives_up_at_the_most() -> None:
    curves = with_regions(1, (12, 12), 6, 9.0)
    assert method.MAX_SHUFFLES == 2**17
    with capped(2**15):
        found = locate(curves, n_shuffles="precise", rng=0, **QUICK)
    assert found.n_shuffles == 2**15
    assert locate(some_curves(0, (5, 5)), n_shuffles="auto", n_resamples=0).exact


@pytest.mark.parametrize("n_trials", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_stopping_early_raises_no_false_alarms(n_trials: int) -> None:
    alarms = 0
    with capped(2**15):
        for stream in np.random.default_rng(2).spawn(n_trials):
            curves = Curves(autoregressive(stream, 18, 5), np.repeat(list("ABC"), 6))
            found = locate(curves, n_shuffles="auto", rng=stream, alpha=0.2, **QUICK)
            alarms += bool(found.regions)
    assert alarms <= stats.binom.isf(1e-4, n_trials, 0.2)


def test_progress_is_reported_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        locate(some_curves(0, (8, 8)), n_shuffles=9_999, rng=0, **QUICK)
    assert seen == [(done, 10) for done in range(1, 11)]


# --- what is refused -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message", "flag"),
    [
        (
            {"adjust": "holm"},
            "adjust must be 'max-f' or 'step-down', not 'holm'.",
            ("adjust", "--adjust"),
        ),
        (
            {"cluster_threshold": -1},
            "cluster_threshold must be a positive F, not -1.",
            ("cluster_threshold", "--cluster-threshold"),
        ),
        (
            {"cluster_threshold": 10**400},
            "cluster_threshold must be a positive F, not an integer of more than 40 digits.",
            ("cluster_threshold", "--cluster-threshold"),
        ),
        (
            {"cluster_threshold": np.inf},
            "cluster_threshold must be a positive F, not inf.",
            ("cluster_threshold", "--cluster-threshold"),
        ),
        (
            {"n_resamples": -1},
            ("n_resamples must be an integer of 99 or more, or 0 for no intervals, not -1."),
            ("n_resamples", "--resamples"),
        ),
        (
            {"alpha": 1},
            "alpha must lie between 0 and 1, such as 0.05; it is 1.",
            ("alpha", "--alpha"),
        ),
        (
            {"exact": True},
            (
                "There are 68,923,264,410 relabellings, more than can be visited one by "
                "one. Sample them instead: exact=False."
            ),
            ("exact=False", "--sampled"),
        ),
    ],
)
def test_options_that_cannot_be_used_are_refused(
    options: dict[str, Any], message: str, flag: tuple[str, str]
) -> None:
    curves = Curves(autoregressive(np.random.default_rng(0), 40, 5), ["A"] * 20 + ["B"] * 20)
    with pytest.raises(OptionError) as refused:
        locate(curves, **options)
    assert str(refused.value) == message
    assert refused.value.option == next(iter(options))
    with naming_flags(), pytest.raises(OptionError) as refused:
        locate(curves, **options)
    assert str(refused.value) == message.replace(*flag, 1)


def test_what_cannot_be_located_is_refused() -> None:
    with pytest.raises(OptionError, match=r"^locate\(\) takes Curves, not a list"):
        locate([1, 2])  # type: ignore[arg-type]
    with pytest.raises(CurvesError, match="at least two algorithms"):
        locate(some_curves(0).select("A"))
    with pytest.raises(CurvesError, match="All runs have the same curve"):
        locate(Curves([[1, 2, 3]] * 4, list("AABB")))
