"""Comparing means where spreads may differ: compare(…, spread="unequal")."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, CurvewiseError, compare, describe
from curvewise.kernels.relabel import BATCH
from curvewise.questions.compare import method
from curvewise.questions.compare.method import WELCH_LIMITS, WelchStatistic
from curvewise.shuffling.visit import FIRST_LOOK, Statistic, reporting_progress
from curvewise.text import naming_flags
from tests.kernels.anova.test_welch import by_definition
from tests.shuffling.statistics import statistic_of
from tests.simulation import autoregressive, some_curves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise import Comparison

NAMES = ("overall", "algorithm", "interaction")


def unequal(curves: Curves, **options: Any) -> Comparison:
    return compare(curves, spread="unequal", **options)


def wide_and_narrow(seed: int, sizes: tuple[int, ...], n_steps: int = 5) -> Curves:
    scores = autoregressive(np.random.default_rng(seed), sum(sizes), n_steps)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return Curves(scores / (1 + 3.0 * codes)[:, None], np.array(list("ABCD"))[codes.tolist()])


def effects(found: Comparison) -> list[tuple[float, float, int]]:
    return [
        (effect.statistic, effect.pvalue, effect.n_extreme)
        for effect in found.effects["split"].values()
    ]


@pytest.mark.parametrize("sizes", [(3, 5), (4, 4), (2, 3, 3)])
def test_statistics_are_what_the_formulas_say(sizes: tuple[int, ...]) -> None:
    curves = wide_and_narrow(2, sizes)
    heights = curves.scores.mean(axis=1, keepdims=True)
    projections = [curves.scores, heights, curves.scores - heights]
    found = unequal(curves, n_shuffles=99)
    for name, vectors in zip(NAMES, projections, strict=True):
        statistic, df = by_definition(vectors, curves.codes)
        effect = found.effects["split"][name]
        assert effect.statistic == pytest.approx(statistic)
        assert effect.df == pytest.approx(df)


def test_p_of_two_heights_of_many_runs_is_that_of_welchs_t() -> None:
    """With many runs nothing is left to allow for, and the draws must agree with theory."""
    for seed in range(4):
        curves = wide_and_narrow(seed, (60, 40))
        found = unequal(curves, rng=seed).algorithm
        near = 5 * found.pvalue_error + 0.01
        assert abs(found.pvalue - found.pvalue_parametric) < near


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
    expected = effects(unequal(curves, rng=1, n_shuffles=300))
    order = np.random.default_rng(0).permutation(curves.n_runs)
    names = {"A": "x", "B": "y", "C": "z"}
    renamed = [names[label] for label in curves.labels[order]]
    moved = Curves(curves.scores[order] * 4 + 8, renamed)
    found = effects(unequal(moved, rng=1, n_shuffles=300))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_height_does_not_depend_on_shape_nor_shape_on_height() -> None:
    curves = wide_and_narrow(3, (4, 6))
    found = unequal(curves, rng=0)
    bent = curves.scores + np.outer(np.arange(10) ** 2, [-2, -1, 0, 1, 2])
    lifted = curves.scores + np.arange(10)[:, None] ** 2
    assert unequal(Curves(bent, curves.labels)).algorithm.statistic == pytest.approx(
        found.algorithm.statistic
    )
    same = unequal(Curves(lifted, curves.labels), rng=0).interaction
    shape = found.interaction
    assert shape is not None
    assert same is not None
    assert same.statistic == pytest.approx(shape.statistic)
    # Lifted runs stand in another order, so they get other draws.
    assert abs(same.pvalue - shape.pvalue) < 5 * math.sqrt(2) * shape.pvalue_error


def test_the_number_of_jobs_changes_no_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = wide_and_narrow(4, (6, 9))
    one = unequal(curves, rng=5, n_shuffles=9_000)
    monkeypatch.setattr(WelchStatistic, "chunk", 2)
    two = unequal(curves, rng=5, n_shuffles=9_000, n_jobs=2)
    assert one.to_dict() == two.to_dict()
    for name in NAMES:
        np.testing.assert_array_equal(
            one.effects["split"][name].null_distribution,
            two.effects["split"][name].null_distribution,
        )


def test_what_is_counted_does_not_depend_on_how_much_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    curves = wide_and_narrow(5, (6, 8))
    whole = unequal(curves, n_shuffles=9_000, rng=1)
    assert not whole.exact
    monkeypatch.setattr(Statistic, "n_kept", 2)
    partly = unequal(curves, n_shuffles=9_000, rng=1)
    assert effects(partly) == effects(whole)
    assert len(partly.algorithm.null_distribution) == 2_048


def test_p_is_the_share_of_draws_at_least_as_extreme() -> None:
    for seed in range(10):
        found = unequal(wide_and_narrow(seed, (3, 6)), rng=seed, n_shuffles=999)
        for effect in found.effects["split"].values():
            at_least = int(np.sum(effect.null_distribution >= effect.statistic))
            assert at_least == effect.n_extreme
            assert effect.pvalue == (1 + at_least) / 1_000


@pytest.mark.parametrize(
    ("scores", "labels", "differ"),
    [
        ([[0, 0]] * 4 + [[1, 1]] * 4, "AAAABBBB", True),
        ([[0, 0]] * 3 + [[1, 1]] * 3 + [[2, 3], [4, 5], [3, 3]], "AAABBBCCC", True),
        ([[0, 0]] * 4 + [[1, 1], [-2, -3], [1, 2], [-1, 1]], "AAAABBBB", False),
    ],
)
def test_algorithms_without_spread_have_a_p(
    scores: list[list[float]], labels: str, differ: bool
) -> None:
    found = unequal(Curves(np.array(scores, dtype=float), list(labels)), rng=0)
    assert found.algorithm.significant == differ
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["spread"] == "unequal"
    for effect in found.effects["split"].values():
        assert 0 < effect.pvalue <= 1
        assert not np.isnan(effect.null_distribution).any()
        assert not np.isnan(effect.critical_value)


def test_a_single_step_has_no_shape() -> None:
    found = unequal(wide_and_narrow(1, (4, 6), n_steps=1))
    assert found.interaction is None
    assert found.overall.pvalue == found.algorithm.pvalue


@pytest.mark.parametrize("n_shuffles", [499, 3_000])
def test_zero_is_outside_the_interval_exactly_when_height_differs(
    n_shuffles: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Statistic, "n_kept", 1)
    seen = set()
    for seed in range(30):
        curves = wide_and_narrow(seed, (4, 6))
        curves = Curves(curves.scores + 0.8 * (curves.codes == 0)[:, None], curves.labels)
        found = unequal(curves, rng=seed, n_shuffles=n_shuffles)
        assert found.difference is not None
        low, high = found.difference.interval
        assert (low > 0 or high < 0) == found.algorithm.significant
        middle = (low + high) / 2
        assert middle == pytest.approx(found.difference.value)
        seen.add(found.algorithm.significant)
    assert seen == {True, False}


def test_too_few_draws_leave_the_interval_open() -> None:
    difference = unequal(wide_and_narrow(0, (3, 3)), n_shuffles=10).difference
    assert difference is not None
    assert difference.interval == (-np.inf, np.inf)


def test_three_runs_of_each_can_be_decided() -> None:
    curves = wide_and_narrow(0, (3, 3))
    lifted = Curves(curves.scores + 99 * (curves.codes == 0)[:, None], curves.labels)
    found = unequal(lifted, rng=0)
    assert found.smallest_pvalue == 1e-4
    assert found.algorithm.significant


# --- drawing until it is settled -------------------------------------------------------


@contextmanager
def capped(most: int) -> Iterator[None]:
    """Let "auto" and "precise" give up early, inside the with block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(method, "WELCH_LIMITS", replace(WELCH_LIMITS, shuffles=most))
        yield


@pytest.mark.slow
@pytest.mark.parametrize("n_seeds", [10])
def test_auto_decides_as_many_draws_would(n_seeds: int) -> None:
    verdicts = set()
    for seed in range(n_seeds):
        curves = wide_and_narrow(seed, (5, 6))
        curves = Curves(curves.scores + 0.8 * (curves.codes == 0)[:, None], curves.labels)
        with capped(2**15):
            auto = unequal(curves, n_shuffles="auto", rng=seed)
        if auto.n_shuffles == 2**15:
            continue  # too close to call
        many = unequal(curves, n_shuffles=2**15, rng=seed + 100)
        for name, effect in auto.effects["split"].items():
            assert effect.significant == many.effects["split"][name].significant
            verdicts.add(effect.significant)
    assert verdicts == {True, False}


@pytest.mark.parametrize(("n_steps", "decide"), [(5, [7, 8, 9]), (1, [7, 8])])
def test_the_effects_that_are_reported_decide(n_steps: int, decide: list[int]) -> None:
    statistic, _ = statistic_of("Welch", wide_and_narrow(1, (4, 6), n_steps=n_steps))
    assert statistic.deciding((np.array([7, 8, 9]),)).tolist() == decide


def test_precise_waits_for_a_hundred_of_each_effect() -> None:
    found = unequal(wide_and_narrow(5, (6, 8)), n_shuffles="precise", rng=1)
    assert found.n_shuffles >= FIRST_LOOK
    for effect in found.effects["split"].values():
        assert effect.n_extreme >= 100
        assert effect.pvalue_error <= 0.1 * effect.pvalue


@pytest.mark.parametrize("rule", ["auto", "precise"])
def test_a_single_step_settles_without_a_shape(rule: str) -> None:
    curves = wide_and_narrow(1, (4, 6), n_steps=1)
    found = unequal(curves, n_shuffles=rule, rng=0)
    assert found.n_shuffles == FIRST_LOOK


def test_shuffling_gives_up_at_the_most() -> None:
    curves = wide_and_narrow(0, (8, 9))
    lifted = Curves(curves.scores + 9 * (curves.codes == 0)[:, None], curves.labels)
    with capped(2**14):
        found = unequal(lifted, n_shuffles="precise", rng=0)
    assert found.n_shuffles == 2**14
    assert WELCH_LIMITS.shuffles == 2**22


def test_progress_is_reported_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    with reporting_progress(lambda done, total: seen.append((done, total))):
        unequal(wide_and_narrow(0, (6, 8)), n_shuffles=70 * BATCH, rng=0)
    assert seen == [(64, 70), (70, 70)]


# --- what is refused and said ----------------------------------------------------------

REFUSALS: list[tuple[Curves, dict[str, Any], str]] = [
    (
        some_curves(0, (1, 5)),
        {},
        (
            "'A' has a single run, so its spread is unknown and cannot be allowed for. Add runs, "
            "leave 'A' out, or use {equal}."
        ),
    ),
    (
        some_curves(0, (4, 4), blocks=[0, 1, 2, 3] * 2),
        {},
        (
            "Unequal spread cannot be allowed for within blocks: a block holds too few runs of "
            "an algorithm to tell its spread. Use {equal} to shuffle within blocks, or leave the "
            "blocks out if runs do not really share them."
        ),
    ),
    (
        some_curves(0),
        {"error": "pooled"},
        "{unequal} needs {split}; the pooled error term assumes equal spread.",
    ),
    (
        some_curves(0),
        {"exact": True},
        "{unequal} draws tables at random and has no exact p. Leave {exact} out.",
    ),
]
SURFACES = {
    "Python": {
        "equal": 'spread="equal"',
        "unequal": 'spread="unequal"',
        "split": 'error="split"',
        "exact": "exact=True",
    },
    "command": {
        "equal": "--spread equal",
        "unequal": "--spread unequal",
        "split": "--error split",
        "exact": "--exact",
    },
}


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize(("curves", "options", "message"), REFUSALS)
def test_refusals_say_what_to_do(
    curves: Curves, options: dict[str, Any], message: str, surface: str
) -> None:
    with (
        naming_flags() if surface == "command" else nullcontext(),
        pytest.raises(CurvewiseError) as refused,
    ):
        unequal(curves, **options)
    assert str(refused.value) == message.format(**SURFACES[surface])


def test_every_print_says_so() -> None:
    curves = wide_and_narrow(0, (4, 6))
    found = unequal(curves, rng=0)
    assert "9,999 draws; split error term" in describe(found)
    assert "allowing for unequal spread (Welch-type F)" in describe(found)
    assert "the 95% interval of the difference (studentised) is" in describe(found)
    assert "F and p allow for unequal spread" in str(found.table)
    assert found.to_dict()["spread"] == "unequal"
    assert list(found.to_dict()["effects"]) == ["split"]
    assert found.table["algorithm"].pvalue_parametric == found.algorithm.pvalue_parametric
    plain = compare(curves, rng=0)
    assert plain.spread == plain.to_dict()["spread"] == "equal"
    assert "spread" not in describe(plain) + str(plain.table)


def test_comparing_needs_scipy_only_where_spreads_may_matter() -> None:
    code = (
        "import sys, numpy as np, curvewise as cw\n"
        "scores = np.random.default_rng(0).normal(size=(17, 5))\n"
        "cw.compare(cw.Curves(scores, list('A' * 8 + 'B' * 9)))\n"
        "print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
