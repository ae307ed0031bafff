"""What a comparison may claim: behind the overall test, and of means where spreads are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from curvewise.inference.effects import EffectName
    from curvewise.questions.compare.result import Comparison

__all__ = ["holds", "in_what", "is_claimed", "is_undecidable"]


def is_claimed(comparison: Comparison, name: EffectName) -> bool:
    """Tell whether an effect is claimed: behind the overall test, and not by pooling alone."""
    return comparison.overall.significant and holds(comparison, name)


def holds(comparison: Comparison, name: EffectName) -> bool:
    """Tell whether an effect is significant, and with its own error term too."""
    effects = comparison.effects
    return (
        name in effects[comparison.error]
        and effects[comparison.error][name].significant
        and effects["split"][name].significant
    )


def is_undecidable(comparison: Comparison) -> bool:
    """Tell whether no data could have been significant with so few runs or shuffles."""
    return comparison.smallest_pvalue > comparison.alpha


def in_what(comparison: Comparison) -> str:
    """Say that what was found may be the spread, where spreads differ."""
    doubted = any(caveat.doubts_means for caveat in comparison.caveats)
    return " in mean or in spread" if doubted else ""
