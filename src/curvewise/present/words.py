"""Verdicts a person can quote: what was found, how sure, in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from curvewise.errors import OptionError, counted
from curvewise.present.criteria_words import describe_criteria
from curvewise.present.how_much import describe_transfer, describe_transfers
from curvewise.present.where import describe_location
from curvewise.present.which import (
    describe_best,
    describe_contrast,
    describe_contrasts,
    describe_pairs,
)
from curvewise.results import (
    AnovaTable,
    Best,
    Comparison,
    Contrast,
    Contrasts,
    Criteria,
    Location,
    Pairs,
    Transfer,
    Transfers,
)
from curvewise.steps import step_text
from curvewise.tables import number_text, p_text, printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.results import Difference, Effect

__all__ = ["describe"]

Result = (
    Comparison
    | Location
    | Pairs
    | Best
    | Contrast
    | Contrasts
    | Criteria
    | Transfer
    | Transfers
)
ASPECTS = {"height": "algorithm", "shape": "interaction"}


def describe(result: Result) -> str:
    """Return the paragraph to quote: what was found, by how much, how sure.

    >>> import curvewise as cw
    >>> found = cw.compare(cw.load_example("tictactoe").select("A1", "A3"))
    >>> print(cw.describe(found).split(".")[0][:60])
    A1 and A3 do not differ detectably in height (exact p = 0
    """
    words: dict[type, Callable[[Any], str]] = {
        Comparison: _describe_comparison,
        Location: describe_location,
        Pairs: describe_pairs,
        Best: describe_best,
        Contrast: describe_contrast,
        Contrasts: describe_contrasts,
        Criteria: describe_criteria,
        Transfer: describe_transfer,
        Transfers: describe_transfers,
    }
    if type(result) not in words:
        msg = f"There is nothing to say about a {type(result).__name__}: give a result."
        raise OptionError(msg)
    return words[type(result)](result)


def _describe_comparison(comparison: Comparison) -> str:
    sentences = [_verdict(comparison), _size(comparison), _method(comparison)]
    return " ".join(sentence for sentence in sentences if sentence)


def _verdict(comparison: Comparison) -> str:
    """Say whether the algorithms differ, and in what.

    Height and shape are claimed only when the overall test finds a difference too: that
    keeps the chance of any false claim at alpha. It does so with the split error term, so
    what only the pooled term finds is not claimed.
    """
    names = _listed([summary.name for summary in comparison.algorithms])
    overall, height, shape = (
        comparison.overall,
        comparison.algorithm,
        comparison.interaction,
    )
    if comparison.smallest_pvalue > comparison.alpha:
        return _hopeless(comparison, names)
    several = len(comparison.algorithms) > 2
    differ = f"{names} are not all alike" if several else f"{names} differ"
    inside = "they differ in" if several else "in"
    if shape is None:
        claim = differ if overall.significant else f"{names} do not differ detectably"
        sentence = f"{claim} in height ({_p(height)}), at the single step there is"
        return f"{sentence}{_conventional(comparison)}."
    claimed = {
        word: overall.significant and _holds(comparison, name)
        for word, name in ASPECTS.items()
    }
    ps = {"height": _p(height), "shape": _p(shape)}
    found = f"{differ} (overall {_p(overall)})"
    if not overall.significant:
        clear = [
            f"in {word} ({ps[word]})"
            for word, name in ASPECTS.items()
            if not comparison.effects[comparison.error][name].significant
        ]
        sentence = f"{names} do not differ detectably "
        overall_p = _p(overall)
        sentence += (
            f"{' or '.join(clear)}, nor overall ({overall_p})"
            if clear
            else f"({overall_p})"
        )
    elif all(claimed.values()):
        sentence = (
            f"{found}, both in height ({ps['height']}) and in shape ({ps['shape']}): how far "
            "apart they are depends on the amount of training"
        )
    elif claimed["height"]:
        sentence = (
            f"{found}: {inside} height ({ps['height']}), and not detectably in shape"
        )
        sentence += f" ({ps['shape']})" if not shape.significant else ""
    elif claimed["shape"]:
        sentence = (
            f"{found}: {inside} shape ({ps['shape']}), so how far apart they are depends on the "
            "amount of training, and not detectably in height"
        )
        sentence += f" ({ps['height']})" if not height.significant else ""
    else:
        sentence = (
            f"{found}, but neither in height nor in shape alone is the difference large "
            "enough to be sure of"
        )
        unsure = [
            f"p = {p_text(comparison.effects[comparison.error][name].pvalue)} for {word}"
            for word, name in ASPECTS.items()
            if not comparison.effects[comparison.error][name].significant
        ]
        sentence += f" ({', '.join(unsure)})" if unsure else ""
    return f"{sentence}{_conventional(comparison)}.{_held_back(comparison)}"


def _holds(comparison: Comparison, name: str) -> bool:
    """Tell whether an effect is significant, and with its own error term too."""
    return (
        comparison.effects[comparison.error][name].significant
        and comparison.effects["split"][name].significant
    )


def _hopeless(comparison: Comparison, names: str) -> str:
    """Say, before anything else, that no data could have been significant."""
    aspects = [
        f"{word} {_p(effect)}"
        for word, effect in (
            ("overall", comparison.overall),
            ("height", comparison.algorithm),
            ("shape", comparison.interaction),
        )
        if effect is not None
    ]
    few = "runs" if 1 / comparison.n_relabellings > comparison.alpha else "shuffles"
    return (
        f"Whether {names} differ cannot be decided with so few {few}: the smallest p possible "
        f"is {p_text(comparison.smallest_pvalue)}, above alpha = {comparison.alpha:g} "
        f"({', '.join(aspects)}){_conventional(comparison)}."
    )


def _held_back(comparison: Comparison) -> str:
    """Say why an effect with a small p is not claimed."""
    effects = comparison.effects[comparison.error]
    tempting = {
        word: name
        for word, name in ASPECTS.items()
        if effects[name].significant
        and not (comparison.overall.significant and _holds(comparison, name))
    }
    if not tempting:
        return ""
    listed = " and ".join(
        f"{word} (p = {p_text(effects[name].pvalue)})" for word, name in tempting.items()
    )
    plural = len(tempting) > 1
    this, its = ("they are", "their p") if plural else ("it is", "its p")
    sentence = f" Taken alone, {listed} would pass at alpha = {comparison.alpha:g}; {this} not claimed, because "
    if any(not _holds(comparison, name) for name in tempting.values()):
        own = " and ".join(
            f"p = {p_text(comparison.effects['split'][name].pvalue)} for {word}"
            for word, name in tempting.items()
        )
        return (
            f"{sentence}the pooled error term lets height and shape pass for each other: with "
            f"the split one {own}."
        )
    return (
        f"{sentence}height and shape are two chances to be wrong and the overall test guards "
        f"against that. Where it was the one question asked before seeing the data, {its} "
        f"stand{'' if plural else 's'}."
    )


def _conventional(comparison: Comparison) -> str:
    """Quote the conventional F test where it would have misled."""
    misled = []
    table = AnovaTable.from_sums(comparison.ss, comparison.df, "pooled")
    for word, name in ASPECTS.items():
        effect = comparison.effects[comparison.error].get(name)
        conventional = table[name].pvalue_parametric
        if effect is None or conventional is None:
            continue
        if (conventional <= comparison.alpha) != effect.significant:
            misled.append(f"p {_bound(conventional)} for {word}")
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
    where = "Averaged over training" if comparison.n_steps > 1 else "At that step"
    if comparison.difference is not None:
        return f"{where}, {_difference(comparison.difference, comparison)}"
    if not comparison.even_blocks:
        return ""  # means across blocks that hold other algorithms would mislead
    summaries = sorted(comparison.algorithms, key=lambda summary: summary.mean)
    if not comparison.higher_is_better:
        summaries.reverse()
    worst, best = summaries[0], summaries[-1]
    return (
        f"{where}, mean scores run from {number_text(worst.mean)} ({printable(worst.name)}) "
        f"to {number_text(best.mean)} ({printable(best.name)}, the best)."
    )


def _difference(difference: Difference, comparison: Comparison) -> str:
    a, b = printable(difference.a), printable(difference.b)
    if difference.value == 0:
        parts = [f"{a} and {b} score the same"]
    else:
        more = "more" if difference.value > 0 else "less"
        parts = [f"{a} scores {number_text(abs(difference.value))} {more} than {b}"]
        if not comparison.higher_is_better:
            parts[0] += ", and less is better"
    low, high = difference.interval
    percent = f"{100 * difference.confidence:.6g}%"
    if math.isinf(low) and math.isinf(high):
        few = "runs" if 1 / comparison.n_relabellings > comparison.alpha else "shuffles"
        parts.append(
            f"there are too few {few} for a {percent} interval of the difference"
        )
    else:
        ends = f"{number_text(low)} to {number_text(high)}"
        kind = " (studentised)" if comparison.spread == "unequal" else ""
        parts.append(f"the {percent} interval of the difference{kind} is {ends}")
    if difference.hedges_g is not None:
        parts.append(f"Hedges' g is {difference.hedges_g:.2f}")
    share = f"{difference.probability_of_superiority:.0%}"
    parts.append(f"a run of {a} beats a run of {b} in {share} of pairs")
    return f"{'; '.join(parts)}."


def _method(comparison: Comparison) -> str:
    runs = sorted({summary.n_runs for summary in comparison.algorithms})
    each = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
    steps = "1 step"
    if comparison.n_steps > 1:
        steps = (
            f"{comparison.n_steps} steps from {step_text(comparison.first_step)} to "
            f"{step_text(comparison.last_step)}"
        )
    each += " run" if each == "1" else " runs"
    within = (
        f" inside {counted(comparison.n_blocks, 'block')}" if comparison.n_blocks else ""
    )
    how = (
        f"all {comparison.n_relabellings:,} relabellings"
        if comparison.exact
        else counted(comparison.n_shuffles, "random shuffle")
    )
    spread = ""
    if comparison.spread == "unequal":
        spread = ", allowing for unequal spread (Welch-type F)"
    return (
        f"Randomized ANOVA of whole curves, {each} per algorithm, {steps}, {how}{within}, "
        f"{comparison.error} error term{spread}, alpha = {comparison.alpha:g}."
    )


def _listed(names: list[str]) -> str:
    shown = [printable(name) for name in names]
    if len(shown) > 4:
        return f"The {len(shown)} algorithms"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _p(effect: Effect) -> str:
    return f"{'exact ' if effect.exact else ''}p = {p_text(effect.pvalue)}"
