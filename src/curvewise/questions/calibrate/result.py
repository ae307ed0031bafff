"""What `calibrate` found: how often common tests announce a difference where there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from curvewise.inference.result import Result
from curvewise.rendering.tables import Table
from curvewise.text import percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat

__all__ = ["PROCEDURES", "Calibration", "Procedure", "ProcedureRate", "SplitRuns"]

MAX_SHOWN = 10_000_000  # splits that are counted in a table
MAX_JSON_COUNT = 2**53


class Procedure(NamedTuple):
    """What a test is called: in a table or picture, and as the subject of a sentence."""

    title: str
    subject: str


PROCEDURES = {
    "height": Procedure("conventional F, height", "the conventional F test of height"),
    "shape": Procedure("conventional F, shape", "that of shape"),
    "every step": Procedure("t at every step", "a t-test at every step"),
    "final": Procedure("t of the final score", "one of the final score"),
    "area": Procedure("t of the area", "one of the area under the curve"),
    "curvewise": Procedure("curvewise", "curvewise"),
}


@dataclass(frozen=True)
class ProcedureRate:
    """How often one procedure finds a difference between two halves of the same runs.

    Attributes
    ----------
    procedure : str
        "height" and "shape", by the conventional F test, "every step", "final" and "area", by
        t-tests, or "curvewise".
    rate : float
        The share of splits; over several algorithms the mean of theirs, weighted by their
        numbers of runs less 1.
    sd : float
        How far the rate varies between sets of runs such as these; 0 by construction.
    n_found, n_splits : int
        In how many splits, of how many.
    is_rate : bool
        Whether there are runs enough to speak of a rate: else only the splits are counted.
    by_construction : bool
        Whether it follows from the number of runs alone, whatever they are.
    """

    procedure: str
    rate: float
    sd: float
    n_found: int
    n_splits: int
    is_rate: bool
    by_construction: bool = False

    @property
    def title(self) -> str:
        """What the procedure is called."""
        return PROCEDURES[self.procedure].title

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; counts too large for JSON are None."""
        return {
            name: None if name.startswith("n_") and value > MAX_JSON_COUNT else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True)
class SplitRuns:
    """How the runs of one algorithm were split: how many, how often, and what was found.

    ``every`` says whether these are all splits there are.
    """

    n_runs: int
    n_splits: int
    every: bool
    rates: tuple[ProcedureRate, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Calibration(Result):
    """How often common tests would have announced a difference between equals.

    Attributes
    ----------
    rows : tuple of ProcedureRate
        Each procedure, over all algorithms; curvewise last, by construction.
    algorithms : mapping from name to SplitRuns
        Each algorithm by itself.
    alpha : float
        The level of the tests: what each of them promises.
    n_steps : int
    seed : int or None
        The ``rng``, when it was a number.
    caveats : tuple of Caveat
        What a reader must know before believing the rest; ``warnings`` says it in words.
    source : str
        Where the curves came from.
    """

    rows: tuple[ProcedureRate, ...]
    algorithms: Mapping[str, SplitRuns]
    alpha: float
    n_steps: int
    seed: int | None
    caveats: tuple[Caveat, ...]
    source: str = ""
    preparation: Preparation | None = None

    def __getitem__(self, procedure: str) -> ProcedureRate:
        """Return the row of a procedure."""
        return {row.procedure: row for row in self.rows}[procedure]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "calibrate",
            "source": self.source,
            "alpha": self.alpha,
            "n_steps": self.n_steps,
            "seed": self.seed,
            "rows": [row.to_dict() for row in self.rows],
            "algorithms": {
                name: {
                    "n_runs": own.n_runs,
                    "n_splits": own.n_splits,
                    "every": own.every,
                    "rows": [row.to_dict() for row in own.rates],
                }
                for name, own in self.algorithms.items()
            },
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return a row for every procedure."""
        rated = any(row.is_rate for row in self.rows)
        rows = tuple(
            (
                row.title,
                _of_splits(row),
                *((f"{row.rate:.3f}",) if rated else ()),
                "by construction"
                if row.by_construction
                else f"{row.sd:.2f}"
                if rated
                else "",
            )
            for row in self.rows
        )
        rate = ("rate", "±") if rated else ("",)
        header = ("procedure", "splits with a difference", *rate)
        promised = f"There is no difference: the tests promise at most {self.alpha:g}."
        varies = (
            "±: how far a rate varies between sets of runs such as these, as a standard "
            "deviation; splits of the same runs are alike, so that more of them do not help."
        )
        notes = [promised, *([varies] if rated else [])]
        if len(self.algorithms) > 1:
            notes.append("Rates are means over algorithms, weighted by runs less 1.")
        return Table(header, rows, notes=tuple(notes))

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: all algorithms, and each."""
        if len(self.algorithms) == 1:
            return [self.table()]
        header = ("algorithm", "runs", "splits", *(row.procedure for row in self.rows))
        rows = tuple(
            (
                name,
                str(own.n_runs),
                f"{own.n_splits:,}",
                *map(_cell, own.rates),
            )
            for name, own in self.algorithms.items()
        )
        names = (
            "Height and shape: by the conventional F; every step, final and area: by t."
        )
        return [self.table(), Table(header, rows, notes=(names,))]


def _of_splits(row: ProcedureRate) -> str:
    """Write in how many splits; of more than can be read, which share."""
    if row.n_splits > MAX_SHOWN:
        return f"{percent(row.rate)} of all"
    return f"{row.n_found:,} of {row.n_splits:,}"


def _cell(row: ProcedureRate) -> str:
    return f"{row.rate:.3f}" if row.is_rate else f"{row.n_found} of {row.n_splits}"
