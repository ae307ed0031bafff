"""``curvewise calibrate``: how often would common tests cry wolf on these very runs?"""

from __future__ import annotations

from typing import Annotated

import typer

import curvewise
from curvewise.cli.options import Alpha, Seed  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.output import Output  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.progress import progress
from curvewise.cli.reading import Reading  # noqa: TC001 (typer reads the annotations)

__all__ = ["calibrate"]


def calibrate(
    reading: Reading,
    *,
    splits: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Random splits of the runs of an algorithm; all where there are no more.",
        ),
    ] = 1_000,
    alpha: Alpha = 0.05,
    seed: Seed = 0,
    output: Output,
) -> None:
    """How often would common tests cry wolf on the runs in PATH?

    The runs of each algorithm are split in two halves at random, as if they were two
    algorithms, and tested: by the conventional F test, and by t-tests at every step, of the
    final score and of the area. There is no difference to find. --only NAME takes one algorithm.

    Example: curvewise calibrate runs.csv --only PPO
    """
    curves = reading.curves()
    with progress("splitting"):
        found = curvewise.calibrate(curves, alpha=alpha, n_splits=splits, rng=seed)
    output.save(found, curves)
    output.show(found)
