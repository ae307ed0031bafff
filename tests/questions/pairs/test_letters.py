from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from curvewise.questions.pairs.result import letters


def test_letters_are_shared_by_those_not_told_apart() -> None:
    assert letters(["A", "B"], []) == {"A": "a", "B": "a"}
    assert letters(list("ABC"), [("A", "B"), ("B", "C"), ("A", "C")]) == {
        "A": "a",
        "B": "b",
        "C": "c",
    }


@pytest.mark.parametrize("seed", range(20))
def test_letters_say_all_and_no_more(seed: int) -> None:
    """Two share a letter exactly if they are not told apart; no letter is superfluous."""
    rng = np.random.default_rng(seed)
    names = [str(i) for i in range(8)]
    every = list(combinations(names, 2))
    apart = {pair for pair in every if rng.random() < 0.5}
    shown = letters(names, sorted(apart, key=lambda _: rng.random()))
    for a, b in every:
        assert bool(set(shown[a]) & set(shown[b])) == ((a, b) not in apart)
    groups = [
        {name for name in names if letter in shown[name]}
        for letter in sorted(set("".join(shown.values())))
    ]
    assert not any(one < other for one in groups for other in groups)


def test_the_first_algorithms_get_the_first_letters() -> None:
    apart = [("A", "C"), ("A", "D"), ("B", "D")]
    expected = {"A": "a", "B": "ab", "C": "bc", "D": "c"}
    assert letters(list("ABCD"), apart) == expected
    assert letters(list("ABCD"), apart[::-1]) == expected


def test_after_z_letters_have_numbers() -> None:
    names = [f"{number:02d}" for number in range(30)]
    shown = letters(names, combinations(names, 2))
    assert [shown[name] for name in ("00", "25", "26", "29")] == ["a", "z", "a1", "d1"]
