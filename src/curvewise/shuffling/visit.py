"""One visit for every question: a plan and a statistic in, counts and kept values out.

Relabellings come in batches, and a statistic is always computed for a whole batch: matrix
products of other shapes may differ in their last bit, and results must not depend on how work is
cut up. Of a large number of relabellings only a sample is kept, for plots, critical values and
intervals, so memory does not grow with the number visited.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from curvewise.errors import CurvewiseError, refuse
from curvewise.kernels.anova import rounding, step_rounding
from curvewise.kernels.pvalues import clopper_pearson
from curvewise.kernels.relabel import BATCH, WithinBlocks
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.relabel import Relabellings, Restriction
    from curvewise.shuffling.checkpoint import Checkpoint


# --- What finished chunks of work gave: counts added up, and values kept.

# Counts that are added up, and values that are joined along their last axis.
Measured = tuple[tuple["Integers", ...], tuple["Floats", ...]]


@dataclass
class Tally:
    """Counts of the chunks done so far, and what is kept of each, by its first item.

    Integers add up to the same whatever their order, and what is kept is joined in the order of
    the chunks: so no number of jobs changes a digit.
    """

    done: set[tuple[int, int]] = field(default_factory=set)
    counts: list[Integers] = field(default_factory=list)
    kept: dict[int, tuple[Floats, ...]] = field(default_factory=dict)

    def add(self, chunk: range, measured: Measured) -> None:
        """Add what a chunk gave."""
        counts, kept = measured
        if not self.counts:
            self.counts = [np.array(part) for part in counts]
        else:
            for total, part in zip(self.counts, counts, strict=True):
                np.add(total, part, out=total)
        if kept:
            self.kept[chunk.start] = kept
        self.done.add((chunk.start, chunk.stop))

    def joined(self) -> tuple[Floats, ...]:
        """Return what was kept, in order."""
        parts = [self.kept[start] for start in sorted(self.kept)]
        return tuple(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))


# --- Work in chunks, over joblib: threads, processes, dask, ray; with progress.
#
# Chunks are the same whatever does them and however many at a time. A chunk that is lost with a
# worker is done again; nothing is counted twice or left out.

T = TypeVar("T")
N_TRIES = 3
PARTS = 100  # of an item, in which progress is reported
# What backends raise when a worker dies: loky, multiprocessing, dask, ray.
LOST_WORKER = {
    "TerminatedWorkerError",
    "BrokenProcessPool",
    "KilledWorker",
    "WorkerCrashedError",
    "ActorDiedError",
    "RayActorError",
}

_report: ContextVar[Callable[[int, int], None] | None] = ContextVar("report", default=None)


# What does the chunks instead of joblib, if anything does.
_elsewhere: ContextVar[Callable[..., Iterator[Any]] | None] = ContextVar("elsewhere", default=None)
_is_single: ContextVar[bool] = ContextVar("is_single", default=False)


def reporting_progress(report: Callable[[int, int], None]) -> AbstractContextManager[None]:
    """Call ``report(done, total)`` as chunks are finished, inside the with block."""
    return _being(_report, report)


def working_elsewhere(results: Callable[..., Iterator[Any]]) -> AbstractContextManager[None]:
    """Let ``results(work, chunks, n_jobs)`` do several chunks, inside the with block."""
    return _being(_elsewhere, results)


@contextmanager
def _being(variable: ContextVar[T], value: T) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def track_items(items: Sequence[T], *, in_parts: bool = False) -> Iterator[T]:
    """Yield items and report progress per item.

    Nested work reports nothing; with ``in_parts``, how much of an item is done. It must then
    go once from nothing to all of it.
    """
    report = _report.get()
    parts = PARTS if in_parts else 1

    def nested(before: int, done: int, total: int) -> None:
        if report:
            report(parts * before + parts * done // total, parts * len(items))

    for before, item in enumerate(items):
        inner = partial(nested, before) if report and in_parts else None
        with _being(_report, inner):
            yield item
        nested(before, 1, 1)


def chunks_of(items: range, size: int) -> list[range]:
    """Cut a range into consecutive chunks of a size; the last may be shorter."""
    return [items[start : start + size] for start in range(0, len(items), size)]


def in_chunks(
    work: Callable[[range], T], chunks: list[range], *, n_jobs: int, n_done: int = 0
) -> Iterator[tuple[range, T]]:
    """Do ``work`` on each chunk; yield chunk and result, in order.

    Threads by default; `joblib.parallel_config` chooses any other backend, for which ``work``
    must be picklable. ``n_done`` items count as done already when progress is reported.
    """
    report = _report.get()
    total = n_done + sum(map(len, chunks))
    results = _results(work, chunks, n_jobs)
    for chunk in chunks:
        # Not named, so that a result can be gone when the next one is computed.
        yield chunk, next(results)
        n_done += len(chunk)
        if report:
            report(n_done, total)


def _results(work: Callable[[range], T], chunks: list[range], n_jobs: int) -> Iterator[T]:
    """Yield what each chunk gives, in order, taking up lost work again."""
    elsewhere = _elsewhere.get()
    if elsewhere is not None and len(chunks) > 1:
        yield from elsewhere(work, chunks, n_jobs)
        return
    if n_jobs == 1 or len(chunks) <= 1:
        yield from map(work, chunks)
        return
    from joblib import Parallel, delayed, parallel

    backend, _ = parallel.get_active_backend(prefer="threads")
    as_they_come = "generator" if getattr(backend, "supports_return_generator", False) else "list"
    n_done = 0
    for attempt in range(N_TRIES):
        try:
            # Threads share one BLAS, which must not start threads of its own for each.
            with single_blas() if getattr(backend, "supports_sharedmem", False) else nullcontext():
                tasks = (delayed(work)(part) for part in chunks[n_done:])
                for result in Parallel(n_jobs, prefer="threads", return_as=as_they_come)(tasks):
                    yield result
                    n_done += 1
        except Exception as error:
            if type(error).__name__ not in LOST_WORKER:
                raise
            if attempt == N_TRIES - 1:
                msg = (
                    f"Workers died {N_TRIES} times over ({type(error).__name__}), perhaps for "
                    f"lack of memory. Use threads, or fewer jobs ({argument('n_jobs')})."
                )
                raise CurvewiseError(msg) from error
        else:
            return


@contextmanager
def single_blas() -> Iterator[None]:
    """Keep BLAS from starting threads: for small products they cost more than they save.

    Inside another one it does nothing: to find the libraries takes as long as a small comparison.
    """
    if _is_single.get():
        yield
        return
    from threadpoolctl import threadpool_limits

    with _being(_is_single, value=True), threadpool_limits(1, user_api="blas"):
        yield


# --- One visit for every question: a plan and a statistic in, counts and kept values out.

MAX_KEPT_BATCHES = 128  # values of a hundred thousand relabellings settle all that can be drawn


class Statistic(ABC):
    """What is computed of relabellings: counts to be added up, values to be kept.

    A statistic is a frozen dataclass without state, and can be pickled. Neither the number of
    jobs nor the size of chunks may change what it gives.
    """

    chunk: int = 64  # batches to a task: tens of milliseconds of work
    n_kept: int = MAX_KEPT_BATCHES  # batches whose values are kept, of more

    @abstractmethod
    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Return the counts of a batch and, if asked, the values to keep.

        ``labels`` is (n_relabellings, n_runs); relabellings are the last axis of each array of
        values.
        """

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts that "auto" and "precise" look at."""
        return counts[0].ravel()

    def whole(self, relabellings: Relabellings) -> Measured | None:  # noqa: ARG002
        """Measure all relabellings of an enumeration at once, if that is quicker than in batches.

        All of their values are kept, in any order. Without matrix products, whose threads nothing
        holds back here.
        """
        return None

    def compiled_for(self, n_batches: int) -> Self | None:  # noqa: ARG002
        """Return the statistic in compiled code, if so many batches are counted sooner by it."""
        return None


@dataclass(frozen=True, eq=False)
class Reached(Statistic):
    """How many relabellings reach ``least``, (n_rows,), in each row of what is taken of them."""

    of: Callable[[Integers], Floats]  # from labels to (n_rows, n_relabellings)
    least: Floats

    chunk = 4

    def measure(self, labels: Integers, *, keep: bool) -> Measured:  # noqa: ARG002
        """Count the relabellings of a batch; (n_rows,)."""
        return (np.sum(self.of(labels) >= self.least[:, None], axis=1),), ()


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
    plan: Plan, statistic: Statistic, *, n_jobs: int = 1, checkpoint: Checkpoint | None = None
) -> Counts:
    """Visit the relabellings of a plan, until its rule is settled if it has one.

    ``n_jobs`` changes no digit. Finished chunks are written down in the checkpoint, and looked
    up there first.
    """
    if plan.keeps_all and (measured := statistic.whole(plan.relabellings)):
        count = plan.relabellings.count
        return Counts(*measured, count, f"NumPy {_how(plan)}", plan)
    visitor = _Visitor(statistic, n_jobs, checkpoint)
    # In less than part of a task, threads of BLAS do no harm worth importing a library for.
    with single_blas() if 4 * plan.n_batches > statistic.chunk else nullcontext():
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
        # Part of an enumeration would be a corner of it, so a sample is kept.
        is_corner = plan.exact and not plan.keeps_all
        n_kept = n_batches if plan.keeps_all else self.statistic.n_kept
        n_kept = n_kept if is_corner else min(n_kept, n_batches)
        sample = plan.restriction.drawn(n_kept * BATCH, seed=0) if is_corner else relabellings
        # Asked before any work: compiled code, once it is loaded, helps with what is kept.
        compiled = self.statistic.compiled_for(n_batches)
        first = self._tally(compiled or self.statistic, sample, range(n_kept), keep=True)
        others = range(0 if is_corner else n_kept, n_batches)
        counts = () if is_corner else tuple(first.counts)
        visited = Counts(counts, first.joined(), relabellings.count, f"NumPy {_how(plan)}", plan)
        return self._counting_on(visited, others, compiled) if others else visited

    def visit_until_settled(self, plan: Plan) -> Counts:
        """Shuffle twice as often each time, until the rule is settled or the end."""
        assert plan.rule is not None  # noqa: S101 (asked only of plans with a rule)
        found = self.visit_all(plan.cut(min(FIRST_LOOK, plan.n_shuffles)))
        while found.n_visited < plan.n_shuffles and not plan.rule.is_settled(
            self.statistic.deciding(found.counts), found.n_visited
        ):
            grown = plan.cut(min(2 * found.n_visited, plan.n_shuffles))
            more = range(found.n_visited // BATCH, grown.n_batches)
            found = replace(found, n_visited=grown.n_shuffles, plan=grown)
            found = self._counting_on(found, more, self.statistic.compiled_for(len(more)))
        return found

    def _counting_on(self, found: Counts, batches: range, compiled: Statistic | None) -> Counts:
        """Add the counts of more batches."""
        relabellings = found.plan.relabellings
        tally = self._tally(compiled or self.statistic, relabellings, batches, keep=False)
        before = found.counts or tuple(np.zeros_like(part) for part in tally.counts)
        counts = tuple(np.add(*parts) for parts in zip(before, tally.counts, strict=True))
        engine = f"{'compiled' if compiled else 'NumPy'} {_how(found.plan)}"
        return replace(found, counts=counts, engine=engine)

    def _tally(
        self, statistic: Statistic, relabellings: Relabellings, batches: range, *, keep: bool
    ) -> Tally:
        """Measure the chunks that are not done yet, and tally them."""
        work = partial(_measure_batches, relabellings, statistic, keep=keep)
        tally, chunk = Tally(), statistic.chunk
        if self.checkpoint is not None:
            what = f"{type(statistic).__name__}, keep={keep}, {batches} by {chunk}"
            tally = self.checkpoint.next_tally(what)
        missing = [
            part for part in chunks_of(batches, chunk) if (part.start, part.stop) not in tally.done
        ]
        n_done = len(batches) - sum(map(len, missing))
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


# --- What is shuffled and how often: the layout of the runs, the plan, and when to stop.


# --- When enough has been shuffled.
#
# ``"auto"`` shuffles until the verdict at alpha is settled: for every p that decides it, the
# interval of p lies on one side of alpha. It is looked at after 16,384 shuffles and each time their
# number has doubled, at most seventeen times. The intervals are so wide that the chance of any look
# misleading any of these p is below a thousandth of alpha, and p is held against alpha less that
# thousandth: so the chance of a false alarm stays below alpha, whatever the looks (Gandy 2009
# bounds the risk in the same way).
#
# ``"precise"`` shuffles until every p is known to within 10%: until a hundred relabellings were as
# extreme for each (Besag & Clifford 1991).
#
# Both give up at 2³⁰ shuffles, or earlier where a question says so.

RULES = ("auto", "precise")
MAX_SHUFFLES = 2**30
FIRST_LOOK = 16 * BATCH  # shuffles before it is first asked whether they are enough
N_LOOKS = int(math.log2(MAX_SHUFFLES / FIRST_LOOK)) + 1
RISK_SHARE = 1e-3  # of alpha, spent on the risk that a look misleads
MIN_EXTREME = 100  # relabellings as extreme, for a p that is known to within 10%


@dataclass(frozen=True)
class StoppingRule:
    """When to stop shuffling: "auto", against some levels, or "precise"."""

    name: str
    levels: tuple[float, ...] = (0.05,)

    def is_settled(self, n_extreme: Integers, count: int) -> bool:
        """Tell whether ``count`` shuffles, so many of them extreme, are enough."""
        if self.name == "precise":
            return bool(min(n_extreme) >= MIN_EXTREME)
        return all(self._is_decided(n_extreme, count, level) for level in self.levels)

    def _is_decided(self, n_extreme: Integers, count: int, alpha: float) -> bool:
        confidence = 1 - RISK_SHARE * alpha / (N_LOOKS * len(n_extreme))
        bar = alpha * (1 - RISK_SHARE)
        intervals = [clopper_pearson(int(n), count, confidence) for n in n_extreme]
        return all(high < bar or low > bar for low, high in intervals)


# --- Exact or sampled, how many relabellings, from which key: decided once for every question.

# Relabellings that NumPy enumerates in a fraction of a second; all of them are kept.
MAX_FREE = 400_000
# Beyond this an exact answer would take NumPy minutes.
MAX_IN_NUMPY = 10_000_000


@dataclass(frozen=True)
class Limits:
    """How many relabellings a statistic can be computed for.

    Attributes
    ----------
    free : int
        All relabellings are visited without being asked for when there are no more.
    exact : int
        All relabellings can be visited, when asked for, up to this number.
    shuffles : int
        The most shuffles that "auto" and "precise" go on for.
    """

    free: int = MAX_FREE
    exact: int = MAX_IN_NUMPY
    shuffles: int = MAX_SHUFFLES


@dataclass(frozen=True, eq=False)
class Plan:
    """What is visited: every allowed relabelling, or shuffles drawn with a key.

    ``rule``, where there is one, says when enough has been shuffled; ``n_shuffles`` is then
    the most.
    """

    restriction: Restriction
    exact: bool
    n_shuffles: int
    key: int
    rule: StoppingRule | None = None

    @classmethod
    def of(
        cls,
        restriction: Restriction,
        *,
        n_shuffles: int | str,
        exact: bool | None,
        key: int,
        levels: tuple[float, ...] = (0.05,),
        limits: Limits | None = None,
    ) -> Plan:
        """Decide whether all relabellings are visited: as asked, or when that is cheap.

        ``n_shuffles`` is a number, or "auto" or "precise"; "auto" settles on which side of
        each of the ``levels`` p lies. Raises if all are asked for and there are too many.
        """
        limits = limits or Limits()
        rule = None
        if isinstance(n_shuffles, str):
            assert n_shuffles in RULES  # noqa: S101 (checked by `shuffle_count`)
            rule = StoppingRule(n_shuffles, levels)
        most = limits.shuffles if isinstance(n_shuffles, str) else n_shuffles
        free = limits.free if isinstance(n_shuffles, str) else max(n_shuffles, limits.free)
        if exact is None:
            exact = restriction.count <= min(limits.exact, free)
        elif exact and restriction.count > limits.exact:
            refuse(
                f"There are {_large(restriction.count)} relabellings, more than can be visited one by one. "
                f"Sample them instead: {argument('exact', value=False)}.",
                option="exact",
            )
        return cls(restriction, exact, most, key, None if exact else rule)

    @cached_property
    def relabellings(self) -> Relabellings:
        """All that may be visited."""
        if self.exact:
            return self.restriction.every()
        return self.restriction.drawn(self.n_shuffles, self.key)

    @property
    def n_batches(self) -> int:
        """How many batches the relabellings come in."""
        return -(-self.relabellings.count // BATCH)

    @property
    def keeps_all(self) -> bool:
        """Whether values of every distinct relabelling can be kept."""
        return self.exact and self.relabellings.count <= MAX_FREE

    def cut(self, n_shuffles: int) -> Plan:
        """Return the plan of fewer shuffles, the first of the same ones."""
        return replace(self, n_shuffles=n_shuffles, rule=None)


def _large(count: int) -> str:
    return f"{count:,}" if count < 10**15 else f"more than 10^{int(math.log10(count))}"


# --- Curves as they are shuffled: in an order, and in units, that depend on scores alone.


@dataclass(frozen=True, eq=False)
class Layout:
    """Runs put in order by block and score, centred and scaled.

    The order in which runs came changes no digit, and neither do their names.

    Attributes
    ----------
    scores : array, (n_runs, n_steps)
        Minus their mean, divided by ``unit``.
    labels, blocks : array, (n_runs,)
        The algorithm and the block of each run, as numbers.
    unit : float
        A power of two, so that dividing changes no digit and squares stay in range.
    noise : float
        How far rounding can move the table of scores, in these units.
    step_noise : array, (n_steps,)
        How far it can move each column.
    order : array, (n_runs,)
        Which run of the curves stands where.
    """

    scores: Floats
    labels: Integers
    blocks: Integers
    unit: float
    noise: float
    step_noise: Floats
    order: Integers

    @cached_property
    def restriction(self) -> WithinBlocks:
        """The relabellings that are allowed: inside blocks."""
        return WithinBlocks(self.labels, self.blocks)

    @classmethod
    def of(cls, curves: Curves) -> Layout:
        """Lay out the curves."""
        order, blocks = _canonical_order(curves)
        deviations = curves.scores[order]
        deviations = deviations - deviations.mean()
        unit = 2.0 ** math.frexp(float(np.abs(deviations).max()))[1]
        noise = rounding(curves.scores, curves.precision) / unit
        by_step = step_rounding(curves.scores, curves.precision) / unit
        labels = curves.codes[order]
        return cls(deviations / unit, labels, blocks, unit, noise, by_step, order)


def _canonical_order(curves: Curves) -> tuple[Integers, Integers]:
    """Order runs by block and score; return the order, and the block of each run in it.

    The order must not depend on the labels, or relabellings would no longer be
    exchangeable.
    """
    scores = curves.scores
    varying = np.flatnonzero(scores.max(axis=0) > scores.min(axis=0))[:64]
    leading = scores[:, varying[0]] if len(varying) else scores.mean(axis=1)
    by_score = np.argsort(leading)
    if (np.diff(leading[by_score]) == 0).any():
        keys = [scores.mean(axis=1), *(scores[:, step] for step in reversed(varying))]
        by_score = np.lexsort(keys)
    if curves.blocks is None:
        return by_score, np.zeros(curves.n_runs, dtype=np.int64)
    rank = np.argsort(by_score)
    first = {name: int(rank[curves.blocks == name].min()) for name in set(curves.blocks)}
    blocks = np.array([first[name] for name in curves.blocks])
    order = np.lexsort([rank, blocks])
    return order, np.unique(blocks[order], return_inverse=True)[1]
