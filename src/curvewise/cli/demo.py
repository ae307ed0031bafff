"""``curvewise demo``: the main job on the embedded curves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import curvewise
from curvewise.cli.options import Seed  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.output import CurveOutput
from curvewise.cli.printing import note
from curvewise.cli.report import ReportFile

__all__ = ["DemoOutput", "demo"]


@dataclass(frozen=True)
class DemoOutput(CurveOutput):
    """How the result is printed, with a figure in any case."""

    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to save the figure.")
    ] = Path("curvewise-demo.png")


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
        from curvewise.reports.asking import ask

        file = ReportFile(Path("curvewise-demo.html"), open_it=True, step_name="games")
        results = ask({"": curves}, {"rng": seed}, windows=[""])
        title = "Three learning rates of TD(0) on tic-tac-toe"
        file.write(
            curves, *results, title=title, made={"Command": "curvewise demo --report"}
        )
    found = curvewise.overview(curves, rng=seed)
    output.save(found, curves)
    output.show(found.comparison, lines=found.lines(), record=found.to_dict())
    note("On your own curves: curvewise compare PATH  (curvewise compare --help)")
