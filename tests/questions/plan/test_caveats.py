from __future__ import annotations

from curvewise.questions.plan.result import NotReachable, PairsTooFew
from curvewise.text import naming_flags


def test_sentences() -> None:
    with naming_flags():
        assert NotReachable(200, 0.412, 0.8).sentence() == (
            "With 200 runs the power is 0.41, below the 0.8 asked for. Look for a larger "
            "difference, ask for less power, or allow more runs: --max-runs."
        )
    assert "at least 6 pairs" in PairsTooFew(6, 4).sentence()
    assert "need 4 of each" in PairsTooFew(6, 4).sentence()
