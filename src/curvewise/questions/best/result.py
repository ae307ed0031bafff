"""What `best` found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from curvewise.inference.effects import json_ready
from curvewise.inference.result import Result
from curvewise.rendering.tables import Table
from curvewise.text import interval_text, number_text, p_text

if TYPE_CHECKING:
    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.inference.effects import Center, Interval

__all__ = ["Best", "Contender"]

NOTES = {
    "closed": (
        "p is that of the leader and the algorithm alone, two-sided. Adjusted, it is the largest "
        "of all sets of algorithms that hold both, whose runs are shuffled (closed testing); "
        "intervals are those of the two alone, widened as far as the adjusted p asks. To be "
        "worse than the leader is another question than to differ as a pair, and it has other "
        "p."
    ),
    "bonferroni": (
        "Every p is one-sided, of the leader and the algorithm alone, and multiplied by "
        "{factor}, since the leader was picked by the data; intervals are one-sided at the "
        "level that goes with it."
    ),
    "max-t": (
        "p is adjusted by the largest lead of any algorithm, for each shuffle of the residuals "
        "of all algorithms; intervals are one-sided and adjusted. This is approximate and "
        "assumes equal variation."
    ),
}


# What is shown of each algorithm.
CENTERS = {
    "mean": "mean over training",
    "trimmed": "typical run over training",
    "ranks": "mean rank of runs",
}


@dataclass(frozen=True)
class Contender:
    """One algorithm, held against the leader.

    Attributes
    ----------
    name : str
    n_runs : int
    mean : float
        Over runs and training; with another centre the mean of the runs that are not cut off,
        or the mean rank.
    difference : float or None
        The algorithm's mean minus the leader's, within blocks when there are blocks; None
        where the two cannot be compared.
    interval : Interval or None
        What that difference can be; one-sided with Bonferroni and max-t. It excludes 0
        exactly when the algorithm is ruled out.
    pvalue, pvalue_adjusted : float or None
        Of the test against the leader, one-sided with Bonferroni and max-t; None for the leader.
    contends : bool
        Whether it may be the best.
    smallest_pvalue : float or None
        What its adjusted p cannot be smaller than, whatever the data; None where there is no p.
    """

    name: str
    n_runs: int
    mean: float
    difference: float | None
    interval: Interval | None
    pvalue: float | None
    pvalue_adjusted: float | None
    contends: bool
    smallest_pvalue: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON-ready data; an unbounded end is None."""
        ends = self.interval and [json_ready(end) for end in self.interval]
        return {**vars(self), "interval": ends}


@dataclass(frozen=True, eq=False)
class Best(Result):
    """Which algorithms may be the best, in height.

    Attributes
    ----------
    leader : str
        The algorithm with the best mean over training.
    contenders : tuple of str
        The leader first, and those that cannot be ruled out, the better ones first. With
        confidence 1 - alpha the truly best is among them.
    worse : tuple of str
        Those that can be ruled out as the best: significantly worse than the leader.
    rows : tuple of Contender
        Every algorithm, the better ones first.
    adjust : "closed", "bonferroni" or "max-t"
    alpha : float
    factor : int
        What p was multiplied by, with Bonferroni.
    even_blocks : bool
        Whether all blocks hold the algorithms in the same proportions.
    smallest_pvalue : float
        What the adjusted p of some algorithm cannot be smaller than, whatever the data.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    center : "mean", "trimmed" or "ranks"
        What of an algorithm's runs led and was tested.
    source : str
        Where the curves came from.
    """

    leader: str
    rows: tuple[Contender, ...]
    adjust: str
    alpha: float
    higher_is_better: bool
    factor: int
    even_blocks: bool
    smallest_pvalue: float
    caveats: tuple[Caveat, ...]
    seed: int | None = None
    center: Center = "mean"
    source: str = ""
    preparation: Preparation | None = None
    in_score_units: ClassVar[tuple[str, ...]] = (
        "rows.mean",
        "rows.difference",
        "rows.interval",
    )

    @property
    def contenders(self) -> tuple[str, ...]:
        """The leader, and those that cannot be ruled out."""
        return tuple(row.name for row in self.rows if row.contends)

    @property
    def worse(self) -> tuple[str, ...]:
        """Those that can be ruled out as the best."""
        return tuple(row.name for row in self.rows if not row.contends)

    @property
    def notes(self) -> tuple[str, ...]:
        """How p was adjusted, in a sentence each."""
        uneven = "Blocks hold different algorithms: means are adjusted for that."
        note = NOTES[self.adjust].format(factor=self.factor)
        return (note,) if self.even_blocks else (note, uneven)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "best",
            "source": self.source,
            "leader": self.leader,
            "contenders": list(self.contenders),
            "worse": list(self.worse),
            "adjust": self.adjust,
            "center": self.center,
            "alpha": self.alpha,
            "higher_is_better": self.higher_is_better,
            "seed": self.seed,
            "rows": [row.to_dict() for row in self.rows],
            "smallest_pvalue": self.smallest_pvalue,
            "notes": list(self.notes),
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return a row for every algorithm."""

        def p(value: float | None) -> str:
            return "" if value is None else p_text(value)

        rows = tuple(
            (
                row.name,
                "leader"
                if row.name == self.leader
                else ("" if row.contends else "ruled out"),
                str(row.n_runs),
                number_text(row.mean),
                "" if row.difference is None else number_text(row.difference),
                "" if row.interval is None else interval_text(row.interval),
                p(row.pvalue),
                p(row.pvalue_adjusted),
            )
            for row in self.rows
        )
        header = (
            "algorithm",
            "",
            "runs",
            CENTERS[self.center],
            "to the leader",
            "interval",
        )
        return Table((*header, "p", "adjusted"), rows, notes=self.notes, n_text_columns=2)

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""
        return [self.table()]
