"""Sums of squares by source, laid out as in the papers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from curvewise.inference.effects import f_statistic, json_ready
from curvewise.kernels.pvalues import f_survival
from curvewise.rendering.tables import Table
from curvewise.text import column_texts, p_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.inference.effects import Center, Effect, ErrorTerm, Spread

__all__ = ["AnovaRow", "AnovaTable"]

ERROR_TERMS: dict[ErrorTerm, str] = {
    "split": "split (algorithm against curves, interaction against residual)",
    "pooled": "pooled (both against curves and residual together, as in the papers)",
}


@dataclass(frozen=True)
class AnovaRow:
    """One source of variation; what does not apply to it is None."""

    source: str
    df: int
    ss: float
    ms: float | None = None
    statistic: float | None = None
    pvalue: float | None = None
    pvalue_parametric: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON-ready data."""
        return {name: json_ready(value) for name, value in vars(self).items()}


@dataclass(frozen=True)
class AnovaTable(Mapping[str, AnovaRow]):
    """Sums of squares by source, laid out as in Piater & Cohen.

    Looked up by source: ``table["algorithm"].ss``.
    """

    rows: tuple[AnovaRow, ...]
    error: ErrorTerm
    spread: Spread = "equal"
    center: Center = "mean"

    @classmethod
    def from_sums(
        cls,
        ss: Mapping[str, float],
        df: Mapping[str, int],
        error: ErrorTerm,
        effects: Mapping[str, Effect] | None = None,
        spread: Spread = "equal",
        center: Center = "mean",
    ) -> AnovaTable:
        """Go from sums of squares and degrees of freedom to mean squares, F and p."""
        against = {
            "training": "residual",
            "algorithm": "curves",
            "interaction": "residual",
        }
        if error == "pooled":
            against = dict.fromkeys(against, "error")
        means = {
            source: ss[source] / df[source] if df[source] else None
            for source in ss
            if source != "total"
        }

        def row(source: str) -> AnovaRow:
            mean = means.get(source)
            noise = means.get(against.get(source, ""))
            effect = (effects or {}).get(source)
            if effect is not None:
                statistic: float | None = effect.statistic
            elif mean is None or noise is None:
                statistic = None
            else:
                statistic = f_statistic(mean, noise, (1, 1))
            parametric = None
            # Shuffling curves among algorithms says nothing of training, and nobody
            # doubts it: as in the papers, it has an F and no p.
            if effect is not None:
                parametric = effect.pvalue_parametric
            elif statistic is not None and source != "training":
                parametric = f_survival(statistic, (df[source], df[against[source]]))
            return AnovaRow(
                source,
                df[source],
                ss[source],
                mean,
                statistic,
                effect.pvalue if effect is not None else None,
                parametric,
            )

        return cls(tuple(row(source) for source in ss), error, spread, center)

    def __getitem__(self, source: str) -> AnovaRow:
        for row in self.rows:
            if row.source == source:
                return row
        raise KeyError(source)

    def __iter__(self) -> Iterator[str]:
        return (row.source for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON-ready data."""
        return {"error": self.error, "rows": [row.to_dict() for row in self.rows]}

    def table(self) -> Table:
        """Return the table as text, ready to be laid out."""
        shown = {"error": "error (pooled)", "curves": "error: curves"}
        shown["residual"] = "error: residual"

        def p(value: float | None) -> str:
            return "" if value is None else p_text(value)

        ss = column_texts([row.ss for row in self.rows])
        ms = column_texts([row.ms for row in self.rows])
        f = column_texts([row.statistic for row in self.rows])
        rows = tuple(
            (
                shown.get(row.source, row.source),
                str(row.df),
                ss[place],
                ms[place],
                f[place],
                p(row.pvalue),
                p(row.pvalue_parametric),
            )
            for place, row in enumerate(self.rows)
        )
        header = ("source", "df", "SS", "MS", "F", "p", "p by F test")
        notes = [f"Error term: {ERROR_TERMS[self.error]}."]
        if self.spread == "unequal":
            notes.append(
                "F and p allow for unequal spread: each algorithm is weighed by its own "
                "variance (Welch), so F is not a ratio of the MS shown."
            )
            notes.append("p by F test: Welch's, on approximate degrees of freedom.")
        else:
            notes.append(
                "p by F test: parametric, and invalid when the scores of a run are correlated."
            )
        if self.center != "mean":
            notes.append(
                "This table is of means. Height was tested by "
                + ("typical runs" if self.center == "trimmed" else "ranks")
                + ", and has its p below."
            )
        if self.error == "split":
            notes.append(
                "The conventional F test, as in the papers, divides by the pooled error."
            )
        return Table(header, rows, notes=tuple(notes))

    def __str__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()
