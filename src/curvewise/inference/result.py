"""What every result provides: data, tables, words, a picture, and warnings.

A result is frozen data. It computes nothing when it is printed, and it knows neither its words
nor its pictures: `describe` and `figure` are found in ``words.py`` and ``plots.py`` of the folder
that its class is defined in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from curvewise.text import html_text, listed, printable

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.rendering.figures import Figure
    from curvewise.rendering.tables import Table

__all__ = ["Result", "beside"]

MAX_MEMBERS = 3  # of a family that a sentence names


def beside(owner: object, name: str) -> Any:
    """Return the module ``name`` of the folder that an object's class is defined in."""
    return import_module(f"{type(owner).__module__.rpartition('.')[0]}.{name}")


class Result(ABC):
    """The answer to a question, as frozen data.

    Attributes
    ----------
    caveats : tuple of Caveat
        What a reader must know before believing the rest, as data, the gravest first.
    preparation : Preparation or None
        How runs with steps of their own were brought to common steps, where they were; of a
        family of tables each member has its own.
    """

    caveats: tuple[Caveat, ...]
    preparation: Preparation | None = None
    # What of `to_dict` is in units of the score.
    in_score_units: ClassVar[tuple[str, ...]] = ()

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

    @property
    def quotes_scores(self) -> bool:
        """Whether words quote sizes in units of the score: not if these depend on a fill."""
        return all(own.quotes_scores for own in self._preparations().values())

    def _preparations(self) -> dict[str, Preparation]:
        """Return the preparation of the curves, or of each member of a family, by its name."""
        if self.preparation is not None:
            return {"": self.preparation}
        if not isinstance(self, Mapping):
            return {}
        own = {str(name): getattr(one, "preparation", None) for name, one in self.items()}
        return {name: done for name, done in own.items() if done is not None}

    def prepared(self) -> str:
        """Say how runs became curves, with whom it is about where members differ."""
        about: dict[str, list[str]] = {}
        for name, done in self._preparations().items():
            about.setdefault(done.sentence(), []).append(name)
        about.pop("", None)
        n_members = len(self) if isinstance(self, Mapping) else 1
        return " ".join(
            sentence
            if len(names) == n_members
            else f"{listed(names, MAX_MEMBERS)}: {sentence}"
            for sentence, names in about.items()
        )

    def shared_dict(self) -> dict[str, Any]:
        """Return what every result tells as JSON-ready data: preparation and warnings.

        What depends on the score that short runs were filled with is named beside it.
        """
        done = None if self.preparation is None else self.preparation.to_dict()
        if done is not None and not self.quotes_scores:
            done["depends_on_fill"] = list(self.in_score_units)
        return {"preparation": done, **self.warnings_dict()}

    def warnings_dict(self) -> dict[str, Any]:
        """Return the warnings as JSON-ready data: sentences, and what they are about."""
        return {
            "warnings": list(self.warnings),
            "caveats": [caveat.to_dict() for caveat in self.caveats],
        }

    def describe(self) -> str:
        """Return the paragraph to quote: what was found, by how much, how sure."""
        text: str = beside(self, "words").describe(self)
        return f"{text} {self.prepared()}".rstrip()

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
