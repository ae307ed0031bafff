"""What every result provides: data, tables, words, a picture, and warnings.

A result is frozen data. It computes nothing when it is printed, and it knows neither its words
nor its pictures: `describe` and `figure` are found in ``words.py`` and ``plots.py`` of the folder
that its class is defined in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any

from curvewise.text import html_text, printable

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.rendering.figures import Figure
    from curvewise.rendering.tables import Table

__all__ = ["Result", "beside"]


def beside(owner: object, name: str) -> Any:
    """Return the module ``name`` of the folder that an object's class is defined in."""
    return import_module(f"{type(owner).__module__.rpartition('.')[0]}.{name}")


class Result(ABC):
    """The answer to a question, as frozen data.

    Attributes
    ----------
    caveats : tuple of Caveat
        What a reader must know before believing the rest, as data, the gravest first.
    """

    caveats: tuple[Caveat, ...]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return every number that is shown, as JSON-ready data."""

    @abstractmethod
    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know before believing the rest, in a sentence each."""
        return tuple(caveat.sentence() for caveat in self.caveats)

    def warnings_dict(self) -> dict[str, Any]:
        """Return the warnings as JSON-ready data: sentences, and what they are about."""
        return {
            "warnings": list(self.warnings),
            "caveats": [caveat.to_dict() for caveat in self.caveats],
        }

    def describe(self) -> str:
        """Return the paragraph to quote: what was found, by how much, how sure."""
        text: str = beside(self, "words").describe(self)
        return text

    def figure(self, curves: Curves | None = None) -> Figure:
        """Draw the result, with the curves it is about where the picture shows them."""
        figure: Figure = beside(self, "plots").figure(self, curves)
        return figure

    def __str__(self) -> str:
        parts = [table.text() for table in self.tables()]
        parts += [f"Warning: {printable(warning)}" for warning in self.warnings]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        warnings = "".join(
            f"<p><strong>Warning:</strong> {html_text(w)}</p>" for w in self.warnings
        )
        return "".join(table.html() for table in self.tables()) + warnings
