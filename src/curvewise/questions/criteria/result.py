"""What `check_criteria` found: which metric meets which criterion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from curvewise.inference.result import Result
from curvewise.questions.criteria.published import CITATION
from curvewise.questions.criteria.verdict import Verdict
from curvewise.questions.transfer.metrics import RECORDS
from curvewise.rendering.tables import Table
from curvewise.text import did_you_mean, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.inference.caveats import Caveat

__all__ = ["JUDGED", "SIGNS", "Criteria"]

# The metrics that are judged, and what the table calls them: those with an abbreviation.
JUDGED = {record.name: record.short for record in RECORDS.values() if record.short}
SIGNS = {True: "✓", False: "×"}


@dataclass(frozen=True, eq=False)
class Criteria(Result, Mapping[tuple[str, str], Verdict]):
    """The criteria of Gorski & Laird (2009), decided for four metrics by computation.

    A mapping from (criterion, metric) to `Verdict`. Metrics may be called as in the table:
    ratio, regret, CTR, ARR.

    Attributes
    ----------
    verdicts : tuple of Verdict
        Criterion by criterion.
    differences : tuple of Verdict
        Those that are not the paper's.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number.
    caveats : tuple of Caveat
        Always empty: the cases are fixed.
    """

    verdicts: tuple[Verdict, ...] = field(repr=False)
    seed: int | None = None
    caveats: tuple[Caveat, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> Verdict:
        criterion, metric = (str(part).lower() for part in key)
        for verdict in self.verdicts:
            names = (verdict.metric, verdict.short.lower(), verdict.title)
            if verdict.criterion == criterion and metric in names:
                return verdict
        known = [*self.criteria, *JUDGED.values()]
        wrong = metric if criterion in self.criteria else criterion
        msg = f"No verdict on {key!r}; {did_you_mean(wrong, known)}"
        raise KeyError(msg)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return ((verdict.criterion, verdict.metric) for verdict in self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria that were decided."""
        return tuple(dict.fromkeys(verdict.criterion for verdict in self.verdicts))

    @property
    def differences(self) -> tuple[Verdict, ...]:
        """The verdicts that are not those of the paper's Table 2."""
        return tuple(verdict for verdict in self.verdicts if not verdict.agrees)

    @property
    def crosses(self) -> tuple[Verdict, ...]:
        """The verdicts that a metric does not meet a criterion."""
        return tuple(verdict for verdict in self.verdicts if not verdict.holds)

    def select(self, criterion: str) -> Criteria:
        """Return one criterion alone."""
        kept = tuple(v for v in self.verdicts if v.criterion == criterion.lower())
        if not kept:
            msg = f"No criterion is called {criterion!r}; {did_you_mean(criterion, self.criteria)}"
            raise KeyError(msg)
        return replace(self, verdicts=kept)

    def to_dict(self) -> dict[str, Any]:
        """Return everything, the curves of every deciding case included, as JSON-ready data."""
        return {
            "question": "criteria",
            "published_in": CITATION,
            "seed": self.seed,
            "n_verdicts": len(self),
            "differences": [[v.criterion, v.metric] for v in self.differences],
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            **self.shared_dict(),
        }

    def table(self) -> Table:
        """Return Table 2 as it came out; in brackets what was published, where it differs."""

        def cell(verdict: Verdict) -> str:
            sign = SIGNS[verdict.holds]
            # Where the paper says otherwise, it says the opposite.
            return sign if verdict.agrees else f"({SIGNS[not verdict.holds]}) {sign}"

        rows = tuple(
            (
                criterion,
                *(cell(self[criterion, metric]) for metric in JUDGED),
            )
            for criterion in self.criteria
        )
        notes = [
            "✓ every case tried came out as the criterion asks; × some case did not."
        ]
        if self.differences:
            notes.append(
                f"In brackets: published otherwise ({CITATION}). On the cases it names, "
                f"drawn here with its table in view, {self._on_its_own_cases()}."
            )
        return Table(("criterion", *JUDGED.values()), rows, notes=tuple(notes))

    def _on_its_own_cases(self) -> str:
        """Say whether the cases that the paper considers give its table."""
        n_different = sum(
            verdict.published not in {None, verdict.holds_in_paper}
            for verdict in self.verdicts
        )
        if n_different == 0:
            return "its ticks and crosses come out"
        return f"{plural(n_different, 'cell')} would still differ"

    def tables(self) -> list[Table]:
        """Return Table 2, the case behind every cross, and why cells differ from the paper's."""
        rows = tuple(
            (
                verdict.criterion,
                verdict.short,
                verdict.case.source or "ours",
                verdict.sentence,
            )
            for verdict in self.crosses
        )
        found = [self.table()]
        if rows:
            header = ("criterion", "metric", "case", "why it fails")
            found.append(Table(header, rows, n_text_columns=4))
        if self.differences:
            why = tuple(
                (verdict.criterion, verdict.short, verdict.reason)
                for verdict in self.differences
            )
            columns = ("criterion", "metric", "why it differs from the paper")
            found.append(Table(columns, why, n_text_columns=3))
        return found
