"""What `transfer_many` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from curvewise.results.contrasts import interval_text
from curvewise.results.effects import json_ready
from curvewise.results.shown import Shown
from curvewise.results.transfer import TITLES, Transfer
from curvewise.tables import Table, number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.results.effects import Interval

__all__ = ["AcrossTasks", "Transfers"]

SHOWN = (
    "calibrated_transfer_ratio",
    "average_relative_reduction",
    "transfer_ratio",
    "transfer_regret",
)


@dataclass(frozen=True)
class AcrossTasks:
    """The mean of a metric over the tasks on which it is defined and may be compared.

    The interval takes the tasks as given: it is about these tasks, not about others.
    """

    name: str
    value: float
    interval: Interval | None
    confidence: float
    pvalue: float
    n_tasks: int
    n_all: int

    @property
    def title(self) -> str:
        """The name, as people write it."""
        return TITLES[self.name]

    def to_dict(self) -> dict[str, Any]:
        """Return the mean as JSON-ready data."""
        ends = (
            None if self.interval is None else [json_ready(end) for end in self.interval]
        )
        return {**vars(self), "interval": ends}


@dataclass(frozen=True, eq=False)
class Transfers(Shown, Mapping[str, Transfer]):
    """One Transfer a task, looked up by its name, and means of what may be averaged.

    Attributes
    ----------
    across : mapping from metric to AcrossTasks
        Only of metrics that mean the same on every task: the calibrated transfer ratio
        where the optimum is known, and the average relative reduction.
    """

    tasks: Mapping[str, Transfer]
    across: Mapping[str, AcrossTasks]
    control: str
    experimental: str
    seed: int | None = None

    def __getitem__(self, name: str) -> Transfer:
        return self.tasks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know, with the tasks it is about."""
        about: dict[str, list[str]] = {}
        for name, task in self.items():
            for warning in task.warnings:
                about.setdefault(warning, []).append(name)
        told = [
            warning if len(names) == len(self) else f"{', '.join(names)}: {warning}"
            for warning, names in about.items()
        ]
        for mean in self.across.values():
            left_out = [
                name for name, task in self.items() if not task.metrics[mean.name].defined
            ]
            if left_out:
                told.append(
                    f"The mean {mean.title} leaves out {', '.join(left_out)}, where it is "
                    "undefined. Look at the other metrics there: where the experimental "
                    "condition fails, leaving the task out flatters it."
                )
        return tuple(told)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "transfer_many",
            "control": self.control,
            "experimental": self.experimental,
            "seed": self.seed,
            "across": {name: each.to_dict() for name, each in self.across.items()},
            "tasks": {name: task.to_dict() for name, task in self.items()},
            "warnings": list(self.warnings),
        }

    def tables(self) -> list[Table]:
        """Return a table for what may be compared across tasks, and one for what may not."""
        fair = [name for name in SHOWN if self._comparable(name)]
        other = [name for name in SHOWN if name not in fair]
        tables = []
        if fair:
            note = (
                "These mean the same on every task and may be compared down the column."
            )
            tables.append(self._table(fair, note, means=True))
        if other:
            note = (
                "These depend on the scores of their task: do not compare or average them "
                "down the column."
            )
            tables.append(self._table(other, note, means=False))
        return tables

    def _comparable(self, name: str) -> bool:
        defined = [
            task.metrics[name] for task in self.values() if task.metrics[name].defined
        ]
        return bool(defined) and all(metric.comparable for metric in defined)

    def _table(self, names: list[str], note: str, *, means: bool) -> Table:
        header = ["task"]
        for name in names:
            header += [TITLES[name], "interval", "p"]
        rows = []
        for task, found in self.items():
            cells = [task]
            for name in names:
                metric = found.metrics[name]
                if metric.value is None:
                    cells += ["undefined", "", ""]
                    continue
                cells += [
                    number_text(metric.value),
                    "" if metric.interval is None else interval_text(metric.interval),
                    "" if metric.pvalue is None else p_text(metric.pvalue),
                ]
            rows.append(tuple(cells))
        if means and self.across:
            cells = ["mean of tasks"]
            for name in names:
                mean = self.across.get(name)
                cells += (
                    ["", "", ""]
                    if mean is None
                    else [
                        number_text(mean.value),
                        "" if mean.interval is None else interval_text(mean.interval),
                        p_text(mean.pvalue),
                    ]
                )
            rows.append(tuple(cells))
        return Table(tuple(header), tuple(rows), notes=(note,))
