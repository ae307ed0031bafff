"""Pictures of an overview: those of its comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.overview.result import Overview

__all__ = ["figure"]


def figure(overview: Overview, curves: Curves | None = None) -> Figure:
    """Draw the curves and the null distributions of the comparison."""
    return overview.comparison.figure(curves)
