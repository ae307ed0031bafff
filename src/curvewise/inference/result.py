"""What every result provides: data, tables, words, a picture, and warnings.

A result is frozen data. It computes nothing when it is printed, and it knows neither its words
nor its pictures: `describe`, `headline` and `figure` are found in ``tell.py`` of
the folder that its class is defined in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from curvewise.errors import refuse
from curvewise.inference.effects import first_line
from curvewise.records import UNTOLD, Record, json_ready
from curvewise.text import argument, html_text, listed, markdown_text, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Unpack

    from curvewise.data.align import Preparation
    from curvewise.data.curves import Curves
    from curvewise.inference.caveats import Caveat
    from curvewise.rendering.curves import CurveOptions
    from curvewise.rendering.figures import Figure
    from curvewise.rendering.page import Style
    from curvewise.rendering.tables import Table


Name = TypeVar("Name")
Member = TypeVar("Member")

MAX_OPEN_ROWS = 12  # of a table in a notebook; longer ones are folded
MAX_MEMBERS = 3  # of a family that a sentence names


def beside(owner: object, name: str) -> Any:
    """Return the module ``name`` of the folder that an object's class is defined in."""
    return import_module(f"{type(owner).__module__.rpartition('.')[0]}.{name}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(Record, ABC):
    """The answer to a question, as frozen data.

    Attributes
    ----------
    caveats : tuple of Caveat
        What a reader must know before believing the rest, as data, the gravest first.
    preparation : Preparation or None
        How runs with steps of their own were brought to common steps, where they were; of a
        family of tables each member has its own.
    """

    caveats: tuple[Caveat, ...] = field(default=(), metadata=UNTOLD)
    preparation: Preparation | None = field(default=None, metadata=UNTOLD)
    # What the result answers, as its JSON says.
    asked: ClassVar[str]
    # What of `to_dict` is in units of the score.
    in_score_units: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, question: str = "", **options: Any) -> None:
        """Note which question is answered."""
        super().__init_subclass__(**options)
        if question:
            cls.asked = question

    def to_dict(self) -> dict[str, Any]:
        """Return every number that is shown as JSON-ready data; what is infinite is None.

        Preparation and warnings are at the end, with what depends on the score that short runs
        were filled with.
        """
        return {"question": self.asked, **super().to_dict(), **self.shared_dict()}

    @abstractmethod
    def tables(self) -> list[Table]:
        """Return what there is to show, as tables."""

    def __bool__(self) -> bool:
        """Refuse: every result would be true, whatever was found. Gates have a truth of their own."""
        names = ("answer", "significant", "overall", "warnings")
        name = next(own for own in names if hasattr(self, own))
        ask = {"overall": "overall.significant", "warnings": "to_dict()"}.get(name, name)
        called = "()" if callable(getattr(self, name)) else ""
        msg = f"The truth of a {type(self).__name__} is ambiguous. Ask for .{ask}{called} instead."
        raise TypeError(msg)

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
        return {str(name): getattr(one, "preparation", None) for name, one in self.items()}

    def prepared(self) -> str:
        """Say how runs became curves, with whom it is about where members differ."""
        about: dict[str, list[str]] = {}
        members = self._preparations()
        for name, done in members.items():
            about.setdefault("" if done is None else done.sentence(), []).append(name)
        about.pop("", None)
        return " ".join(
            sentence if len(names) == len(members) else f"{listed(names, MAX_MEMBERS)}: {sentence}"
            for sentence, names in about.items()
        )

    def shared_dict(self) -> dict[str, Any]:
        """Return what every result tells as JSON-ready data: preparation and warnings."""
        done = self.preparation
        if done is not None and not self.quotes_scores:
            done = replace(done, depends_on_fill=self.in_score_units)
        told = {"preparation": done, "warnings": self.warnings, "caveats": self.caveats}
        return {key: json_ready(value) for key, value in told.items()}

    def describe(self) -> str:
        """Return the paragraph to quote: what was found, by how much, how sure."""
        text: str = beside(self, "tell").describe(self)
        return f"{text} {self.prepared()}".rstrip()

    def headline(self) -> str:
        """Return what was found in one line of at most 110 characters.

        Questions whose words have no ``headline`` take the first sentence of `describe`.
        """
        written = getattr(beside(self, "tell"), "headline", None)
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
            Width of the figure in inches, as printed; 3.3 is a column of a paper.
        style : "screen" or "paper"
            Paper: type of 8 points, no captions and details.
        title : str, optional
            Title of the figure, instead of its own.
        xlabel : str, optional
            Name of the horizontal axis.
        ylabel : str, optional
            Name of the vertical axis.
        **drawing
            How curves are drawn, as in `plot_curves`; refused by figures without curves.
        """
        from curvewise.rendering.page import Page

        draw = beside(self, "tell").figure
        page = Page(width, style, title, xlabel, ylabel)
        draws_curves = curves is not None and "drawing" in signature(draw).parameters
        for option in () if draws_curves else drawing:
            refuse(
                f"This figure draws no curves, so {argument(option)} does nothing. Leave it out.",
                option=option,
            )
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


class Warned(Protocol):
    """What has warnings: a result, or a listing."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know, in a sentence each."""


def warnings_of(shown: Iterable[Warned]) -> tuple[str, ...]:
    """Return the warnings of all, in their order, each once.

    A caveat is left out if one before it has the same subject, and is about at least the same
    tasks: two questions about the same runs say the same of them in other words.
    """
    sentences: dict[str, None] = {}
    said: list[Caveat] = []
    for result in shown:
        caveats: tuple[Caveat, ...] | None = getattr(result, "caveats", None)
        if caveats is None:
            sentences |= dict.fromkeys(result.warnings)
            continue
        new = [own for own in caveats if not any(_repeats(own, other) for other in said)]
        said += new
        sentences |= dict.fromkeys(own.sentence() for own in new)
    return tuple(sentences)


def _repeats(caveat: Caveat, said: Caveat) -> bool:
    if caveat.subject is None or caveat.subject != said.subject:
        return False
    return bool(caveat.about) and set(caveat.about) <= set(said.about)


class Family(Result, Mapping[Name, Member]):
    """A result that looks up its members by their names, in the field ``members`` says."""

    _members: ClassVar[str]

    def __init_subclass__(cls, members: str = "", **options: Any) -> None:
        """Note which field holds the members."""
        super().__init_subclass__(**options)
        if members:
            cls._members = members

    def __getitem__(self, name: Name) -> Member:
        found: Member = getattr(self, self._members)[name]
        return found

    def __iter__(self) -> Iterator[Name]:
        return iter(getattr(self, self._members))

    def __len__(self) -> int:
        return len(getattr(self, self._members))
