"""How a question shuffles: what its caller asked for, in one object.

Every question that shuffles takes ``n_shuffles``, ``exact``, ``n_jobs``, ``rng`` and
``checkpoint``. They are checked and opened here, and go on as one `Work`.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from curvewise.data.checks import as_float, check_flags, check_jobs, refuse_option, value_text
from curvewise.errors import CurvewiseError, refuse
from curvewise.kernels.pvalues import MaxCounts, benjamini_hochberg, bonferroni, holm
from curvewise.kernels.relabel import SideBySide, shared_batches
from curvewise.records import UNTOLD, Record, told
from curvewise.shuffling.checkpoint import Checkpoint, fingerprint
from curvewise.shuffling.visit import RULES, Limits, Plan, Statistic, track_items, visit
from curvewise.text import in_python, shown_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from curvewise.inference.asking import RNGLike
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.relabel import Restriction
    from curvewise.records import Probability
    from curvewise.shuffling.visit import Counts, Layout, Measured


# --- How relabellings were visited: all of them or a sample, how many, from which seed.


@dataclass(frozen=True)
class Sampling(Record):
    """How the relabellings behind a p-value were visited.

    Attributes
    ----------
    exact : bool
        Whether every distinct relabelling was visited.
    n_relabellings : int
        How many distinct relabellings there are; JSON has 10^300 where there are more.
    n_shuffles : int
        How many relabellings were visited.
    engine : str
        What did the counting: NumPy or compiled code, shuffling, drawing or enumerating.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number and mattered.
    unit : str
        What was counted: "shuffle", or "draw" where tables are drawn anew and ``n_relabellings``
        is how many sets of draws there are.
    n_alike : int
        How many relabellings have the same statistic whatever the data; more than one of
        trimmed means, where runs that are cut off can change places unnoticed.
    """

    exact: bool
    n_relabellings: int
    n_shuffles: int
    engine: str = ""
    seed: int | None = None
    unit: str = field(default="shuffle", metadata=UNTOLD)
    n_alike: int = field(default=1, metadata=UNTOLD)

    @property
    def smallest_by_runs(self) -> float:
        """The smallest p that the number of relabellings allows."""
        return self.n_alike / self.n_relabellings

    @property
    @told()
    def smallest_pvalue(self) -> Probability:
        """The smallest p that this many runs, or shuffles, could be trusted to give."""
        if self.exact:
            return self.smallest_by_runs
        return max(self.smallest_by_runs, 1 / (1 + self.n_shuffles))

    def with_seed(self, seed: int | None) -> Sampling:
        """Return the same with another seed to report."""
        return replace(self, seed=seed)


class Sampled:
    """The attributes of `Sampling`, for a result that has one as ``sampling``."""

    sampling: Sampling

    @property
    def exact(self) -> bool:
        """Whether every distinct relabelling was visited."""
        return self.sampling.exact

    @property
    def n_relabellings(self) -> int:
        """How many distinct relabellings there are."""
        return self.sampling.n_relabellings

    @property
    def n_shuffles(self) -> int:
        """How many relabellings were visited."""
        return self.sampling.n_shuffles

    @property
    def engine(self) -> str:
        """What did the counting: NumPy or compiled code, shuffling or enumerating."""
        return self.sampling.engine

    @property
    def seed(self) -> int | None:
        """The ``rng`` that repeats the result, when it was a number and mattered."""
        return self.sampling.seed

    @property
    def smallest_pvalue(self) -> float:
        """The smallest p that this many runs, or shuffles, could be trusted to give."""
        return self.sampling.smallest_pvalue


def known_seed(rng: RNGLike, *, mattered: bool = True) -> int | None:
    """Return the seed to report: ``rng`` if it was a number and made a difference."""
    return int(rng) if mattered and isinstance(rng, int | np.integer) else None


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
    return [int(key) for key in as_generator(rng).integers(2**64, size=count, dtype=np.uint64)]


# --- How a question shuffles: what its caller asked for, in one object.

MAX_SHUFFLES_GIVEN = 10**9  # more take days


@dataclass(frozen=True, eq=False)
class Work:
    """What the caller asked for, the random keys, and the checkpoint if there is one.

    ``seed`` is the number that repeats the result, where ``rng`` was a number.
    """

    n_shuffles: int | str
    exact: bool | None
    n_jobs: int
    keys: tuple[int, ...]
    seed: int | None
    checkpoint: Checkpoint | None

    @property
    def key(self) -> int:
        """The key of the shuffles: the first one."""
        return self.keys[0]

    def plan(
        self, restriction: Restriction, *, levels: tuple[float, ...], limits: Limits | None = None
    ) -> Plan:
        """Decide between all relabellings and a sample; "auto" settles p against the levels."""
        return Plan.of(
            restriction,
            n_shuffles=self.n_shuffles,
            exact=self.exact,
            key=self.key,
            levels=levels,
            limits=limits,
        )

    def visit(self, plan: Plan, statistic: Statistic) -> Counts:
        """Visit the relabellings of a plan."""
        return visit(plan, statistic, n_jobs=self.n_jobs, checkpoint=self.checkpoint)

    def sampling(self, found: Counts) -> Sampling:
        """Say how a visit went; the seed is reported where it mattered."""
        allowed, seed = found.plan.restriction, None if found.exact else self.seed
        visited = found.n_visited, found.engine
        return Sampling(found.exact, allowed.count, *visited, seed, allowed.unit)

    def of_member(self, n_keys: int = 1) -> Work:
        """Return the work of a family's member: keys drawn anew from the family's.

        All members get the same keys, so that members of one shape are shuffled alike. Asked by
        itself, a member gives the same answer with the family's key as ``rng``, so that is its
        seed.
        """
        return replace(self, keys=tuple(random_keys(self.key, n_keys)), seed=self.key)

    def of_family(self) -> Work:
        """Return the work of a member that is a family itself, as `of_member` does.

        It has the one seed that the member draws from the family's key when asked by itself.
        """
        return replace(self, keys=(family_seed(self.key),), seed=self.key)

    def by_itself(self) -> Work:
        """Return the same work without workers or a file, to be done again later."""
        return replace(self, n_jobs=1, checkpoint=None)

    def sampled(self) -> Work:
        """Return the same work without the wish to be exact, for a test that has no exact form."""
        return replace(self, exact=False)


@contextmanager
def shuffling_work(
    question: str,
    *asked: Any,
    n_shuffles: object,
    exact: bool | None,
    n_jobs: int,
    rng: RNGLike,
    checkpoint: str | os.PathLike[str] | None,
    n_keys: int = 1,
) -> Iterator[Work]:
    """Check what a caller asked for, draw the keys, and open the checkpoint.

    ``asked`` is all else that the answer depends on: the curves and the other options. With
    ``n_keys`` 0 it is the work of a family: one seed is drawn, from which the members draw
    theirs, and members of one shape share their shuffles.
    """
    check_jobs(n_jobs)
    count = shuffle_count(n_shuffles)
    if exact is not None:
        check_flags(exact=exact)
    keys = random_keys(rng, n_keys) if n_keys else [family_seed(rng)]
    depends = (question, *asked, count, exact)
    with (
        shared_batches() if n_keys == 0 else nullcontext(),
        open_checkpoint(checkpoint, *depends, keys=keys, seeded=rng is not None) as (keys, opened),
    ):
        yield Work(count, exact, n_jobs, tuple(keys), known_seed(rng), opened)


def family_seed(rng: RNGLike) -> int:
    """Draw one seed for all members of a family."""
    return int(as_generator(rng).integers(2**63))


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


@contextmanager
def open_checkpoint(
    path: str | os.PathLike[str] | Checkpoint | None, *asked: Any, keys: Sequence[int], seeded: bool
) -> Iterator[tuple[list[int], Checkpoint | None]]:
    """Open the checkpoint of a question; give the keys to shuffle with, and the checkpoint.

    ``asked`` is all that the answer depends on: the curves and the options. ``keys`` are the
    random keys that were drawn; where no seed was given (``seeded`` is false), those with which the
    work was begun take their place. A checkpoint that is already open, that of a family, is
    used as it is. The file is written when the block is left, also by an error, if any work was
    begun: a question that is refused leaves none behind.
    """
    if path is None or isinstance(path, Checkpoint):
        yield list(keys), path
        return
    given: object = path
    if not isinstance(given, str | os.PathLike):
        refuse_option("checkpoint", f"must be the name of a file, not {shown_value(path)}.")
    checkpoint = Checkpoint(Path(path), fingerprint(*asked), keys if seeded else None)
    try:
        yield checkpoint.keys(keys), checkpoint
    finally:
        checkpoint.write_if_begun()


# --- Families: ask the same of each of several, and adjust p for how many were asked.


Key = TypeVar("Key")
Member = TypeVar("Member")
Answer = TypeVar("Answer")


class Adjustment(NamedTuple):
    """A way to adjust p: what it is called, and what it does to the p-values.

    Max-t and closed testing have no function of the p-values: they take the statistics of all
    members from the same shuffles.
    """

    name: str
    label: str
    title: str
    adjust: Callable[[Floats], Floats] | None


ADJUSTMENTS = {
    found.name: found
    for found in (
        Adjustment("holm", "Holm", "Holm's adjustment", holm),
        Adjustment("bonferroni", "Bonferroni", "Bonferroni's adjustment", bonferroni),
        Adjustment("max-t", "max-t", "adjustment by the largest statistic (max-t)", None),
        Adjustment("closed", "closed testing", "closed testing", None),
        Adjustment(
            "bh", "Benjamini-Hochberg", "the Benjamini-Hochberg adjustment", benjamini_hochberg
        ),
    )
}
# Those that keep the chance of any false alarm at alpha, in any family.
FAMILYWISE = ("holm", "bonferroni", "max-t")


def adjusted(pvalues: Mapping[Key, float], adjust: str) -> dict[Key, float]:
    """Return the p-values adjusted for each other, by one that is a function of p-values."""
    function = ADJUSTMENTS[adjust].adjust
    assert function is not None  # noqa: S101 (max-t is not a function of p-values)
    values = function(np.array(list(pvalues.values()), dtype=np.float64))
    return dict(zip(pvalues, values.tolist(), strict=True))


def own_level(alpha: float, pvalue: float, pvalue_adjusted: float) -> float:
    """Return the level for p itself at which a member is judged as alpha judges its adjusted p.

    Where p is multiplied by some factor, alpha is divided by it. Rounding in that must not part
    an interval at this level from the answer, so that both say the same.
    """
    level = alpha * pvalue / pvalue_adjusted
    if pvalue_adjusted <= alpha:
        return max(level, pvalue)
    return min(level, math.nextafter(pvalue, 0.0))


def tag_of(names: Iterable[str]) -> int:
    """Return a number of 64 bits for a set of names, in whatever order they come."""
    hashed = hashlib.blake2b(repr(sorted(names)).encode(), digest_size=8)
    return int.from_bytes(hashed.digest())


def check_members(members: object, what: str) -> None:
    """Raise unless ``members`` is a mapping with at least one member."""
    if not isinstance(members, Mapping) or not members:
        refuse(f"Give a mapping from names to {what}, with at least one of them.", "")


def ask_each(
    members: Mapping[str, Member], ask: Callable[[str, Member], Answer], label: str = ""
) -> dict[str, Answer]:
    """Ask of every member and report progress; errors have the member's name before them."""
    answers = {}
    for name, member in track_items(list(members.items())):
        try:
            answers[name] = ask(name, member)
        except CurvewiseError as refused:
            whose = f"{label} {name!r}" if label else name
            refused.args = (f"{whose}: {refused}",)
            raise
    return answers


def at_own_levels(
    members: Mapping[str, Callable[[float], Any]],
    alpha: float,
    adjust: str,
    seed: int | None,
    field: str = "pvalue",
) -> dict[str, Any]:
    """Judge every member at the level that alpha leaves it, and set its adjusted p.

    A member gives its result at a level. ``field`` is the p that is adjusted.
    """
    pvalues = {name: getattr(at(alpha), field) for name, at in members.items()}
    values = adjusted(pvalues, adjust)
    found = {
        name: at(own_level(alpha, pvalues[name], values[name])) for name, at in members.items()
    }
    return {
        name: replace(own, **{f"{field}_adjusted": values[name]})
        for name, own in seeded(found, seed).items()
    }


def seeded(members: Mapping[str, Any], seed: int | None) -> dict[str, Any]:
    """Return the members with the seed of the family, where their own mattered."""
    return {
        name: replace(own, sampling=own.sampling.with_seed(None if own.seed is None else seed))
        for name, own in members.items()
    }


# --- Several tests from the same shuffles: the largest statistic (max-t), and closed testing.

# "auto" and "precise" give up here: shuffles of a whole family take NumPy seconds.
LIMITS = Limits(shuffles=2**20)


@dataclass(frozen=True, eq=False)
class LargestOf(Statistic):
    """The largest of several statistics in each shuffle, held against those observed; kept.

    Attributes
    ----------
    largest : callable
        From labels to the largest statistic; (n_kinds, n_shuffles) of every kind of statistic.
    observed : tuple of MaxCounts
        Of each kind.
    every : bool
        Whether "auto" settles each p, or only that of the clearest of each kind.
    """

    largest: Callable[[Integers], Floats]
    observed: tuple[MaxCounts, ...]
    every: bool = False

    chunk = 4

    @classmethod
    def against(
        cls,
        observed: Iterable[Floats],
        largest: Callable[[Integers], Floats],
        *,
        every: bool = False,
    ) -> LargestOf:
        """Hold the largest of each kind against a row of what was observed."""
        return cls(largest, tuple(map(MaxCounts.of, observed)), every)

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count, for everything observed, the shuffles whose largest statistic is as large."""
        found = self.largest(labels)
        counts = [own.count(row) for own, row in zip(self.observed, found, strict=True)]
        return (np.stack(counts),), ((found,) if keep else ())

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return all counts, or those of the clearest of each kind: is there anything?"""
        return counts[0].ravel() if self.every else counts[0].min(axis=1)


@dataclass(frozen=True, eq=False)
class AlikeSet:
    """Algorithms taken to be alike; ``tag`` is a number that only these algorithms have."""

    layout: Layout
    tag: int


Alike = TypeVar("Alike", bound=AlikeSet)


@dataclass(frozen=True, eq=False)
class OfAlikeSets(Statistic, Generic[Alike]):
    """A statistic of sets of algorithms that are shuffled each by itself, labels side by side."""

    sets: tuple[Alike, ...]

    chunk = 1

    @property
    def restriction(self) -> SideBySide:
        """The relabellings of every set by itself."""
        sets = tuple(each.layout.restriction for each in self.sets)
        return SideBySide(sets, tuple(each.tag for each in self.sets))

    def split(self, labels: Integers) -> list[Integers]:
        """Return the labels of each set."""
        ends = np.cumsum([len(each.layout.labels) for each in self.sets])
        return np.split(labels, ends[:-1], axis=1)
