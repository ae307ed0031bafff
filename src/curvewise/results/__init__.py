"""Every answer, as frozen data with to_dict(). Nothing here is rounded."""

from typing import TYPE_CHECKING

from curvewise.later import found_later
from curvewise.results.anova_table import AnovaRow, AnovaTable
from curvewise.results.comparison import AlgorithmSummary, Comparison, Difference
from curvewise.results.effects import Effect, EffectName, ErrorTerm, Interval, f_statistic

if TYPE_CHECKING:
    from curvewise.results.contrasts import Alternative, Contrast, Contrasts
    from curvewise.results.criteria import Criteria
    from curvewise.results.leaders import Best, Contender
    from curvewise.results.location import (
        Band,
        Cluster,
        Crossing,
        Location,
        Region,
        Share,
        StepEffect,
    )
    from curvewise.results.many import Comparisons
    from curvewise.results.pairs import Pair, Pairs
    from curvewise.results.transfer import Integration, IntervalKind, Metric, Transfer
    from curvewise.results.transfers import AcrossTasks, Transfers
    from curvewise.results.verdicts import Verdict
    from curvewise.results.windows import WindowEffect, WindowTest, WindowTests

__all__ = [
    "AcrossTasks",
    "AlgorithmSummary",
    "Alternative",
    "AnovaRow",
    "AnovaTable",
    "Band",
    "Best",
    "Cluster",
    "Comparison",
    "Comparisons",
    "Contender",
    "Contrast",
    "Contrasts",
    "Criteria",
    "Crossing",
    "Difference",
    "Effect",
    "EffectName",
    "ErrorTerm",
    "Integration",
    "Interval",
    "IntervalKind",
    "Location",
    "Metric",
    "Pair",
    "Pairs",
    "Region",
    "Share",
    "StepEffect",
    "Transfer",
    "Transfers",
    "Verdict",
    "WindowEffect",
    "WindowTest",
    "WindowTests",
    "f_statistic",
]

# A comparison needs none of these.
__getattr__ = found_later(
    __name__,
    {
        "Alternative": "curvewise.results.contrasts",
        "Contrast": "curvewise.results.contrasts",
        "Contrasts": "curvewise.results.contrasts",
        "Criteria": "curvewise.results.criteria",
        "Verdict": "curvewise.results.verdicts",
        "Best": "curvewise.results.leaders",
        "Contender": "curvewise.results.leaders",
        "Band": "curvewise.results.location",
        "Cluster": "curvewise.results.location",
        "Crossing": "curvewise.results.location",
        "Location": "curvewise.results.location",
        "Region": "curvewise.results.location",
        "Share": "curvewise.results.location",
        "StepEffect": "curvewise.results.location",
        "Comparisons": "curvewise.results.many",
        "Pair": "curvewise.results.pairs",
        "Pairs": "curvewise.results.pairs",
        "Integration": "curvewise.results.transfer",
        "IntervalKind": "curvewise.results.transfer",
        "Metric": "curvewise.results.transfer",
        "Transfer": "curvewise.results.transfer",
        "AcrossTasks": "curvewise.results.transfers",
        "Transfers": "curvewise.results.transfers",
        "WindowEffect": "curvewise.results.windows",
        "WindowTest": "curvewise.results.windows",
        "WindowTests": "curvewise.results.windows",
    },
)
