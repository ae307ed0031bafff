"""How a question shuffles: what its caller asked for, in one object.

Every question that shuffles takes ``n_shuffles``, ``exact``, ``n_jobs``, ``rng`` and
``checkpoint``. They are checked and opened here, and go on as one `Work`.
"""

from __future__ import annotations

import math
import os
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.checks import as_float, check_flags, check_jobs, refuse_option, value_text
from curvewise.kernels.relabel import shared_batches
from curvewise.records import UNTOLD, Record, told
from curvewise.shuffling.checkpoint import Checkpoint, fingerprint
from curvewise.shuffling.plan import RULES, Plan
from curvewise.shuffling.visit import visit
from curvewise.text import in_python, shown_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.inference.asking import RNGLike
    from curvewise.kernels.relabel import Restriction
    from curvewise.records import Probability
    from curvewise.shuffling.plan import Limits
    from curvewise.shuffling.visit import Counts, Statistic


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
        return Sampling(
            found.exact,
            found.plan.restriction.count,
            found.n_visited,
            found.engine,
            None if found.exact else self.seed,
            found.plan.restriction.unit,
        )

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
