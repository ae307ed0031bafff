"""What `overview` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.questions.best.tell import best_line
from curvewise.questions.compare.tell import describe as compared
from curvewise.questions.compare.tell import headline as compared_in_a_line
from curvewise.questions.compare.tell import plot_comparison
from curvewise.questions.locate.tell import where_line
from curvewise.text import call

if TYPE_CHECKING:
    from typing import Unpack

    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.overview.result import Overview
    from curvewise.rendering.curves import CurveOptions


def describe(overview: Overview) -> str:
    """Return the verdict of the comparison, then where and who, as one paragraph."""
    more = [f"{word}: {line}" for word, line in lines(overview).items()]
    return " ".join([compared(overview.comparison), *more])


def headline(overview: Overview) -> str:
    """Return the headline of the comparison."""
    return compared_in_a_line(overview.comparison)


def lines(overview: Overview) -> dict[str, str]:
    """Return what is said after the verdict, a line each, by its heading."""
    if overview.withheld == "undecidable":
        return {}
    if overview.withheld == "unequal spread":
        return {"Where and who": "left out, as both assume equal spread."}
    if overview.withheld == "no difference":
        return {
            "Where and who": (
                "no overall difference was found, so nothing is said about where or who. To "
                "ask anyway, each with its own false-alarm rate: "
                f"{call('locate')}, {call('compare_pairs')}."
            )
        }
    found = {}
    if overview.location is not None:
        found["Where"] = f"{where_line(overview.location)} More: {call('locate')}."
    if overview.best is not None:
        found["Best"] = best_line(overview.best)
        if overview.comparison.algorithm.center == "mean":
            # Pairs are compared by their means.
            found["Best"] += f" More: {call('compare_pairs')}."
    return found


# --- Pictures of an overview: those of its comparison.


def figure(
    overview: Overview, curves: Curves | None = None, **drawing: Unpack[CurveOptions]
) -> Figure:
    """Draw the curves and the null distributions of the comparison."""
    return plot_comparison(curves, overview.comparison, **drawing)
