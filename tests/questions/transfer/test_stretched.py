"""The factors by which one condition may take longer: all that the log-rank test keeps."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves
from curvewise.inference.asking import asked_of
from curvewise.inference.work import Work
from curvewise.kernels import survival
from curvewise.kernels.survival import Times, log_rank_scores
from curvewise.questions.transfer.ask import transfer
from curvewise.questions.transfer.method import TwoConditions, stretches

if TYPE_CHECKING:
    from collections.abc import Sequence

CONTROL, EXPERIMENTAL = [4, 5, 8, 9, math.inf], [2, 3, 3, 6, 7]
HORIZON = 12
CHOICES = np.array(list(combinations(range(10), 5)))


def laid_out(
    control: Sequence[float], experimental: Sequence[float], **options: Any
) -> TwoConditions:
    steps = np.arange(1, HORIZON + 1)
    scores = np.array([steps >= time for time in [*control, *experimental]], dtype=float)
    labels = ["C"] * len(control) + ["E"] * len(experimental)
    given = asked_of(transfer, control="C", experimental="E", threshold=1.0, **options)
    return TwoConditions(Curves(scores, labels, steps), given)


def ends_of(conditions: TwoConditions, alpha: float) -> tuple[float, float] | None:
    work = Work(999, True, 1, (1,), seed=None, checkpoint=None)
    plan = work.plan(conditions.restriction, levels=(alpha,))
    found = stretches(conditions, plan, work, alpha=alpha)
    if found is None:
        return None
    (low, high), factors = found
    assert ((factors >= low) & (factors <= high)).all()
    return low, high


@cache
def pvalue(factor: float) -> float:
    """Brute force: the control takes ``factor`` times as long, and all end together."""
    end = HORIZON * min(factor, 1.0)
    times = np.array([*(factor * time for time in CONTROL), *EXPERIMENTAL])
    scores = log_rank_scores(Times(np.minimum(times, end), times <= end))
    sums = np.abs(scores[CHOICES].sum(axis=1))
    return float(np.mean(sums >= abs(scores[:5].sum()) - 1e-9))


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
def test_the_ends_are_those_of_a_fine_grid_of_factors(alpha: float) -> None:
    ends = ends_of(laid_out(CONTROL, EXPERIMENTAL), alpha)
    assert ends is not None
    factors = np.exp(np.linspace(math.log(0.02), math.log(20), 3_000))
    kept = [factor for factor in factors.tolist() if pvalue(factor) > alpha]
    assert ends == pytest.approx((min(kept), max(kept)), rel=0.005)


def test_too_few_runs_reject_no_factor() -> None:
    assert ends_of(laid_out([2, 3], [4, 5]), 0.05) == (-math.inf, math.inf)


def test_where_no_run_of_one_reaches_it_one_end_is_open() -> None:
    never = [math.inf] * 6
    low, high = ends_of(laid_out(never, [2, 2, 3, 3, 4, 5]), 0.05) or (math.nan, math.nan)
    assert low == 0
    assert high < 1
    low, high = ends_of(laid_out([2, 2, 3, 3, 4, 5], never), 0.05) or (math.nan, math.nan)
    assert low > 1
    assert high == math.inf


def test_of_many_ratios_some_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = laid_out(CONTROL, EXPERIMENTAL)
    whole = ends_of(conditions, 0.1)
    assert whole is not None
    monkeypatch.setattr(survival, "MAX_EDGES", 12)
    fewer = ends_of(conditions, 0.1)
    assert fewer == pytest.approx(whole, rel=0.3)


def test_times_of_zero_have_no_ratio() -> None:
    scores = np.ones((6, 1))
    curves = Curves(scores, ["C", "E"] * 3, [0])
    conditions = TwoConditions(
        curves, asked_of(transfer, control="C", experimental="E", threshold=1.0)
    )
    assert ends_of(conditions, 0.05) is None
