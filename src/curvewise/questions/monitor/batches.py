"""Which run came in which batch: batches in their order, and what is refused of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.choices import refuse_option
from curvewise.data.names import natural_order
from curvewise.data.validation import names_of
from curvewise.errors import CurvesError, OptionError
from curvewise.questions.monitor.caveats import SmallerBatches
from curvewise.text import argument, did_you_mean, in_python, listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.kernels import Integers
    from curvewise.questions.monitor.plan import MonitoringPlan

__all__ = [
    "Batches",
    "batches_of",
    "check_gaps",
    "check_missing",
    "given_up_of",
    "in_batches",
    "smaller_batches",
]


@dataclass(frozen=True, eq=False)
class Batches:
    """The batches so far, in natural order of their names.

    ``counts`` has the runs of each algorithm in each batch, (n_batches, n_algorithms).
    """

    names: tuple[str, ...]
    counts: Integers
    algorithms: tuple[str, ...]

    @property
    def look(self) -> int:
        """How many there are: the number of the present look."""
        return len(self.names)

    def last_of(self, algorithm: str) -> int:
        """Return how many batches an algorithm has runs in; there are no gaps."""
        return int(np.sum(self.counts[:, self.algorithms.index(algorithm)] > 0))

    def sizes_of(self, a: str, b: str) -> list[tuple[int, int]]:
        """Return the runs of two algorithms in each batch that both are in."""
        columns = [self.algorithms.index(name) for name in (a, b)]
        shared = self.counts[: min(self.last_of(a), self.last_of(b)), columns]
        return [(int(first), int(second)) for first, second in shared]

    def sizes(self) -> dict[str, dict[str, int]]:
        """Return the runs of each algorithm in each batch, by name."""
        return {
            name: dict(zip(self.algorithms, row, strict=True))
            for name, row in zip(self.names, self.counts.tolist(), strict=True)
        }


def in_batches(curves: Curves, batch: object) -> Curves:
    """Return the curves with their batches as blocks; raise where there are none."""
    if isinstance(batch, str):
        msg = (
            f"batch must have a batch for each run, not {batch!r}: curves keep no other columns. "
            f"Read that column as blocks, read(path, block={batch!r}), and leave batch out."
        )
        raise OptionError(msg, option="batch")
    if batch is None:
        if curves.blocks is None:
            what = in_python("an array with the batch of each run, or read it as blocks")
            msg = (
                "Which run came in which batch is not known, and labels are shuffled inside "
                f"batches. Give {argument('batch')}, "
                f"{what or 'the column, setting or part of the path that tells it'}."
            )
            raise OptionError(msg, option="batch")
        return curves
    names = names_of(batch, "batch", curves.n_runs)  # type: ignore[arg-type]
    if curves.blocks is not None and curves.blocks.tolist() != names.tolist():
        msg = (
            "These curves are in blocks, and batch puts their runs into others; labels are "
            "shuffled inside batches only. Leave the blocks out, or batch."
        )
        raise OptionError(msg, option="batch")
    return curves.with_blocks(names)


def batches_of(curves: Curves, plan: MonitoringPlan) -> Batches:
    """Return the batches of curves, their blocks; raise if they are too many or too large."""
    names = [] if curves.blocks is None else curves.blocks.tolist()
    order = natural_order(set(names))
    codes = np.array([order.index(name) for name in names], dtype=np.int64)
    n_algorithms = len(curves.algorithms)
    counts = np.array(
        [
            np.bincount(curves.codes[codes == place], minlength=n_algorithms)
            for place in range(len(order))
        ]
    )
    found = Batches(tuple(order), counts, curves.algorithms)
    if found.look > plan.n_batches:
        msg = (
            f"There are {plural(found.look, 'batch')} ({listed(found.names, 6)}), and "
            f"{plan.n_batches} {'was' if plan.n_batches == 1 else 'were'} planned. After the last planned look all of alpha is spent: "
            "more runs are a new experiment."
        )
        raise CurvesError(msg)
    for place, column in np.argwhere(counts > plan.batch_size).tolist():
        msg = (
            f"Batch {order[place]!r} has {counts[place, column]} runs of "
            f"{curves.algorithms[column]!r}, and {plan.batch_size} were planned "
            f"({argument('batch_size')}). Put the runs beyond those into the next batch."
        )
        raise CurvesError(msg)
    return found


def check_gaps(batches: Batches) -> None:
    """Raise where an algorithm is missing: of two anywhere, of more before its last batch.

    Whether one may be missing from the last batches depends on what was decided before.
    """
    for column, name in enumerate(batches.algorithms):
        there = batches.counts[:, column] > 0
        if len(batches.algorithms) > 2:
            there = there[: np.flatnonzero(there)[-1]]
        if not there.all():
            raise CurvesError(_lacking(batches, int(np.argmin(there)), name))


def given_up_of(batches: Batches, give_up: Sequence[str]) -> frozenset[str]:
    """Return the algorithms that are given up; raise where there is none of that name."""
    names = [give_up] if isinstance(give_up, str) else give_up
    if not isinstance(names, list | tuple | set | frozenset):
        refuse_option(
            "give_up", f"must be names of algorithms, as in ['A'], not {give_up!r}."
        )
    for name in names:
        if name not in batches.algorithms:
            msg = f"No algorithm is called {name!r}; {did_you_mean(str(name), batches.algorithms)}"
            raise OptionError(msg, option="give_up")
    if names and len(batches.algorithms) == 2:
        msg = (
            f"{argument('give_up')} is for three algorithms or more: without one of two, the "
            "experiment has ended."
        )
        raise OptionError(msg, option="give_up")
    return frozenset(names)


def check_missing(batches: Batches, name: str, undecided: Sequence[str]) -> None:
    """Raise for an algorithm that is missing though it has undecided pairs."""
    if undecided:
        others = listed([repr(other) for other in undecided], 3)
        msg = (
            f"{_lacking(batches, batches.last_of(name), name)} Against {others} nothing is "
            f"decided yet; if {name!r} gets no more runs, {argument('give_up', name)} says so."
        )
        raise CurvesError(msg)


def _lacking(batches: Batches, place: int, name: str) -> str:
    return (
        f"Batch {batches.names[place]!r} has no runs of {name!r}. Wait for them, or merge the "
        "batch with the next one before its scores are read."
    )


def smaller_batches(batches: Batches, plan: MonitoringPlan) -> Iterator[Caveat]:
    """Warn of batches that have fewer runs of an algorithm than were planned."""
    fewest = np.where(batches.counts > 0, batches.counts, plan.batch_size).min(axis=1)
    small = np.flatnonzero(fewest < plan.batch_size).tolist()
    if small:
        yield SmallerBatches(
            tuple(batches.names[place] for place in small),
            tuple(int(fewest[place]) for place in small),
            plan.batch_size,
        )
