"""What `contrast` and `contrast_many` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from curvewise.inference.effects import json_ready
from curvewise.inference.result import Result
from curvewise.inference.sampling import Sampled
from curvewise.rendering.tables import Table
from curvewise.text import interval_text, number_text, p_text, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Center, Interval
    from curvewise.inference.sampling import Sampling
    from curvewise.kernels import Floats

__all__ = ["Alternative", "Contrast", "Contrasts"]

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, eq=False)
class Contrast(Sampled, Result):
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
    """

    coefficients: Mapping[str, float]
    weights: Floats | str
    value: float
    interval: Interval
    confidence: float
    statistic: float
    df: int
    pvalue: float
    alternative: Alternative
    alpha: float
    approximate: bool
    null_distribution: Floats = field(repr=False)
    sampling: Sampling
    caveats: tuple[Caveat, ...]
    pvalue_adjusted: float | None = None
    higher_is_better: bool = True
    center: Center = "mean"
    source: str = ""
    preparation: Preparation | None = None
    in_score_units: ClassVar[tuple[str, ...]] = (
        "value",
        "interval",
    )

    @property
    def significant(self) -> bool:
        """Whether p, adjusted where it belongs to a family, is at most alpha."""
        pvalue = self.pvalue if self.pvalue_adjusted is None else self.pvalue_adjusted
        return pvalue <= self.alpha

    @property
    def formula(self) -> str:
        """The contrast written as a sum of algorithms."""
        return _formula(self.coefficients)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the null distribution as JSON-ready data.

        What is infinite, such as an open end of an interval, is None.
        """
        values = {name: json_ready(value) for name, value in vars(self).items()}
        for name in ("null_distribution", "sampling", "caveats", "preparation"):
            del values[name]
        weights = self.weights if isinstance(self.weights, str) else self.weights.tolist()
        return {
            "question": "contrast",
            **values,
            "coefficients": dict(self.coefficients),
            "weights": weights,
            "interval": [json_ready(end) for end in self.interval],
            "significant": self.significant,
            **self.sampling.to_dict(),
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return the contrast as a table of one row."""
        return _contrast_table({self.formula: self}, self)

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        return [self.table()]


@dataclass(frozen=True, eq=False)
class Contrasts(Result, Mapping[str, Contrast]):
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

    contrasts: Mapping[str, Contrast]
    adjust: str
    alpha: float
    caveats: tuple[Caveat, ...]
    seed: int | None = None

    def __getitem__(self, name: str) -> Contrast:
        return self.contrasts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.contrasts)

    def __len__(self) -> int:
        return len(self.contrasts)

    def significant(self) -> tuple[str, ...]:
        """Return the contrasts that are significant after adjustment."""
        return tuple(name for name, found in self.items() if found.significant)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the null distributions as JSON-ready data."""
        return {
            "question": "contrast_many",
            "adjust": self.adjust,
            "alpha": self.alpha,
            "seed": self.seed,
            "contrasts": {name: found.to_dict() for name, found in self.items()},
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return a row for every contrast."""
        some = next(iter(self.values()))
        return _contrast_table(self, some, f"Adjusted by {self.adjust}.")

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


def _contrast_table(
    contrasts: Mapping[str, Contrast], some: Contrast, *notes: str
) -> Table:
    adjusted = some.pvalue_adjusted is not None
    levels = {found.confidence for found in contrasts.values()}
    rows = tuple(
        (
            name,
            number_text(found.value),
            interval_text(found.interval),
            *((percent(found.confidence),) if len(levels) > 1 else ()),
            number_text(found.statistic),
            str(found.df),
            p_text(found.pvalue),
            *(
                (p_text(found.pvalue_adjusted),)
                if found.pvalue_adjusted is not None
                else ()
            ),
        )
        for name, found in contrasts.items()
    )
    shown = ["interval", "confidence"]
    if len(levels) == 1:
        shown = [f"{percent(some.confidence)} interval"]
    header = ("contrast", "value", *shown, "t", "df", "p")
    over = some.weights if isinstance(some.weights, str) else "weights as given"
    notes_above = [f"Over training: {over}. Alternative: {some.alternative}."]
    if some.center == "trimmed":
        notes_above.append(
            "Of typical runs: a fifth of the runs of an algorithm is cut off at either end."
        )
    if some.center == "ranks":
        notes_above.append(
            "p and t are of ranks of runs; the value is the median difference of two runs."
        )
    if any(found.approximate for found in contrasts.values()):
        notes_above.append(
            "More than two algorithms: residuals are shuffled, p is approximate."
        )
    if adjusted:
        notes_above.append(
            "Each interval has the level at which its contrast was judged: it holds 0 exactly "
            "where the adjusted p is above α."
        )
    return Table(
        (*header, "adjusted") if adjusted else header, rows, notes=(*notes_above, *notes)
    )
