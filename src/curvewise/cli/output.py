"""How a command prints results, and where and how it draws them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from curvewise.cli.printing import Style, check_plot, note, save_plot, show
from curvewise.errors import OptionError
from curvewise.rendering.figures import PRINT_DPI, SCREEN_DPI
from curvewise.text import argument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Result


__all__ = [
    "CurveOutput",
    "FigureOutput",
    "Output",
]


@dataclass(frozen=True)
class FigureOutput:
    """How results are printed, where figures are saved, and for which page."""

    heading = "Output"

    json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")
    ] = False
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False
    latex: Annotated[
        bool, typer.Option("--latex", help="Print LaTeX tables (booktabs).")
    ] = False
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save a figure (.png, .pdf, .svg, …)."),
    ] = None
    width: Annotated[
        float | None,
        typer.Option(
            metavar="INCHES",
            help="Width of the figure as printed; 3.3 is a column of a paper.",
        ),
    ] = None
    style: Annotated[
        Literal["screen", "paper"] | None,
        typer.Option(
            help="Paper: type of 8 points, no caption.  [default: paper for .pdf]",
            show_default=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        # Before any work is done.
        _ = self.printed
        for place in self.places:
            check_plot(place)
        if self.plot is None:
            for name, field in type(self).__dataclass_fields__.items():
                about_printing = name in {"json", "markdown", "latex", "plot"}
                if not about_printing and getattr(self, name) != field.default:
                    msg = f"{argument(name)} is about a figure. Say where to save it with --plot."
                    raise OptionError(msg, option=name)

    @property
    def places(self) -> list[Path]:
        """The files that may be written."""
        return [] if self.plot is None else [self.plot]

    @property
    def printed(self) -> Style:
        """The one style of printing that was asked for; several are a usage error."""
        return Style.chosen(json=self.json, markdown=self.markdown, latex=self.latex)

    @property
    def drawing(self) -> dict[str, Any]:
        """The arguments of `Result.figure` that were asked for."""
        style = self.style
        if style is None and self.plot is not None:
            style = "paper" if self.plot.suffix.lower() == ".pdf" else "screen"
        return {"width": self.width, "style": style}

    @property
    def dpi(self) -> int:
        """How fine a picture of pixels is."""
        return SCREEN_DPI if self.width is None else PRINT_DPI

    def show(
        self,
        *results: Result,
        lines: Mapping[str, str] | None = None,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        """Print results, and say where the figure is."""
        show(results, self.printed, lines=lines, record=record)
        if self.plot is not None:
            note(self._saved())

    def _saved(self) -> str:
        """Say where the figure is."""
        return f"Figure saved as {self.plot}"


@dataclass(frozen=True)
class Output(FigureOutput):
    """How results are printed, and where their figure is saved."""

    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Title of the figure.")
    ] = None
    xlabel: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Name of the horizontal axis.")
    ] = None
    ylabel: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Name of the vertical axis.")
    ] = None

    @property
    def drawing(self) -> dict[str, Any]:
        """The arguments of `Result.figure` that were asked for."""
        labels = {"title": self.title, "xlabel": self.xlabel, "ylabel": self.ylabel}
        return {**super().drawing, **labels}

    def save(self, result: Result, curves: Curves | None = None) -> None:
        """Save the figure of a result, if one was asked for.

        To be called before `show`: whoever reads the output may stop reading it.
        """
        if self.plot is not None:
            save_plot(lambda: result.figure(curves, **self.drawing), self.plot, self.dpi)


@dataclass(frozen=True)
class CurveOutput(Output):
    """How results are printed, and how a figure with curves is drawn."""

    band: Annotated[
        Literal["runs", "sd", "ci", "none"],
        typer.Option(
            help="Band in the figure: all runs, 1 SD of them, 95% of the mean, or none."
        ),
    ] = "runs"
    no_runs: Annotated[
        bool, typer.Option("--no-runs", help="Leave single runs out of the figure.")
    ] = False
    smooth: Annotated[
        int,
        typer.Option(
            metavar="N", help="Draw moving means of N steps; tests never see them."
        ),
    ] = 1
    xlog: Annotated[bool, typer.Option("--xlog", help="Logarithmic axis of steps.")] = (
        False
    )
    ylog: Annotated[bool, typer.Option("--ylog", help="Logarithmic axis of scores.")] = (
        False
    )
    details: Annotated[
        bool | None,
        typer.Option(
            "--details/--no-details",
            help="Caption and panels behind the answer.  [default: not on paper]",
            show_default=False,
        ),
    ] = None
    colour: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COLOUR", help="Colour of an algorithm; repeat for more."
        ),
    ] = None

    @property
    def drawing(self) -> dict[str, Any]:
        """The arguments of `Result.figure` that were asked for."""
        curves = {
            name: getattr(self, name) for name in ("band", "smooth", "xlog", "ylog")
        }
        if self.details is not None:
            curves["details"] = self.details
        return {
            **super().drawing,
            **curves,
            "runs": not self.no_runs,
            "colours": dict(map(_named_colour, self.colour or [])),
        }


def _named_colour(text: str) -> tuple[str, str]:
    """Split NAME=COLOUR at the last sign; names may have others."""
    name, sign, colour = text.rpartition("=")
    if not sign or not name or not colour:
        msg = f"--colour takes NAME=COLOUR, such as DQN=#0072B2; it is {text!r}."
        raise OptionError(msg, option="colour")
    return name, colour
