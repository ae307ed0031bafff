"""Every answer, as frozen data with to_dict(). Nothing here is rounded."""

from curvewise.results.anova_table import AnovaRow, AnovaTable
from curvewise.results.comparison import AlgorithmSummary, Comparison, Difference
from curvewise.results.contrasts import Alternative, Contrast, Contrasts
from curvewise.results.criteria import Criteria, Verdict
from curvewise.results.effects import Effect, EffectName, ErrorTerm, Interval, f_statistic
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
