"""What `contrast` and `contrast_many` found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from curvewise.inference.caveats import Caveat
from curvewise.inference.result import Family, Result
from curvewise.inference.work import Sampled
from curvewise.records import INLINE, UNTOLD, told
from curvewise.rendering.tables import Table
from curvewise.text import argument, interval_text, number_text, p_text, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.inference.result import Center, Interval
    from curvewise.inference.work import Sampling
    from curvewise.kernels import Floats
    from curvewise.records import As, Count, Extended, Probability


Alternative = Literal["two-sided", "greater", "less"]

NOTES_OF_CENTERS = {
    "trimmed": ("Of typical runs: a fifth of the runs of an algorithm is cut off at either end.",),
    "ranks": ("p and t are of ranks of runs; the value is the median difference of two runs.",),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Contrast(Sampled, Result, question="contrast"):
    """A weighted difference between algorithms, summed over training.

    Attributes
    ----------
    coefficients : mapping from algorithm to number
        Those that are not 0.
    weights : array or str
        What each step counts, or in which words that was asked.
    value : float
        The contrast, in units of the score (times those of the weights); within blocks when
        there are blocks.
    interval : Interval
        All values that the test does not reject at ``1 - confidence``; one end is infinite
        when the alternative is one-sided. In a family at the level at which it was judged.
    statistic : float
        t: the value over its standard error. Infinite without any error.
    df : int
        Degrees of freedom of the error.
    pvalue : float
        The share of relabellings with a t at least as extreme. Never 0.
    pvalue_adjusted : float or None
        p adjusted for the other contrasts of a family, where there is a family.
    approximate : bool
        Whether residuals were shuffled, as with more than two algorithms: p then comes
        near its promise, but is not bound to it.
    null_distribution : array
        t of the relabellings; of many a sample, of 131,072 at most.
    sampling : Sampling
        How relabellings were visited; its attributes (``exact``, ``n_relabellings``,
        ``n_shuffles``, ``seed``, …) are those of the result.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    center : "mean", "trimmed" or "ranks"
        What of the runs of an algorithm is contrasted. Of trimmed means ``statistic`` is Yuen's
        t with the pooled Winsorized variance, and the null distribution has the differences of
        the relabellings over the standard error of the observed one. By ranks t is that of
        ranks.
    source : str
        Where the curves came from.
    period : str
        What all steps are: "over training", or the part of it that was read.
    """

    coefficients: Mapping[str, float]
    weights: Annotated[Floats, As(list[float])] | str
    value: Extended
    interval: Interval
    confidence: Probability
    statistic: Extended
    df: Count
    pvalue: Probability
    alternative: Alternative
    alpha: Probability
    approximate: bool
    null_distribution: Floats = field(repr=False, metadata=UNTOLD)
    pvalue_adjusted: Probability | None = None
    higher_is_better: bool = True
    center: Center = "mean"
    source: str = ""
    sampling: Sampling = field(metadata=INLINE)
    period: str = field(default="over training", repr=False, metadata=UNTOLD)
    in_score_units: ClassVar[tuple[str, ...]] = ("value", "interval")

    @property
    @told(after="source")
    def significant(self) -> bool:
        """Whether p, adjusted where it belongs to a family, is at most alpha."""
        pvalue = self.pvalue if self.pvalue_adjusted is None else self.pvalue_adjusted
        return pvalue <= self.alpha

    @property
    def formula(self) -> str:
        """The contrast written as a sum of algorithms."""
        return _formula(self.coefficients)

    def table(self) -> Table:
        """Return the contrast as a table of one row."""
        return _contrast_table({self.formula: self})

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        return [self.table()]


@dataclass(frozen=True, eq=False, kw_only=True)
class Contrasts(Family[str, Contrast], question="contrast_many", members="contrasts"):
    """Several contrasts of the same curves, by name, with p adjusted across them.

    Attributes
    ----------
    adjust : "holm", "bonferroni" or "max-t"
        How ``pvalue_adjusted`` of each was adjusted.
    alpha : float
        The chance of any false alarm among them stays at alpha.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    adjust: str
    alpha: Probability
    seed: int | None = None
    contrasts: Mapping[str, Contrast]

    def significant(self) -> tuple[str, ...]:
        """Return the contrasts that are significant after adjustment."""
        return tuple(name for name, found in self.items() if found.significant)

    def table(self) -> Table:
        """Return a row for every contrast."""
        return _contrast_table(self, f"Adjusted by {self.adjust}.")

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        return [self.table()]


def _formula(coefficients: Mapping[str, float]) -> str:
    """Write a contrast as a sum.

    >>> _formula({"A": 1.0, "B": -0.5, "C": -0.5})
    'A - 0.5 B - 0.5 C'
    """
    text = ""
    for name, number in coefficients.items():
        size = "" if abs(number) == 1 else f"{abs(number):.4g} "
        sign = ("- " if number < 0 else "+ ") if text else "-" if number < 0 else ""
        text += f"{' ' if text else ''}{sign}{size}{name}"
    return text


def _contrast_table(contrasts: Mapping[str, Contrast], *notes: str) -> Table:
    some = next(iter(contrasts.values()))
    adjusted = some.pvalue_adjusted is not None
    one_level = len({found.confidence for found in contrasts.values()}) == 1
    over = some.weights if isinstance(some.weights, str) else "weights as given"
    said = [
        f"Over training: {over}. Alternative: {some.alternative}.",
        *NOTES_OF_CENTERS.get(some.center, ()),
    ]
    if any(found.approximate for found in contrasts.values()):
        said.append("More than two algorithms: residuals are shuffled, p is approximate.")
    if adjusted:
        said.append(
            "Each interval has the level at which its contrast was judged: it holds 0 exactly "
            "where the adjusted p is above α."
        )
    return Table.of(
        contrasts.items(),
        ("contrast", lambda own: own[0]),
        ("value", lambda own: number_text(own[1].value)),
        (
            f"{percent(some.confidence)} interval" if one_level else "interval",
            lambda own: interval_text(own[1].interval),
        ),
        ("confidence", lambda own: None if one_level else percent(own[1].confidence)),
        ("t", lambda own: number_text(own[1].statistic)),
        ("df", lambda own: str(own[1].df)),
        ("p", lambda own: p_text(own[1].pvalue)),
        ("adjusted", lambda own: p_text(own[1].pvalue_adjusted or 1.0) if adjusted else None),
        notes=(*said, *notes),
    )


class EqualRuns(Caveat):
    """All runs have the same weighted sum."""

    def sentence(self) -> str:
        """Say that there is nothing to contrast."""
        return "All runs have the same weighted sum: there is nothing to contrast."


class InfiniteT(Caveat):
    """All runs of an algorithm have the same weighted sum."""

    def sentence(self) -> str:
        """Say what to check."""
        return (
            "All runs of an algorithm have the same weighted sum, so t is infinite. Check that "
            "the runs are separate runs."
        )


class TooManyContrasts(Caveat):
    """No adjusted p can be as small as alpha."""

    n_contrasts: int
    smallest_pvalue: float
    alpha: float

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        return (
            f"The smallest p possible, adjusted for {self.n_contrasts} contrasts, is "
            f"{p_text(self.smallest_pvalue)}, which is above alpha = {self.alpha:g}: nothing "
            f"can be significant. Use more runs, or {argument('adjust', 'max-t')}."
        )
