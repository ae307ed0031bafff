"""Checks of arguments and designs; each raises an error that says what to do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.choices import check_choice, refuse_option
from curvewise.data.curves import Curves
from curvewise.errors import CurvesError, OptionError
from curvewise.shuffling.stopping import RULES
from curvewise.text import in_python, number_text, plural, shown_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.validation import Names

__all__ = [
    "RNGLike",
    "as_float",
    "as_generator",
    "check_alpha",
    "check_choice",
    "check_connected",
    "check_curves",
    "check_design",
    "check_flag",
    "check_jobs",
    "check_number",
    "check_tasks_vary",
    "check_variation",
    "random_keys",
    "resample_count",
    "shuffle_count",
    "value_text",
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
MIN_RANGE = 1e-140
# Fewer have no quantiles to speak of.
MIN_RESAMPLES = 99
# No number of shuffles tells p from less.
MIN_ALPHA = 1e-12
MAX_JOBS = 4_096
# More take days.
MAX_SHUFFLES_GIVEN = 10**9


def as_generator(rng: RNGLike) -> np.random.Generator:
    """Return a generator from whatever can seed one (SPEC 7), or raise."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        generator = in_python(" or a numpy Generator")
        text = f"must be a non-negative integer{generator}, not {value_text(rng)}."
        refuse_option("rng", text)


def random_keys(rng: RNGLike, count: int) -> list[int]:
    """Draw the keys of a question's random streams; the same ``rng`` gives the same keys."""
    return [
        int(key) for key in as_generator(rng).integers(2**64, size=count, dtype=np.uint64)
    ]


def check_curves(curves: object, question: str) -> None:
    """Raise unless ``curves`` is a Curves."""
    if not isinstance(curves, Curves):
        msg = (
            f"{question} takes Curves, not a {type(curves).__name__}: build them with "
            "Curves(...), Curves.from_dict, Curves.from_frame or read."
        )
        raise OptionError(msg, option="curves")


def check_alpha(alpha: object, option: str = "alpha") -> None:
    """Raise unless a probability, such as alpha, lies between 0 and 1."""
    example = 0.05 if option == "alpha" else 0.95
    if not 0 < as_float(alpha) < 1:
        refuse_option(
            option,
            f"must lie between 0 and 1, such as {example}; it is {value_text(alpha)}.",
        )
    if as_float(alpha) < MIN_ALPHA:
        text = f"must be {MIN_ALPHA:g} or more, such as {example}; it is {alpha!r}."
        refuse_option(option, text)


def check_jobs(n_jobs: object) -> None:
    """Raise unless the number of jobs is positive and such as there are, or -1 for all cores."""
    if not isinstance(n_jobs, int | np.integer) or not (n_jobs >= 1 or n_jobs == -1):
        text = (
            f"must be a positive integer, or -1 for all cores, not {value_text(n_jobs)}."
        )
        refuse_option("n_jobs", text)
    if n_jobs > MAX_JOBS:
        given = f"{n_jobs:,}" if n_jobs < 10**40 else value_text(n_jobs)
        refuse_option("n_jobs", f"must be {MAX_JOBS:,} at most, not {given}.")


def check_number(option: str, value: object, what: str = "number") -> None:
    """Raise unless the value of an option is a finite number."""
    if not math.isfinite(as_float(value)):
        refuse_option(option, f"must be a finite {what}, not {value_text(value)}.")


def check_flag(option: str, value: object) -> None:
    """Raise unless the value of an option is True or False."""
    if not isinstance(value, bool | np.bool_):
        refuse_option(option, f"must be True or False, not {value_text(value)}.")


def shuffle_count(n_shuffles: object) -> int | str:
    """Return a number of shuffles as an integer, or "auto" or "precise"; else raise."""
    if isinstance(n_shuffles, str) and n_shuffles in RULES:
        return n_shuffles
    number = as_float(n_shuffles)
    if not number >= 1 or number % 1 > 0 or n_shuffles == math.inf:
        rules = " or ".join(map(repr, RULES))
        text = f"must be a positive integer, or {rules}, not {value_text(n_shuffles)}."
        refuse_option("n_shuffles", text)
    if number > MAX_SHUFFLES_GIVEN:
        shown = f"must be {MAX_SHUFFLES_GIVEN:,} at most, not {value_text(n_shuffles)}."
        refuse_option("n_shuffles", shown)
    return int(number)


def as_float(value: object) -> float:
    """Return a number as a float: NaN for what is none, infinite for integers too large."""
    if isinstance(value, bool) or not isinstance(
        value, int | float | np.integer | np.floating
    ):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def value_text(value: object) -> str:
    """Return a value as it was given, but no integer of hundreds of digits."""
    is_long = isinstance(value, int) and abs(value) >= 10**40
    return "an integer of more than 40 digits" if is_long else shown_value(value)


def resample_count(n_resamples: object) -> int:
    """Return a number of resamples as an integer, 0 for none; else raise."""
    if not isinstance(n_resamples, int | np.integer) or (
        n_resamples != 0 and n_resamples < MIN_RESAMPLES
    ):
        text = (
            f"must be an integer of {MIN_RESAMPLES} or more, or 0 for no intervals, not "
            f"{value_text(n_resamples)}."
        )
        refuse_option("n_resamples", text)
    return int(n_resamples)


def check_design(curves: Curves, *, may_be_equal: bool = False) -> None:
    """Raise where shuffling cannot tell the algorithms apart, whatever the scores.

    Scores that are all the same are refused too, unless they ``may_be_equal``.
    """
    n_algorithms = len(curves.algorithms)
    if n_algorithms < 2:
        msg = (
            f"Comparing needs at least two algorithms, and there is only "
            f"{curves.algorithms[0]!r}. Name the files or the folder of all algorithms, and check "
            "what tells them apart and which were kept."
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
    spread = float(np.ptp(curves.scores))
    if spread == 0 and not may_be_equal:
        value = number_text(float(curves.scores[0, 0]))
        msg = (
            f"All {curves.scores.size:,} scores are {value}: there is nothing to compare. "
            "Check which column holds the score."
        )
        raise CurvesError(msg)
    if 0 < spread < MIN_RANGE:
        msg = (
            f"Scores that differ by {spread:.3g} vanish when squared. "
            "Multiply all scores by a constant: no test depends on it."
        )
        raise CurvesError(msg)
    if curves.blocks is None:
        return
    check_connected(curves)
    n_blocks = len(set(curves.blocks))
    if curves.n_runs - n_algorithms - (n_blocks - 1) < 1:
        msg = (
            f"{plural(curves.n_runs, 'run')} in {plural(n_blocks, 'block')} leave nothing "
            f"to tell {n_algorithms} algorithms from chance. Use larger or more blocks."
        )
        raise CurvesError(msg)


def check_tasks_vary(tasks: Mapping[str, Curves]) -> None:
    """Raise if no task has two scores that differ; one that has none counts as a draw."""
    if all(np.ptp(own.scores) == 0 for own in tasks.values()):
        what = "All scores are the same"
        if len(tasks) > 1:
            what = f"On each of {len(tasks)} tasks all scores are the same"
        msg = f"{what}: there is nothing to compare. Check which column holds the score."
        raise CurvesError(msg)


def check_connected(curves: Curves) -> None:
    """Raise if blocks leave some algorithms without any comparison."""
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
    """Raise if all runs are the same; ``variation`` is how much they vary."""
    if variation == 0:
        where = "" if curves.blocks is None else " of a block"
        msg = (
            f"All runs{where} have the same curve: there is nothing to compare. Check that "
            "the runs were trained with different seeds."
        )
        raise CurvesError(msg)
