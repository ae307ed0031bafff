"""Pictures of an overview: those of its comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.questions.compare.plots import plot_comparison

if TYPE_CHECKING:
    from typing import Unpack

    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.overview.result import Overview
    from curvewise.rendering.curve_plot import CurveOptions

__all__ = ["figure"]


def figure(
    overview: Overview,
    curves: Curves | None = None,
    **drawing: Unpack[CurveOptions],
) -> Figure:
    """Draw the curves and the null distributions of the comparison."""
    return plot_comparison(curves, overview.comparison, **drawing)
