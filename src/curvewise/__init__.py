"""Are these learning curves really different, where, by how much, and how sure?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.comparison import compare
from curvewise.curves import Curves
from curvewise.datasets import load_example
from curvewise.errors import CurvesError, CurvewiseError, OptionError
from curvewise.later import found_later
from curvewise.results import AnovaTable, Comparison, Difference, Effect, Interval

if TYPE_CHECKING:
    from curvewise.comparisons import compare_many
    from curvewise.contrast_families import contrast_many
    from curvewise.contrasts import contrast
    from curvewise.criteria import check_criteria
    from curvewise.gains import transfer
    from curvewise.leaders import best
    from curvewise.location import locate
    from curvewise.pairs import compare_pairs
    from curvewise.present import (
        describe,
        plot_best,
        plot_comparison,
        plot_contrasts,
        plot_criterion,
        plot_curves,
        plot_difference,
        plot_gain,
        plot_location,
        plot_metrics,
        plot_null_distribution,
        plot_pairs,
        plot_transfer,
        plot_window_maps,
        plot_windows,
    )
    from curvewise.readers import read, read_tasks
    from curvewise.results import (
        Best,
        Comparisons,
        Contrast,
        Contrasts,
        Criteria,
        Location,
        Metric,
        Pair,
        Pairs,
        Region,
        Transfer,
        Transfers,
        Verdict,
        WindowTest,
    )
    from curvewise.transfers import transfer_many

__version__ = "0.1.0"

__all__ = [
    "AnovaTable",
    "Best",
    "Comparison",
    "Comparisons",
    "Contrast",
    "Contrasts",
    "Criteria",
    "Curves",
    "CurvesError",
    "CurvewiseError",
    "Difference",
    "Effect",
    "Interval",
    "Location",
    "Metric",
    "OptionError",
    "Pair",
    "Pairs",
    "Region",
    "Transfer",
    "Transfers",
    "Verdict",
    "WindowTest",
    "__version__",
    "best",
    "check_criteria",
    "compare",
    "compare_many",
    "compare_pairs",
    "contrast",
    "contrast_many",
    "describe",
    "load_example",
    "locate",
    "plot_best",
    "plot_comparison",
    "plot_contrasts",
    "plot_criterion",
    "plot_curves",
    "plot_difference",
    "plot_gain",
    "plot_location",
    "plot_metrics",
    "plot_null_distribution",
    "plot_pairs",
    "plot_transfer",
    "plot_window_maps",
    "plot_windows",
    "read",
    "read_tasks",
    "transfer",
    "transfer_many",
]

# What a comparison of curves already in memory does not need is imported when first used.
__getattr__ = found_later(
    __name__,
    {
        "Best": "curvewise.results",
        "Comparisons": "curvewise.results",
        "Contrast": "curvewise.results",
        "Contrasts": "curvewise.results",
        "Criteria": "curvewise.results",
        "Location": "curvewise.results",
        "Metric": "curvewise.results",
        "Pair": "curvewise.results",
        "Pairs": "curvewise.results",
        "Region": "curvewise.results",
        "Transfer": "curvewise.results",
        "Transfers": "curvewise.results",
        "Verdict": "curvewise.results",
        "WindowTest": "curvewise.results",
        "best": "curvewise.leaders",
        "check_criteria": "curvewise.criteria",
        "compare_many": "curvewise.comparisons",
        "compare_pairs": "curvewise.pairs",
        "contrast": "curvewise.contrasts",
        "contrast_many": "curvewise.contrast_families",
        "describe": "curvewise.present",
        "locate": "curvewise.location",
        "plot_best": "curvewise.present",
        "plot_comparison": "curvewise.present",
        "plot_contrasts": "curvewise.present",
        "plot_criterion": "curvewise.present",
        "plot_curves": "curvewise.present",
        "plot_difference": "curvewise.present",
        "plot_gain": "curvewise.present",
        "plot_location": "curvewise.present",
        "plot_metrics": "curvewise.present",
        "plot_null_distribution": "curvewise.present",
        "plot_pairs": "curvewise.present",
        "plot_transfer": "curvewise.present",
        "plot_window_maps": "curvewise.present",
        "plot_windows": "curvewise.present",
        "read": "curvewise.readers",
        "read_tasks": "curvewise.readers",
        "transfer": "curvewise.gains",
        "transfer_many": "curvewise.transfers",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
