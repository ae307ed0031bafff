"""Are these learning curves really different, where, by how much, and how sure?"""

from curvewise.comparison import compare
from curvewise.comparisons import compare_many
from curvewise.curves import Curves
from curvewise.datasets import load_example
from curvewise.errors import CurvesError, CurvewiseError, OptionError
from curvewise.present import (
    describe,
    plot_comparison,
    plot_curves,
    plot_null_distribution,
)
from curvewise.readers import read
from curvewise.results import (
    AnovaTable,
    Comparison,
    Comparisons,
    Difference,
    Effect,
    Interval,
)

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
