"""What `transfer_many` found: a transfer on each task, and means over tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from curvewise.inference.result import Result
from curvewise.questions.transfer.metric import cells, interval_ends
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.questions.transfer.result import Transfer
from curvewise.rendering.tables import Table
from curvewise.text import p_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Interval
    from curvewise.questions.transfer.metrics import MetricRecord

__all__ = ["AcrossTasks", "Transfers"]


@dataclass(frozen=True)
class AcrossTasks:
    """The mean of a metric over the tasks on which it is defined and may be compared.

    The interval takes the tasks as given: it is about these tasks, not about others.

    Attributes
    ----------
    interval : Interval or None
        The mean plus or minus its standard error times a quantile of Student's t; it holds 0
        if, and only if, p is above 1 - ``confidence``. None without resamples.
    moved_by_test : bool
        Whether an end of the interval was moved to agree with p about 0.
    n_tasks, n_all : int
        How many tasks the mean is over, and how many there are.
    """

    name: str
    value: float
    interval: Interval | None
    confidence: float
    pvalue: float
    n_tasks: int
    n_all: int
    moved_by_test: bool = False

    @property
    def title(self) -> str:
        """The name, as people write it."""
        return RECORDS[self.name].title

    def to_dict(self) -> dict[str, Any]:
        """Return the mean as JSON-ready data."""
        return {**vars(self), "interval": interval_ends(self.interval)}

    @property
    def significant(self) -> bool:
        """Whether p is at most 1 - ``confidence``."""
        return self.pvalue <= round(1 - self.confidence, 12)


@dataclass(frozen=True, eq=False)
class Transfers(Result, Mapping[str, Transfer]):
    """One Transfer a task, looked up by its name, and means of what may be averaged.

    Attributes
    ----------
    across : mapping from metric to AcrossTasks
        Only of metrics that mean the same on every task: the calibrated transfer ratio
        where the optimum is known, and the average relative reduction.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    """

    tasks: Mapping[str, Transfer]
    across: Mapping[str, AcrossTasks]
    control: str
    experimental: str
    caveats: tuple[Caveat, ...]
    seed: int | None = None

    def __getitem__(self, name: str) -> Transfer:
        return self.tasks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def smallest_pvalue_alone(self) -> float:
        """The smallest p of a task that stands out alone, adjusted for the number of tasks.

        No p here is adjusted; this is what Holm's adjustment, or that of Benjamini and
        Hochberg, could make of it at best.
        """
        smallest = min(task.sampling.smallest_pvalue for task in self.values())
        return min(1.0, len(self) * smallest)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but curves, resamples and null distributions, as JSON-ready data."""
        return {
            "question": "transfer_many",
            "control": self.control,
            "experimental": self.experimental,
            "seed": self.seed,
            "smallest_pvalue_alone": self.smallest_pvalue_alone,
            "across": {name: mean.to_dict() for name, mean in self.across.items()},
            "tasks": {name: task.to_dict() for name, task in self.items()},
            **self.shared_dict(),
        }

    def tables(self) -> list[Table]:
        """Return a table for what may be compared across tasks, and one for what may not."""
        # Those that can ever be compared come first.
        shown = sorted(
            (record for record in RECORDS.values() if record.shown_across_tasks),
            key=lambda record: not record.averaged,
        )
        fair = [record for record in shown if self._is_comparable(record.name)]
        other = [record for record in shown if record not in fair]
        tables = []
        if fair:
            note = (
                "These mean the same on every task and may be compared down the column."
            )
            tables.append(self._table(fair, note, means=True))
        # Never empty: some are shown that can never be compared.
        note = (
            "These depend on the scores of their task: do not compare or average them down "
            "the column."
        )
        return [*tables, self._table(other, note, means=False)]

    def _is_comparable(self, name: str) -> bool:
        """Tell whether a metric is defined on some task, and comparable wherever it is."""
        metrics = [task.metrics[name] for task in self.values()]
        defined = [metric for metric in metrics if metric.defined]
        return bool(defined) and all(metric.comparable for metric in defined)

    def _table(self, records: Sequence[MetricRecord], note: str, *, means: bool) -> Table:
        header = ["task"]
        for record in records:
            header += [record.title, "interval", "p"]
        rows = [
            (name, *chain(*(cells(task.metrics[record.name]) for record in records)))
            for name, task in self.items()
        ]
        if means and self.across:
            averages = (self.across.get(record.name) for record in records)
            rows.append(("mean of tasks", *chain(*map(cells, averages))))
        return Table(tuple(header), tuple(rows), notes=(note, *self._of_pvalues()))

    def _of_pvalues(self) -> Iterator[str]:
        """Say that p is not adjusted for the tasks, and what that would do at best."""
        if len(self) > 1:
            yield (
                f"Each p is of its task and metric alone. Adjusted for {len(self)} tasks, that "
                "of a task that stands out alone cannot be below "
                f"{p_text(self.smallest_pvalue_alone)} with these runs."
            )
