"""Values of the metrics for the report's cases, such as those of Figures 3 and 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import curvewise as cw

__all__ = ["FIGURES", "case_values"]

FIGURES = {"Figure 3": "distinguishing", "Figure 4": "similar"}


def case_values(criteria: cw.Criteria, criterion: str, metric: str, source: str) -> list[float]:
    """Return the values of a metric for a case of the report; NaN where undefined."""
    tried = criteria[criterion, metric].tried
    found = next(each for each in tried if each.case.source == source)
    return [np.nan if value is None else value for value in found.values]
