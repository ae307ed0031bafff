"""What `compare_many` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from curvewise.tables import Table, number_text, p_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.results.comparison import Comparison

__all__ = ["Comparisons"]

ASPECTS = ("overall", "algorithm", "interaction")


@dataclass(frozen=True, eq=False)
class Comparisons(Mapping[str, "Comparison"]):
    """One comparison a table, looked up by its name, with p adjusted across the tables.

    Attributes
    ----------
    pvalues_adjusted : mapping from effect to mapping from table to p
        Holm's adjustment, for each effect over all tables: the chance of any false alarm
        of that effect stays at alpha.
    alpha : float
    """

    comparisons: Mapping[str, Comparison]
    pvalues_adjusted: Mapping[str, Mapping[str, float]]
    alpha: float

    def __getitem__(self, name: str) -> Comparison:
        return self.comparisons[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def significant(self, effect: str = "overall") -> tuple[str, ...]:
        """Return the tables in which an effect is significant after adjustment."""
        adjusted = self.pvalues_adjusted[effect]
        return tuple(name for name, pvalue in adjusted.items() if pvalue <= self.alpha)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "question": "compare_many",
            "alpha": self.alpha,
            "pvalues_adjusted": {
                key: dict(value) for key, value in self.pvalues_adjusted.items()
            },
            "comparisons": {name: found.to_dict() for name, found in self.items()},
        }

    def table(self) -> Table:
        """Return F and p of every table, ready to be laid out."""
        rows = []
        for name, found in self.items():
            cells = [name]
            for effect in ASPECTS:
                value = found.effects[found.error].get(effect)
                if value is None:
                    cells += ["", "", ""]
                    continue
                adjusted = self.pvalues_adjusted[effect][name]
                cells += [
                    number_text(value.statistic),
                    p_text(value.pvalue),
                    p_text(adjusted),
                ]
            rows.append(tuple(cells))
        header = ["table"]
        for word in ("overall", "height", "shape"):
            header += [f"F {word}", "p", "adjusted"]
        notes = (f"Adjusted by Holm over {len(self)} tables, for each effect.",)
        return Table(tuple(header), tuple(rows), notes=notes)

    def __str__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()
