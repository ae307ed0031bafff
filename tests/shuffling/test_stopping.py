from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from curvewise import Curves, compare
from curvewise.questions.compare import question as comparison
from curvewise.shuffling.stopping import MOST_SHUFFLES, N_LOOKS, stopping_rule
from curvewise.shuffling.visiting import FIRST_LOOK
from tests.simulation import autoregressive, some_curves


def test_clear_verdicts_need_few_shuffles_and_close_ones_many() -> None:
    curves = some_curves(0, (9, 9, 9))
    lifted = Curves(curves.scores + 9 * (curves.codes == 0)[:, None], curves.labels)
    clear = compare(lifted, n_shuffles="auto", rng=0)
    assert clear.algorithm.significant
    decided = stopping_rule("auto", 0.05)
    assert decided(np.array([10, 9_000, 12_000]), FIRST_LOOK)
    assert not decided(np.array([10, 9_000, int(0.05 * FIRST_LOOK)]), FIRST_LOOK)
    assert FIRST_LOOK * 2 ** (N_LOOKS - 1) == MOST_SHUFFLES


def test_the_number_used_is_reported_and_the_verdict_settled() -> None:
    for seed in range(5):
        found = compare(some_curves(seed, (9, 9, 9)), n_shuffles="auto", rng=0)
        assert found.n_shuffles in {FIRST_LOOK * 2**look for look in range(N_LOOKS)}
        for effect in (found.overall, found.algorithm, found.interaction):
            assert effect is not None
            low, high = effect.pvalue_interval
            assert high < 0.05 or low > 0.05


def test_precise_goes_on_until_p_is_known_to_a_tenth() -> None:
    curves = some_curves(1, (9, 9, 9))
    lifted = Curves(curves.scores + 1.2 * (curves.codes == 0)[:, None], curves.labels)
    found = compare(lifted, n_shuffles="precise", rng=0)
    for effect in (found.overall, found.algorithm, found.interaction):
        assert effect is not None
        assert effect.n_extreme >= 100
        assert effect.pvalue_error <= 0.1 * effect.pvalue


def test_small_designs_are_exact_whatever_is_asked() -> None:
    assert compare(some_curves(0, (5, 5)), n_shuffles="auto").exact


@pytest.mark.parametrize("rule", ["auto", "precise"])
def test_stopping_early_raises_no_false_alarms(
    rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The few data sets with a p next to alpha would take minutes to settle.
    monkeypatch.setattr(comparison, "MOST_SHUFFLES", 2**20)
    n_trials, alarms = 200, 0
    for stream in np.random.default_rng(2).spawn(n_trials):
        curves = Curves(autoregressive(stream, 18, 5), np.repeat(list("ABC"), 6))
        found = compare(curves, n_shuffles=rule, rng=stream, alpha=0.2)  # type: ignore[arg-type]
        alarms += found.algorithm.significant
    assert alarms <= stats.binom.isf(1e-4, n_trials, 0.2)
