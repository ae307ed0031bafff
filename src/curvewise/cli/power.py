"""``curvewise power``: how often would an experiment find a difference?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

import curvewise
from curvewise.cli.output import Output  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.progress import progress
from curvewise.cli.reading import Reading  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.simulating import Simulating, numbers_of  # noqa: TC001 (typer reads the annotations)

__all__ = ["power"]

DEFAULT_RUNS = "5,10,20"


def power(
    reading: Reading,
    *,
    runs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N,N,…",
            help=f"Runs of each algorithm, joined by commas.  [default: {DEFAULT_RUNS}]",
        ),
    ] = None,
    simulating: Simulating,
    output: Output,
) -> None:
    """How often would an experiment find a difference?

    Experiments are simulated from the spread of the pilot runs in PATH, and tested as by
    curvewise compare. --size takes several sizes, joined by commas, as --runs does.

    Example: curvewise power pilots.csv --effect lift --size 2 --unit sd --runs 5,10,20
    """
    n_runs = [_whole(number) for number in numbers_of("runs", runs or [DEFAULT_RUNS])]
    options = simulating.options
    curves = reading.curves()
    with progress("simulating"):
        found = curvewise.estimate_power(
            curves, n_runs=n_runs, sizes=simulating.sizes, **options
        )
    output.save(found)
    output.show(found)


def _whole(number: float) -> Any:
    # What is no whole number is refused by name, with the others.
    return int(number) if number.is_integer() else number
