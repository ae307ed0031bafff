"""``curvewise pairs``: which algorithms differ, and which may be the best?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

import curvewise
from curvewise.cli.options import Alpha, Error  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.output import Output  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.reading import Reading  # noqa: TC001 (typer reads the annotations)
from curvewise.cli.shuffling import Shuffling

__all__ = ["PairShuffling", "pairs"]

# How p of the best is adjusted, by how that of the pairs is.
ADJUST_OF_BEST: dict[str, Literal["closed", "bonferroni", "max-t"]] = {
    "closed": "closed",
    "holm": "bonferroni",
    "bonferroni": "bonferroni",
    "max-t": "max-t",
}


@dataclass(frozen=True)
class PairShuffling(Shuffling):
    """How relabellings of each pair are visited; their number depends on that of pairs."""

    shuffles: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="Random shuffles of a pair, when not every relabelling is visited; or auto "
            "or precise.  [default: 9999, or as many as the adjustment needs]",
        ),
    ] = None


def pairs(
    reading: Reading,
    *,
    adjust: Annotated[
        Literal["closed", "holm", "bonferroni", "max-t"] | None,
        typer.Option(
            help="How p is adjusted for all pairs. Closed testing is valid whatever differs, and "
            "decides with few runs, where Holm cannot; max-t is approximate.  [default: closed up to "
            "eight algorithms, max-t beyond; holm with pooled errors]"
        ),
    ] = None,
    error: Error = "split",
    alpha: Alpha = 0.05,
    shuffling: PairShuffling,
    output: Output,
) -> None:
    """Which algorithms in PATH differ, and which may be the best?

    Every pair is compared on its own curves, in height and in shape, and p is adjusted for
    the number of pairs. The algorithm with the best mean is compared with each of the
    others. --checkpoint FILE keeps the counts of the best in FILE.best.

    Example: curvewise pairs runs.csv --adjust holm --plot pairs.png
    """
    curves = reading.curves()
    with shuffling.working():
        found = curvewise.compare_pairs(
            curves, adjust=adjust, error=error, alpha=alpha, **shuffling.options
        )
        best = curvewise.best(
            curves,
            adjust=ADJUST_OF_BEST[found.adjust],
            alpha=alpha,
            **shuffling.options_of_best,
        )
    output.save(found, curves)
    output.show(found, best, record={"best": best.to_dict()})
