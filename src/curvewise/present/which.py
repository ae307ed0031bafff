"""What pairs, contrasts and the search for the best found, in words a person can quote."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.errors import counted
from curvewise.tables import number_text, p_text, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.results import Best, Contrast, Contrasts, Effect, Pair, Pairs

__all__ = [
    "describe_best",
    "describe_contrast",
    "describe_contrasts",
    "describe_pairs",
    "leader_line",
]

MOST_NAMED = 6  # pairs, or algorithms, that a sentence can hold
ASPECTS = {"algorithm": "height", "interaction": "shape"}
ADJUSTMENTS = {
    "holm": "Holm's adjustment",
    "bonferroni": "Bonferroni's adjustment",
    "max-t": "adjustment by the largest statistic",
}


def describe_pairs(pairs: Pairs) -> str:
    """Say which pairs differ, in height and in shape."""
    if not pairs:
        return "No pair could be compared; the warnings say why."
    how = ADJUSTMENTS[pairs.adjust]
    if pairs.smallest_pvalue > pairs.alpha:
        return (
            f"Which of {counted(len(pairs), 'pair')} differ cannot be decided with so few "
            f"runs after {how}: the smallest p possible is "
            f"{p_text(pairs.smallest_pvalue)}, above alpha = {pairs.alpha:g}."
        )
    promise = (
        f"For each question the chance of any false claim is {_most(pairs)} "
        f"{pairs.alpha:g}. A pair that is not named is not thereby equal."
    )
    sentences = [*(_aspect(pairs, name, how) for name in ASPECTS), promise]
    return " ".join(sentence for sentence in sentences if sentence)


def _most(pairs: Pairs) -> str:
    # Residuals are shuffled for max-t, which is approximate.
    return "about" if pairs.adjust == "max-t" else "at most"


def _aspect(pairs: Pairs, name: str, how: str) -> str:
    tested = [pair for pair in pairs if pair.effect(name) is not None]
    if not tested:
        return ""
    found = pairs.significant(name)
    total = counted(len(tested), "pair")
    if not found:
        smallest = min(_adjusted(pair.effect(name)) for pair in tested)
        return (
            f"Of {total}, none differs detectably in {ASPECTS[name]} after {how} "
            f"(smallest adjusted p = {p_text(smallest)})."
        )
    ranked = sorted(found, key=lambda pair: _adjusted(pair.effect(name)))
    listed = [_pair(pair, name) for pair in ranked[:MOST_NAMED]]
    if len(ranked) > MOST_NAMED:
        listed.append(f"and {len(ranked) - MOST_NAMED} more")
    verb = "differs" if len(found) == 1 else "differ"
    less = name == "algorithm" and not pairs.higher_is_better
    direction = " (less is better)" if less else ""
    return (
        f"Of {total}, {len(found)} {verb} in {ASPECTS[name]}{direction} after {how}: "
        f"{'; '.join(listed)}."
    )


def _pair(pair: Pair, name: str) -> str:
    a, b = printable(pair.a), printable(pair.b)
    p = f"p = {p_text(_adjusted(pair.effect(name)))}"
    if name != "algorithm":
        return f"{a} and {b} ({p})"
    sign = ">" if pair.difference > 0 else "<"
    return f"{a} {sign} {b} by {number_text(abs(pair.difference))} ({p})"


def _adjusted(effect: Effect | None) -> float:
    if effect is None or effect.pvalue_adjusted is None:
        return 1.0
    return effect.pvalue_adjusted


def describe_best(best: Best) -> str:
    """Say who leads, who cannot be told from the leader, and what that means."""
    percent = f"{100 * (1 - best.alpha):.6g}%"
    if not best.worse:
        return leader_line(best)
    alone = len(best.contenders) == 1
    kept = f"is {'' if alone else 'one of '}{_names(best.contenders)}"
    return (
        f"{leader_line(best)} With {percent} confidence the truly best, in mean score over "
        f"training, {kept}."
    )


def leader_line(best: Best) -> str:
    """Say in one line who leads, and who cannot be told from the leader."""
    leader = printable(best.leader)
    mean = number_text(next(row.mean for row in best.rows if row.name == best.leader))
    lead = f"{leader} leads (mean score over training {mean})"
    others = [name for name in best.contenders if name != best.leader]
    every = "the other" if len(best.rows) == 2 else "all others"
    if not others:
        return f"{lead}, and {every} can be ruled out as the best."
    if not best.worse and best.smallest_pvalue > best.alpha:
        return f"{lead}, but with so few runs no data could tell {every} from it."
    if not best.worse:
        none = "the other cannot" if len(best.rows) == 2 else "none of the others can"
        return f"{lead}, but {none} be told from it."
    worse = f"{_names(best.worse)} can be ruled out as the best"
    return f"{lead}; {_names(others)} cannot be told from it; {worse}."


def _names(names: Sequence[str]) -> str:
    shown = [printable(name) for name in names[:MOST_NAMED]]
    if len(names) > MOST_NAMED:
        return f"{', '.join(shown)} and {len(names) - MOST_NAMED} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def describe_contrast(contrast: Contrast) -> str:
    """Say how large a contrast is, and how sure its sign is."""
    low, high = contrast.interval
    percent = f"{100 * contrast.confidence:.6g}%"
    p = contrast.pvalue if contrast.pvalue_adjusted is None else contrast.pvalue_adjusted
    kind = "exact " if contrast.exact else ""
    if contrast.pvalue_adjusted is not None:
        kind = "adjusted "
    verdicts = {
        "two-sided": ("differs from 0", "does not differ detectably from 0"),
        "greater": ("is above 0", "is not detectably above 0"),
        "less": ("is below 0", "is not detectably below 0"),
    }
    verdict = verdicts[contrast.alternative][0 if contrast.significant else 1]
    ends = (
        "too few runs for an interval"
        if math.isinf(low) and math.isinf(high)
        else f"{percent} interval {number_text(low)} to {number_text(high)}"
    )
    note = ""
    if contrast.approximate:
        note = (
            " With more than two algorithms residuals are shuffled, and p is approximate."
        )
    return (
        f"{printable(contrast.formula)}, {_measure(contrast)}, is "
        f"{number_text(contrast.value)} ({ends}) and "
        f"{verdict} ({kind}p = {p_text(p)}).{note}"
    )


def _measure(contrast: Contrast) -> str:
    """Name what was taken of each curve."""
    if not isinstance(contrast.weights, str):
        return "weighted as given"
    named = {
        "mean": "averaged over training",
        "trend": "in the slope over training",
        "area": "in the area under the curve",
    }
    measure = named.get(contrast.weights, contrast.weights)
    return measure if contrast.higher_is_better else f"{measure} (less is better)"


def describe_contrasts(contrasts: Contrasts) -> str:
    """Say which contrasts differ from 0."""
    found = contrasts.significant()
    how = ADJUSTMENTS[contrasts.adjust]
    total = counted(len(contrasts), "contrast")
    if not found:
        return f"Of {total}, none differs detectably from 0 after {how}."
    listed = [
        f"{printable(name)} ({number_text(contrasts[name].value)}, p = "
        f"{p_text(contrasts[name].pvalue_adjusted or contrasts[name].pvalue)})"
        for name in found[:MOST_NAMED]
    ]
    if len(found) > MOST_NAMED:
        listed.append(f"and {len(found) - MOST_NAMED} more")
    verb = "differs" if len(found) == 1 else "differ"
    return f"Of {total}, {len(found)} {verb} from 0 after {how}: {'; '.join(listed)}."
