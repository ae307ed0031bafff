"""What every result provides: data, tables, words, a picture, and warnings.

A result is frozen data. It computes nothing when it is printed, and it knows neither its words
nor its pictures: `describe`, `headline` and `figure` are found in ``words.py`` and ``plots.py``
of the folder that its class is defined in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

from curvewise.errors import OptionError
from curvewise.inference.phrases import first_line
from curvewise.text import argument, html_text, listed, markdown_text, printable

if TYPE_CHECKING:
    from typing import Unpack

    from curvewise.data.curves import Curves
    from curvewise.data.preparation import Preparation
    from curvewise.inference.caveats import Caveat
    from curvewise.rendering.curve_plot import CurveOptions
    from curvewise.rendering.figures import Figure
    from curvewise.rendering.page import Style
    from curvewise.rendering.tables import Table

__all__ = ["Result", "beside"]

MAX_OPEN_ROWS = 12  # of a table in a notebook; longer ones are folded
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
        done = self._preparations().values()
        return all(own.quotes_scores for own in done if own is not None)

    def _preparations(self) -> dict[str, Preparation | None]:
        """Return the preparation of the curves, or of each member of a family, by its name.

        None for those that needed none.
        """
        if self.preparation is not None or not isinstance(self, Mapping):
            return {"": self.preparation}
        return {
            str(name): getattr(one, "preparation", None) for name, one in self.items()
        }

    def prepared(self) -> str:
        """Say how runs became curves, with whom it is about where members differ."""
        about: dict[str, list[str]] = {}
        members = self._preparations()
        for name, done in members.items():
            about.setdefault("" if done is None else done.sentence(), []).append(name)
        about.pop("", None)
        return " ".join(
            sentence
            if len(names) == len(members)
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

    def headline(self) -> str:
        """Return what was found in one line of at most 110 characters.

        Questions whose words have no ``headline`` take the first sentence of `describe`.
        """
        written = getattr(beside(self, "words"), "headline", None)
        return first_line(self.describe() if written is None else written(self))

    def figure(
        self,
        curves: Curves | None = None,
        *,
        width: float | None = None,
        style: Style = "screen",
        title: str | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        **drawing: Unpack[CurveOptions],
    ) -> Figure:
        """Draw the result, with the curves it is about where the picture shows them.

        Parameters
        ----------
        curves : Curves, optional
            Those that the question was asked of.
        width : float, optional
            In inches, as it will be printed: 3.3 is a column of a paper.
        style : "screen" or "paper"
            On paper type is 8 points high, and captions and details are left out.
        title, xlabel, ylabel : str, optional
            Instead of the figure's own.
        **drawing
            How curves are drawn, as in `plot_curves`; refused by figures without curves.
        """
        from curvewise.rendering.page import Page

        draw = beside(self, "plots").figure
        page = Page(width, style, title, xlabel, ylabel)
        draws_curves = curves is not None and "drawing" in signature(draw).parameters
        for option in () if draws_curves else drawing:
            msg = f"This figure draws no curves, so {argument(option)} does nothing. Leave it out."
            raise OptionError(msg, option=option)
        if draws_curves and style == "paper":
            drawing.setdefault("details", False)
        with page.type_sizes():
            figure: Figure = draw(self, curves, **drawing)
            return page.set(figure)

    def __str__(self) -> str:
        parts = [table.text() for table in self.tables()]
        parts += [f"Warning: {printable(warning)}" for warning in self.warnings]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """Return the headline, the verdict, warnings and tables; long tables are folded."""
        parts = [
            f"<p><strong>{html_text(self.headline())}</strong></p>",
            f"<p>{html_text(self.describe())}</p>",
            *(f"<p><strong>Warning:</strong> {html_text(w)}</p>" for w in self.warnings),
        ]
        for table in self.tables():
            shown = table.html()
            if len(table.rows) > MAX_OPEN_ROWS:
                title = table.title or f"{len(table.rows)} rows: {table.header[0]}, …"
                shown = f"<details><summary>{html_text(title)}</summary>{shown}</details>"
            parts.append(shown)
        return "".join(parts)

    def _repr_markdown_(self) -> str:
        """Return the verdict, warnings and tables as Markdown."""
        parts = [
            markdown_text(self.describe()),
            *(f"**Warning:** {markdown_text(warning)}" for warning in self.warnings),
            *(table.markdown() for table in self.tables()),
        ]
        return "\n\n".join(parts)
