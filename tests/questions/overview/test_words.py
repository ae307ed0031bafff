"""What is said after the verdict, in full: to users of Python, and of the command."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from curvewise import Curves, describe, load_example, overview
from curvewise.text import naming_flags
from tests.simulation import some_curves

if TYPE_CHECKING:
    from curvewise import Overview

EXAMPLE = load_example("tictactoe")
LOWER = Curves(EXAMPLE.scores, EXAMPLE.labels, EXAMPLE.steps, higher_is_better=False)
ASKED: dict[str, tuple[Curves, dict[str, Any]]] = {
    "three": (EXAMPLE, {}),
    "lower is better": (LOWER, {}),
    "two": (EXAMPLE.select("A1", "A2"), {}),
    "single step": (EXAMPLE.window(8000, 8000), {}),
    "two at a single step": (EXAMPLE.select("A1", "A2").window(8000, 8000), {}),
    "no difference": (EXAMPLE.select("A1", "A3"), {}),
    "unequal spread": (EXAMPLE, {"spread": "unequal"}),
    "undecidable": (some_curves(0, (2, 2, 2)), {}),
}
SAID: dict[str, dict[str, str]] = {
    "three": {
        "Where": (
            "at 2 of 8 steps, 5000 to 8000, with A1 highest on average (smallest adjusted "
            "p = 0.0033). With 95% confidence the curves differ by step 5000 at the "
            "latest and still differ at the last step. More: locate()."
        ),
        "Best": (
            "A1 has the highest mean score over training (48.67). A2 can be ruled out as the "
            "best; A3 cannot. More: compare_pairs()."
        ),
    },
    "lower is better": {
        "Where": (
            "at 2 of 8 steps, 5000 to 8000, with A2 lowest (smallest adjusted p = 0.0033). "
            "With 95% confidence the curves differ by step 5000 at the latest and "
            "still differ at the last step. More: locate()."
        ),
        "Best": (
            "A2 has the lowest mean score over training (43.38). A1 can be ruled out as the "
            "best; A3 cannot. More: compare_pairs()."
        ),
    },
    "two": {
        "Where": (
            "at 2 of 8 steps, 0 and 8000, with A1 ahead (smallest adjusted p = 0.012). With "
            "95% confidence the curves already differ at the first step and still "
            "differ at the last step. More: locate()."
        )
    },
    "single step": {
        "Best": (
            "A1 has the highest mean score at step 8000 (82.10). A2 can be ruled out as the "
            "best; A3 cannot. More: compare_pairs()."
        )
    },
    "two at a single step": {},
    "no difference": {
        "Where and who": (
            "no overall difference was found, so nothing is said about where or who. To ask "
            "anyway, each with its own false-alarm rate: locate(), compare_pairs()."
        )
    },
    "unequal spread": {"Where and who": "left out, as both assume equal spread."},
    "undecidable": {},
}


@cache
def found(name: str) -> Overview:
    curves, options = ASKED[name]
    return overview(curves, rng=0, **options)


@pytest.mark.parametrize("name", ASKED)
def test_lines_after_the_verdict(name: str) -> None:
    assert found(name).lines() == SAID[name]


@pytest.mark.parametrize("name", ASKED)
def test_the_command_names_commands(name: str) -> None:
    typed = {
        heading: line.replace("locate()", "curvewise locate").replace(
            "compare_pairs()", "curvewise pairs"
        )
        for heading, line in SAID[name].items()
    }
    with naming_flags():
        assert found(name).lines() == typed


@pytest.mark.parametrize("name", ASKED)
def test_the_paragraph_is_the_verdict_and_the_lines(name: str) -> None:
    verdict = found(name).comparison.describe()
    parts = [verdict, *(f"{heading}: {line}" for heading, line in SAID[name].items())]
    assert found(name).describe() == describe(found(name)) == " ".join(parts)
    assert verdict.endswith("α = 0.05.")


def test_one_paragraph_in_full() -> None:
    assert found("three").describe() == (
        "The learning curves of A1, A2 and A3 differ (overall p = 0.0052). They differ in "
        "height, the mean score over training (p = 0.018); no difference in shape was "
        "detected (p = 0.082). Mean scores range from 43.38 (A2) to 48.67 (A1, best). "
        "Method: randomized ANOVA of whole curves; 10 runs per algorithm; 8 steps, 0 to "
        "8000; 9,999 shuffles; split error term; combined overall test; α = 0.05. Where: at 2 of 8 steps, 5000 to "
        "8000, with A1 highest on average (smallest adjusted p = 0.0033). With 95% "
        "confidence the curves differ by step 5000 at the latest and still differ at "
        "the last step. More: locate(). Best: A1 has the highest mean score over training "
        "(48.67). A2 can be ruled out as the best; A3 cannot. More: compare_pairs()."
    )
