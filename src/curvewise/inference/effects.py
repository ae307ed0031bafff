"""One effect: its F, its p, and the words for it; intervals."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np

from curvewise.kernels.pvalues import clopper_pearson, f_survival
from curvewise.records import UNTOLD, As, Record, told
from curvewise.text import listed, p_short, p_text, plural, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from curvewise.inference.work import Sampling
    from curvewise.kernels import Floats
    from curvewise.records import Count, Extended, Probability


MAX_THINNED = 1_000  # values of a null distribution, where there are many

EffectName = Literal["overall", "algorithm", "interaction"]
ErrorTerm = Literal["split", "pooled"]
OverallTest = Literal["combined", "F"]
Spread = Literal["equal", "unequal"]
Center = Literal["mean", "trimmed", "ranks"]


class EffectWords(NamedTuple):
    """What an effect is called: in a table or sentence, after "they differ", in a title."""

    noun: str
    how: str
    title: str


EFFECTS: dict[EffectName, EffectWords] = {
    "overall": EffectWords("overall", "at all", "any difference"),
    "algorithm": EffectWords("height", "in height", "height"),
    "interaction": EffectWords("shape", "in shape", "shape"),
}
# The two that an overall difference is made of.
PARTS: tuple[EffectName, ...] = ("algorithm", "interaction")


def f_statistic(effect: float, error: float, df: tuple[int, int]) -> float:
    """Return F from sums of squares; infinite without error, zero without effect."""
    if error == 0:
        return math.inf if effect > 0 else 0.0
    return (effect / df[0]) / (error / df[1])


class Interval(NamedTuple):
    """Two ends, both included."""

    low: Extended
    high: Extended


Bounded = Annotated[Interval, As(tuple[float, float])]  # with ends that are never infinite


@dataclass(frozen=True, eq=False)
class Effect(Record):
    """One effect: its statistic, and where that falls among those of shuffled tables.

    Attributes
    ----------
    name : "overall", "algorithm" or "interaction"
    statistic : float
        F, the combined statistic C, or how far apart trimmed means are, D, in units of the
        score; F is infinite when there is an effect and no error.
    symbol : "F", "C" or "D"
        Which of the three the statistic is.
    f : float
        F, whichever statistic is shuffled; ``df``, ``pvalue_parametric`` and
        ``effect_size`` are those of F.
    df : (int, int)
        Degrees of freedom of the effect and of its error; where spreads may differ they
        are approximate, and no whole numbers.
    pvalue : float
        The share of relabellings with a statistic at least as large. Never 0.
    critical_value : float
        The ⌈(1 − α) z⌉-th of the z sorted statistics of the relabellings: one above it is
        significant at ``alpha``, up to the last shuffle when sampled.
    effect_size : float
        Partial ω²; may be slightly negative when there is no effect.
    null_distribution : array
        The statistic of the relabellings; of many a sample, of 131,072 at most. In a large
        family 1,000 quantiles stand for it. Where ``null`` is a function, it is made when it is
        first asked for.
    components : mapping or None
        What C is combined of: how many standard deviations all steps together, height, shape
        and the most striking step each lie above the mean of shuffled tables. Without those
        that all relabellings agree on. None for F.
    pvalue_adjusted : float or None
        p adjusted for the other tests of a family, where there is a family.
    center : "mean", "trimmed" or "ranks"
        What of an algorithm's runs was compared: their mean, their trimmed mean, or their
        ranks. F is that of trimmed means (Lee & Fung 1985), or of the ranks.
    """

    name: EffectName = field(metadata=UNTOLD)
    statistic: Extended
    df: tuple[float, float]
    pvalue: Probability
    critical_value: Extended
    n_extreme: Count
    n_shuffles: Count
    exact: bool
    alpha: float = field(metadata=UNTOLD)
    null: Floats | Callable[[], Floats] = field(repr=False, metadata=UNTOLD)
    pvalue_adjusted: Probability | None = field(default=None, metadata={"unless": None})
    f_value: float | None = field(default=None, metadata=UNTOLD)
    components: Mapping[str, float] | None = field(default=None, metadata={"unless": None})
    center: Center = field(default="mean", metadata={"unless": "mean"})

    @cached_property
    def null_distribution(self) -> Floats:
        """The statistic of the relabellings."""
        return self.null() if callable(self.null) else self.null

    def with_thinned_null(self) -> Effect:
        """Return the effect with quantiles for its null distribution: many fill a memory."""
        null = self.null_distribution
        if len(null) <= MAX_THINNED:
            return self
        places = np.linspace(0, len(null) - 1, MAX_THINNED).round().astype(np.int64)
        kept = np.sort(null)[places]
        kept.setflags(write=False)
        return replace(self, null=kept)

    @property
    @told(after="statistic")
    def symbol(self) -> Literal["F", "C", "D"]:
        """Which statistic it is: F, the combined one, C, or that of trimmed means, D."""
        if self.center == "trimmed":
            return "D"
        return "F" if self.components is None else "C"

    @property
    @told(after="symbol")
    def f(self) -> Extended:
        """F, whichever statistic is shuffled."""
        return self.statistic if self.f_value is None else self.f_value

    @property
    @told(after="pvalue")
    def significant(self) -> bool:
        """Whether p, adjusted where it belongs to a family, is at most alpha."""
        pvalue = self.pvalue if self.pvalue_adjusted is None else self.pvalue_adjusted
        return pvalue <= self.alpha

    @property
    @told(after="critical_value")
    def effect_size(self) -> float:
        """Partial ω²: the share of variation an effect explains beyond chance."""
        if math.isinf(self.f):
            return 1.0
        df_effect, df_error = self.df
        # An F of 1, but for rounding, explains nothing.
        excess = 0.0 if abs(self.f - 1) < 1e-12 else df_effect * (self.f - 1)
        return excess / (excess + df_effect + df_error + 1)

    @cached_property
    @told(after="pvalue")
    def pvalue_parametric(self) -> Probability:
        """The p of the conventional F test, which takes all scores for independent.

        Where spreads may differ: of Welch's test, on approximate degrees of freedom.
        """
        return f_survival(self.f, self.df)

    @cached_property
    @told(after="pvalue")
    def pvalue_interval(self) -> Bounded:
        """Where p would be if every relabelling were visited, with 95 % confidence."""
        if self.exact:
            return Interval(self.pvalue, self.pvalue)
        return Interval(*clopper_pearson(self.n_extreme, self.n_shuffles, 0.95))

    @property
    def pvalue_error(self) -> float:
        """The standard error that sampling adds to p; 0 when exact."""
        if self.exact:
            return 0.0
        return math.sqrt(self.pvalue * (1 - self.pvalue) / self.n_shuffles)


# --- Phrases that the words of several questions share.

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


def p_phrase(pvalue: float, n_shuffles: int, *, exact: bool, explained: bool = False) -> str:
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
    each = plural(sizes[0], "run") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} runs"
    how = (
        f"all {sampling.n_relabellings:,} relabellings"
        if sampling.exact
        else plural(sampling.n_shuffles, sampling.unit)
    )
    within = f" inside {plural(n_blocks, 'block')}" if n_blocks else ""
    parts = [f"{each} per algorithm", steps, f"{how}{within}", *more, f"α = {alpha:g}"]
    return "; ".join(parts)
