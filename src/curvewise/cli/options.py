"""Single options that several commands share."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

__all__ = [
    "Alpha",
    "Center",
    "Error",
    "Seed",
]

Alpha = Annotated[float, typer.Option(help="Significance level.")]
Center = Annotated[
    Literal["mean", "trimmed", "ranks"],
    typer.Option(
        help="What of an algorithm's runs is compared: their mean; the typical run, with a "
        "fifth cut off at either end; or the ranks of runs. Choose before looking."
    ),
]
Error = Annotated[
    Literal["split", "pooled"],
    typer.Option(
        help="Error term: split keeps height and shape apart; pooled is the papers'."
    ),
]
Seed = Annotated[
    int, typer.Option(help="The same seed gives the same digits, whatever the jobs.")
]
