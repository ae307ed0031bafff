"""What a reader must know before believing who may be the best."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from curvewise.inference.caveats import SPREAD, Caveat
from curvewise.text import argument, listed, p_text, plural, printable

if TYPE_CHECKING:
    from curvewise.inference.caveats import DifferentSpread

__all__ = [
    "KeptUncompared",
    "SpreadsOnTasks",
    "TooFewOnSomeTasks",
    "TooFewOnTasks",
    "TooFewToRuleOut",
]

MAX_NAMED = 3  # tasks that a sentence names


@dataclass(frozen=True)
class TooFewToRuleOut(Caveat):
    """No data could rule out some algorithms.

    ``factor`` is what p is multiplied by; ``by_runs`` tells whether runs are too few, not
    shuffles; ``n_enough`` runs of each would do, where that is the same for all.
    """

    algorithms: tuple[str, ...]
    smallest_pvalue: float
    alpha: float
    factor: int
    by_runs: bool
    n_enough: int | None

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        enough = math.ceil(self.factor / self.alpha) - 1
        remedy = f"Use at least {argument('n_shuffles', enough)}"
        if self.by_runs:
            remedy = "Use more runs"
            if self.n_enough is not None:
                remedy = f"Use {self.n_enough} runs of each algorithm"
            if self.factor > 2:
                remedy += f", or {argument('adjust', 'max-t')}"
        return (
            f"With these runs the smallest p possible is {p_text(self.smallest_pvalue)} after "
            f"adjustment, which is above alpha = {self.alpha:g}: no data could rule out "
            f"{listed(self.algorithms, 6)} as the best. {remedy}."
        )


@dataclass(frozen=True)
class TooFewOnTasks(Caveat):
    """No data could rule out any algorithm on any task, after adjustment for their number.

    ``alone`` tells whether a single task could.
    """

    n_tasks: int
    smallest_pvalue: float
    alpha: float
    adjust: str
    alone: bool

    def sentence(self) -> str:
        """Say how small an adjusted p can be, and what to do."""
        remedy = "Use more runs"
        if self.alone and self.adjust == "bonferroni":
            remedy += f", or {argument('adjust', 'bh')}"
        adjusted, where = "", ""
        if self.n_tasks > 1:
            adjusted = f" after adjustment for {plural(self.n_tasks, 'task')}"
            where = " on any of them"
        return (
            f"With these runs the smallest p possible is {p_text(self.smallest_pvalue)}{adjusted}, "
            f"which is above alpha = {self.alpha:g}: no data could rule out any algorithm as the "
            f"best{where}. {remedy}."
        )


@dataclass(frozen=True)
class TooFewOnSomeTasks(Caveat):
    """On some tasks no data could rule out some algorithms, for lack of runs."""

    tasks: tuple[str, ...]
    n_tasks: int

    def sentence(self) -> str:
        """Say where, and what to do."""
        return (
            f"On {len(self.tasks)} of {plural(self.n_tasks, 'task')} "
            f"({listed(self.tasks, MAX_NAMED)}) no data could rule out some algorithms as the "
            "best, for lack of runs. Use more runs there."
        )


@dataclass(frozen=True)
class SpreadsOnTasks(Caveat):
    """On some tasks the runs of algorithms vary differently; ``caveat`` is that of ``widest``."""

    members: tuple[str, ...]
    n_tasks: int
    widest: str
    caveat: DifferentSpread

    @property
    def subject(self) -> str:
        """The spread of runs."""
        return SPREAD

    @property
    def about(self) -> tuple[str, ...]:
        """The tasks on which it differs."""
        return self.members

    @property
    def doubts_means(self) -> bool:
        """Whether what was found may be a difference in spread: where the caveat itself does."""
        return self.caveat.doubts_means

    def sentence(self) -> str:
        """Say on how many tasks, and quote the one where they differ most."""
        where = f"{len(self.members):,} of {plural(self.n_tasks, 'task')}"
        return (
            f"On {where} the runs of some algorithms vary more than those of others, most on "
            f"{printable(self.widest)}: {self.caveat.sentence()}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return kind and numbers as JSON-ready data, and the tasks they are about."""
        told = {"kind": self.kind, "members": list(self.members), "widest": self.widest}
        return {**self.caveat.to_dict(), **told}


@dataclass(frozen=True)
class KeptUncompared(Caveat):
    """An algorithm is kept because it cannot be compared with the leader."""

    algorithm: str
    leader: str
    reason: str

    def sentence(self) -> str:
        """Say why it cannot be compared."""
        return (
            f"{self.algorithm} is kept, since it cannot be compared with {self.leader}: "
            f"{self.reason}"
        )
