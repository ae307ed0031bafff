"""What `compare_pairs` found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, overload

from curvewise.errors import refuse
from curvewise.inference.caveats import Caveat
from curvewise.inference.result import EFFECTS, Interval, Result
from curvewise.inference.work import ADJUSTMENTS
from curvewise.kernels.contrasts import MAX_MEMBERS
from curvewise.records import Record, told
from curvewise.rendering.tables import Table
from curvewise.text import argument, did_you_mean, interval_text, number_text, p_text, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from curvewise.inference.result import Effect, ErrorTerm
    from curvewise.records import As, Count, Extended, Probability


def letters(names: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Give algorithms letters such that those that share one are not distinguished.

    Insert and absorb (Piepho 2004): a group that holds two algorithms distinguished is split
    in two, and a group inside another one goes.

    >>> letters(["A", "B", "C"], [("A", "C")])
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    place = {name: 1 << number for number, name in enumerate(names)}
    # A group is a number with a bit for each member.
    groups = {(1 << len(names)) - 1}
    for first, second in different:
        both = place[first] | place[second]
        split = {group for group in groups if group & both == both}
        groups -= split
        for part in {g & ~place[name] for g in split for name in (first, second)}:
            if not any(part & group == part for group in groups):
                groups = {group for group in groups if group & part != group} | {part}
    # The first algorithms get the first letters.
    ordered = sorted(groups, key=lambda g: [not g >> i & 1 for i in range(len(names))])
    return {
        name: "".join(_letter(i) for i, group in enumerate(ordered) if group & place[name])
        for name in names
    }


def _letter(number: int) -> str:
    """Return a, b, …, z, and then the same with a number.

    >>> _letter(0), _letter(25), _letter(26)
    ('a', 'z', 'a1')
    """
    round_, place = divmod(number, 26)
    return "abcdefghijklmnopqrstuvwxyz"[place] + (str(round_) if round_ else "")


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
class Pair(Record):
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
        All differences that the test of this pair alone does not reject; stretched to 0 where
        the two are not told apart after adjustment. It excludes 0 exactly when they are.
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
    difference: Extended
    interval: Interval
    confidence: Probability
    hedges_g: float | None
    probability_of_superiority: Probability
    n_runs: tuple[int, int]
    exact: bool
    n_relabellings: Count
    n_shuffles: Count

    def effect(self, name: str) -> Effect | None:
        """Return an effect by its name."""
        if name not in EFFECTS:
            refuse(f"No effect is called {name!r}; {did_you_mean(name, EFFECTS)}", option="effect")
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Pairs(Result, Sequence[Pair], question="compare_pairs"):
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

    source: str = ""
    algorithms: tuple[str, ...]
    adjust: Annotated[str, As(Literal["closed", "holm", "bonferroni", "max-t"])]
    error: ErrorTerm
    alpha: Probability
    higher_is_better: bool = True
    seed: int | None = None
    pairs: tuple[Pair, ...]
    in_score_units: ClassVar[tuple[str, ...]] = (
        "pairs.difference",
        "pairs.interval",
        "pairs.hedges_g",
    )

    @property
    @told(after="pairs")
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
                refuse(
                    f"No algorithm is called {name!r}; {did_you_mean(name, self.algorithms)}", ""
                )
        found = self._places.get(frozenset((a, b)))
        if found is None:
            refuse(f"{a!r} and {b!r} were not compared; the warnings may say why.", "")
        return found if found.a == a else found.reversed()

    def significant(self, effect: str = "algorithm") -> tuple[Pair, ...]:
        """Return the pairs in which an effect is significant after adjustment."""
        found = ((pair, pair.effect(effect)) for pair in self.pairs)
        return tuple(pair for pair, each in found if each is not None and each.significant)

    @property
    @told(after="notes")
    def smallest_pvalue(self) -> Probability:
        """The smallest adjusted p that these runs could have given."""
        if not self.pairs:
            return 0.0
        by_pvalue = ADJUSTMENTS[self.adjust].adjust is not None
        factor = len(self.pairs) if by_pvalue else 1
        return min(1.0, factor * min(1 / pair.n_relabellings for pair in self.pairs))

    @cached_property
    @told(after="pairs")
    def letters(self) -> Mapping[str, str]:
        """Letters: algorithms that share one are not told apart in height."""
        different = [(pair.a, pair.b) for pair in self.significant()]
        return letters(self.ranked, different)

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
        seen = [pair if sign * pair.difference >= 0 else pair.reversed() for pair in self.pairs]
        return sorted(seen, key=lambda pair: (rank[pair.a], rank[pair.b]))

    def table(self) -> Table:
        """Return a row for every pair, that of the best algorithms first."""

        def p_of(name: str, field: str) -> Callable[[Pair], str]:
            return lambda pair: p_text(p) if (p := getattr(pair.effect(name), field, None)) else ""

        return Table.of(
            self.best_first(),
            ("a", lambda pair: pair.a),
            ("b", lambda pair: pair.b),
            ("a - b", lambda pair: number_text(pair.difference)),
            (f"{100 * (1 - self.alpha):g}% interval", lambda pair: interval_text(pair.interval)),
            ("Hedges' g", lambda pair: "" if pair.hedges_g is None else number_text(pair.hedges_g)),
            ("p height", p_of("algorithm", "pvalue")),
            ("adjusted", p_of("algorithm", "pvalue_adjusted")),
            ("p shape", p_of("interaction", "pvalue")),
            ("adjusted", p_of("interaction", "pvalue_adjusted")),
            notes=self.notes,
            n_text_columns=2,
        )

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: the pairs, and the letters."""
        notes = ("Algorithms that share a letter are not told apart in height.",)
        rows = tuple((name, self.letters[name]) for name in self.ranked)
        return [self.table(), Table(("algorithm", "letters"), rows, "", notes, 2)]


class TooManyPairs(Caveat):
    """No adjusted p can be as small as alpha, whatever the data.

    ``by_runs`` tells whether runs are too few, not shuffles; ``n_enough`` runs of each would
    do, where that is known, or the adjustment ``instead``, where there is one.
    """

    n_pairs: int
    smallest_pvalue: float
    alpha: float
    by_runs: bool
    n_enough: int | None
    instead: str | None

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        remedy = "Use more blocks that hold both algorithms of a pair"
        if not self.by_runs:
            enough = math.ceil(self.n_pairs / self.alpha) - 1
            remedy = f"Use at least {argument('n_shuffles', enough)}"
        elif self.n_enough is not None:
            remedy = f"Use {self.n_enough} runs of each algorithm"
        if self.by_runs and self.instead is not None:
            remedy += f", or {argument('adjust', self.instead)}"
        return (
            f"With these runs the smallest p possible is {p_text(self.smallest_pvalue)} after "
            f"adjustment for {plural(self.n_pairs, 'pair')}, which is above alpha = "
            f"{self.alpha:g}: no data could be significant. {remedy}."
        )


class LeftOut(Caveat):
    """Some pairs could not be compared."""

    pairs: tuple[str, ...]
    reason: str

    def sentence(self) -> str:
        """Say which, and why."""
        shown = "; ".join(self.pairs[:3])
        if len(self.pairs) > 3:
            shown += f"; and {len(self.pairs) - 3:,} other pairs"
        return f"Left out: {shown}. {self.reason}"
