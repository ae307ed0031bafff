"""Phrases that the words of several questions share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from curvewise.text import listed, p_short, p_text, plural, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from curvewise.inference.effects import Effect
    from curvewise.inference.sampling import Sampling

__all__ = [
    "first_line",
    "is_at_floor",
    "method_parts",
    "names_text",
    "one_line",
    "p_cell",
    "p_of",
    "p_phrase",
]

MAX_NAMES = 4  # of more, only how many there are
MAX_LINE = 110  # characters of a headline
NAME_LENGTHS = (60, 40, 30, 20, 14, 10, 7)  # tried in turn until a headline fits


def one_line(write: Callable[..., str], *names: str) -> str:
    """Return ``write(*names)``, with the names shortened as far as a headline needs.

    >>> one_line("{} beats {}.".format, "A", "B")
    'A beats B.'
    """
    line = ""
    for most in NAME_LENGTHS:
        line = write(*(shortened(name, most) for name in names))
        if len(line) <= MAX_LINE:
            break
    return line


def first_line(text: str) -> str:
    """Return the first sentence of a paragraph as a headline; a long one ends in "…".

    >>> first_line("A beats B. Method: shuffles.")
    'A beats B.'
    """
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z])", text, maxsplit=1)[0]
    if len(sentence) <= MAX_LINE:
        return sentence
    cut = sentence[: MAX_LINE - 1]
    # Better at the end of a clause, or at least of a word.
    ends = [cut.rfind(mark) for mark in ("; ", ", ", " (", ": ", " ")]
    end = next((end for end in ends if end > MAX_LINE // 2), len(cut))
    return f"{cut[:end]}…"


def names_text(names: Sequence[str]) -> str:
    """Return the names of algorithms as a list, or how many there are."""
    return listed(names) if len(names) <= MAX_NAMES else f"the {len(names)} algorithms"


def p_of(effect: Effect, *, explained: bool = False) -> str:
    """Return the p of an effect for a sentence, and whether it is exact.

    One that no shuffle reached is only known to be no larger; if asked to, say so.
    """
    exact = "exact " if effect.exact else ""
    return exact + p_phrase(
        effect.pvalue, effect.n_shuffles, exact=effect.exact, explained=explained
    )


def p_phrase(
    pvalue: float, n_shuffles: int, *, exact: bool, explained: bool = False
) -> str:
    """Return a p for a sentence; one that no shuffle reached as what it is at most.

    >>> p_phrase(0.0001, 9_999, exact=False, explained=True)
    'p ≤ 0.00010, none of 9,999 shuffles'
    >>> p_phrase(0.0002, 9_999, exact=False)
    'p = 0.00020'
    """
    if not is_at_floor(pvalue, n_shuffles, exact=exact):
        return f"p = {p_short(pvalue)}"
    none = f", none of {n_shuffles:,} shuffles" if explained else ""
    return f"p ≤ {p_short(pvalue)}{none}"


def p_cell(effect: Effect) -> str:
    """Return the p of an effect for a table."""
    at_floor = is_at_floor(effect.pvalue, effect.n_shuffles, exact=effect.exact)
    return f"{'≤ ' if at_floor else ''}{p_text(effect.pvalue)}"


def is_at_floor(pvalue: float, n_shuffles: int, *, exact: bool) -> bool:
    """Tell whether a sampled p is as small as its shuffles allow.

    >>> is_at_floor(0.0001, 9_999, exact=False), is_at_floor(0.0002, 9_999, exact=False)
    (True, False)
    """
    return not exact and pvalue * (n_shuffles + 1) < 1.5


def method_parts(
    sampling: Sampling,
    n_runs: Sequence[int],
    steps: str,
    n_blocks: int | None,
    alpha: float,
    *more: str,
) -> str:
    """Return runs, steps, shuffles, blocks, what else there is, and alpha, for the method."""
    sizes = sorted(set(n_runs))
    each = (
        plural(sizes[0], "run") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} runs"
    )
    how = (
        f"all {sampling.n_relabellings:,} relabellings"
        if sampling.exact
        else plural(sampling.n_shuffles, sampling.unit)
    )
    within = f" inside {plural(n_blocks, 'block')}" if n_blocks else ""
    parts = [f"{each} per algorithm", steps, f"{how}{within}", *more, f"α = {alpha:g}"]
    return "; ".join(parts)
