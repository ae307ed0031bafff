"""Every answer, as frozen data with to_dict(). Nothing here is rounded."""

from curvewise.results.anova_table import AnovaRow, AnovaTable
from curvewise.results.comparison import AlgorithmSummary, Comparison, Difference
from curvewise.results.effects import Effect, EffectName, ErrorTerm, Interval, f_statistic
from curvewise.results.many import Comparisons

__all__ = [
    "AlgorithmSummary",
    "AnovaRow",
    "AnovaTable",
    "Comparison",
    "Comparisons",
    "Difference",
    "Effect",
    "EffectName",
    "ErrorTerm",
    "Interval",
    "f_statistic",
]
