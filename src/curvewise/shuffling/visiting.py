"""One visit for every question: a plan and a statistic in, counts and kept values out.

Relabellings come in batches, and a statistic is always computed for a whole batch: matrix
products of other shapes may differ in their last bit, and results must not depend on how work is
cut up. Of a large number of relabellings only a sample is kept, for plots, critical values and
intervals, so memory does not grow with the number visited.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.relabelling.streams import BATCH
from curvewise.shuffling.parallel import chunks_of, in_chunks, single_blas
from curvewise.shuffling.stopping import FIRST_LOOK
from curvewise.shuffling.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.relabelling.restriction import Relabellings
    from curvewise.shuffling.checkpoint import Checkpoint
    from curvewise.shuffling.plan import Plan
    from curvewise.shuffling.tally import Measured

__all__ = ["CompiledWork", "Counts", "Statistic", "visit"]

# Values of a hundred thousand relabellings settle all that can be drawn.
MAX_KEPT_BATCHES = 128


class CompiledWork(NamedTuple):
    """Counting in compiled code: work on ranges of items, and batches it leaves to NumPy."""

    work: Callable[[range], Measured]
    items: range
    chunk: int
    left_over: range


class Statistic(ABC):
    """What is computed of relabellings: counts to be added up, values to be kept.

    A statistic is a frozen dataclass without state, and can be pickled. Neither the number of
    jobs nor the size of chunks may change what it gives.
    """

    chunk: int = 64  # batches to a task of NumPy: tens of milliseconds of work
    # With fewer batches, threads of BLAS do no harm worth importing a library for.
    min_batches_for_single_blas: int = 17

    @abstractmethod
    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Return the counts of a batch and, if asked, the values to keep.

        ``labels`` is (n_relabellings, n_runs); relabellings are the last axis of each array of
        values.
        """

    def kept_values(self, labels: Integers) -> tuple[Floats, ...]:
        """Return the values of a batch to keep, where it is counted otherwise or not at all."""
        return self.measure(labels, keep=True)[1]

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts that "auto" and "precise" look at."""
        return counts[0].ravel()

    def n_kept(self, n_runs: int) -> int:  # noqa: ARG002 (some depend on it)
        """Return how many batches are kept of a larger number."""
        return MAX_KEPT_BATCHES

    def whole(self, relabellings: Relabellings) -> Measured | None:  # noqa: ARG002
        """Measure all relabellings of an enumeration at once, if that is quicker than in batches.

        All of their values are kept, in any order. Without matrix products, whose threads nothing
        holds back here.
        """
        return None

    def compiled(
        self,
        relabellings: Relabellings,  # noqa: ARG002
        batches: range,  # noqa: ARG002
    ) -> CompiledWork | None:
        """Return how to count these batches in compiled code, if that is faster."""
        return None


@dataclass(frozen=True, eq=False)
class Counts:
    """What the relabellings gave.

    Attributes
    ----------
    counts : tuple of array
        Over all relabellings visited, as the statistic counts them.
    kept : tuple of array
        Values of the relabellings kept, or of a sample.
    n_visited : int
        How many relabellings were visited.
    engine : str
        What did the counting: NumPy or compiled code, shuffling or enumerating.
    plan : Plan
        What was planned.
    """

    counts: tuple[Integers, ...]
    kept: tuple[Floats, ...]
    n_visited: int
    engine: str
    plan: Plan

    @property
    def exact(self) -> bool:
        """Whether every allowed relabelling was visited."""
        return self.plan.exact


def visit(
    plan: Plan,
    statistic: Statistic,
    *,
    n_jobs: int = 1,
    checkpoint: Checkpoint | None = None,
) -> Counts:
    """Visit the relabellings of a plan, until its rule is settled if it has one.

    ``n_jobs`` changes no digit. Finished chunks are written down in the checkpoint, and looked
    up there first.
    """
    if plan.keeps_all and (measured := statistic.whole(plan.relabellings)):
        count = plan.relabellings.count
        return Counts(*measured, count, f"NumPy {_how(plan)}", plan)
    visitor = _Visitor(statistic, n_jobs, checkpoint)
    large = plan.n_batches >= statistic.min_batches_for_single_blas
    with single_blas() if large else nullcontext():
        if plan.rule is None:
            return visitor.visit_all(plan)
        return visitor.visit_until_settled(plan)


@dataclass(frozen=True, eq=False)
class _Visitor:
    statistic: Statistic
    n_jobs: int
    checkpoint: Checkpoint | None

    def visit_all(self, plan: Plan) -> Counts:
        relabellings, n_batches = plan.relabellings, plan.n_batches
        n_kept = self.statistic.n_kept(len(relabellings.labels))
        how = _how(plan)
        if plan.exact and not plan.keeps_all:
            # Part of an enumeration would be a corner of it, so a sample is kept.
            sample = plan.restriction.drawn(n_kept * BATCH, seed=0)
            kept = self._kept(sample, range(n_kept))
            compiled = self._compiled(relabellings, range(n_batches))
            counts, engine = self._count(relabellings, range(n_batches), compiled)
            return Counts(
                tuple(counts), kept, relabellings.count, f"{engine} {how}", plan
            )
        n_first = n_batches if plan.keeps_all else min(n_kept, n_batches)
        others = range(n_first, n_batches)
        # Asked before any work: once compiled code is loaded, it helps with what is kept; and it
        # counts that as well.
        if self._compiled(relabellings, others) is not None:
            kept = self._kept(relabellings, range(n_first))
            compiled = self._compiled(relabellings, range(n_batches))
            counts, engine = self._count(relabellings, range(n_batches), compiled)
            return Counts(
                tuple(counts), kept, relabellings.count, f"{engine} {how}", plan
            )
        first = self._in_numpy(relabellings, range(n_first), keep=True)
        counts, engine = self._count(relabellings, others, None, first.counts)
        return Counts(
            tuple(counts), first.joined(), relabellings.count, f"{engine} {how}", plan
        )

    def visit_until_settled(self, plan: Plan) -> Counts:
        """Shuffle twice as often each time, until the rule is settled or the end."""
        assert plan.rule is not None  # noqa: S101 (asked only of plans with a rule)
        found = self.visit_all(plan.cut(min(FIRST_LOOK, plan.n_shuffles)))
        while found.n_visited < plan.n_shuffles and not plan.rule.is_settled(
            self.statistic.deciding(found.counts), found.n_visited
        ):
            grown = plan.cut(min(2 * found.n_visited, plan.n_shuffles))
            more = range(found.n_visited // BATCH, grown.n_batches)
            compiled = self._compiled(grown.relabellings, more)
            counts, engine = self._count(
                grown.relabellings, more, compiled, list(found.counts)
            )
            engine = f"{engine} {plan.restriction.unit}s"
            found = Counts(tuple(counts), found.kept, grown.n_shuffles, engine, grown)
        return found

    def _compiled(
        self, relabellings: Relabellings, batches: range
    ) -> CompiledWork | None:
        return self.statistic.compiled(relabellings, batches) if batches else None

    def _count(
        self,
        relabellings: Relabellings,
        batches: range,
        compiled: CompiledWork | None,
        counts: list[Integers] | None = None,
    ) -> tuple[list[Integers], str]:
        """Add the counts of some batches, in compiled code if there is work for it."""
        engine, tallies = "NumPy", []
        if compiled is not None and compiled.items:
            engine, batches = "compiled", compiled.left_over
            done = self._do(compiled.work, compiled.items, compiled.chunk, engine)
            tallies.append(done)
        if batches:
            tallies.append(self._in_numpy(relabellings, batches, keep=False))
        parts = [tally.counts for tally in tallies] + ([counts] if counts else [])
        return [np.sum(part, axis=0) for part in zip(*parts, strict=True)], engine

    def _kept(self, relabellings: Relabellings, batches: range) -> tuple[Floats, ...]:
        """Return the values of some batches, and count nothing."""
        work = partial(_values_of_batches, relabellings, self.statistic)
        return self._do(work, batches, self.statistic.chunk, "NumPy").joined()

    def _in_numpy(
        self, relabellings: Relabellings, batches: range, *, keep: bool
    ) -> Tally:
        work = partial(_measure_batches, relabellings, self.statistic, keep=keep)
        return self._do(work, batches, self.statistic.chunk, "NumPy")

    def _do(
        self, work: Callable[[range], Measured], items: range, chunk: int, engine: str
    ) -> Tally:
        """Do the chunks that are not done yet, and tally them."""
        tally = Tally()
        if self.checkpoint is not None:
            what = f"{type(self.statistic).__name__}, {engine}, {items} by {chunk}"
            tally = self.checkpoint.next_tally(what)
        chunks = chunks_of(items, chunk)
        missing = [part for part in chunks if (part.start, part.stop) not in tally.done]
        n_done = len(items) - sum(map(len, missing))
        for part, measured in in_chunks(work, missing, n_jobs=self.n_jobs, n_done=n_done):
            tally.add(part, measured)
            del measured  # of long curves, room for the next
            if self.checkpoint is not None:
                self.checkpoint.write_if_due()
        return tally


def _how(plan: Plan) -> str:
    return "enumeration" if plan.exact else f"{plan.restriction.unit}s"


def _measure_batches(
    relabellings: Relabellings, statistic: Statistic, batches: range, *, keep: bool
) -> Measured:
    if len(batches) == 1:
        return statistic.measure(relabellings.batch(batches[0]), keep=keep)
    tally = Tally()
    for number in batches:
        labels = relabellings.batch(number)
        # Not named, so that what a batch gave is gone when the next one is measured.
        tally.add(range(number, number + 1), statistic.measure(labels, keep=keep))
    return tuple(tally.counts), tally.joined()


def _values_of_batches(
    relabellings: Relabellings, statistic: Statistic, batches: range
) -> Measured:
    values = [statistic.kept_values(relabellings.batch(number)) for number in batches]
    return (), tuple(np.concatenate(part, axis=-1) for part in zip(*values, strict=True))
