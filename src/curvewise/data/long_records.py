"""The rows of a long table as records of runs, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from curvewise.data.records import settled
from curvewise.data.run_log import RunLog
from curvewise.errors import CurvesError
from curvewise.text import argument, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from curvewise.data.records import Duplicates
    from curvewise.kernels import Floats

__all__ = ["Records"]


@dataclass(frozen=True, eq=False)
class Records:
    """A score of a run at a step on each row, in any order.

    Attributes
    ----------
    rows : array of int, (n_records,)
        The place of each record's run among the runs.
    steps, scores : array, (n_records,)
    labels, runs : sequence of str, (n_runs,)
        The algorithm and the name of each run.
    blocks : sequence of str, (n_runs,), or None
    precision : float
        The machine epsilon of the type that scores were stored in.
    """

    rows: npt.NDArray[np.int32]
    steps: np.ndarray[Any, Any]
    scores: Floats
    labels: Sequence[str]
    runs: Sequence[str]
    blocks: Sequence[str] | None
    precision: float

    def where(self, keep: npt.NDArray[np.bool_]) -> Self:
        """Return some of the records; the runs stay, if need be without any."""
        return replace(
            self, rows=self.rows[keep], steps=self.steps[keep], scores=self.scores[keep]
        )

    def check_repeats(self) -> None:
        """Raise if a run has several different scores at a step."""
        order = np.lexsort((self.steps, self.rows))
        rows, steps, scores = self.rows[order], self.steps[order], self.scores[order]
        same = (rows[1:] == rows[:-1]) & (steps[1:] == steps[:-1])
        if not same.any():
            return
        differ = same & (scores[1:] != scores[:-1])
        differ &= ~(np.isnan(scores[1:]) & np.isnan(scores[:-1]))
        if not differ.any():
            return  # the same row again says nothing new
        place = int(np.flatnonzero(differ)[0])
        run, step = int(rows[place]), steps[place]
        n_scores = int(((rows == run) & (steps == step)).sum())
        n_repeated = int(same.sum())
        msg = (
            f"{plural(n_repeated, 'row')} {'repeats' if n_repeated == 1 else 'repeat'} a run "
            f"and step: run {self.runs[run]!r} of {self.labels[run]!r} has {n_scores} scores at "
            f"step {step_text(step)}. If these are several observations, use "
            f"{argument('duplicates', 'mean')}; if a run was resumed and the later row holds, "
            f"{argument('duplicates', 'last')}. Otherwise choose one task or metric if the table "
            f"holds several ({argument('where')} keeps the rows of a file with a value), or name "
            "the column that tells the runs apart as the run."
        )
        raise CurvesError(msg)

    def logs(self, duplicates: Duplicates | None) -> list[RunLog]:
        """Return a log per run, empty for a run without records.

        Of several records of a step the mean is taken, unless the last is to hold.
        """
        order = np.argsort(self.rows, kind="stable")
        ends = np.cumsum(np.bincount(self.rows, minlength=len(self.labels)))
        logs = []
        for place, own in enumerate(np.split(order, ends[:-1])):
            found = settled(
                self.steps[own], self.scores[own], duplicates=duplicates or "mean"
            )
            logs.append(
                RunLog(
                    self.labels[place],
                    self.runs[place],
                    "score",
                    found.steps,
                    found.scores,
                    block=None if self.blocks is None else self.blocks[place],
                    notes=found.notes if duplicates else (),
                    precision=self.precision,
                )
            )
        return logs
