"""Phrases that several questions share."""

from __future__ import annotations

import pytest

from curvewise.inference.result import first_line, method_parts, names_text, one_line, p_of
from curvewise.inference.work import Sampling
from tests.inference.test_effects import effect


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["A"], "A"),
        (["A", "B"], "A and B"),
        (["A", "B", "C", "D"], "A, B, C and D"),
        (list("ABCDE"), "the 5 algorithms"),
        (["\x1b[31mA", "B\n"], "\\x1b[31mA and B\\n"),
    ],
)
def test_up_to_four_names_are_listed(names: list[str], text: str) -> None:
    assert names_text(names) == text


def test_p_says_whether_it_is_exact() -> None:
    assert p_of(effect(pvalue=0.0197)) == "p = 0.020"
    assert p_of(effect(pvalue=0.69841, exact=True)) == "exact p = 0.70"


@pytest.mark.parametrize(
    ("sampling", "n_runs", "n_blocks", "more", "text"),
    [
        (
            Sampling(False, 10**9, 9_999),
            [10, 10],
            None,
            ("split error term",),
            "10 runs per algorithm; 8 steps; 9,999 shuffles; split error term; α = 0.05",
        ),
        (
            Sampling(True, 92_378, 92_378),
            [9, 8, 10],
            None,
            (),
            "8 to 10 runs per algorithm; 8 steps; all 92,378 relabellings; α = 0.05",
        ),
        (
            Sampling(False, 8, 1),
            [1, 1],
            4,
            (),
            "1 run per algorithm; 8 steps; 1 shuffle inside 4 blocks; α = 0.05",
        ),
        (
            Sampling(True, 8, 8),
            [4, 4],
            1,
            (),
            "4 runs per algorithm; 8 steps; all 8 relabellings inside 1 block; α = 0.05",
        ),
    ],
)
def test_the_method_in_parts(
    sampling: Sampling, n_runs: list[int], n_blocks: int | None, more: tuple[str, ...], text: str
) -> None:
    assert method_parts(sampling, n_runs, "8 steps", n_blocks, 0.05, *more) == text


def test_names_are_shortened_only_as_far_as_a_line_needs() -> None:
    write = "{} beats {} by 6.85 (3.24 to 11.6) on average; exact p = 0.0079.".format
    assert one_line(write, "Rainbow", "DQN").startswith("Rainbow beats DQN by")
    assert one_line(write, "r" * 20, "d" * 20).startswith("r" * 20 + " beats")
    line = one_line(write, "r" * 300, "d" * 300)
    assert 90 < len(line) <= 110


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A beats B. Method: x.", "A beats B."),
        ("Undecided: why? Nobody knows.", "Undecided: why?"),
        ("It is 3.5 to 4. 5 runs.", "It is 3.5 to 4. 5 runs."),
        (f"{'a ' * 40}; {'b ' * 40}.", f"{'a ' * 40}".rstrip() + " …"),
        ("x" * 200, "x" * 109 + "…"),
    ],
)
def test_the_first_sentence_is_cut_where_a_clause_ends(text: str, line: str) -> None:
    assert first_line(text) == line
    assert len(line) <= 110
