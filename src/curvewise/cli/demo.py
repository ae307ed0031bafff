"""``curvewise demo``: the main job on the embedded curves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import curvewise
from curvewise.cli.output import Style, answering, check_plot, note, plot, show

__all__ = ["demo"]


def demo(
    figure: Annotated[
        Path, typer.Option("--plot", metavar="FILE", help="Where to save the figure.")
    ] = Path("curvewise-demo.png"),
    seed: Annotated[int, typer.Option(help="The same seed gives the same digits.")] = 0,
) -> None:
    """Compare three learning rates of TD(0) at tic-tac-toe: a verdict, a table, a figure."""
    with answering():
        check_plot(figure)
        curves = curvewise.load_example("tictactoe")
        comparison = curvewise.compare(curves, rng=seed)
        show(comparison, Style.TERMINAL)
        plot(curves, comparison, figure)
        note("On your own curves: curvewise compare FILE  (curvewise compare --help)")
