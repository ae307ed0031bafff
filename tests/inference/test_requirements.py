"""Arguments and designs that cannot be used, each refused with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from curvewise import Curves, CurvesError, OptionError
from curvewise.data.checks import (
    check_alpha,
    check_choice,
    check_flags,
    check_jobs,
    check_number,
    resample_count,
)
from curvewise.inference.asking import check_connected, check_curves, check_design, check_variation
from curvewise.inference.work import as_generator, random_keys, shuffle_count
from curvewise.text import naming_flags
from tests.simulation import some_curves

if TYPE_CHECKING:
    from collections.abc import Callable

REFUSED: list[tuple[Callable[[], Any], str, str]] = [
    (
        lambda: as_generator(-1),
        "rng must be a non-negative integer or a numpy Generator, not -1.",
        "rng",
    ),
    (
        lambda: random_keys("seed", 2),  # type: ignore[arg-type]
        "rng must be a non-negative integer or a numpy Generator, not 'seed'.",
        "rng",
    ),
    (
        lambda: check_choice("error", "both", ("split", "pooled")),
        "error must be 'split' or 'pooled', not 'both'.",
        "error",
    ),
    (
        lambda: check_choice("adjust", 3, ("holm", "bonferroni", "max-t")),
        "adjust must be 'holm', 'bonferroni' or 'max-t', not 3.",
        "adjust",
    ),
    (lambda: check_choice("unit", "x", ("step",)), "unit must be 'step', not 'x'.", "unit"),
    *(
        (
            lambda alpha=alpha: check_alpha(alpha),
            f"alpha must lie between 0 and 1, such as 0.05; it is {alpha!r}.",
            "alpha",
        )
        for alpha in (0, 1, 1.5, float("nan"), "0.05", None)
    ),
    (
        lambda: check_alpha(2, "confidence"),
        "confidence must lie between 0 and 1, such as 0.95; it is 2.",
        "confidence",
    ),
    *(
        (
            lambda n_jobs=n_jobs: check_jobs(n_jobs),
            f"n_jobs must be a positive integer, or -1 for all cores, not {n_jobs!r}.",
            "n_jobs",
        )
        for n_jobs in (0, -5, 1.5, "2", None)
    ),
    (lambda: check_jobs(2**31), "n_jobs must be 4,096 at most, not 2,147,483,648.", "n_jobs"),
    *(
        (
            lambda value=value: check_number("threshold", value, "score"),
            f"threshold must be a finite score, not {value!r}.",
            "threshold",
        )
        for value in (float("inf"), float("nan"), "3", None, True, 1j)
    ),
    *(
        (
            lambda number=number: shuffle_count(number),
            f"n_shuffles must be a positive integer, or 'auto' or 'precise', not {number!r}.",
            "n_shuffles",
        )
        for number in (0, -5, 10.5, float("inf"), float("nan"), "many", None, [1])
    ),
    (
        lambda: check_number("margin", 10**400),
        "margin must be a finite number, not an integer of more than 40 digits.",
        "margin",
    ),
    (
        lambda: shuffle_count(10**12),
        "n_shuffles must be 1,000,000,000 at most, not 1000000000000.",
        "n_shuffles",
    ),
    (
        lambda: check_alpha(1e-300),
        "alpha must be 1e-12 or more, such as 0.05; it is 1e-300.",
        "alpha",
    ),
    (lambda: check_flags(exact="no"), "exact must be True or False, not 'no'.", "exact"),
    *(
        (
            lambda number=number: resample_count(number),
            (
                "n_resamples must be an integer of 99 or more, or 0 for no intervals, not "
                f"{number!r}."
            ),
            "n_resamples",
        )
        for number in (-1, 98, 199.0, "auto")
    ),
]


@pytest.mark.parametrize(("ask", "message", "option"), REFUSED)
def test_a_value_that_cannot_be_used_is_refused(
    ask: Callable[[], Any], message: str, option: str
) -> None:
    with pytest.raises(OptionError) as refused:
        ask()
    assert str(refused.value) == message
    assert refused.value.option == option
    # The cause is no part of the message.
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


def test_the_command_names_flags() -> None:
    with naming_flags():
        for ask, flag in (
            (lambda: shuffle_count(0), "--shuffles must be"),
            (lambda: resample_count(5), "--resamples must be"),
            (lambda: check_jobs(0), "--jobs must be"),
            (lambda: as_generator(-1), "--seed must be"),
            (lambda: check_choice("spread", "x", ("equal",)), "--spread must be"),
        ):
            with pytest.raises(OptionError, match=f"^{flag}"):
                ask()


def test_what_can_be_used_passes() -> None:
    check_choice("error", "split", ("split", "pooled"))
    check_alpha(np.float32(0.05))
    check_jobs(-1)
    check_jobs(np.int64(3))
    check_number("threshold", np.float64(3))
    assert [shuffle_count(n) for n in (1, 1e6, np.int64(7), "auto", "precise")] == [
        1,
        1_000_000,
        7,
        "auto",
        "precise",
    ]
    assert type(shuffle_count(np.int64(7))) is int
    assert [resample_count(n) for n in (0, 99, np.int64(200))] == [0, 99, 200]


def test_keys_depend_on_the_rng_alone() -> None:
    assert random_keys(3, 2) == random_keys(np.random.default_rng(3), 2)
    assert random_keys(3, 2)[:1] == random_keys(3, 1)
    assert random_keys(3, 2) != random_keys(4, 2)
    assert random_keys(None, 1) != random_keys(None, 1)
    assert all(0 <= key < 2**64 for key in random_keys(0, 100))
    assert max(random_keys(0, 100)) > 2**63
    generator = np.random.default_rng(3)
    assert as_generator(generator) is generator
    for seed in (np.random.SeedSequence(3), [1, 2], np.random.PCG64(4)):
        assert len(random_keys(seed, 3)) == 3


def test_only_curves_are_curves() -> None:
    with pytest.raises(OptionError) as refused:
        check_curves(np.zeros((4, 3)), "compare()")
    assert str(refused.value) == (
        "compare() takes Curves, not a ndarray: build them with Curves(...), "
        "Curves.from_dict, Curves.from_frame or read."
    )
    check_curves(some_curves(0), "compare()")


DESIGNS: list[tuple[Curves, str]] = [
    (
        some_curves(0, (5,)),
        (
            "Comparing needs at least two algorithms, and there is only 'A'. Name the files or "
            "the folder of all algorithms, and check what tells them apart and which were kept."
        ),
    ),
    (
        Curves([[1, 2], [3, 4], [5, 7]], list("ABC")),
        (
            "Every algorithm has a single run, so nothing tells a difference between algorithms "
            "from one between runs. The mean scores are 'A' 1.500, 'B' 3.500, 'C' 6.000; whether "
            "they differ cannot be said. Repeat the training with other seeds."
        ),
    ),
    (
        Curves(np.full((4, 3), 7.25), list("AABB")),
        (
            "All 12 scores are 7.250: there is nothing to compare. Check which column holds the "
            "score."
        ),
    ),
    (
        Curves(np.arange(8.0).reshape(4, 2) * 1e-150, list("AABB")),
        (
            "Scores that differ by 7e-150 vanish when squared. Multiply all scores by a "
            "constant: no test depends on it."
        ),
    ),
    (
        some_curves(0, (3, 3), blocks=[1, 1, 1, 2, 2, 2]),
        (
            "No block holds both one of 'A' and one of 'B', so blocks leave nothing to compare "
            "them by. A block is what runs of different algorithms share, such as a seed or a "
            "fold: name another column, leave the blocks out, or compare separately."
        ),
    ),
    (
        some_curves(0, (2, 2, 2, 2), blocks=[1, 2, 1, 2, 3, 4, 3, 4]),
        (
            "No block holds both one of 'A', 'B' and one of 'C', 'D', so blocks leave nothing to "
            "compare them by. A block is what runs of different algorithms share, such as a seed "
            "or a fold: name another column, leave the blocks out, or compare separately."
        ),
    ),
    (
        some_curves(0, (2, 1), blocks=[1, 2, 1]),
        (
            "3 runs in 2 blocks leave nothing to tell 2 algorithms from chance. Use larger or "
            "more blocks."
        ),
    ),
]


@pytest.mark.parametrize(("curves", "message"), DESIGNS)
def test_designs_that_cannot_be_compared_are_refused(curves: Curves, message: str) -> None:
    with pytest.raises(CurvesError) as refused:
        check_design(curves)
    assert str(refused.value) == message


def test_designs_that_can_be_compared_pass() -> None:
    check_design(some_curves(0, (1, 2)))
    check_design(some_curves(0, (4, 4), blocks=[0, 1, 2, 3] * 2))
    # A and C meet in no block, but each meets B.
    chained = some_curves(0, (2, 4, 2), blocks=[0, 1, 0, 1, 2, 3, 2, 3])
    check_design(chained)
    check_connected(chained)
    check_connected(some_curves(0, (4, 4)))


def test_runs_that_do_not_vary_are_refused() -> None:
    curves = some_curves(0, (4, 4))
    check_variation(curves, 1e-30)
    with pytest.raises(CurvesError) as refused:
        check_variation(curves, 0.0)
    assert str(refused.value) == (
        "All runs have the same curve: there is nothing to compare. Check that the runs were "
        "trained with different seeds."
    )
    with pytest.raises(CurvesError, match=r"^All runs of a block have the same curve"):
        check_variation(some_curves(0, (2, 2), blocks=[0, 1, 0, 1]), 0.0)
