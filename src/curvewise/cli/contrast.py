"""``curvewise contrast``: is a weighted sum of algorithms different from zero?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

import curvewise
from curvewise.cli.options import Alpha, Center  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.output import Output  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.reading import Reading  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.shuffling import Shuffling  # noqa: TC001 (typer reads the annotations)
from curvewise.errors import OptionError

__all__ = ["contrast"]


def contrast(
    reading: Reading,
    *,
    coefficients: Annotated[
        list[str],
        typer.Option(
            "--coefficient",
            "-c",
            metavar="NAME=NUMBER",
            help="Coefficient of an algorithm; repeat for each. They sum to 0.",
        ),
    ],
    over: Annotated[
        Literal["mean", "trend", "area"],
        typer.Option(
            help="What is taken of each curve: its mean, its slope, or the area under it."
        ),
    ] = "mean",
    window: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="FROM TO", help="Take the mean over these steps only."),
    ] = None,
    alternative: Annotated[
        Literal["two-sided", "greater", "less"],
        typer.Option(help="Which departures from 0 count."),
    ] = "two-sided",
    center: Center = "mean",
    alpha: Alpha = 0.05,
    shuffling: Shuffling,
    output: Output,
) -> None:
    """Is a weighted sum of algorithms in PATH different from zero?

    Example: curvewise contrast runs.csv -c Rainbow=1 -c DQN=-0.5 -c C51=-0.5
    """
    numbers = dict(_coefficient(text) for text in coefficients)
    if len(numbers) < len(coefficients):
        msg = "An algorithm is given twice; give each algorithm one coefficient."
        raise OptionError(msg, option="coefficients")
    weights = _weights(over, window)
    curves = reading.curves()
    with shuffling.working():
        found = curvewise.contrast(
            curves,
            numbers,
            weights=weights,
            alternative=alternative,
            center=center,
            alpha=alpha,
            **shuffling.options,
        )
    output.save(found, curves)
    output.show(found)


def _coefficient(text: str) -> tuple[str, float]:
    # The last sign counts: a name may contain one itself.
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        msg = f"{text!r} is not a coefficient; write NAME=NUMBER, such as DQN=-0.5."
        raise typer.BadParameter(msg) from None


def _weights(over: str, window: tuple[float, float] | None) -> Any:
    if window is None:
        return None if over == "mean" else over
    if over != "mean":
        msg = (
            f"--window is for the mean; for the {over} of some steps use --from and --to."
        )
        raise OptionError(msg, option="window")
    return ("window", *window)
