"""``curvewise demo``: the main job on the embedded curves."""

from __future__ import annotations

import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import curvewise
from curvewise.cli.options import Seed  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.output import CurveOutput
from curvewise.cli.printing import Style, note
from curvewise.cli.report import ReportFile
from curvewise.errors import MissingPackageError

if TYPE_CHECKING:
    from curvewise.data.curves import Curves

__all__ = ["DemoOutput", "demo"]


@dataclass(frozen=True)
class DemoOutput(CurveOutput):
    """How the result is printed, with a figure in any case."""

    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to save the figure.")
    ] = Path("curvewise-demo.png")

    def __post_init__(self) -> None:
        try:
            super().__post_init__()
        except MissingPackageError as error:
            note(f"Without its figure. {error}")
            object.__setattr__(self, "plot", None)


def demo(
    *,
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Write a report to explore, curvewise-demo.html, and show it in the browser.",
        ),
    ] = False,
    seed: Seed = 0,
    output: DemoOutput,
) -> None:
    """Compare embedded curves: a verdict, a table, a figure.

    They are of TD(0) learning tic-tac-toe with three learning rates.
    """
    curves = curvewise.load_example("tictactoe")
    if report:
        _write_report(curves, seed)
    found = curvewise.overview(curves, rng=seed)
    output.save(found, curves)
    output.show(found.comparison, lines=found.lines(), record=found.to_dict())
    note("On your own curves: curvewise compare PATH  (curvewise compare --help)")
    terminal = output.printed is Style.TERMINAL
    if terminal and not report and _can_show() and _wants_report():
        _write_report(curves, seed)


def _write_report(curves: Curves, seed: int) -> None:
    from curvewise.reports.asking import ask

    file = ReportFile(Path("curvewise-demo.html"), open_it=True, step_name="games")
    results = ask({"": curves}, {"rng": seed}, windows=[""])
    title = "Three learning rates of TD(0) on tic-tac-toe"
    made = {"Command": "curvewise demo --report"}
    file.write(curves, *results, title=title, made=made)


def _can_show() -> bool:
    """Tell whether a person sits at a terminal that has a browser beside it."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return False
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    # Of just this class are those that show pages in the terminal itself.
    return type(browser) is not webbrowser.GenericBrowser


def _wants_report() -> bool:
    return typer.confirm("Explore it as a report in the browser?", default=True, err=True)
