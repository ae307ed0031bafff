"""Two outputs about one quantity never contradict each other, whatever the curves.

Random curves go through every question. Each check compares two statements about the same thing:
p and interval, one question and another, data and words.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvewise import (
    Curves,
    best,
    compare,
    compare_many,
    compare_pairs,
    contrast,
    contrast_many,
    locate,
    overview,
    transfer,
    transfer_many,
)
from tests.questions.locate.agreement import contradictions
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise.inference.result import Interval
    from curvewise.kernels import Floats

# A few shuffles are enough to contradict oneself; with more than two algorithms all are sampled.
SHUFFLES: dict[str, Any] = {"n_shuffles": 199, "rng": 0}
N_EXAMPLES = 25


def holds(interval: Interval, value: float) -> bool:
    return interval.low <= value <= interval.high


@st.composite
def curves(draw: st.DrawFn, n_algorithms: int | None = None) -> Curves:
    """Curves of any kind: equal, shifted, crossing, tied, in blocks, of single precision."""
    m = n_algorithms or draw(st.integers(2, 4))
    blocked = draw(st.booleans()) and draw(st.booleans())
    if blocked:
        n_blocks = draw(st.integers(4, 6))
        sizes = [n_blocks] * m
    else:
        sizes = [draw(st.integers(3, 6)) for _ in range(m)]
    n_steps = draw(st.sampled_from([1, 2, 6, 12]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    scores: Floats = rng.normal(size=(sum(sizes), n_steps)).cumsum(axis=1)
    codes = np.repeat(np.arange(m), sizes)
    size = draw(st.sampled_from([0.0, 1.0, 2.5, 20.0]))
    effect = {
        "shift": np.ones(n_steps),
        "crossing": np.linspace(1, -1, n_steps),
        "late": np.arange(n_steps) / n_steps,
    }[draw(st.sampled_from(["shift", "crossing", "late"]))]
    scores += size * (codes == 0)[:, None] * effect
    scores *= 1 + draw(st.sampled_from([0, 5])) * (codes == m - 1)[:, None]
    kind = draw(st.sampled_from(["as is", "tied", "single precision", "failing"]))
    if kind == "tied":
        scores = np.round(scores)
    if kind == "failing":
        scores[rng.integers(len(scores))] -= 50
    if kind == "single precision":
        scores = (scores + 1e5).astype(np.float32).astype(np.float64)
    if np.ptp(scores, axis=0).max() == 0:
        scores[0] += 1
    return Curves(
        scores.astype(np.float32) if kind == "single precision" else scores,
        np.array(list("ABCD"))[codes],
        blocks=np.tile(np.arange(sizes[0]), m).astype(str) if blocked else None,
        higher_is_better=draw(st.booleans()),
    )


@given(curves(2), st.booleans())
@settings(max_examples=N_EXAMPLES, deadline=None)
def test_two_algorithms_get_one_answer(two: Curves, exact: bool) -> None:
    """`compare`, `compare_pairs`, `best`, `contrast` and `transfer` of the same two."""
    options = {**SHUFFLES, **({} if exact else {"exact": False, "n_shuffles": 99})}
    found = compare(two, **options)
    height, difference = found.algorithm, found.difference
    assert difference is not None
    assert height.significant == (not holds(difference.interval, 0))
    assert holds(difference.interval, difference.value)
    if not exact:
        return  # each question draws shuffles of its own
    (pair,) = compare_pairs(two, **SHUFFLES)
    for name in ("overall", "algorithm", "interaction"):
        own, alone = getattr(pair, name), getattr(found, name)
        if alone is None:
            assert own is None
            continue
        assert own.pvalue == own.pvalue_adjusted == alone.pvalue
    assert pair.interval == difference.interval
    asked = contrast(two, {"A": 1, "B": -1}, **SHUFFLES)
    assert asked.pvalue == pytest.approx(height.pvalue)
    np.testing.assert_allclose(asked.interval, difference.interval, atol=1e-9, rtol=1e-9)
    who = best(two, **SHUFFLES)
    loser = who.rows[1]
    assert loser.pvalue == loser.pvalue_adjusted == pytest.approx(height.pvalue)
    assert loser.contends != height.significant
    assert loser.interval is not None
    assert loser.contends == holds(loser.interval, 0)
    gain = transfer(two, control="B", experimental="A", n_resamples=99, **SHUFFLES)
    metric = gain.average_gain
    assert metric.pvalue == pytest.approx(height.pvalue)
    assert metric.interval is not None
    np.testing.assert_allclose(metric.interval, difference.interval, atol=1e-6, rtol=1e-6)


@given(curves(2))
@settings(max_examples=N_EXAMPLES, deadline=None)
def test_metrics_of_transfer_agree_with_their_p(two: Curves) -> None:
    found = transfer(two, control="A", experimental="B", n_resamples=99, **SHUFFLES)
    for metric in found.metrics.values():
        if metric.interval is None or metric.value is None:
            continue
        assert holds(metric.interval, metric.value)
        assert metric.significant == (not holds(metric.interval, metric.no_effect))
    # Only the metric to quote is claimed.
    claimed = found.metrics[found.recommended]
    assert ("not statistically significant" in found.describe()) != claimed.significant


@given(curves())
@settings(max_examples=N_EXAMPLES, deadline=None)
def test_no_adjusted_p_is_below_its_own(many: Curves) -> None:
    for adjust in ("closed", "holm", "bonferroni", "max-t"):
        pairs = compare_pairs(many, adjust=adjust, **SHUFFLES)
        for pair in pairs:
            for name in ("overall", "algorithm", "interaction"):
                effect = getattr(pair, name)
                if effect is not None:
                    assert effect.pvalue_adjusted >= effect.pvalue
        named = {(pair.a, pair.b) for pair in pairs.significant()}
        for pair in pairs:
            shared = set(pairs.letters[pair.a]) & set(pairs.letters[pair.b])
            assert bool(shared) != ((pair.a, pair.b) in named)


@given(curves())
@settings(max_examples=N_EXAMPLES, deadline=None)
def test_the_best_is_never_ruled_out_beside_an_interval_that_holds_it(many: Curves) -> None:
    pairs = compare_pairs(many, **SHUFFLES)
    for adjust in ("closed", "bonferroni", "max-t"):
        who = best(many, adjust=adjust, **SHUFFLES)
        for row in who.rows[1:]:
            if row.interval is None or row.pvalue_adjusted is None:
                continue
            assert row.contends == holds(row.interval, 0)
            assert row.contends == (row.pvalue_adjusted > who.alpha)
            assert row.pvalue is None or row.pvalue_adjusted >= row.pvalue
        if adjust == "closed":
            # Whom pairs call different from the leader cannot be the best, but for the shuffles
            # that each draws by itself.
            named = {
                pair.b if pair.a == who.leader else pair.a
                for pair in pairs.significant("algorithm")
                if who.leader in (pair.a, pair.b)
            }
            for row in who.rows[1:]:
                if row.name in named:
                    assert row.pvalue_adjusted is not None
                    assert row.pvalue_adjusted < 0.12


@given(curves())
@settings(max_examples=N_EXAMPLES, deadline=None)
def test_contrasts_agree_with_their_intervals(many: Curves) -> None:
    names = many.algorithms
    asked = {f"{a} - {b}": {a: 1.0, b: -1.0} for a, b in pairwise(names)}
    if len(names) > 2:
        rest = {name: -1 / (len(names) - 1) for name in names[1:]}
        asked["first"] = {names[0]: 1.0, **rest}
    for adjust in ("holm", "bonferroni", "max-t"):
        family = contrast_many(many, asked, adjust=adjust, **SHUFFLES)
        for own in family.values():
            assert own.significant == (not holds(own.interval, 0))
            assert holds(own.interval, own.value)
    for coefficients in asked.values():
        alone = contrast(many, coefficients, **SHUFFLES)
        assert alone.significant == (not holds(alone.interval, 0))


@given(curves())
@settings(max_examples=N_EXAMPLES, deadline=None)
def test_where_and_who_stand_behind_the_overall_test(many: Curves) -> None:
    found = overview(many, **SHUFFLES)
    opened = found.comparison.overall.significant
    assert (found.withheld is None) == opened
    if not opened:
        assert found.location is None
        assert found.best is None
        return
    if found.location is not None:
        assert contradictions(found.location) == []
        assert (
            found.location.to_dict()
            == locate(many, windows=False, n_resamples=0, **SHUFFLES).to_dict()
        )


@given(curves())
@settings(max_examples=N_EXAMPLES, deadline=None)
def test_the_verdict_claims_what_the_numbers_say(many: Curves) -> None:
    asked: list[dict[str, Any]] = [{}, {"overall": "F"}, {"error": "pooled"}]
    for options in asked:
        found = compare(many, **options, **SHUFFLES)
        text = found.describe()
        if found.smallest_pvalue > found.alpha:
            assert "cannot be decided" in text
            continue
        assert ("No difference" in text.split(". ")[0]) != found.overall.significant
        for effect, words in ((found.algorithm, "height"), (found.interaction, "shape")):
            if effect is None or found.n_steps == 1:
                continue
            split = found.effects["split"][effect.name].significant
            claimed = found.overall.significant and effect.significant and split
            unsure = f"no difference in {words} was detected" in text
            if claimed:
                assert f" in {words}" in text
                assert not unsure
                assert "cannot be said" not in text
        if found.difference is not None:
            low, high = found.difference.interval
            assert found.algorithm.significant == (not low <= 0 <= high) or (
                found.error == "pooled"
            )


@given(st.lists(curves(2), min_size=2, max_size=4))
@settings(max_examples=10, deadline=None)
def test_families_of_tables_agree_with_their_members(tables: list[Curves]) -> None:
    named = {str(number): table for number, table in enumerate(tables)}
    found = compare_many(named, **SHUFFLES)
    for effect, values in found.pvalues_adjusted.items():
        for name, p in values.items():
            assert p >= found[name].effects["split"][effect].pvalue
        assert found.at_least[effect] <= len(values)
    text = found.describe()
    for name in found.significant():
        assert name in text
    tasks = transfer_many(
        {
            name: Curves(table.scores, table.labels, blocks=table.blocks)
            for name, table in named.items()
        },
        control="A",
        experimental="B",
        n_resamples=99,
        **SHUFFLES,
    )
    for across in tasks.across.values():
        if across.interval is None or across.value is None or across.pvalue is None:
            continue
        if math.isfinite(across.value):
            assert holds(across.interval, across.value)


@pytest.mark.parametrize("sizes", [(9, 6), (6, 6, 6), (4, 5, 6)])
@pytest.mark.parametrize("exact", [None, False])
def test_no_digit_depends_on_the_order_of_rows(sizes: tuple[int, ...], exact: bool | None) -> None:
    made = some_curves(3, sizes, n_steps=5)
    lifted = made.scores + (made.codes == 0)[:, None]
    first_last = np.concatenate(
        [np.flatnonzero(made.codes != 0)[::-1], np.flatnonzero(made.codes == 0)]
    )
    one = Curves(lifted, made.labels)
    other = Curves(lifted[first_last], made.labels[first_last])
    options: dict[str, Any] = {"exact": exact, "n_shuffles": 299, "rng": 1}

    def answers(given: Curves) -> list[Any]:
        compared = [
            compare(given, **options),
            compare(given, center="ranks", **options),
            compare(given, spread="unequal", n_shuffles=299, rng=1),
        ]
        told: list[Any] = [
            effect.pvalue for found in compared for effect in found.effects["split"].values()
        ]
        where = locate(given, **options)
        told += [where.pvalue_adjusted.tolist(), where.differs_from, where.differs_until]
        for adjust in ("closed", "bonferroni", "max-t"):
            told += [
                (row.name, row.pvalue, row.pvalue_adjusted)
                for row in best(given, adjust=adjust, **options).rows
            ]
        ways: tuple[Any, ...] = ("closed", "holm", "max-t")
        for way in ways:
            told += sorted(
                (*sorted((pair.a, pair.b)), pair.overall.pvalue_adjusted)
                for pair in compare_pairs(given, adjust=way, **options)
            )
        coefficients = {name: -1.0 / (len(sizes) - 1) for name in "ABC"[: len(sizes)]}
        asked = {"x": coefficients | {"A": 1.0}, "y": {"A": 1.0, "B": -1.0}}
        for way in ways[1:]:
            family = contrast_many(given, asked, adjust=way, **options)
            told += [(own.pvalue, own.pvalue_adjusted) for own in family.values()]
        gains = transfer(given, control="B", experimental="A", n_resamples=99, **options)
        told += [metric.pvalue for metric in gains.metrics.values()]
        return told

    assert answers(one) == answers(other)
