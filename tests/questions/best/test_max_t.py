from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves
from curvewise.inference.work import LargestOf
from curvewise.questions.best.ask import best
from curvewise.questions.best.method import Ranking, largest_leads
from curvewise.shuffling.visit import Plan, visit
from tests.questions.slow_contrasts import (
    LeastSquares,
    all_labels,
    n_at_least,
    same_however_it_is_cut,
)
from tests.simulation import some_curves

CURVES: dict[str, Curves] = {
    "without blocks": some_curves(3, (5, 6, 4)),
    "with blocks": some_curves(4, (4, 4, 4), blocks=[0, 1, 2, 3] * 3),
    "lower is better": some_curves(5, (4, 4, 4), higher_is_better=False),
}


def leads(own: LeastSquares, over: int) -> list[float]:
    """The t of every other algorithm less this one."""
    found = []
    for other in {0, 1, 2} - {over}:
        contrast = np.zeros(3)
        contrast[[other, over]] = 1, -1
        found.append(own.t(contrast))
    return found


@pytest.mark.parametrize("name", CURVES)
def test_the_largest_lead_is_counted_as_by_brute_force(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranking = Ranking.of(CURVES[name])
    fit, layout = ranking.fit, ranking.layout
    observed = [0.5, -0.2, 1.7]
    statistic = LargestOf.against(np.array(observed)[:, None], partial(largest_leads, fit))
    plan = Plan(layout.restriction, exact=False, n_shuffles=4_500, key=5)
    same_however_it_is_cut(plan, statistic, monkeypatch)
    plan = plan.cut(1_100)  # a whole batch and a part of one
    found = visit(plan, statistic)
    fits = [LeastSquares(fit.residuals, labels, layout.blocks) for labels in all_labels(plan)]
    maxima = [[max(leads(own, over)) for own in fits] for over in range(3)]
    np.testing.assert_allclose(found.kept[0], maxima, atol=1e-9)
    assert found.counts[0][:, 0].tolist() == [
        n_at_least(row, t) for row, t in zip(maxima, observed, strict=True)
    ]


def test_max_t_is_near_that_of_dunnett_against_each() -> None:
    """The lead over B is held against all leads over B, as if B were the control."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(40, 1)) + 0.5 * np.repeat([0, 0, 1, 2], 10)[:, None]
    curves = Curves(scores, np.repeat(list("ABCD"), 10))
    found = best(curves, adjust="max-t", rng=0)
    groups = {name: scores[curves.labels == name, 0] for name in "ABCD"}
    for row in found.rows[1:]:
        others = [group for name, group in groups.items() if name != row.name]
        # Without a seed: its name is not the same in all versions, and digits differ by .001.
        dunnett = stats.dunnett(*others, control=groups[row.name], alternative="greater")
        place = [name for name in "ABCD" if name != row.name].index(found.leader)
        assert row.pvalue_adjusted == pytest.approx(dunnett.pvalue[place], abs=0.03)


def test_p_and_interval_are_those_of_the_largest_leads() -> None:
    curves = CURVES["without blocks"]
    found = best(curves, adjust="max-t", alpha=0.2, n_shuffles=999, rng=0)
    ranking = Ranking.of(curves)
    fit, layout = ranking.fit, ranking.layout
    assert curves.algorithms[ranking.order[0]] == found.leader
    own = LeastSquares(fit.values, layout.labels, layout.blocks)
    error = np.sqrt(own.squares[0] / own.df) * layout.unit
    for row in found.rows[1:]:
        over = curves.algorithms.index(row.name)
        contrast = np.zeros(3)
        contrast[[ranking.order[0], over]] = 1, -1
        assert row.pvalue_adjusted is not None
        assert row.interval is not None
        assert row.difference is not None
        sizes = np.array(curves.sizes)
        scale = error * np.sqrt(1 / sizes[ranking.order[0]] + 1 / sizes[over])
        assert -row.difference / scale == pytest.approx(own.t(contrast))
        # The margin is a quantile of the largest leads, and p a share of them.
        quantile = (row.interval.high - row.difference) / scale
        assert (own.t(contrast) > quantile) == (row.pvalue_adjusted <= 0.2)


def test_without_error_nothing_is_nan() -> None:
    flat = np.repeat([0.1, 0.2, 0.3], 5)[:, None] * np.ones(2)
    found = best(Curves(flat, np.repeat(list("ABC"), 5)), adjust="max-t", rng=0)
    assert found.contenders == ("C",)
    for row in found.rows[1:]:
        assert row.interval is not None
        assert row.interval.high == pytest.approx(row.difference)
        assert not np.isnan(row.interval).any()
