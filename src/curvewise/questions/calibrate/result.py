"""What `calibrate` found: how often common tests announce a difference where there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, NamedTuple

from curvewise.inference.caveats import Caveat
from curvewise.inference.result import Result
from curvewise.records import As, Count, Record
from curvewise.rendering.tables import Table
from curvewise.text import listed, percent, plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.records import Probability


MAX_SHOWN = 10_000_000  # splits that are counted in a table
MAX_JSON_COUNT = 2**53
BigCount = Annotated[int, As(Count | None)]


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


# A count, or None where it is too large for JSON.
COUNTABLE = {"through": lambda count: count if count <= MAX_JSON_COUNT else None}


@dataclass(frozen=True)
class ProcedureRate(Record):
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
    rate: Probability
    sd: float
    n_found: BigCount = field(metadata=COUNTABLE)
    n_splits: BigCount = field(metadata=COUNTABLE)
    is_rate: bool
    by_construction: bool = False

    @property
    def title(self) -> str:
        """What the procedure is called."""
        return PROCEDURES[self.procedure].title


@dataclass(frozen=True)
class SplitRuns(Record):
    """How the runs of one algorithm were split: how many, how often, and what was found.

    ``every`` says whether these are all splits there are.
    """

    n_runs: Count
    n_splits: Count
    every: bool
    rates: tuple[ProcedureRate, ...] = field(repr=False, metadata={"key": "rows"})


@dataclass(frozen=True, eq=False, kw_only=True)
class Calibration(Result, question="calibrate"):
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

    source: str = ""
    alpha: Probability
    n_steps: Count
    seed: int | None
    rows: tuple[ProcedureRate, ...]
    algorithms: Mapping[str, SplitRuns]

    def __getitem__(self, procedure: str) -> ProcedureRate:
        """Return the row of a procedure."""
        return {row.procedure: row for row in self.rows}[procedure]

    def table(self) -> Table:
        """Return a row for every procedure."""
        rated = any(row.is_rate for row in self.rows)

        def sd(row: ProcedureRate) -> str:
            return "by construction" if row.by_construction else f"{row.sd:.2f}" if rated else ""

        promised = f"There is no difference: the tests promise at most {self.alpha:g}."
        varies = (
            "±: how far a rate varies between sets of runs such as these, as a standard "
            "deviation; splits of the same runs are alike, so that more of them do not help."
        )
        notes = [promised, *([varies] if rated else [])]
        if len(self.algorithms) > 1:
            notes.append("Rates are means over algorithms, weighted by runs less 1.")
        return Table.of(
            self.rows,
            ("procedure", lambda row: row.title),
            ("splits with a difference", _of_splits),
            ("rate", lambda row: f"{row.rate:.3f}" if rated else None),
            ("±" if rated else "", sd),
            notes=tuple(notes),
        )

    def tables(self) -> list[Table]:
        """Return what there is to show, as tables: all algorithms, and each."""
        if len(self.algorithms) == 1:
            return [self.table()]
        header = ("algorithm", "runs", "splits", *(row.procedure for row in self.rows))
        rows = tuple(
            (name, str(own.n_runs), f"{own.n_splits:,}", *map(_cell, own.rates))
            for name, own in self.algorithms.items()
        )
        names = "Height and shape: by the conventional F; every step, final and area: by t."
        return [self.table(), Table(header, rows, notes=(names,))]


def _of_splits(row: ProcedureRate) -> str:
    """Write in how many splits; of more than can be read, which share."""
    if row.n_splits > MAX_SHOWN:
        return f"{percent(row.rate)} of all"
    return f"{row.n_found:,} of {row.n_splits:,}"


def _cell(row: ProcedureRate) -> str:
    return f"{row.rate:.3f}" if row.is_rate else f"{row.n_found} of {row.n_splits}"


class TooFewToTell(Caveat):
    """Some algorithms have so few runs that their splits give no rate."""

    algorithms: tuple[str, ...]
    n_enough: int

    def sentence(self) -> str:
        """Say what is counted instead, and how many runs would do."""
        have = "has" if len(self.algorithms) == 1 else "have"
        return (
            f"{listed(self.algorithms, 6)} {have} fewer than {self.n_enough} runs: so few splits "
            "are counted only, and tell no rate by themselves. "
            f"{self.n_enough} runs or more would do."
        )


class TooFewToSplit(Caveat):
    """Some algorithms have too few runs to be split at all."""

    algorithms: tuple[str, ...]
    n_enough: int

    def sentence(self) -> str:
        """Say who is left out."""
        are = "is" if len(self.algorithms) == 1 else "are"
        return (
            f"{listed(self.algorithms, 6)} {are} left out: with fewer than "
            f"{plural(self.n_enough, 'run')} there are no two halves to compare."
        )


class BlocksNotUsed(Caveat):
    """The curves have blocks, which these tests do not know."""

    def sentence(self) -> str:
        """Say what is split, and when that misleads."""
        return (
            "Runs are split without regard to blocks, since these tests do not know any. Where "
            "blocks differ much, as tasks do, split the runs of one block at a time."
        )
