from __future__ import annotations

import pytest

from curvewise.questions.plan.method import smallest_enough, starting_n
from tests.questions.power.test_question import noncentral_t


@pytest.mark.parametrize("start", [1, 4, 13, 60])
@pytest.mark.parametrize("needed", [4, 5, 12, 31, 64])
def test_the_smallest_number_is_found_from_anywhere(needed: int, start: int) -> None:
    tried = set()

    def power(n_runs: int) -> float:
        tried.add(n_runs)
        return n_runs / (needed * 1.25)

    assert smallest_enough(power, 0.8, 4, 64, start) == needed
    assert len(tried) <= 20


def test_a_lucky_number_is_not_taken() -> None:
    lucky = {9: 0.81}
    assert smallest_enough(lambda n: lucky.get(n, min(n / 20, 1)), 0.8, 4, 64, 9) == 16


def test_what_is_never_enough() -> None:
    assert smallest_enough(lambda _: 0.3, 0.8, 4, 50, 10) is None
    assert smallest_enough(lambda n: n / 50, 1.0, 4, 50, 10) == 50


@pytest.mark.parametrize(("effect", "ratio"), [(0.5, 1), (1, 1), (-1, 1), (1, 4), (2, 1)])
def test_the_search_starts_from_the_t_test(effect: float, ratio: int) -> None:
    start = starting_n(effect, 0.8, 0.05, ratio, 500)
    exact = next(n for n in range(2, 500) if noncentral_t(ratio * n, n, abs(effect)) >= 0.8)
    assert start == exact
    assert starting_n(0.0, 0.8, 0.05, 1, 500) == 500
