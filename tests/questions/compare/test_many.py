from __future__ import annotations

import json

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError, compare, compare_many
from curvewise.kernels.adjustments import holm
from curvewise.kernels.relabelling import shuffles
from tests.simulation import some_curves


def test_each_table_gets_the_p_it_gets_alone() -> None:
    tables = {f"game {i}": some_curves(i, (9, 9, 8)) for i in range(4)}
    found = compare_many(tables, n_shuffles=2_000, rng=3)
    seed = int(np.random.default_rng(3).integers(2**63))
    for name, curves in tables.items():
        alone = compare(curves, n_shuffles=2_000, rng=seed)
        assert found[name].algorithm.pvalue == alone.algorithm.pvalue
    assert list(found) == list(tables)
    assert len(found) == 4


def test_tables_of_one_shape_share_their_shuffles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = []
    draw = shuffles.DrawPlan.draw

    def counted(self: shuffles.DrawPlan, *arguments: int) -> object:
        drawn.append(arguments)
        return draw(self, *arguments)

    monkeypatch.setattr(shuffles.DrawPlan, "draw", counted)
    tables = {str(i): some_curves(i, (8, 8, 8)) for i in range(5)}
    compare_many(tables, n_shuffles=3_000, rng=0)
    assert len(drawn) == 3
    compare_many(tables | {"other": some_curves(0, (8, 7, 9))}, n_shuffles=3_000, rng=0)
    assert len(drawn) == 3 + 6


def test_p_is_adjusted_by_holm_for_each_effect() -> None:
    tables = {str(i): some_curves(i, (5, 5)) for i in range(6)}
    tables["real"] = Curves(
        tables["0"].scores + 9 * (tables["0"].codes == 0)[:, None], tables["0"].labels
    )
    found = compare_many(tables, alpha=0.1)
    alone = np.array([found[name].algorithm.pvalue for name in tables])
    np.testing.assert_allclose(
        list(found.pvalues_adjusted["algorithm"].values()), holm(alone)
    )
    assert found.significant("algorithm") == ("real",)
    assert "Adjusted by Holm over 7 tables" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["comparisons"]["real"]["exact"]
    assert "<table>" in found._repr_html_()


def test_holm_against_its_definition() -> None:
    pvalues = np.random.default_rng(0).uniform(size=20)
    order = np.argsort(pvalues)
    expected = np.empty(20)
    for rank, place in enumerate(order):
        expected[place] = min(
            1, max((20 - r) * pvalues[order[r]] for r in range(rank + 1))
        )
    np.testing.assert_allclose(holm(pvalues), expected)


def test_what_is_refused_is_named() -> None:
    with pytest.raises(CurvesError, match="game 2: Comparing needs at least two"):
        compare_many({"game 1": some_curves(0), "game 2": some_curves(0, (4,))})
    with pytest.raises(OptionError, match="a mapping from names to Curves"):
        compare_many({})
