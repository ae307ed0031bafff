"""The shuffle test itself: visit relabellings, count the extreme ones, keep a null.

Small work is done in NumPy at once. Large work is counted by compiled code, which costs a
second to import; both count the same relabellings the same way. Of a large number of
relabellings only a sample is kept, for plots, critical values and intervals: memory does not
grow with the number visited.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import OptionError
from curvewise.kernels.anova import group_squares
from curvewise.kernels.enumeration import Enumeration
from curvewise.kernels.shuffles import Shuffles
from curvewise.kernels.streams import BATCH
from curvewise.parallel import in_chunks

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.design import Design
    from curvewise.parallel import Ledger

__all__ = [
    "CHEAP",
    "Relabellings",
    "Visited",
    "can_visit",
    "visit",
    "visit_until",
    "visits_all",
]

Relabellings = Enumeration | Shuffles

# Relabellings that NumPy enumerates in a fraction of a second; all of them are kept.
CHEAP = 400_000
# Beyond this an exact answer would take minutes: in NumPy, and compiled (two algorithms).
MOST_IN_NUMPY = 10_000_000
MOST_COMPILED = 200_000_000_000
# Batches kept of a larger number: a hundred thousand values settle all that can be drawn,
# and with many runs, where NumPy is slow, some thousands do.
MOST_KEPT, FEWEST_KEPT = 128, 4
FIRST_LOOK = 16 * BATCH  # shuffles before it is first asked whether they are enough
CHUNK = 64  # batches to a task of NumPy: tens of milliseconds of work
COMPILED_CHUNK = 4_096  # and of compiled code
# Runs × shuffles beyond which compiled code is faster, its import included.
REPAYS = 40_000_000


@dataclass(frozen=True, eq=False)
class Visited:
    """What the relabellings gave: counts over all, sums of squares of those kept.

    ``n_extreme`` is in the order of `kernels.extremes`. ``contrast`` has, for two groups,
    the sums of curve means and memberships over the first group of each relabelling kept.
    ``engine`` names what did the counting; ``keeps_all`` tells an enumeration of which
    every relabelling is kept.
    """

    count: int
    n_extreme: Integers
    between: Floats
    contrast: Floats
    engine: str
    keeps_all: bool = False


def _n_kept(n_runs: int) -> int:
    return max(FEWEST_KEPT, min(MOST_KEPT, 2_560 // n_runs))


def can_visit(labels: Integers, blocks: Integers, count: int) -> bool:
    """Tell whether ``count`` relabellings can all be visited."""
    compiled = labels.max() == 1 and blocks.min() == blocks.max() and len(labels) <= 60
    return count <= (MOST_COMPILED if compiled else MOST_IN_NUMPY)


def visits_all(
    exact: bool | None,  # noqa: FBT001 (as the caller gave it)
    count: int,
    n_shuffles: int,
    *,
    possible: bool,
    cheap: int = CHEAP,
) -> bool:
    """Decide whether all relabellings are visited: as asked, or when that is cheap."""
    if exact is None:
        return possible and count <= max(n_shuffles, cheap)
    if exact and not possible:
        msg = (
            f"There are {_large(count)} relabellings, more than can be visited one by one. "
            "Sample them instead: exact=False, --sampled."
        )
        raise OptionError(msg)
    return exact


def _large(count: int) -> str:
    return f"{count:,}" if count < 10**15 else f"more than 10^{len(str(count)) - 1}"


def visit(
    relabellings: Relabellings,
    design: Design,
    *,
    n_jobs: int = 1,
    chunk: int | None = None,
    ledger: Ledger[Integers] | None = None,
) -> Visited:
    """Visit every relabelling; neither ``n_jobs`` nor ``chunk`` changes a digit.

    Chunks of compiled counting are looked up in ``ledger``, and written down there.
    """
    if isinstance(relabellings, Enumeration):
        return _visit_all(relabellings, design, n_jobs, chunk, ledger)
    n_batches = -(-relabellings.count // BATCH)
    n_kept = min(n_batches, _n_kept(len(relabellings.labels)))
    kept = _in_numpy(relabellings, design, range(n_kept), n_jobs, chunk)
    rest = range(n_kept, n_batches)
    n_extreme, engine = _count(relabellings, design, rest, n_jobs, chunk, ledger)
    return Visited(
        relabellings.count,
        kept.n_extreme + n_extreme,
        kept.between,
        kept.contrast,
        f"{engine} shuffles",
    )


def visit_until(
    shuffles: Shuffles,
    design: Design,
    settled: Callable[[Integers, int], bool],
    *,
    n_jobs: int = 1,
    ledger: Ledger[Integers] | None = None,
) -> Visited:
    """Shuffle twice as often each time, until ``settled(n_extreme, count)`` or the end."""
    first = replace(shuffles, count=min(FIRST_LOOK, shuffles.count))
    found = visit(first, design, n_jobs=n_jobs, ledger=ledger)
    while found.count < shuffles.count and not settled(found.n_extreme, found.count):
        count = min(2 * found.count, shuffles.count)
        more = range(found.count // BATCH, -(-count // BATCH))
        grown = replace(shuffles, count=count)
        n_extreme, engine = _count(grown, design, more, n_jobs, None, ledger)
        found = Visited(
            count,
            found.n_extreme + n_extreme,
            found.between,
            found.contrast,
            f"{engine} shuffles",
        )
    return found


def _count(
    shuffles: Shuffles,
    design: Design,
    batches: range,
    n_jobs: int,
    chunk: int | None,
    ledger: Ledger[Integers] | None,
) -> tuple[Integers, str]:
    """Count the extreme shuffles of some batches, by the engine that is faster."""
    if len(batches) * BATCH * len(shuffles.labels) < REPAYS:
        counted = _in_numpy(shuffles, design, batches, n_jobs, chunk, keep=False)
        return counted.n_extreme, "NumPy"
    # The last batch may be a part of one, which only NumPy counts.
    whole = range(batches.start, min(batches.stop, shuffles.count // BATCH))
    work = partial(_count_shuffles, shuffles, design)
    n_extreme = _compiled(work, whole, n_jobs, chunk, ledger)
    last = range(whole.stop, batches.stop)
    return n_extreme + _in_numpy(
        shuffles, design, last, n_jobs, chunk
    ).n_extreme, "compiled"


def _visit_all(
    relabellings: Enumeration,
    design: Design,
    n_jobs: int,
    chunk: int | None,
    ledger: Ledger[Integers] | None,
) -> Visited:
    n_batches = -(-relabellings.count // BATCH)
    if relabellings.count <= CHEAP:
        kept = _in_numpy(relabellings, design, range(n_batches), n_jobs, chunk)
        n_extreme, engine = kept.n_extreme, "NumPy enumeration"
    else:
        # Part of an enumeration would be a corner of it, so a sample is kept.
        n_kept = _n_kept(len(relabellings.labels))
        sample = Shuffles(
            relabellings.labels, relabellings.blocks, n_kept * BATCH, seed=0
        )
        kept = _in_numpy(sample, design, range(n_kept), n_jobs, chunk)
        if relabellings.count <= MOST_IN_NUMPY and not _is_two_sample(relabellings):
            n_extreme = _in_numpy(
                relabellings, design, range(n_batches), n_jobs, chunk, keep=False
            ).n_extreme
            engine = "NumPy enumeration"
        else:
            from curvewise.kernels.engines import n_thirds

            n_firsts = n_thirds(len(relabellings.labels))
            work = partial(_count_thirds, relabellings, design)
            size = chunk or max(n_firsts // 64, 1)
            n_extreme = _compiled(work, range(n_firsts), n_jobs, size, ledger)
            engine = "compiled enumeration"
    keeps_all = relabellings.count <= CHEAP
    return Visited(
        relabellings.count, n_extreme, kept.between, kept.contrast, engine, keeps_all
    )


def _is_two_sample(relabellings: Relabellings) -> bool:
    blocks = relabellings.blocks
    return bool(relabellings.labels.max() == 1 and blocks.min() == blocks.max())


def _in_numpy(
    relabellings: Relabellings,
    design: Design,
    batches: range,
    n_jobs: int,
    chunk: int | None,
    *,
    keep: bool = True,
) -> Visited:
    work = partial(_visit_batches, relabellings, design, keep=keep)
    done = in_chunks(work, batches, chunk=chunk or CHUNK, n_jobs=n_jobs)
    parts = [(np.zeros(5, dtype=np.int64), np.empty((2, 0)), np.empty((0, 2))), *done]
    n_extreme, between, contrast = zip(*parts, strict=True)
    return Visited(
        relabellings.count,
        np.sum(n_extreme, axis=0),
        np.concatenate(between, axis=1),
        np.concatenate(contrast),
        "NumPy",
    )


def _compiled(
    work: partial[Integers],
    items: range,
    n_jobs: int,
    chunk: int | None,
    ledger: Ledger[Integers] | None,
) -> Integers:
    size = chunk or COMPILED_CHUNK
    done = in_chunks(work, items, chunk=size, n_jobs=n_jobs, ledger=ledger)
    return np.sum([np.zeros(5, dtype=np.int64), *done], axis=0)


def _count_shuffles(shuffles: Shuffles, design: Design, batches: range) -> Integers:
    from curvewise.kernels.engines import compiled_counter

    return compiled_counter(shuffles, design)(batches.start, batches.stop)


def _count_thirds(relabellings: Enumeration, design: Design, firsts: range) -> Integers:
    from curvewise.kernels.engines import thirds_counter

    return thirds_counter(relabellings.labels, design)(firsts.start, firsts.stop)


def _visit_batches(
    relabellings: Relabellings, design: Design, batches: range, *, keep: bool
) -> tuple[Integers, Floats, Floats]:
    n_extreme = np.zeros(5, dtype=np.int64)
    kept, contrasts = [np.empty((2, 0))], [np.empty((0, 2))]
    for number in batches:
        labels = relabellings.batch(number)
        # Always a whole batch at a time: matrix products of other shapes may differ in
        # their last bit, and results must not depend on how work is portioned out.
        between = group_squares(labels, design.coordinates, design.factor)
        n_extreme += design.limits.n_extreme(between)
        if keep:
            kept.append(between)
            if design.contrast is not None:
                contrasts.append((labels == 0).astype(np.float64) @ design.contrast)
    return n_extreme, np.concatenate(kept, axis=1), np.concatenate(contrasts)
