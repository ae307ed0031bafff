"""``curvewise criteria``: which metric can be trusted with what?"""

from __future__ import annotations

from typing import Annotated

import typer

import curvewise
from curvewise.cli.options import Seed  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.output import Output  # noqa: TC001 (typer reads the annotations)
from curvewise.errors import OptionError
from curvewise.questions.criteria.criteria import CRITERIA
from curvewise.text import did_you_mean

__all__ = ["criteria"]


def criteria(
    *,
    criterion: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"One of them: {', '.join(CRITERIA)}."),
    ] = None,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Which learning-comparison metric meets which of ten criteria?

    The criteria are those of Gorski & Laird (2009). The figure shows the curves that decide
    a criterion or, when none is named, those that decide otherwise than the paper.
    """
    if criterion is not None and criterion.lower() not in CRITERIA:
        msg = f"No criterion is called {criterion!r}; {did_you_mean(criterion, CRITERIA)}"
        raise OptionError(msg, option="criterion")
    found = curvewise.check_criteria(rng=seed)
    if criterion is not None:
        found = found.select(criterion)
    output.save(found)
    output.show(found)
