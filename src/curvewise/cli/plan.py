"""``curvewise plan``: how many runs are needed?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

import curvewise
from curvewise.cli.output import Output  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.progress import progress
from curvewise.cli.reading import Reading  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.simulating import Simulating  # noqa: TC001 (typer reads the annotations)
from curvewise.errors import OptionError
from curvewise.inference.effects import EFFECTS

if TYPE_CHECKING:
    from curvewise.inference.effects import EffectName

__all__ = ["plan"]

# The effects by the words of the verdicts.
NAMES: dict[str, EffectName] = {words.noun: name for name, words in EFFECTS.items()}


def plan(
    reading: Reading,
    *,
    power: Annotated[
        float, typer.Option(help="How often the difference should be found.")
    ] = 0.8,
    question: Annotated[
        Literal["height", "shape", "overall"],
        typer.Option(
            help="Which difference compare is to claim: in height, in shape, or any (overall)."
        ),
    ] = "height",
    cautious: Annotated[
        bool,
        typer.Option(
            "--cautious",
            help="Plan as if runs varied as much more than the pilots as these leave open.",
        ),
    ] = False,
    max_runs: Annotated[
        int, typer.Option(metavar="N", help="The most runs of each to consider.")
    ] = 200,
    reuse_pilot: Annotated[
        bool,
        typer.Option(
            "--reuse-pilot",
            help="The pilots, of all algorithms, stay in the data: plan from their total "
            "spread only.",
        ),
    ] = False,
    simulating: Simulating,
    output: Output,
) -> None:
    """How many runs does it take to find a difference?

    Experiments whose runs vary as the pilot runs in PATH are simulated with more runs, or
    fewer, until curvewise compare would claim it in enough of them.

    Example: curvewise plan pilots.csv --effect lift --size 300 --plot plan.png
    """
    if len(simulating.sizes or []) > 1:
        msg = "--size must be one number here; 'curvewise power' takes several."
        raise OptionError(msg, option="size")
    options = simulating.options
    curves = reading.curves()
    with progress("simulating"):
        found = curvewise.plan(
            curves,
            power=power,
            question=NAMES[question],
            cautious=cautious,
            max_runs=max_runs,
            reuse_pilot=reuse_pilot,
            **options,
        )
    output.save(found)
    output.show(found)
