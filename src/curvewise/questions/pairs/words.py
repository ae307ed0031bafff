"""What `compare_pairs` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.inference.effects import EFFECTS, PARTS
from curvewise.inference.families import ADJUSTMENTS
from curvewise.text import number_text, p_short, plural, printable

if TYPE_CHECKING:
    from curvewise.inference.effects import Effect, EffectName
    from curvewise.questions.pairs.result import Pair, Pairs

__all__ = ["describe"]

MAX_NAMED = 6  # pairs that a sentence can hold


def describe(pairs: Pairs) -> str:
    """Say which pairs differ, in height and in shape."""
    if not pairs:
        return "No pair could be compared; the warnings say why."
    how = ADJUSTMENTS[pairs.adjust].title
    if pairs.smallest_pvalue > pairs.alpha:
        return (
            f"Which of {plural(len(pairs), 'pair')} differ cannot be decided with so few runs "
            f"after {how}: the smallest p possible is {p_short(pairs.smallest_pvalue)}, above "
            f"α = {pairs.alpha:g}."
        )
    # Residuals are shuffled for max-t, which is approximate.
    most = "about" if pairs.adjust == "max-t" else "at most"
    promise = (
        f"For each question the chance of any false claim is {most} {pairs.alpha:g}. Pairs not "
        "listed may still differ; no difference was detected."
    )
    sentences = [*(_effect(pairs, name, how) for name in PARTS), promise]
    return " ".join(sentence for sentence in sentences if sentence)


def _effect(pairs: Pairs, name: EffectName, how: str) -> str:
    """Say which pairs differ in height, or in shape."""
    tested = [pair for pair in pairs if pair.effect(name) is not None]
    if not tested:
        return ""
    found, noun = pairs.significant(name), EFFECTS[name].noun
    total = plural(len(tested), "pair")
    if not found:
        smallest = min(_adjusted(pair.effect(name)) for pair in tested)
        return (
            f"After {how}, no difference in {noun} was detected in any of {total} (smallest "
            f"adjusted p = {p_short(smallest)})."
        )
    ranked = sorted(found, key=lambda pair: _adjusted(pair.effect(name)))
    named = [_pair(pair, name) for pair in ranked[:MAX_NAMED]]
    if len(ranked) > MAX_NAMED:
        named.append(f"and {len(ranked) - MAX_NAMED} more")
    verb = "differs" if len(found) == 1 else "differ"
    less = name == "algorithm" and not pairs.higher_is_better
    direction = " (less is better)" if less else ""
    return (
        f"After {how}, {len(found)} of {total} {verb} in {noun}{direction}: "
        f"{'; '.join(named)}."
    )


def _pair(pair: Pair, name: EffectName) -> str:
    a, b = printable(pair.a), printable(pair.b)
    p = f"p = {p_short(_adjusted(pair.effect(name)))}"
    if name != "algorithm":
        return f"{a} and {b} ({p})"
    sign = ">" if pair.difference > 0 else "<"
    return f"{a} {sign} {b} by {number_text(abs(pair.difference))} ({p})"


def _adjusted(effect: Effect | None) -> float:
    if effect is None or effect.pvalue_adjusted is None:
        return 1.0
    return effect.pvalue_adjusted
