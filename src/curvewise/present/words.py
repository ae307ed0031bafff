"""Verdicts a person can quote: what was found, how sure, in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.frames import step_text
from curvewise.tables import number_text, p_text, printable

if TYPE_CHECKING:
    from curvewise.results import Comparison, Difference, Effect

__all__ = ["describe"]


def describe(result: Comparison) -> str:
    """Return the paragraph to quote: what was found, by how much, how sure.

    >>> import curvewise as cw
    >>> found = cw.compare(cw.load_example("tictactoe").select("A1", "A3"))
    >>> print(cw.describe(found).split(".")[0][:60])
    A1 and A3 do not differ detectably in height (exact p = 0
    """
    sentences = [_verdict(result), _size(result), _method(result)]
    return " ".join(sentence for sentence in sentences if sentence)


def _verdict(comparison: Comparison) -> str:
    """Say whether the algorithms differ, and in what.

    Height and shape are claimed only when the overall test finds a difference too: that
    keeps the chance of any false claim at alpha.
    """
    names = _listed([summary.name for summary in comparison.algorithms])
    overall, height, shape = (
        comparison.overall,
        comparison.algorithm,
        comparison.interaction,
    )
    differs = overall.significant
    found = f"overall {_p(overall)}" if differs else _p(overall)
    if shape is None:
        claim = "differ" if differs else "do not differ detectably"
        sentence = (
            f"{names} {claim} in height ({_p(height)}), at the single step there is"
        )
    elif not differs:
        clear = [
            f"in {word} ({_p(effect)})"
            for word, effect in (("height", height), ("shape", shape))
            if not effect.significant
        ]
        sentence = f"{names} do not differ detectably "
        sentence += (
            f"{' or '.join(clear)}, nor overall ({found})" if clear else f"({found})"
        )
    elif height.significant and shape.significant:
        sentence = (
            f"{names} differ ({found}), both in height ({_p(height)}) and in shape "
            f"({_p(shape)}): how far apart they are depends on the amount of training"
        )
    elif height.significant:
        sentence = (
            f"{names} differ ({found}): in height ({_p(height)}), and not detectably in "
            f"shape ({_p(shape)})"
        )
    elif shape.significant:
        sentence = (
            f"{names} differ ({found}): in shape ({_p(shape)}), so how far apart they are "
            f"depends on the amount of training, and not detectably in height ({_p(height)})"
        )
    else:
        sentence = (
            f"{names} differ ({found}), but neither in height ({_p(height)}) nor in shape "
            f"({_p(shape)}) alone is the difference large enough to be sure of"
        )
    return sentence + _conventional(comparison) + "." + _held_back(comparison)


def _held_back(comparison: Comparison) -> str:
    """Say why an effect with a small p is not claimed, when the overall test fails."""
    if comparison.overall.significant or comparison.interaction is None:
        return ""
    tempting = [
        f"{word} (p = {p_text(effect.pvalue)})"
        for word, effect in (
            ("height", comparison.algorithm),
            ("shape", comparison.interaction),
        )
        if effect.significant
    ]
    if not tempting:
        return ""
    return (
        f" Taken alone, {' and '.join(tempting)} would pass at alpha = "
        f"{comparison.alpha:g}; it is not claimed, because height and shape are two chances "
        "to be wrong and the overall test guards against that. If it was the one question "
        "asked before seeing the data, its p stands."
    )


def _conventional(comparison: Comparison) -> str:
    """Quote the conventional F test where it would have misled."""
    misled = []
    for word, name in (("height", "algorithm"), ("shape", "interaction")):
        effect = comparison.effects[comparison.error].get(name)
        pooled = comparison.effects["pooled"].get(name)
        if effect is None or pooled is None:
            continue
        if (pooled.pvalue_parametric <= comparison.alpha) != effect.significant:
            misled.append(f"p {_bound(pooled.pvalue_parametric)} for {word}")
    if not misled:
        return ""
    return f"; the conventional F test would have said {' and '.join(misled)}"


def _bound(pvalue: float) -> str:
    if pvalue >= 1e-4:
        return f"= {p_text(pvalue)}"
    if pvalue < 1e-300:
        return "< 1e-300"
    return f"< 1e{math.floor(math.log10(pvalue)) + 1}"


def _size(comparison: Comparison) -> str:
    if comparison.difference is not None:
        return _difference(comparison.difference, comparison)
    summaries = sorted(comparison.algorithms, key=lambda summary: summary.mean)
    lowest, highest = summaries[0], summaries[-1]
    worst, best = (lowest, highest) if comparison.higher_is_better else (highest, lowest)
    return (
        f"Averaged over training, scores run from {number_text(worst.mean)} "
        f"({printable(worst.name)}) to {number_text(best.mean)} ({printable(best.name)}, the "
        "best)."
    )


def _difference(difference: Difference, comparison: Comparison) -> str:
    low, high = difference.interval
    a, b = printable(difference.a), printable(difference.b)
    more = "more" if difference.value >= 0 else "less"
    better = ""
    if not comparison.higher_is_better and difference.value != 0:
        better = f" (which is {'worse' if difference.value > 0 else 'better'})"
    sentence = (
        f"Averaged over training, {a} scores {number_text(abs(difference.value))} {more} than "
        f"{b}{better}"
    )
    if math.isinf(low) and math.isinf(high):
        sentence += f"; too few runs for a {difference.confidence:.0%} interval"
    else:
        sentence += (
            f" ({difference.confidence:.0%} interval of the difference {number_text(low)} to "
            f"{number_text(high)})"
        )
    extras = []
    if difference.hedges_g is not None:
        extras.append(f"Hedges' g is {difference.hedges_g:.2f}")
    extras.append(
        f"a run of {a} beats a run of {b} in {difference.probability_of_superiority:.0%} of "
        "pairs"
    )
    return f"{sentence}; {', and '.join(extras)}."


def _method(comparison: Comparison) -> str:
    runs = sorted({summary.n_runs for summary in comparison.algorithms})
    each = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    steps = "1 step"
    if comparison.n_steps > 1:
        steps = (
            f"{comparison.n_steps} steps from {step_text(comparison.first_step)} to "
            f"{step_text(comparison.last_step)}"
        )
    within = f" inside {comparison.n_blocks} blocks" if comparison.n_blocks else ""
    how = (
        f"all {comparison.n_relabellings:,} relabellings"
        if comparison.exact
        else f"{comparison.n_shuffles:,} random shuffles"
    )
    return (
        f"Randomized ANOVA of whole curves, {each} runs per algorithm, {steps}, {how}{within}, "
        f"{comparison.error} error term, alpha = {comparison.alpha:g}."
    )


def _listed(names: list[str]) -> str:
    shown = [printable(name) for name in names]
    if len(shown) > 4:
        return f"The {len(shown)} algorithms"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _p(effect: Effect) -> str:
    return f"{'exact ' if effect.exact else ''}p = {p_text(effect.pvalue)}"
