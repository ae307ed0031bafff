"""What `compare_pairs` found, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.inference.effects import EFFECTS, PARTS
from curvewise.inference.families import ADJUSTMENTS
from curvewise.text import number_text, p_short, plural, printable

if TYPE_CHECKING:
    from curvewise.inference.effects import Effect, EffectName
    from curvewise.questions.pairs.result import Pair, Pairs

__all__ = ["describe", "headline"]

MAX_NAMED = 6  # pairs that a sentence can hold


def describe(pairs: Pairs) -> str:
    """Say which pairs differ, in height and in shape."""
    if not pairs:
        return "No pair could be compared; the warnings say why."
    how, alone = ADJUSTMENTS[pairs.adjust].title, len(pairs) == 1
    if pairs.smallest_pvalue > pairs.alpha:
        which, after = f"Which of {plural(len(pairs), 'pair')}", f" after {how}"
        if alone:
            which, after = f"Whether {_names(pairs[0])}", ""
        return (
            f"{which} differ cannot be decided with so few runs{after}: the smallest p "
            f"possible is {p_short(pairs.smallest_pvalue)}, above α = {pairs.alpha:g}."
        )
    # Residuals are shuffled for max-t, which is approximate.
    most = "about" if pairs.adjust == "max-t" else "at most"
    promise = (
        f"For each question the chance of any false claim is {most} {pairs.alpha:g}."
    )
    n_told = min(len(pairs.significant(name)) for name in PARTS if _is_asked(pairs, name))
    if not alone and n_told < len(pairs):
        promise += " Pairs that were not told apart may still differ."
    found = [
        _effect_of_one(pairs, name) if alone else _effect(pairs, name, how)
        for name in PARTS
    ]
    return " ".join(sentence for sentence in (*found, promise) if sentence)


def headline(pairs: Pairs) -> str:
    """Say in one line how many pairs differ."""
    if not pairs or len(pairs) == 1 or pairs.smallest_pvalue > pairs.alpha:
        return describe(pairs)
    counts = [
        f"{len(pairs.significant(name))} in {EFFECTS[name].noun}"
        for name in PARTS
        if _is_asked(pairs, name)
    ]
    how = ADJUSTMENTS[pairs.adjust].title
    return f"Of {plural(len(pairs), 'pair')}, {' and '.join(counts)} differ, after {how}."


def _is_asked(pairs: Pairs, name: EffectName) -> bool:
    """Tell whether an effect was tested; there is no shape with a single step."""
    return any(pair.effect(name) is not None for pair in pairs)


def _effect(pairs: Pairs, name: EffectName, how: str) -> str:
    """Say which pairs differ in height, or in shape."""
    tested = [pair for pair in pairs if pair.effect(name) is not None]
    if not tested:
        return ""
    told = {frozenset((pair.a, pair.b)) for pair in pairs.significant(name)}
    found = [pair for pair in pairs.best_first() if frozenset((pair.a, pair.b)) in told]
    noun = EFFECTS[name].noun
    total = plural(len(tested), "pair")
    if not found:
        smallest = min(_adjusted(pair.effect(name)) for pair in tested)
        return (
            f"After {how}, no difference in {noun} was detected in any of {total} (smallest "
            f"adjusted p = {p_short(smallest)})."
        )
    ranked = sorted(found, key=lambda pair: _adjusted(pair.effect(name)))
    named = [_pair(pair, name, pairs) for pair in ranked[:MAX_NAMED]]
    if len(ranked) > MAX_NAMED:
        named.append(f"and {len(ranked) - MAX_NAMED} more")
    verb = "differs" if len(found) == 1 else "differ"
    return (
        f"After {how}, {len(found)} of {total} {verb} in {noun}{_direction(pairs, name)}: "
        f"{'; '.join(named)}."
    )


def _effect_of_one(pairs: Pairs, name: EffectName) -> str:
    """Say whether the only pair differs in height, or in shape."""
    pair, noun = pairs[0], EFFECTS[name].noun
    effect = pair.effect(name)
    if effect is None:
        return ""
    p = f"p = {p_short(_adjusted(effect))}"
    if not effect.significant:
        return f"No difference in {noun} was detected ({p})."
    differ = f"{_names(pair)} differ in {noun}{_direction(pairs, name)}"
    return (
        f"{differ}: {_pair(pair, name, pairs)}."
        if name == "algorithm"
        else f"{differ} ({p})."
    )


def _direction(pairs: Pairs, name: EffectName) -> str:
    """Say that lower is better, where a reader would take the higher for the better."""
    lower = name == "algorithm" and not pairs.higher_is_better
    return " (lower is better)" if lower else ""


def _names(pair: Pair) -> str:
    return f"{printable(pair.a)} and {printable(pair.b)}"


def _pair(pair: Pair, name: EffectName, pairs: Pairs) -> str:
    p = f"p = {p_short(_adjusted(pair.effect(name)))}"
    if name != "algorithm":
        return f"{_names(pair)} ({p})"
    sign = ">" if pair.difference > 0 else "<"
    by = f" by {number_text(abs(pair.difference))}" if pairs.quotes_scores else ""
    return f"{printable(pair.a)} {sign} {printable(pair.b)}{by} ({p})"


def _adjusted(effect: Effect | None) -> float:
    """Return the adjusted p of an effect that was tested."""
    assert effect is not None  # noqa: S101 (a single step has no shape to ask about)
    assert effect.pvalue_adjusted is not None  # noqa: S101 (pairs are a family)
    return effect.pvalue_adjusted
