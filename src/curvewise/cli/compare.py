"""``curvewise compare``: do the curves differ, in height or in shape?"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

import curvewise
from curvewise.cli.options import Alpha, Center, Error  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.output import CurveOutput  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.reading import Reading  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.shuffling import Shuffling  # noqa: TC001 (typer reads the annotations)

__all__ = ["compare"]


def compare(
    reading: Reading,
    *,
    overall: Annotated[
        Literal["combined", "F"],
        typer.Option(
            help="The test of any difference at all: combined looks at all steps, height, "
            "shape and single steps; F is that of the papers, and is used with --error pooled "
            "and --spread unequal."
        ),
    ] = "combined",
    error: Error = "split",
    spread: Annotated[
        Literal["equal", "unequal"],
        typer.Option(
            help="Unequal: compare means of algorithms that vary differently from run to "
            "run; use it when run counts differ as well."
        ),
    ] = "equal",
    center: Center = "mean",
    alpha: Alpha = 0.05,
    shuffling: Shuffling,
    output: CurveOutput,
) -> None:
    """Do the curves in PATH differ, in height or in shape?

    PATH is a folder of training logs, or a table with one row per run and step (long form),
    or one row per run and a column per step (wide form). What is what in it is recognised,
    and said. Whole curves are shuffled among the algorithms, so no assumption is made about
    how scores along a curve depend on each other.

    If the curves differ overall, a line after the verdict says where and, with more than
    two algorithms, another says which may be the best.

    Examples: curvewise compare runs/ --metric eval/mean_reward;
    curvewise compare runs.csv --only DQN --only Rainbow --plot figure.png
    """
    curves = reading.curves()
    with shuffling.working():
        found = curvewise.overview(
            curves,
            overall=overall,
            error=error,
            spread=spread,
            center=center,
            alpha=alpha,
            **shuffling.options,
        )
    output.save(found, curves)
    output.show(found.comparison, lines=found.lines(), record=found.to_dict())
