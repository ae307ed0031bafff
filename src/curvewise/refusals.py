"""What cannot be compared, and what no option can mean: told in a sentence each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from curvewise.curves import Curves
from curvewise.errors import CurvesError, OptionError, counted, nearest
from curvewise.tables import number_text

if TYPE_CHECKING:
    from curvewise.checks import Names

__all__ = [
    "RNGLike",
    "as_generator",
    "check_alpha",
    "check_choice",
    "check_connected",
    "check_curves",
    "check_design",
    "check_jobs",
    "check_variation",
    "resample_count",
    "whole_number",
]

RNGLike = (
    np.random.Generator
    | np.random.BitGenerator
    | np.random.SeedSequence
    | int
    | Sequence[int]
    | None
)

# Squares of what is smaller would vanish.
SMALLEST_SPREAD = 1e-140
# Fewer have no quantiles to speak of.
FEWEST_RESAMPLES = 99


def as_generator(rng: RNGLike) -> np.random.Generator:
    """Return a generator from whatever can seed one (SPEC 7)."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        msg = (
            f"rng must be a whole number from 0 on, or a numpy Generator; it is {rng!r}."
        )
        raise OptionError(msg) from None


def check_curves(curves: object, question: str) -> None:
    """Refuse what is not Curves."""
    if not isinstance(curves, Curves):
        msg = (
            f"{question} takes Curves, not a {type(curves).__name__}: build them with "
            "Curves(...), Curves.from_dict, Curves.from_frame or read."
        )
        raise OptionError(msg)


def check_choice(what: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a word that is none of the choices; it must never mean another."""
    if value not in choices:
        msg = f"No {what} is called {value!r}; {nearest(str(value), choices)}"
        raise OptionError(msg)


def check_alpha(alpha: object) -> None:
    """Refuse a significance level outside 0 to 1."""
    if not isinstance(alpha, float | int | np.number) or not 0 < alpha < 1:
        msg = f"alpha must lie between 0 and 1, such as 0.05; it is {alpha!r}."
        raise OptionError(msg)


def check_jobs(n_jobs: object) -> None:
    """Refuse a number of jobs that means nothing."""
    if not isinstance(n_jobs, int | np.integer) or not (n_jobs >= 1 or n_jobs == -1):
        msg = f"n_jobs must be a whole number, 1 or more, or -1 for all cores; it is {n_jobs!r}."
        raise OptionError(msg)


def whole_number(n_shuffles: object, *, rules: Sequence[str] = ()) -> int:
    """Return a number of shuffles as an integer, or refuse it.

    ``rules`` are words that would have done as well.
    """
    number = n_shuffles if isinstance(n_shuffles, int | float | np.number) else math.nan
    if not 1 <= float(number) < math.inf or float(number) % 1:
        words = f", or {' or '.join(map(repr, rules))}" if rules else ""
        msg = (
            f"n_shuffles must be a whole number, 1 or more{words}; it is {n_shuffles!r}."
        )
        raise OptionError(msg)
    return int(number)


def resample_count(n_resamples: object) -> int:
    """Return a number of resamples as an integer, or refuse it; 0 is none."""
    if isinstance(n_resamples, int | np.integer) and (
        n_resamples == 0 or n_resamples >= FEWEST_RESAMPLES
    ):
        return int(n_resamples)
    msg = (
        f"n_resamples must be a whole number, {FEWEST_RESAMPLES} or more, or 0 for no "
        f"intervals; it is {n_resamples!r}."
    )
    raise OptionError(msg)


def check_design(curves: Curves) -> None:
    """Refuse curves that no shuffle can tell apart."""
    n_algorithms = len(curves.algorithms)
    if n_algorithms < 2:
        msg = (
            f"Comparing needs at least two algorithms, and there is only "
            f"{curves.algorithms[0]!r}. Check which column names the algorithm, and which "
            "algorithms were kept."
        )
        raise CurvesError(msg)
    if curves.n_runs <= n_algorithms:
        means = ", ".join(
            f"{label!r} {number_text(float(mean))}"
            for label, mean in list(
                zip(curves.labels, curves.scores.mean(axis=1), strict=True)
            )[:6]
        )
        msg = (
            "Every algorithm has a single run, so nothing tells a difference between "
            f"algorithms from one between runs. The mean scores are {means}; whether they "
            "differ cannot be said. Repeat the training with other seeds."
        )
        raise CurvesError(msg)
    if np.ptp(curves.scores) == 0:
        value = number_text(float(curves.scores[0, 0]))
        msg = (
            f"All {curves.scores.size:,} scores are {value}: there is nothing to compare. "
            "Check which column holds the score."
        )
        raise CurvesError(msg)
    if np.ptp(curves.scores) < SMALLEST_SPREAD:
        msg = (
            f"Scores that differ by {np.ptp(curves.scores):.3g} vanish when squared. "
            "Multiply all scores by a constant: no test depends on it."
        )
        raise CurvesError(msg)
    if curves.blocks is None:
        return
    check_connected(curves)
    n_blocks = len(set(curves.blocks))
    if curves.n_runs - n_algorithms - (n_blocks - 1) < 1:
        msg = (
            f"{counted(curves.n_runs, 'run')} in {counted(n_blocks, 'block')} leave nothing "
            f"to tell {n_algorithms} algorithms from chance. Use larger or more blocks."
        )
        raise CurvesError(msg)


def check_connected(curves: Curves) -> None:
    """Refuse blocks that leave some algorithms without any comparison."""
    if curves.blocks is None:
        return
    blocks: Names = curves.blocks
    linked = {0}
    while True:
        touched = set(blocks[np.isin(curves.codes, list(linked))])
        reached = np.array([block in touched for block in blocks])
        grown = set(curves.codes[reached].tolist())
        if grown == linked:
            break
        linked = grown
    if len(linked) == len(curves.algorithms):
        return
    inside = ", ".join(repr(curves.algorithms[code]) for code in sorted(linked))
    outside = ", ".join(
        repr(name) for code, name in enumerate(curves.algorithms) if code not in linked
    )
    msg = (
        f"No block holds both one of {inside} and one of {outside}, so blocks leave nothing "
        "to compare them by. A block is what runs of different algorithms share, such as a "
        "seed or a fold: name another column, leave the blocks out, or compare separately."
    )
    raise CurvesError(msg)


def check_variation(curves: Curves, variation: float) -> None:
    """Refuse runs that are all the same."""
    if variation == 0:
        where = "" if curves.blocks is None else " of a block"
        msg = (
            f"All runs{where} have the same curve: there is nothing to compare. Check that "
            "the runs were trained with different seeds."
        )
        raise CurvesError(msg)
