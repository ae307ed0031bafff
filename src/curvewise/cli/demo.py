"""``curvewise demo``: the main job on the embedded curves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import curvewise
from curvewise.cli.options import Output, Seed  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.printing import note

__all__ = ["DemoOutput", "demo"]


@dataclass(frozen=True)
class DemoOutput(Output):
    """How the result is printed, with a figure in any case."""

    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to save the figure.")
    ] = Path("curvewise-demo.png")


def demo(*, seed: Seed = 0, output: DemoOutput) -> None:
    """Compare embedded curves: a verdict, a table, a figure.

    They are of TD(0) learning tic-tac-toe with three learning rates.
    """
    curves = curvewise.load_example("tictactoe")
    found = curvewise.overview(curves, rng=seed)
    output.save(lambda: found.figure(curves))
    output.show(found.comparison, lines=found.lines(), record=found.to_dict())
    note("On your own curves: curvewise compare PATH  (curvewise compare --help)")
