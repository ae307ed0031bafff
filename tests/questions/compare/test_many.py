"""compare_many(): the same question of each table, p adjusted across them."""

from __future__ import annotations

import json
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError, compare, compare_many
from curvewise.inference.caveats import OfMembers, SingleStep, TooFewRuns
from curvewise.kernels import compiling, relabel
from curvewise.kernels.pvalues import benjamini_hochberg, bonferroni, holm, n_different_at_least
from curvewise.questions.compare.result import TooManyTables
from curvewise.shuffling.visit import FIRST_LOOK, reporting_progress
from tests.questions.compare.test_question import LOOKS, capped
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Comparisons


def lifted(curves: Curves, by: float) -> Curves:
    return Curves(curves.scores + by * (curves.codes == 0)[:, None], curves.labels)


def seven_tables() -> dict[str, Curves]:
    """Six tables without a difference, and one with a large one."""
    tables = {str(seed): some_curves(seed, (5, 5)) for seed in range(6)}
    return {**tables, "real": lifted(tables["0"], 9)}


@cache
def seven() -> Comparisons:
    return compare_many(seven_tables(), alpha=0.1)


def test_each_table_gets_the_p_it_gets_alone() -> None:
    tables = {f"game {i}": some_curves(i, (9, 9, 8)) for i in range(4)}
    found = compare_many(tables, n_shuffles=2_000, rng=3)
    seed = int(np.random.default_rng(3).integers(2**63))
    for name, curves in tables.items():
        alone = compare(curves, n_shuffles=2_000, rng=seed)
        assert found[name].to_dict() == alone.to_dict()
    assert list(found) == list(tables)
    assert len(found) == 4


def test_tables_of_one_shape_share_their_shuffles(monkeypatch: pytest.MonkeyPatch) -> None:
    # Shuffles are drawn in NumPy, as they are where numba was not imported before.
    monkeypatch.setattr(compiling, "compiler_is_loaded", lambda: False)
    monkeypatch.setitem(sys.modules, "curvewise.kernels.compiled_kernels", None)
    drawn = []
    draw = relabel.DrawPlan.draw

    def counted(self: relabel.DrawPlan, *arguments: int) -> object:
        drawn.append(arguments)
        return draw(self, *arguments)

    monkeypatch.setattr(relabel.DrawPlan, "draw", counted)
    tables = {str(i): some_curves(i, (8, 8, 8)) for i in range(5)}
    compare_many(tables, n_shuffles=3_000, rng=0)
    # Three batches, and the one that the scales of the combined test are learnt from.
    assert len(drawn) == 4
    compare_many(tables | {"other": some_curves(0, (8, 7, 9))}, n_shuffles=3_000, rng=0)
    assert len(drawn) == 4 + 8


@pytest.mark.parametrize(
    ("adjust", "label", "function"),
    [
        ("bh", "Benjamini-Hochberg", benjamini_hochberg),
        ("holm", "Holm", holm),
        ("bonferroni", "Bonferroni", bonferroni),
    ],
)
def test_p_is_adjusted_for_each_effect(adjust: Any, label: str, function: Any) -> None:
    tables = {str(seed): some_curves(seed, (5, 5)) for seed in range(6)}
    found = compare_many(tables, adjust=adjust)
    for effect in ("overall", "algorithm", "interaction"):
        alone = [own.effects["split"][effect].pvalue for own in found.values()]
        adjusted = found.pvalues_adjusted[effect]
        np.testing.assert_allclose(list(adjusted.values()), function(np.array(alone)))
        assert list(adjusted) == list(tables)
    assert found.adjust == found.to_dict()["adjust"] == adjust
    assert f"Adjusted by {label} over 6 tables" in str(found)


def test_the_tables_that_differ_after_adjustment_are_named() -> None:
    assert seven().significant("algorithm") == ("real",)
    assert seven().significant() == ("real",)
    record = json.loads(json.dumps(seven().to_dict(), allow_nan=False))
    assert record["comparisons"]["real"]["exact"]
    assert record["question"] == "compare_many"
    assert "<table>" in seven()._repr_html_()
    assert seven().smallest_pvalue == pytest.approx(1 / 126)
    assert seven().smallest_pvalue_alone == pytest.approx(7 / 126)
    assert compare_many(seven_tables(), adjust="holm", alpha=0.1).smallest_pvalue == pytest.approx(
        7 / 126
    )


def test_how_many_tables_differ_at_least_is_counted_for_each_effect() -> None:
    found = seven()
    assert found.to_dict()["at_least"] == dict(found.at_least)
    for effect, count in found.at_least.items():
        alone = [own.effects["split"][effect].pvalue for own in found.values()]
        assert count == n_different_at_least(np.array(alone), 0.1)
    different = {str(n): lifted(some_curves(n, (5, 5)), 9) for n in range(4)}
    assert compare_many(different).at_least["algorithm"] == 4


def test_without_naming_an_adjustment_it_is_benjamini_and_hochbergs() -> None:
    assert seven().adjust == "bh"


def test_tables_of_a_single_step_have_no_shape_to_adjust() -> None:
    tables = {"one": some_curves(0, (5, 5), 1), "many": some_curves(1, (5, 5))}
    found = compare_many(tables)
    assert list(found.pvalues_adjusted["interaction"]) == ["many"]
    assert list(found.pvalues_adjusted["algorithm"]) == ["one", "many"]
    # A family of one is not adjusted.
    shape = found["many"].interaction
    assert shape is not None
    assert found.pvalues_adjusted["interaction"]["many"] == shape.pvalue
    (row, _) = found.table().rows
    assert row[-3:] == ("", "", "")


def test_warnings_say_which_tables_they_are_about() -> None:
    tables = {
        "a": some_curves(0, (3, 3)),
        "b": some_curves(1, (3, 3)),
        "c": some_curves(2, (3, 3), 1),
    }
    found = compare_many(tables)
    assert found.caveats == (TooFewRuns((3, 3), 0.1, 0.05, 4), OfMembers(("c",), SingleStep()))
    assert found.warnings[1].startswith("c: There is a single step")
    assert str(found).count("Warning: ") == 2


# --- shuffling -------------------------------------------------------------------------


def test_auto_settles_p_against_the_level_of_the_family_too() -> None:
    tables = {str(seed): some_curves(seed, (8, 8, 8)) for seed in range(5)}
    with capped(2**18):
        found = compare_many(tables, n_shuffles="auto", rng=0)
    numbers = {own.n_shuffles for own in found.values()}
    assert numbers <= LOOKS
    for own in found.values():
        if own.n_shuffles == 2**18:
            continue  # too close to call
        for effect in own.effects["split"].values():
            low, high = effect.pvalue_interval
            for level in (0.05, 0.05 / 5):
                assert high < level or low > level


def test_a_table_that_is_clear_alone_may_take_longer_in_a_family() -> None:
    """A p of about 0.009 is far from five times as much, and at the level of a family of five."""
    curves = lifted(some_curves(4, (9, 9, 9)), 1.19)
    p = compare(curves, n_shuffles=2**17, rng=0).overall.pvalue
    assert 0.008 < p < 0.01
    alone = compare(curves, n_shuffles="auto", rng=0, alpha=5 * p)
    assert alone.overall.n_shuffles == FIRST_LOOK
    five = dict.fromkeys("abcde", curves)
    with capped(2**16):
        found = compare_many(five, n_shuffles="auto", rng=0, alpha=5 * p)
    assert {own.overall.n_shuffles for own in found.values()} == {2**16}


def test_precise_knows_every_p_to_within_ten_percent() -> None:
    tables = {str(seed): some_curves(seed, (8, 8, 8)) for seed in range(3)}
    with capped(2**18):
        found = compare_many(tables, n_shuffles="precise", rng=0)
    for own in found.values():
        for effect in own.effects["split"].values():
            assert effect.n_extreme >= 100 or own.n_shuffles == 2**18


def test_jobs_change_no_digit() -> None:
    tables = {str(seed): some_curves(seed, (8, 8, 8)) for seed in range(3)}
    one = compare_many(tables, n_shuffles=150_000, rng=4)
    two = compare_many(tables, n_shuffles=150_000, rng=4, n_jobs=2)
    assert one.to_dict() == two.to_dict()
    assert one.seed == 4
    assert compare_many(tables, n_shuffles=99).seed is None


def test_progress_is_reported_table_by_table() -> None:
    seen: list[tuple[int, int]] = []
    tables = {str(seed): some_curves(seed, (9, 9)) for seed in range(3)}
    with reporting_progress(lambda done, total: seen.append((done, total))):
        compare_many(tables, n_shuffles=100_000, exact=False, rng=0)
    assert seen == [(1, 3), (2, 3), (3, 3)]


# --- what is refused -------------------------------------------------------------------


def test_what_is_refused_is_named() -> None:
    with pytest.raises(CurvesError, match=r"^game 2: Comparing needs at least two"):
        compare_many({"game 1": some_curves(0), "game 2": some_curves(0, (4,))})
    with pytest.raises(OptionError, match=r"^Give a mapping from names to Curves"):
        compare_many({})
    with pytest.raises(OptionError, match=r"compare_many\(\) takes Curves, not a list"):
        compare_many({"a": [1, 2]})  # type: ignore[dict-item]
    tables = {"a": some_curves(0), "b": some_curves(1)}
    with pytest.raises(OptionError, match="adjust must be 'bh', 'holm' or 'bonferroni', not"):
        compare_many(tables, adjust="max-t")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="alpha must lie between 0 and 1"):
        compare_many(tables, alpha=2)
    with pytest.raises(OptionError, match="n_jobs must be"):
        compare_many(tables, n_jobs=0)


def test_what_no_table_could_show_after_adjustment_is_warned_of() -> None:
    tables = {f"task {place}": some_curves(place, (5, 5)) for place in range(8)}
    found = compare_many(tables, adjust="holm", rng=0)
    assert found.caveats[0] == TooManyTables(8, found.smallest_pvalue, 0.05, "holm")
    assert found.smallest_pvalue == pytest.approx(8 / 126)
    assert found.warnings[0] == (
        "The smallest p possible, adjusted for 8 tables by Holm, is 0.0635, which is above "
        'alpha = 0.05: no table can be named. Use more runs, or adjust="bh".'
    )
    assert not found.significant()
    others = [
        compare_many(tables, rng=0),
        compare_many(tables, adjust="holm", alpha=0.07, rng=0),
        # Here no table could be significant by itself, which its own warning says.
        compare_many({name: some_curves(0, (3, 3)) for name in "xy"}, rng=0),
    ]
    for other in others:
        assert not any(isinstance(caveat, TooManyTables) for caveat in other.caveats)


def test_of_many_tables_quantiles_stand_for_null_distributions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = {name: some_curves(seed, (7, 7)) for seed, name in enumerate("ab")}
    whole = compare_many(tables)
    monkeypatch.setattr("curvewise.questions.compare.ask.MAX_TABLES_WITH_NULLS", 1)
    thinned = compare_many(tables)
    assert thinned.to_dict() == whole.to_dict()
    for name in tables:
        for error, effects in thinned[name].effects.items():
            for which, own in effects.items():
                assert len(own.null_distribution) == 1_000
                assert len(whole[name].effects[error][which].null_distribution) == 1_716
