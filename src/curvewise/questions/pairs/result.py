"""What `compare_pairs` found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, overload

from curvewise.errors import OptionError
from curvewise.inference.effects import EFFECTS, Interval, json_ready
from curvewise.inference.families import ADJUSTMENTS
from curvewise.inference.result import Result
from curvewise.kernels.partitions import MAX_MEMBERS
from curvewise.questions.pairs.letters import letters
from curvewise.rendering.tables import Table
from curvewise.text import did_you_mean, interval_text, number_text, p_text, plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Effect, ErrorTerm

__all__ = ["EFFECTS", "Pair", "Pairs"]


NOTES = {
    "closed": (
        "Adjusted for {pairs} by closed testing, for each effect: the largest p of all "
        "partitions into groups of alike algorithms that have both in one group."
    ),
    "holm": "Adjusted by Holm over {pairs}, for each effect.",
    "bonferroni": "Adjusted by Bonferroni over {pairs}, for each effect.",
    "max-t": (
        "Adjusted for {pairs} by the largest statistic of each shuffle (max-t). The residuals "
        "of all algorithms are shuffled together, so this is approximate and assumes equal "
        "variation. Where p of the pair alone is larger, it stands."
    ),
}


@dataclass(frozen=True, eq=False)
class Pair:
    """Two algorithms, compared on their own curves.

    Attributes
    ----------
    a, b : str
        The algorithms.
    overall, algorithm, interaction : Effect
        Do they differ at all; in height; in shape (None with a single step). ``pvalue`` is
        that of the two alone, ``pvalue_adjusted`` is adjusted for all pairs.
    difference : float
        The curve mean of ``a`` minus that of ``b``; within blocks when there are blocks.
    interval : Interval
        All differences that the test of this pair alone does not reject.
    hedges_g : float or None
        The difference in standard deviations of curve means, corrected for few runs.
    probability_of_superiority : float
        How often a run of ``a`` is better than one of ``b``; ties count half.
    n_runs : (int, int)
    exact : bool
        Whether every distinct relabelling was visited.
    n_relabellings, n_shuffles : int
        How many distinct relabellings there are, and how many were visited.
    """

    a: str
    b: str
    overall: Effect
    algorithm: Effect
    interaction: Effect | None
    difference: float
    interval: Interval
    confidence: float
    hedges_g: float | None
    probability_of_superiority: float
    n_runs: tuple[int, int]
    exact: bool
    n_relabellings: int
    n_shuffles: int

    def effect(self, name: str) -> Effect | None:
        """Return an effect by its name."""
        if name not in EFFECTS:
            msg = f"No effect is called {name!r}; {did_you_mean(name, EFFECTS)}"
            raise OptionError(msg, option="effect")
        effect: Effect | None = getattr(self, name)
        return effect

    def reversed(self) -> Pair:
        """Return the same pair with the algorithms in the other order."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=0.0 - self.difference,
            interval=Interval(0.0 - self.interval.high, 0.0 - self.interval.low),
            hedges_g=None if self.hedges_g is None else 0.0 - self.hedges_g,
            probability_of_superiority=1 - self.probability_of_superiority,
            n_runs=(self.n_runs[1], self.n_runs[0]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as JSON-ready data; an unbounded end is None."""
        effects = {name: self.effect(name) for name in EFFECTS}
        return {
            **{name: json_ready(value) for name, value in vars(self).items()},
            **{name: effect and effect.to_dict() for name, effect in effects.items()},
            "interval": [json_ready(end) for end in self.interval],
            "n_runs": list(self.n_runs),
        }


@dataclass(frozen=True, eq=False)
class Pairs(Result, Sequence[Pair]):
    """Every two algorithms compared, with p adjusted across the pairs for each effect.

    Attributes
    ----------
    pairs : tuple of Pair
    algorithms : tuple of str
        All algorithms, in their order; those in no pair as well.
    adjust : "closed", "holm", "bonferroni" or "max-t"
    error : "split" or "pooled"
    alpha : float
        For each effect, the chance of any false alarm among the pairs stays at alpha.
    letters : mapping from algorithm to str
        Algorithms that share a letter are not told apart in height.
    notes : tuple of str
        How p was adjusted.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    source : str
        Where the curves came from.
    """

    pairs: tuple[Pair, ...]
    algorithms: tuple[str, ...]
    adjust: str
    error: ErrorTerm
    alpha: float
    caveats: tuple[Caveat, ...]
    higher_is_better: bool = True
    seed: int | None = None
    source: str = ""
    preparation: Preparation | None = None
    in_score_units: ClassVar[tuple[str, ...]] = (
        "pairs.difference",
        "pairs.interval",
        "pairs.hedges_g",
    )

    @property
    def notes(self) -> tuple[str, ...]:
        """How p was adjusted, and why not by closed testing where that is impossible."""
        how = NOTES[self.adjust].format(pairs=plural(len(self.pairs), "pair"))
        if self.adjust != "max-t" or len(self.algorithms) <= MAX_MEMBERS:
            return (how,)
        why = (
            f"Closed testing, the default up to {MAX_MEMBERS} algorithms, would have too many "
            f"partitions of {len(self.algorithms)}."
        )
        return how, why

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Pair, ...]: ...
    def __getitem__(self, place: int | slice) -> Pair | tuple[Pair, ...]:
        return self.pairs[place]

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def _places(self) -> dict[frozenset[str], Pair]:
        return {frozenset((pair.a, pair.b)): pair for pair in self.pairs}

    def pair(self, a: str, b: str) -> Pair:
        """Return the pair of two algorithms, as seen from the first one named."""
        for name in (a, b):
            if name not in self.algorithms:
                msg = f"No algorithm is called {name!r}; {did_you_mean(name, self.algorithms)}"
                raise OptionError(msg)
        found = self._places.get(frozenset((a, b)))
        if found is None:
            msg = f"{a!r} and {b!r} were not compared; the warnings may say why."
            raise OptionError(msg)
        return found if found.a == a else found.reversed()

    def significant(self, effect: str = "algorithm") -> tuple[Pair, ...]:
        """Return the pairs in which an effect is significant after adjustment."""
        found = ((pair, pair.effect(effect)) for pair in self.pairs)
        return tuple(
            pair for pair, each in found if each is not None and each.significant
        )

    @property
    def smallest_pvalue(self) -> float:
        """The smallest adjusted p that these runs could have given."""
        if not self.pairs:
            return 0.0
        by_pvalue = ADJUSTMENTS[self.adjust].adjust is not None
        factor = len(self.pairs) if by_pvalue else 1
        return min(1.0, factor * min(1 / pair.n_relabellings for pair in self.pairs))

    @cached_property
    def letters(self) -> Mapping[str, str]:
        """Letters: algorithms that share one are not told apart in height."""
        different = [(pair.a, pair.b) for pair in self.significant()]
        return letters(self.ranked, different)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the null distributions as JSON-ready data."""
        return {
            "question": "compare_pairs",
            "source": self.source,
            "algorithms": list(self.algorithms),
            "adjust": self.adjust,
            "error": self.error,
            "alpha": self.alpha,
            "higher_is_better": self.higher_is_better,
            "seed": self.seed,
            "pairs": [pair.to_dict() for pair in self.pairs],
            "letters": dict(self.letters),
            "notes": list(self.notes),
            "smallest_pvalue": self.smallest_pvalue,
            **self.shared_dict(),
        }

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The algorithms by their differences to the others, the best one first."""
        sign = 1 if self.higher_is_better else -1
        sums = dict.fromkeys(self.algorithms, 0.0)
        for pair in self.pairs:
            sums[pair.a] += sign * pair.difference
            sums[pair.b] -= sign * pair.difference
        return tuple(sorted(self.algorithms, key=lambda name: -sums[name]))

    def best_first(self) -> list[Pair]:
        """Return the pairs in order of rank, each as seen from the better algorithm."""
        rank = {name: place for place, name in enumerate(self.ranked)}
        sign = 1 if self.higher_is_better else -1
        seen = [
            pair if sign * pair.difference >= 0 else pair.reversed()
            for pair in self.pairs
        ]
        return sorted(seen, key=lambda pair: (rank[pair.a], rank[pair.b]))

    def table(self) -> Table:
        """Return a row for every pair, that of the best algorithms first."""

        def cells(effect: Effect | None) -> tuple[str, ...]:
            if effect is None or effect.pvalue_adjusted is None:
                return "", ""
            return p_text(effect.pvalue), p_text(effect.pvalue_adjusted)

        rows = tuple(
            (
                pair.a,
                pair.b,
                number_text(pair.difference),
                interval_text(pair.interval),
                "" if pair.hedges_g is None else number_text(pair.hedges_g),
                *cells(pair.algorithm),
                *cells(pair.interaction),
            )
            for pair in self.best_first()
        )
        level = f"{100 * (1 - self.alpha):g}% interval"
        header = (
            "a",
            "b",
            "a - b",
            level,
            "Hedges' g",
            "p height",
            "adjusted",
            "p shape",
        )
        return Table((*header, "adjusted"), rows, notes=self.notes, n_text_columns=2)

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: the pairs, and the letters."""
        rows = tuple((name, self.letters[name]) for name in self.ranked)
        notes = ("Algorithms that share a letter are not told apart in height.",)
        return [self.table(), Table(("algorithm", "letters"), rows, "", notes, 2)]
