from __future__ import annotations

import numpy as np
import pytest

from curvewise import Curves, OptionError, compare, describe
from tests.simulation import autoregressive, some_curves

RISE = np.linspace(-1, 1, 8)


def planted(height: float, shape: float, n_runs: int = 6, **options: bool) -> Curves:
    """Two algorithms of which B is lifted and tilted."""
    scores = 0.1 * autoregressive(np.random.default_rng(3), 2 * n_runs, 8)
    scores[n_runs:] += height + shape * RISE
    return Curves(scores, ["A"] * n_runs + ["B"] * n_runs, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("height", "shape", "verdict"),
    [
        (0, 0, "A and B do not differ detectably in height (exact p = "),
        (
            1,
            0,
            "A and B differ (overall exact p = 0.00216): in height (exact p = 0.00216), and ",
        ),
        (
            0,
            1,
            "A and B differ (overall exact p = 0.00216): in shape (exact p = 0.00216), so ",
        ),
        (
            1,
            1,
            "A and B differ (overall exact p = 0.00216), both in height (exact p = 0.00216)",
        ),
    ],
)
def test_the_verdict_says_what_was_planted(
    height: float, shape: float, verdict: str
) -> None:
    assert describe(compare(planted(height, shape))).startswith(verdict)


def test_direction_and_size_are_told() -> None:
    text = describe(compare(planted(1, 0)))
    assert "A scores" in text
    assert "less than B; the 95% interval of the difference is -1." in text
    assert "a run of A beats a run of B in 0% of pairs" in text
    losses = describe(compare(planted(1, 0, higher_is_better=False)))
    assert "less than B, and less is better; the 95% interval" in losses
    assert "a run of A beats a run of B in 100% of pairs" in losses


def test_an_effect_is_not_claimed_without_the_overall_test() -> None:
    # A clear difference in shape beside a noisy height, which drowns it overall.
    rng = np.random.default_rng(0)
    scores = 5 * rng.normal(size=(10, 1)) + 0.2 * rng.normal(size=(10, 8))
    scores[5:] += 0.4 * RISE
    found = compare(Curves(scores, list("AAAAABBBBB")))
    assert found.interaction is not None
    assert found.interaction.significant
    assert not found.overall.significant
    text = describe(found)
    assert "Taken alone, shape (p = 0.00794) would pass" in text
    assert "in shape (exact" not in text


def test_the_conventional_test_is_quoted_where_it_misleads() -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(10, 1)) + 0.01 * rng.normal(size=(10, 50))
    text = describe(compare(Curves(scores, list("AAAAABBBBB"))))
    assert "; the conventional F test would have said p < 1e-" in text


def test_too_few_runs_or_shuffles_are_told_first() -> None:
    text = describe(compare(some_curves(0, (3, 3))))
    assert text.startswith(
        "Whether A and B differ cannot be decided with so few runs: the smallest p possible "
        "is 0.100, above alpha = 0.05 (overall exact p = "
    )
    assert "there are too few runs for a 95% interval" in text
    few = describe(compare(some_curves(0, (6, 6)), exact=False, n_shuffles=5, rng=0))
    assert "cannot be decided with so few shuffles" in few
    assert "too few shuffles for a 95% interval" in few


def test_what_only_the_pooled_error_finds_is_not_claimed() -> None:
    scores = autoregressive(np.random.default_rng(0), 10, 20)
    scores[5:] += 4
    text = describe(compare(Curves(scores, list("AAAAABBBBB")), error="pooled"))
    assert "in height (exact p = 0.00794), and not detectably in shape" in text
    assert "the pooled error term lets height and shape pass for each other" in text


def test_several_algorithms_are_not_said_to_differ_each_from_each() -> None:
    curves = planted(1, 0)
    labels = ["A"] * 3 + ["B"] * 3 + ["C"] * 6
    text = describe(compare(Curves(curves.scores, labels)))
    assert text.startswith("A, B and C are not all alike (overall exact p = ")
    assert "(C, the best)" in text


def test_uneven_blocks_name_no_best() -> None:
    scores = autoregressive(np.random.default_rng(1), 12, 4)
    blocks = [1, 2, 3, 4, 1, 2, 5, 6, 3, 4, 5, 6]
    text = describe(compare(Curves(scores, list("AAAABBBBCCCC"), blocks=blocks)))
    assert "the best" not in text


def test_any_confidence_is_written_in_full() -> None:
    text = describe(compare(some_curves(0, (8, 8)), alpha=0.001))
    assert "the 99.9% interval" in text


def test_there_is_nothing_to_say_about_curves() -> None:
    with pytest.raises(OptionError, match="nothing to say about a Curves"):
        describe(some_curves(0))  # type: ignore[arg-type]


def test_method_and_number_of_shuffles_are_told() -> None:
    found = compare(some_curves(0, (9, 9, 8)), n_shuffles=199, rng=0, alpha=0.1)
    text = describe(found)
    assert "8 to 9 runs per algorithm, 6 steps from 0 to 5, 199 random shuffles" in text
    assert "split error term, alpha = 0.1." in text
    assert "(p = " in text
    assert "exact p" not in text
    blocked = describe(compare(some_curves(0, (4, 4), blocks=[0, 1, 2, 3] * 2)))
    assert "all 8 relabellings inside 4 blocks" in blocked


def test_a_single_step_is_told() -> None:
    assert "at the single step there is" in describe(compare(some_curves(0, (5, 5), 1)))


def test_names_cannot_steer_a_terminal() -> None:
    curves = some_curves(0, (4, 4))
    odd = Curves(curves.scores, ["\x1b[31mA"] * 4 + ["B\n"] * 4)
    text = describe(compare(odd))
    assert text.startswith("\\x1b[31mA and B\\n ")
