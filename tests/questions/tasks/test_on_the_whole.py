"""V, exact and sampled, and its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise.errors import OptionError
from curvewise.inference.work import shuffling_work
from curvewise.kernels.tasks import exact_pvalue
from curvewise.questions.tasks.method import judge_on_the_whole
from tests.kernels.tasks.test_van_elteren import stratum

if TYPE_CHECKING:
    from curvewise.kernels.tasks import Stratum


def judged(strata: list[Stratum], alpha: float = 0.05, **options: Any) -> Any:
    asked: dict[str, Any] = {"n_shuffles": 9_999, "exact": None, "n_jobs": 1, "rng": 1}
    with shuffling_work("test", **{**asked, "checkpoint": None, **options}) as work:
        return judge_on_the_whole([[own] for own in strata], work, alpha)


def test_tasks_of_many_sizes_are_sampled() -> None:
    rng = np.random.default_rng(1)
    strata = [stratum(rng, n, n + k) for n in range(3, 12) for k in range(4)]
    found = judged(strata)
    assert not found.exact
    assert found.n_shuffles == 9_999
    assert found.smallest_pvalue == 1e-4
    # The normal approximation is close with so many tasks.
    from scipy.stats import norm

    variance = sum(np.prod(s.sizes) / (12 * (len(s.first) + 1)) for s in strata)
    expected = 2 * norm.sf(abs(found.statistic) / np.sqrt(variance))
    assert found.pvalue == pytest.approx(expected, abs=0.02)
    with pytest.raises(OptionError, match="more than can be visited one by one"):
        judged(strata, exact=True)


def test_a_sample_agrees_with_the_exact_p() -> None:
    rng = np.random.default_rng(2)
    strata = [stratum(rng, 3, 4, tied=True) for _ in range(5)]
    p = exact_pvalue(strata)
    assert p is not None
    found = judged(strata, exact=False, n_shuffles=20_000)
    assert found.pvalue == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / 20_000))
    assert judged(strata).pvalue == p


def test_the_interval_says_what_p_says() -> None:
    rng = np.random.default_rng(3)
    moved = 0
    for _ in range(30):
        strata = [stratum(rng, 3, 3) for _ in range(4)]
        # At the level of p itself, and just below, the test decides.
        p = exact_pvalue(strata)
        assert p is not None
        if p == 1:
            continue
        low, high = judged(strata, alpha=p).interval
        assert low > 0.5 or high < 0.5
        moved += 0.001 in {round(low - 0.5, 9), round(0.5 - high, 9)}
        low, high = judged(strata, alpha=0.999 * p).interval
        assert low <= 0.5 <= high
    assert moved < 30
