"""One effect: its F, its p, and the words for it; intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from curvewise.kernels.pvalues import clopper_pearson, f_survival

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from curvewise.kernels import Floats

__all__ = [
    "EFFECTS",
    "PARTS",
    "Center",
    "Effect",
    "EffectName",
    "EffectWords",
    "ErrorTerm",
    "Interval",
    "OverallTest",
    "Spread",
    "f_statistic",
    "json_ready",
]

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

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Effect:
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

    name: EffectName
    statistic: float
    df: tuple[float, float]
    pvalue: float
    n_extreme: int
    n_shuffles: int
    exact: bool
    alpha: float
    critical_value: float
    null: Floats | Callable[[], Floats] = field(repr=False)
    pvalue_adjusted: float | None = None
    f_value: float | None = None
    components: Mapping[str, float] | None = None
    center: Center = "mean"

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
    def symbol(self) -> str:
        """Which statistic it is: F, the combined one, C, or that of trimmed means, D."""
        if self.center == "trimmed":
            return "D"
        return "F" if self.components is None else "C"

    @property
    def f(self) -> float:
        """F, whichever statistic is shuffled."""
        return self.statistic if self.f_value is None else self.f_value

    @property
    def significant(self) -> bool:
        """Whether p, adjusted where it belongs to a family, is at most alpha."""
        pvalue = self.pvalue if self.pvalue_adjusted is None else self.pvalue_adjusted
        return pvalue <= self.alpha

    @property
    def effect_size(self) -> float:
        """Partial ω²: the share of variation an effect explains beyond chance."""
        if math.isinf(self.f):
            return 1.0
        df_effect, df_error = self.df
        excess = df_effect * (self.f - 1)
        return excess / (excess + df_effect + df_error + 1)

    @cached_property
    def pvalue_parametric(self) -> float:
        """The p of the conventional F test, which takes all scores for independent.

        Where spreads may differ: of Welch's test, on approximate degrees of freedom.
        """
        return f_survival(self.f, self.df)

    @cached_property
    def pvalue_interval(self) -> Interval:
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

    def to_dict(self) -> dict[str, Any]:
        """Return the effect as JSON-ready data, without the null distribution."""
        return {
            "statistic": json_ready(self.statistic),
            "symbol": self.symbol,
            "f": json_ready(self.f),
            "df": list(self.df),
            "pvalue": self.pvalue,
            "pvalue_interval": list(self.pvalue_interval),
            "pvalue_parametric": self.pvalue_parametric,
            "significant": self.significant,
            "critical_value": json_ready(self.critical_value),
            "effect_size": self.effect_size,
            "n_extreme": self.n_extreme,
            "n_shuffles": self.n_shuffles,
            "exact": self.exact,
            **(
                {}
                if self.pvalue_adjusted is None
                else {"pvalue_adjusted": self.pvalue_adjusted}
            ),
            **({} if self.components is None else {"components": dict(self.components)}),
            **({} if self.center == "mean" else {"center": self.center}),
        }


def json_ready(value: Any) -> Any:
    """Replace what JSON has no word for: an infinite number becomes None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
