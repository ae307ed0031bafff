"""Comparing means where spreads may differ: compare(…, spread="unequal")."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats
from tests.kernels.anova.test_welch import by_definition
from typer.testing import CliRunner

from curvewise import Curves, CurvewiseError, compare, describe
from curvewise.cli import app
from curvewise.questions.compare import unequal_spread as spreads
from tests.simulation import autoregressive, some_curves
from tests.textbook import all_relabellings

if TYPE_CHECKING:
    from pathlib import Path

    from curvewise import Comparison

NAMES = ("overall", "algorithm", "interaction")


def unequal(curves: Curves, **options: Any) -> Comparison:
    return compare(curves, spread="unequal", **options)


def wide_and_narrow(seed: int, sizes: tuple[int, ...], n_steps: int = 5) -> Curves:
    scores = autoregressive(np.random.default_rng(seed), sum(sizes), n_steps)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return Curves(
        scores / (1 + 3.0 * codes)[:, None], np.array(list("ABCD"))[codes.tolist()]
    )


def effects(found: Comparison) -> list[tuple[float, float, int]]:
    return [
        (effect.statistic, effect.pvalue, effect.n_extreme)
        for effect in found.effects["split"].values()
    ]


@pytest.mark.parametrize("sizes", [(3, 5), (4, 4), (2, 3, 3), (2, 2, 4)])
def test_p_is_that_of_visiting_every_relabelling(sizes: tuple[int, ...]) -> None:
    curves = wide_and_narrow(2, sizes)
    heights = curves.scores.mean(axis=1, keepdims=True)
    projections = [curves.scores, heights, curves.scores - heights]
    found = unequal(curves, exact=True)
    for name, vectors in zip(NAMES, projections, strict=True):
        pvalues = []
        for labels in all_relabellings(sizes):
            statistic, df = by_definition(vectors, labels)
            pvalues.append(stats.f.sf(statistic, *df))
        observed, df = by_definition(vectors, curves.codes)
        limit = stats.f.sf(observed, *df) * (1 + 1e-7)
        effect = found.effects["split"][name]
        assert effect.statistic == pytest.approx(observed)
        assert effect.df == pytest.approx(df)
        assert effect.pvalue == pytest.approx(np.mean(np.array(pvalues) <= limit))


def test_height_is_welchs_test() -> None:
    curves = wide_and_narrow(0, (5, 9))
    found = unequal(curves).algorithm
    a, b = (curves.scores[curves.codes == code].mean(axis=1) for code in (0, 1))
    expected = stats.ttest_ind(a, b, equal_var=False)
    assert found.statistic == pytest.approx(expected.statistic**2)
    assert found.df == pytest.approx((1, expected.df))
    assert found.pvalue_parametric == pytest.approx(expected.pvalue)


def test_nothing_changes_with_order_names_units_and_offset() -> None:
    curves = wide_and_narrow(1, (4, 5, 3))
    expected = effects(unequal(curves, rng=1, exact=False, n_shuffles=300))
    order = np.random.default_rng(0).permutation(curves.n_runs)
    names = {"A": "x", "B": "y", "C": "z"}
    renamed = [names[label] for label in curves.labels[order]]
    moved = Curves(curves.scores[order] * 4 + 8, renamed)
    found = effects(unequal(moved, rng=1, exact=False, n_shuffles=300))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_height_does_not_depend_on_shape_nor_shape_on_height() -> None:
    curves = wide_and_narrow(3, (4, 6))
    found = unequal(curves)
    bent = curves.scores + np.outer(np.arange(10) ** 2, [-2, -1, 0, 1, 2])
    lifted = curves.scores + np.arange(10)[:, None] ** 2
    assert unequal(Curves(bent, curves.labels)).algorithm.statistic == pytest.approx(
        found.algorithm.statistic
    )
    shape, same = found.interaction, unequal(Curves(lifted, curves.labels)).interaction
    assert shape is not None
    assert same is not None
    assert same.statistic == pytest.approx(shape.statistic)
    assert same.pvalue == shape.pvalue


def test_the_number_of_jobs_changes_no_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = wide_and_narrow(4, (6, 9))
    one = unequal(curves, rng=5, exact=False, n_shuffles=9_000)
    monkeypatch.setattr(spreads, "CHUNK", 2)
    two = unequal(curves, rng=5, exact=False, n_shuffles=9_000, n_jobs=2)
    assert one.to_dict() == two.to_dict()
    for name in NAMES:
        np.testing.assert_array_equal(
            one.effects["split"][name].null_distribution,
            two.effects["split"][name].null_distribution,
        )


def test_sampling_comes_near_the_exact_p(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = wide_and_narrow(5, (6, 8))
    exact = unequal(curves)
    sampled = unequal(curves, exact=False, n_shuffles=20_000, rng=1)
    assert exact.exact
    assert not sampled.exact
    for name in NAMES:
        true, near = exact.effects["split"][name], sampled.effects["split"][name]
        assert abs(near.pvalue - true.pvalue) < 5 * near.pvalue_error + 1e-4
        assert near.critical_value == pytest.approx(true.critical_value, rel=0.1)
    # What is counted does not depend on how much of it is kept.
    monkeypatch.setattr(spreads, "CHEAP", 0)
    monkeypatch.setattr(spreads, "MOST_KEPT", 2)
    partly = unequal(curves)
    assert effects(partly) == effects(exact)
    assert len(partly.algorithm.null_distribution) == 2_048
    again = unequal(curves, exact=False, n_shuffles=20_000, rng=1)
    assert effects(again) == effects(sampled)


def test_an_f_above_the_critical_value_is_significant() -> None:
    for seed in range(20):
        for effect in unequal(wide_and_narrow(seed, (3, 6))).effects["split"].values():
            at_least = np.mean(effect.null_distribution >= effect.statistic)
            assert at_least == pytest.approx(effect.pvalue)
            assert effect.significant == (effect.statistic > effect.critical_value)


def test_ties_count() -> None:
    scores = np.array([[0.1, 0.3]] * 3 + [[0.1, 0.3], [0.2, 0.3], [0.1, 0.2], [0.3, 0.3]])
    decimals = unequal(Curves(scores, list("AAABBBB")))
    whole = unequal(Curves(np.round(10 * scores), list("AAABBBB")))
    assert [p for _, p, _ in effects(decimals)] == [p for _, p, _ in effects(whole)]


@pytest.mark.parametrize(
    ("scores", "labels", "p"),
    [
        ([[0, 0]] * 4 + [[1, 1]] * 4, "AAAABBBB", 1 / 35),
        ([[0, 0]] * 3 + [[1, 1]] * 3 + [[2, 3], [4, 5], [3, 3]], "AAABBBCCC", 1 / 280),
        ([[0, 0]] * 4 + [[1, 1], [2, 3], [1, 2], [5, 1]], "AAAABBBB", 1 / 35),
    ],
)
def test_algorithms_without_spread_have_a_p(
    scores: list[list[float]], labels: str, p: float
) -> None:
    found = unequal(Curves(np.array(scores, dtype=float), list(labels)))
    assert found.algorithm.pvalue == pytest.approx(p)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["spread"] == "unequal"
    for effect in found.effects["split"].values():
        assert 0 < effect.pvalue <= 1
        assert not np.isnan(effect.null_distribution).any()
        assert not np.isnan(effect.critical_value)


def test_a_single_step_has_no_shape() -> None:
    found = unequal(wide_and_narrow(1, (4, 6), n_steps=1))
    assert found.interaction is None
    assert found.overall.pvalue == found.algorithm.pvalue


def test_zero_is_outside_the_interval_exactly_when_height_differs() -> None:
    seen = set()
    for seed in range(30):
        curves = wide_and_narrow(seed, (4, 6))
        curves = Curves(curves.scores + 0.8 * (curves.codes == 0)[:, None], curves.labels)
        found = unequal(curves)
        assert found.difference is not None
        low, high = found.difference.interval
        assert (low > 0 or high < 0) == found.algorithm.significant
        middle = (low + high) / 2
        assert middle == pytest.approx(found.difference.value)
        seen.add(found.algorithm.significant)
    assert seen == {True, False}


def test_too_few_relabellings_leave_the_interval_open() -> None:
    difference = unequal(wide_and_narrow(0, (3, 3))).difference
    assert difference is not None
    assert difference.interval == (-np.inf, np.inf)


REFUSALS: list[tuple[Curves, dict[str, Any], str]] = [
    (some_curves(0, (1, 5)), {}, "'A' has a single run, so its spread is unknown"),
    (
        some_curves(0, (4, 4), blocks=[0, 1, 2, 3] * 2),
        {},
        "cannot be allowed for within blocks.*Leave spread out to shuffle within blocks",
    ),
    (some_curves(0), {"error": "pooled"}, "split error term only.*Leave out error="),
    (some_curves(0), {"n_shuffles": "auto"}, "needs a number of shuffles.*not 'auto'"),
    (some_curves(0), {"n_shuffles": "precise"}, "a number of shuffles.*not 'precise'"),
    (some_curves(0), {"checkpoint": "file"}, "keeps no checkpoint"),
    (some_curves(0), {"spread": "unequel"}, "No spread is called.*mean 'unequal'"),
    (some_curves(0, (15, 15)), {"exact": True}, "77,558,760 relabellings, more than"),
]


@pytest.mark.parametrize(("curves", "options", "message"), REFUSALS)
def test_refusals_say_what_to_do(
    curves: Curves, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(CurvewiseError, match=message):
        compare(curves, **{"spread": "unequal", **options})


def test_every_print_says_so() -> None:
    curves = wide_and_narrow(0, (4, 6))
    found = unequal(curves)
    assert "allowing for unequal spread (Welch-type F)" in describe(found)
    assert "the 95% interval of the difference (studentised) is" in describe(found)
    assert "F and p allow for unequal spread" in str(found.table)
    assert found.to_dict()["spread"] == "unequal"
    assert list(found.to_dict()["effects"]) == ["split"]
    assert found.table["algorithm"].pvalue_parametric == found.algorithm.pvalue_parametric
    plain = compare(curves)
    assert plain.spread == plain.to_dict()["spread"] == "equal"
    assert "spread" not in describe(plain) + str(plain.table)


def test_the_command_takes_it(tmp_path: Path) -> None:
    curves = wide_and_narrow(0, (4, 6))
    rows = [
        f"{label},{run},{step},{score}"
        for run, (label, scores) in enumerate(
            zip(curves.labels, curves.scores, strict=True)
        )
        for step, score in enumerate(scores.tolist())
    ]
    file = tmp_path / "runs.csv"
    file.write_text("\n".join(["agent,run,step,score", *rows]))
    result = CliRunner().invoke(
        app, ["compare", str(file), "--spread", "unequal", "--json"]
    )
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["spread"] == "unequal"
    assert record["algorithm"]["pvalue"] == unequal(curves).algorithm.pvalue


def advice(curves: Curves, **options: Any) -> list[str]:
    return [w for w in compare(curves, **options).warnings if "varies more" in w]


def test_advice_says_in_which_direction_the_test_errs() -> None:
    few, many = wide_and_narrow(0, (5, 12)), wide_and_narrow(0, (12, 5))
    many = Curves(many.scores * np.where(many.codes == 0, 3, 0.5)[:, None], many.labels)
    few = Curves(few.scores * np.where(few.codes == 0, 3, 0.5)[:, None], few.labels)
    (wolf,), (missed,) = advice(few), advice(many)
    assert "A varies more from run to run than B (SD of runs " in wolf
    assert "has fewer runs (5 against 12): differences are then found too often" in wolf
    assert "has more runs (12 against 5): differences that are there" in missed
    assert 'use spread="unequal" (--spread unequal).' in wolf
    assert not advice(few, spread="unequal")


def test_no_advice_with_equally_many_runs_or_within_blocks() -> None:
    assert not advice(wide_and_narrow(0, (8, 8)))
    curves = wide_and_narrow(0, (4, 8))
    assert not advice(Curves(curves.scores, curves.labels, blocks=[0, 1] * 6))


def test_advice_is_given_for_the_worst_pair() -> None:
    curves = wide_and_narrow(1, (5, 6, 12))
    scales = np.array([20.0, 1.0, 1.0])[curves.codes]
    (text,) = advice(
        Curves(curves.scores * scales[:, None], curves.labels),
        exact=False,
        n_shuffles=99,
    )
    assert text.startswith("A varies more from run to run than C")


@pytest.mark.parametrize("sizes", [(4, 9), (9, 20)])
def test_advice_where_an_algorithm_does_not_vary_at_all(sizes: tuple[int, int]) -> None:
    curves = some_curves(0, sizes)
    steady = np.where((curves.codes == 0)[:, None], curves.scores, 0.25)
    (text,) = advice(Curves(steady, curves.labels), exact=False, n_shuffles=99)
    assert "against 0)" in text


def test_allowing_for_few_runs_is_said_to_be_approximate() -> None:
    text = " ".join(unequal(wide_and_narrow(0, (5, 12))).warnings)
    assert "With 5 runs of an algorithm the Welch-type test is approximate" in text
    assert not unequal(wide_and_narrow(0, (10, 12)), n_shuffles=99).warnings


def test_comparing_needs_scipy_only_where_spreads_may_matter() -> None:
    code = (
        "import sys, numpy as np, curvewise as cw\n"
        "scores = np.random.default_rng(0).normal(size=(17, 5))\n"
        "cw.compare(cw.Curves(scores, list('A' * 8 + 'B' * 9)))\n"
        "print('scipy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
