"""Are these learning curves really different, where, by how much, and how sure?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from curvewise.comparison import compare
from curvewise.curves import Curves
from curvewise.datasets import load_example
from curvewise.errors import CurvesError, CurvewiseError, OptionError
from curvewise.results import (
    AnovaTable,
    Comparison,
    Comparisons,
    Difference,
    Effect,
    Interval,
)

if TYPE_CHECKING:
    from curvewise.comparisons import compare_many
    from curvewise.present import (
        describe,
        plot_comparison,
        plot_curves,
        plot_null_distribution,
    )
    from curvewise.readers import read

__version__ = "0.1.0"

__all__ = [
    "AnovaTable",
    "Comparison",
    "Comparisons",
    "Curves",
    "CurvesError",
    "CurvewiseError",
    "Difference",
    "Effect",
    "Interval",
    "OptionError",
    "__version__",
    "compare",
    "compare_many",
    "describe",
    "load_example",
    "plot_comparison",
    "plot_curves",
    "plot_null_distribution",
    "read",
]

# What a comparison of curves already in memory does not need is imported when first used.
_LATER = {
    "compare_many": "curvewise.comparisons",
    "describe": "curvewise.present",
    "plot_comparison": "curvewise.present",
    "plot_curves": "curvewise.present",
    "plot_null_distribution": "curvewise.present",
    "read": "curvewise.readers",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        msg = f"module 'curvewise' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(_LATER[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
