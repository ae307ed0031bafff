"""How a question shuffles: what its caller asked for, in one object.

Every question that shuffles takes ``n_shuffles``, ``exact``, ``n_jobs``, ``rng`` and
``checkpoint``. They are checked and opened here, and go on as one `Work`.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from curvewise.inference.requirements import (
    as_generator,
    check_flag,
    check_jobs,
    random_keys,
    shuffle_count,
)
from curvewise.inference.sampling import Sampling, known_seed
from curvewise.kernels.relabelling.cache import shared_batches
from curvewise.shuffling.checkpoint import open_checkpoint
from curvewise.shuffling.plan import Plan
from curvewise.shuffling.visiting import visit

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from curvewise.inference.requirements import RNGLike
    from curvewise.kernels.relabelling.restriction import Restriction
    from curvewise.shuffling.checkpoint import Checkpoint
    from curvewise.shuffling.plan import Limits
    from curvewise.shuffling.visiting import Counts, Statistic

__all__ = ["Work", "family_seed", "shuffling_work"]


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
        self,
        restriction: Restriction,
        *,
        levels: tuple[float, ...],
        limits: Limits | None = None,
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
        check_flag("exact", exact)
    keys = random_keys(rng, n_keys) if n_keys else [family_seed(rng)]
    depends = (question, *asked, count, exact)
    with (
        shared_batches() if n_keys == 0 else nullcontext(),
        open_checkpoint(checkpoint, *depends, keys=keys, seeded=rng is not None) as (
            keys,
            opened,
        ),
    ):
        yield Work(count, exact, n_jobs, tuple(keys), known_seed(rng), opened)


def family_seed(rng: RNGLike) -> int:
    """Draw one seed for all members of a family."""
    return int(as_generator(rng).integers(2**63))
