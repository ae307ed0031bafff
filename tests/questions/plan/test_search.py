from __future__ import annotations

import pytest

from curvewise.questions.plan.search import Search, starting_n
from tests.questions.power.test_question import noncentral_t


@pytest.mark.parametrize("start", [1, 4, 13, 60])
@pytest.mark.parametrize("needed", [4, 5, 12, 31, 64])
def test_the_smallest_number_is_found_from_anywhere(needed: int, start: int) -> None:
    search = Search(lambda n: n / (needed * 1.25), 0.8, 4, 64)
    assert search.smallest_n(start) == needed
    assert len(search.power_at) <= 20


def test_a_lucky_number_is_not_taken() -> None:
    lucky = {9: 0.81}
    search = Search(lambda n: lucky.get(n, min(n / 20, 1)), 0.8, 4, 64)
    assert search.smallest_n(9) == 16


def test_what_is_never_enough() -> None:
    search = Search(lambda _: 0.3, 0.8, 4, 50)
    assert search.smallest_n(10) is None
    assert 50 in search.power_at
    assert Search(lambda n: n / 50, 1.0, 4, 50).smallest_n(10) == 50


@pytest.mark.parametrize(("effect", "ratio"), [(0.5, 1), (1, 1), (-1, 1), (1, 4), (2, 1)])
def test_the_search_starts_from_the_t_test(effect: float, ratio: int) -> None:
    start = starting_n(effect, 0.8, 0.05, ratio, 500)
    exact = next(
        n for n in range(2, 500) if noncentral_t(ratio * n, n, abs(effect)) >= 0.8
    )
    assert start == exact
    assert starting_n(0.0, 0.8, 0.05, 1, 500) == 500
