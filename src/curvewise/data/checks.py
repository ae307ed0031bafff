"""Checks of arguments: what each must be, and how it is refused."""

from __future__ import annotations

import math
from numbers import Integral
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from curvewise.errors import refuse
from curvewise.text import argument, shown_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.kernels import Array

# Fewer have no quantiles to speak of.
MIN_RESAMPLES = 99
# No number of shuffles tells p from less.
MIN_ALPHA = 1e-12
MAX_JOBS = 4_096
# More need more memory than there is.
MAX_RESAMPLES = 10**7


def refuse_option(option: str, text: str) -> NoReturn:
    """Raise for an option: its name as the reader types it, then the text."""
    refuse(f"{argument(option)} {text}", option)


def check_choice(option: str, value: object, choices: Sequence[str]) -> None:
    """Raise unless the value of an option is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        *others, last = map(repr, choices)
        known = f"{', '.join(others)} or {last}" if others else last
        refuse_option(option, f"must be {known}, not {shown_value(value)}.")


def check_flags(**flags: object) -> None:
    """Raise unless the value of each option is True or False."""
    for option, value in flags.items():
        if not isinstance(value, bool | np.bool_):
            refuse_option(option, f"must be True or False, not {shown_value(value)}.")


def check_names(**names: object) -> None:
    """Raise unless the value of each option is a name, or None."""
    for option, value in names.items():
        check_kind(option, value, str, "a name")


def check_kind(option: str, value: object, kinds: type, what: str) -> None:
    """Raise unless the value of an option is of a kind, or None; ``what`` says which."""
    if value is not None and not isinstance(value, kinds):
        refuse_option(option, f"must be {what}, not {shown_value(value)}.")


def as_names(option: str, value: Any) -> list[str] | None:
    """Return one name or several as a list, None as it is; raise if it is something else."""
    if value is None or isinstance(value, str):
        return value if value is None else [value]
    try:
        return list(value)
    except TypeError:
        refuse_option(option, f"must be a list of names, not {shown_value(value)}.")


def as_integer(value: object) -> int | None:
    """Return an integer, NumPy's too, as an int; None for what is none."""
    return None if isinstance(value, bool) or not isinstance(value, Integral) else int(value)


def as_float(value: object) -> float:
    """Return a number as a float: NaN for what is none, infinite for integers too large."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def check_alpha(alpha: object, option: str = "alpha") -> None:
    """Raise unless a probability, such as alpha, lies between 0 and 1."""
    example = 0.05 if option == "alpha" else 0.95
    if not 0 < as_float(alpha) < 1:
        text = f"must lie between 0 and 1, such as {example}; it is {value_text(alpha)}."
        refuse_option(option, text)
    if as_float(alpha) < MIN_ALPHA:
        text = f"must be {MIN_ALPHA:g} or more, such as {example}; it is {alpha!r}."
        refuse_option(option, text)


def check_jobs(n_jobs: object) -> None:
    """Raise unless the number of jobs is positive and such as there are, or -1 for all cores."""
    count = as_integer(n_jobs)
    if count is None or not (count >= 1 or count == -1):
        text = f"must be a positive integer, or -1 for all cores, not {value_text(n_jobs)}."
        refuse_option("n_jobs", text)
    if count > MAX_JOBS:
        given = f"{count:,}" if count < 10**40 else value_text(count)
        refuse_option("n_jobs", f"must be {MAX_JOBS:,} at most, not {given}.")


def check_number(option: str, value: object, what: str = "number") -> None:
    """Raise unless the value of an option is a finite number."""
    if not math.isfinite(as_float(value)):
        refuse_option(option, f"must be a finite {what}, not {value_text(value)}.")


def value_text(value: object) -> str:
    """Return a value as it was given, but no integer of hundreds of digits."""
    is_long = isinstance(value, int) and abs(value) >= 10**40
    return "an integer of more than 40 digits" if is_long else shown_value(value)


def resample_count(n_resamples: object) -> int:
    """Return a number of resamples as an integer, 0 for none; else raise."""
    count = as_integer(n_resamples)
    if count is None or not (count == 0 or count >= MIN_RESAMPLES):
        text = (
            f"must be an integer of {MIN_RESAMPLES} or more, or 0 for no intervals, not "
            f"{value_text(n_resamples)}."
        )
        refuse_option("n_resamples", text)
    if count > MAX_RESAMPLES:
        refuse_option("n_resamples", f"must be {MAX_RESAMPLES:,} at most, not {value_text(count)}.")
    return count


def check_whole(option: str, value: object, least: int, most: int) -> None:
    """Raise unless the value of an option is an integer within limits, both included."""
    count = as_integer(value)
    if count is None or not least <= count <= most:
        text = f"must be an integer from {least} to {most:,}, not {value_text(value)}."
        refuse_option(option, text)


def check_drawn(given: object, kinds: type | tuple[type, ...], what: str) -> None:
    """Raise unless a picture is made of what it draws; ``what`` says so in words."""
    if not isinstance(given, kinds):
        refuse(f"{what}; it was given {type(given).__name__}.", "")


# --- Steps.

MAX_STEP = 2**53


def check_exact(largest: float) -> None:
    """Raise CurvesError if the largest step of a table, without its sign, is too large."""
    if largest >= MAX_STEP:
        refuse(
            f"Steps as large as {largest:.4g} are too large to be exact. Subtract the first step "
            "from all of them, or count in a larger unit."
        )


def as_steps(values: Array) -> Array:
    """Return steps as integers if they are whole, so that 5000 is shown as 5000."""
    if np.issubdtype(values.dtype, np.integer):
        return values.astype(np.int64, copy=False)
    if np.all(np.abs(values) < MAX_STEP) and np.all(values == np.rint(values)):
        return values.astype(np.int64)
    return values
