from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, OptionError
from curvewise.inference.caveats import TooFewRuns
from curvewise.questions.contrast.ask import contrast, contrast_many
from curvewise.questions.contrast.result import TooManyContrasts
from curvewise.shuffling.visit import FIRST_LOOK, Limits
from tests.questions.resuming import check_refuses, check_resumes, digits, progress_of
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path

AB: dict[str, float] = {"A": 1, "B": -1}
ABC: dict[str, float] = {"A": 1, "B": -0.5, "C": -0.5}
BC: dict[str, float] = {"B": 1, "C": -1}
FAMILY: dict[str, dict[str, float]] = {"A - B": AB, "A - BC": ABC, "B - C": {"B": 1, "C": -1}}


@pytest.mark.parametrize("adjust", ["holm", "bonferroni", "max-t"])
def test_a_family_has_the_p_of_each_and_adjusts_them(adjust: Any) -> None:
    curves = some_curves(4, (6, 6, 6))
    found = contrast_many(curves, FAMILY, adjust=adjust, rng=2)
    assert list(found) == list(FAMILY)
    assert len(found) == 3
    alone = contrast(curves, AB)
    assert found["A - B"].pvalue == alone.pvalue
    ps = np.array([each.pvalue for each in found.values()])
    adjusted = np.array([each.pvalue_adjusted for each in found.values()])
    if adjust == "bonferroni":
        np.testing.assert_allclose(adjusted, np.minimum(3 * ps, 1))
    if adjust == "holm":
        assert adjusted[np.argmin(ps)] == pytest.approx(min(1, 3 * ps.min()))
    again = contrast_many(curves, FAMILY, adjust=adjust, rng=2)
    assert found.to_dict() == again.to_dict()
    assert set(found.significant()) <= set(FAMILY)


def test_max_t_of_all_pairs_is_near_that_of_tukey() -> None:
    rng = np.random.default_rng(11)
    scores = rng.normal(size=(40, 1)) + 0.8 * np.repeat([0, 0, 1, 2], 10)[:, None]
    curves = Curves(scores, np.repeat(list("ABCD"), 10))
    pairs = [(a, b) for i, a in enumerate("ABCD") for b in "ABCD"[i + 1 :]]
    family = {f"{a} - {b}": {a: 1, b: -1} for a, b in pairs}
    found = contrast_many(curves, family, adjust="max-t", rng=0)
    tukey = stats.tukey_hsd(*(scores[curves.codes == code, 0] for code in range(4)))
    expected = [tukey.pvalue["ABCD".index(a), "ABCD".index(b)] for a, b in pairs]
    adjusted = [each.pvalue_adjusted or math.nan for each in found.values()]
    np.testing.assert_allclose(adjusted, expected, atol=0.03)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_max_t_against_one_control_is_near_that_of_dunnett(alternative: str) -> None:
    rng = np.random.default_rng(12)
    scores = rng.normal(size=(40, 1)) + 0.5 * np.repeat([0, 0, 1, 2], 10)[:, None]
    curves = Curves(scores, np.repeat(list("ABCD"), 10))
    family = {name: {name: 1, "A": -1} for name in "BCD"}
    found = contrast_many(curves, family, adjust="max-t", alternative=alternative, rng=0)  # type: ignore[arg-type]
    groups = [scores[curves.codes == code, 0] for code in range(4)]
    # Without a seed: its name is not the same in all versions, and digits differ by .001.
    dunnett = stats.dunnett(  # type: ignore[call-overload]
        *groups[1:], control=groups[0], alternative=alternative
    )
    adjusted = [each.pvalue_adjusted or math.nan for each in found.values()]
    np.testing.assert_allclose(adjusted, dunnett.pvalue, atol=0.03)


def test_each_member_is_the_contrast_alone_with_the_family_seed() -> None:
    """Members share their shuffles, which depend on the seed of the family."""
    curves = some_curves(4, (6, 6, 6))
    found = contrast_many(curves, FAMILY, rng=2, exact=False, n_shuffles=999)
    again = contrast_many(curves, {"A - B": AB}, rng=2, exact=False, n_shuffles=999)
    assert again["A - B"].pvalue == found["A - B"].pvalue
    assert {own.seed for own in found.values()} == {found.seed} == {2}
    exact = contrast_many(curves, {"A - B": AB, "B - C": BC}, rng=2)
    assert [own.seed for own in exact.values()] == [None, None]
    assert exact["B - C"].to_dict() == {
        **contrast(curves, BC).to_dict(),
        "pvalue_adjusted": exact["B - C"].pvalue_adjusted,
        "interval": list(exact["B - C"].interval),
        "confidence": exact["B - C"].confidence,
    }


@pytest.mark.parametrize("adjust", ["holm", "bonferroni", "max-t"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_intervals_hold_zero_exactly_where_adjusted_p_is_above_alpha(
    adjust: Any, alternative: Any
) -> None:
    n_significant = 0
    for seed in range(12):
        curves = some_curves(seed, (6, 5, 6))
        lift = 1.5 * (seed % 4) * (-1) ** (seed // 4)
        scores = curves.scores + lift * (curves.codes == 0)[:, None]
        found = contrast_many(
            Curves(scores, curves.labels),
            FAMILY,
            adjust=adjust,
            alternative=alternative,
            n_shuffles=999,
            rng=seed,
        )
        for own in found.values():
            low, high = own.interval
            assert own.significant == (not low <= 0 <= high)
            assert low <= own.value <= high
            assert (own.pvalue_adjusted or 0) >= own.pvalue or own.approximate
            n_significant += own.significant
    assert n_significant > 0


def test_an_interval_is_that_of_the_contrast_alone_at_the_level_of_the_family() -> None:
    curves = some_curves(4, (6, 6, 6))
    found = contrast_many(curves, {"A - B": AB, "B - C": BC}, adjust="bonferroni")
    for own, coefficients in zip(found.values(), (AB, BC), strict=True):
        assert own.confidence == pytest.approx(0.975)
        alone = contrast(curves, coefficients, alpha=0.05 / 2)
        np.testing.assert_allclose(own.interval, alone.interval)


def test_no_adjusted_p_can_be_small_enough() -> None:
    curves = some_curves(0, (4, 4, 4))
    asked = {"x": AB, "y": BC}
    found = contrast_many(curves, asked)
    assert found.caveats == (TooManyContrasts(2, 2 / 35, 0.05),)
    assert found.warnings == (
        (
            "The smallest p possible, adjusted for 2 contrasts, is 0.0571, which is above alpha "
            '= 0.05: nothing can be significant. Use more runs, or adjust="max-t".'
        ),
    )
    assert not contrast_many(curves, asked, adjust="max-t").caveats


def test_caveats_of_members_are_given_once() -> None:
    """Two of the contrasts have too few runs, the third has more relabellings."""
    found = contrast_many(some_curves(0, (3, 3, 3)), {"x": AB, "y": BC, "z": ABC})
    assert [own.caveats for own in found.values()] == [found.caveats] * 2 + [()]
    assert found.caveats == (TooFewRuns((3, 3), 0.1, 0.05, 4),)


def test_what_means_nothing_is_refused_with_the_name_of_the_contrast() -> None:
    curves = some_curves(0, (4, 4, 4))
    nothing: list[Any] = [{}, None, [AB]]
    for given in nothing:
        with pytest.raises(OptionError, match="mapping from names to contrasts"):
            contrast_many(curves, given)
    with pytest.raises(OptionError, match=r"adjust must be .* or 'max-t', not 'tukey'"):
        contrast_many(curves, {"x": AB}, adjust="tukey")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="y: The coefficients of a contrast sum to 0"):
        contrast_many(curves, {"x": AB, "y": {"A": 1}})
    with pytest.raises(OptionError, match="y: Coefficients are a mapping"):
        contrast_many(curves, {"x": AB, "y": [1, -1]})  # type: ignore[dict-item]
    with pytest.raises(OptionError, match="more than two algorithms has no exact test"):
        contrast_many(curves, FAMILY, exact=True)


CURVES = some_curves(4, (6, 6, 6))


def ask(adjust: str, **options: Any) -> Any:
    given = {"n_shuffles": 4_999, "exact": False, "rng": 3}
    return partial(contrast_many, CURVES, FAMILY, adjust=adjust, **{**given, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize("adjust", ["holm", "max-t"])
def test_interrupted_work_goes_on_with_the_same_digits(
    adjust: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_resumes(ask(adjust), tmp_path / "work", monkeypatch)


@pytest.mark.parametrize("adjust", ["holm", "max-t"])
def test_the_checkpoint_of_another_family_is_refused(adjust: str, tmp_path: Path) -> None:
    scores, labels = CURVES.scores, CURVES.labels
    few = {"n_shuffles": 99, "weights": "trend"}
    asked: Any = ask(adjust, **few)

    def of(**options: Any) -> Any:
        return ask(adjust, **{**few, **options})

    def on(curves: Curves, family: Any = FAMILY) -> Any:
        return partial(contrast_many, curves, family, **asked.keywords)

    turned = dict(reversed(FAMILY.items()))
    check_refuses(
        asked,
        {
            "scores": on(Curves(scores + np.eye(18, 6), labels)),
            "labels": on(Curves(scores, labels[::-1])),
            "steps": on(Curves(scores, labels, [0, 1, 2, 3, 4, 50])),
            "blocks": on(Curves(scores, labels, blocks=[0, 1, 2] * 6)),
            "precision": on(Curves(scores, labels, precision=1e-3)),
            "order of the contrasts": on(CURVES, turned),
            "fewer contrasts": on(CURVES, {"A - B": AB}),
            "a coefficient": on(CURVES, {**FAMILY, "B - C": {"A": 1, "C": -1}}),
            "weights": of(weights="area"),
            "array of weights": of(weights=np.arange(6)),
            "alternative": of(alternative="less"),
            "adjust": ask("bonferroni", **few),
            "alpha": of(alpha=0.1),
            "n_shuffles": of(n_shuffles=98),
            "rng": of(rng=4),
            "question": partial(contrast, CURVES, AB, weights="trend", rng=3),
        },
        tmp_path / "work",
    )


def test_long_arrays_of_weights_are_told_apart(tmp_path: Path) -> None:
    """Of a long array NumPy shows only the ends."""
    curves = some_curves(0, (3, 3), n_steps=1_500)
    first, second = np.ones(1_500), np.ones(1_500)
    second[700] = 9
    options: dict[str, Any] = {"n_shuffles": 9, "rng": 0}
    check_refuses(
        partial(contrast_many, curves, {"x": AB}, weights=first, **options),
        {"weights": partial(contrast_many, curves, {"x": AB}, weights=second, **options)},
        tmp_path / "work",
    )


@pytest.mark.parametrize("adjust", ["holm", "max-t"])
def test_jobs_change_no_digit(adjust: str) -> None:
    assert digits(ask(adjust, n_jobs=2)()) == digits(ask(adjust)())


def test_progress_is_reported_by_contrast_and_then_of_max_t() -> None:
    assert progress_of(ask("holm")) == [[(1, 3), (2, 3), (3, 3)]]
    contrasts, largest = progress_of(ask("max-t"))
    assert contrasts == [(1, 3), (2, 3), (3, 3)]
    assert largest == [(4, 5), (5, 5)]  # batches of 1,024


@pytest.mark.parametrize("adjust", ["holm", "max-t"])
def test_auto_stops_where_the_verdict_is_settled(adjust: str) -> None:
    scores = CURVES.scores + 9.0 * (CURVES.codes == 0)[:, None]
    options: dict[str, Any] = {"adjust": adjust, "exact": False, "rng": 3}
    clear = partial(contrast_many, Curves(scores, CURVES.labels), FAMILY, **options)
    auto, fixed = clear(n_shuffles="auto"), clear(n_shuffles=FIRST_LOOK)
    assert {own.n_shuffles for own in auto.values()} == {FIRST_LOOK}
    assert digits(auto) == digits(fixed)


@pytest.mark.parametrize("rule", ["auto", "precise"])
def test_max_t_goes_on_to_its_limit(rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A p that lies at alpha is never settled, and one without an extreme never precise."""
    scores = CURVES.scores + 99.0 * (CURVES.codes == 0)[:, None]
    curves = Curves(scores, CURVES.labels)
    options: dict[str, Any] = {"adjust": "max-t", "rng": 3}
    alpha = 0.05
    if rule == "auto":
        found = contrast_many(curves, FAMILY, n_shuffles=2**15, **options)
        alpha = found["B - C"].pvalue_adjusted or 0.0
    monkeypatch.setattr("curvewise.questions.contrast.ask.MAX_SHUFFLES", 2**15)
    monkeypatch.setattr("curvewise.questions.contrast.ask.LIMITS", Limits(shuffles=2**15))
    ruled = contrast_many(curves, FAMILY, alpha=alpha, n_shuffles=rule, **options)
    most = contrast_many(curves, FAMILY, alpha=alpha, n_shuffles=2**15, **options)
    assert [own.pvalue_adjusted for own in ruled.values()] == [
        own.pvalue_adjusted for own in most.values()
    ]
    assert ruled["A - BC"].pvalue_adjusted == 1 / (1 + 2**15)
