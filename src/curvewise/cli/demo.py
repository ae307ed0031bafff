"""``curvewise demo``: the main job on the embedded curves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import curvewise
from curvewise.cli.digest import digest
from curvewise.cli.output import Style, answering, check_plot, note, save_plot, show

__all__ = ["demo"]


def demo(
    figure: Annotated[
        Path, typer.Option("--plot", metavar="FILE", help="Where to save the figure.")
    ] = Path("curvewise-demo.png"),
    seed: Annotated[int, typer.Option(help="The same seed gives the same digits.")] = 0,
) -> None:
    """Compare embedded curves: a verdict, a table, a figure.

    They are of TD(0) learning tic-tac-toe with three learning rates.
    """
    with answering():
        check_plot(figure)
        curves = curvewise.load_example("tictactoe")
        comparison = curvewise.compare(curves, rng=seed)
        more = digest(curves, comparison, seed=seed)
        save_plot(lambda: curvewise.plot_comparison(curves, comparison), figure)
        show([comparison], Style.TERMINAL, lines=more.lines)
        note(f"Figure saved as {figure}")
        note("On your own curves: curvewise compare FILE  (curvewise compare --help)")
