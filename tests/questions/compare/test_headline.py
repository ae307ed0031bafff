"""What `compare` found, in one line."""

from __future__ import annotations

import re

import numpy as np
import pytest

from curvewise import Curves, compare, compare_many
from curvewise.questions.compare.tell import headline
from curvewise.text import interval_text, number_text
from tests.questions.compare.test_claims import lifted
from tests.simulation import some_curves


@pytest.mark.parametrize(("by", "higher"), [(9, True), (-9, True), (9, False), (-9, False)])
def test_the_winner_is_first_with_a_positive_difference(by: float, higher: bool) -> None:
    made = lifted(by)
    found = compare(Curves(made.scores, made.labels, higher_is_better=higher))
    winner, loser = ("B", "A") if (by > 0) == higher else ("A", "B")
    assert found.difference is not None
    low, high = found.difference.interval
    ends = (low, high) if found.difference.value > 0 else (-high, -low)
    size = number_text(abs(found.difference.value))
    assert headline(found) == (
        f"{winner} beats {loser} by {size} ({interval_text(ends)}) on average; exact p = 0.0079."
    )


def test_nothing_found_and_nothing_to_be_found_are_told_apart() -> None:
    assert re.fullmatch(
        r"No difference detected between A and B \(exact p = 0\.\d+\)\.",
        headline(compare(lifted(0))),
    )
    assert headline(compare(lifted(9, 2))) == (
        "Whether A and B differ cannot be decided: no p below 0.33 is possible."
    )


def test_a_difference_in_shape_alone_has_no_winner() -> None:
    curves = some_curves(0, (6, 6))
    slope = np.linspace(-8, 8, curves.n_steps)
    bent = curves.scores + slope * (curves.codes == 1)[:, None]
    found = compare(Curves(bent, curves.labels))
    assert re.fullmatch(
        r"A and B differ in shape \(exact p = 0\.00\d+\); no difference in height detected\.",
        headline(found),
    )


def test_a_doubt_about_spread_is_in_the_line() -> None:
    curves = lifted(9)
    scores = curves.scores.copy()
    scores[:5] = scores[:5].mean(axis=0) + 1e-3 * np.arange(5)[:, None]
    line = headline(compare(Curves(scores, curves.labels)))
    assert line.startswith("B is ahead of A by ")
    assert "; they differ in mean or in spread (exact p = 0.0079)." in line


@pytest.mark.parametrize("center", ["trimmed", "ranks"])
def test_typical_runs_are_named(center: str) -> None:
    line = headline(compare(lifted(30), center=center))  # type: ignore[arg-type]
    assert {"trimmed": " in typical runs; ", "ranks": " by ranks; "}[center] in line


def test_of_several_algorithms_the_best_mean_is_named() -> None:
    curves = some_curves(0, (4, 4, 4))
    far = Curves(curves.scores + 9 * curves.codes[:, None], curves.labels)
    options = {"n_shuffles": 199, "rng": 1, "exact": False}
    assert headline(compare(far, **options)) == (  # type: ignore[arg-type]
        "The 3 algorithms differ (p ≤ 0.0050); C has the best mean."
    )
    assert headline(compare(curves, **options)).startswith(  # type: ignore[arg-type]
        "No difference detected between the 3 algorithms (p = "
    )
    few = some_curves(0, (1, 1, 2))
    assert headline(compare(few)).startswith(
        "Whether the 3 algorithms differ cannot be decided: no p below "
    )


def test_families_say_in_how_many_tables() -> None:
    family = compare_many({"x": lifted(9), "y": lifted(9), "z": lifted(0)}, rng=0)
    assert headline(family) == (
        "The curves differ in 2 of 3 tables, after the Benjamini-Hochberg adjustment."
    )
    alike = compare_many({"x": lifted(0), "z": lifted(0)}, rng=0)
    assert headline(alike).startswith("No difference detected in any of 2 tables, after ")
    few = compare_many({"x": lifted(9, 2)}, rng=0)
    assert "cannot be decided: no p below 0.33 is possible." in headline(few)
