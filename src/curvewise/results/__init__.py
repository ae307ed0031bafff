"""Every answer, as frozen data with to_dict(). Nothing here is rounded."""

from curvewise.results.anova_table import AnovaRow, AnovaTable
from curvewise.results.comparison import AlgorithmSummary, Comparison, Difference
from curvewise.results.contrasts import Alternative, Contrast, Contrasts
from curvewise.results.effects import Effect, EffectName, ErrorTerm, Interval, f_statistic
from curvewise.results.leaders import Best, Contender
from curvewise.results.many import Comparisons
from curvewise.results.pairs import Pair, Pairs

__all__ = [
    "AlgorithmSummary",
    "Alternative",
    "AnovaRow",
    "AnovaTable",
    "Best",
    "Comparison",
    "Comparisons",
    "Contender",
    "Contrast",
    "Contrasts",
    "Difference",
    "Effect",
    "EffectName",
    "ErrorTerm",
    "Interval",
    "Pair",
    "Pairs",
    "f_statistic",
]
