"""What `compare` and `compare_many` found, in words a person can quote."""

from __future__ import annotations

import math
from functools import singledispatch
from typing import TYPE_CHECKING

from curvewise.inference.effects import EFFECTS, PARTS
from curvewise.inference.families import ADJUSTMENTS
from curvewise.inference.phrases import method_parts, names_text, p_of
from curvewise.kernels.anova.combined import MAX_EXPONENT
from curvewise.questions.compare.claims import (
    holds,
    in_what,
    is_claimed,
    is_undecidable,
)
from curvewise.questions.compare.headline import headline
from curvewise.questions.compare.result import Comparison, Comparisons
from curvewise.questions.compare.typical_words import HEIGHTS, METHODS, subjects
from curvewise.text import (
    interval_text,
    listed,
    number_text,
    p_short,
    percent,
    plural,
    printable,
    step_text,
)

if TYPE_CHECKING:
    from curvewise.inference.effects import Effect, EffectName
    from curvewise.inference.result import Result
    from curvewise.questions.compare.result import Difference

__all__ = ["describe", "headline"]

MAX_NAMED = 6  # tables that a sentence can hold
# The share of the combined statistic from which on one of its looks has found the difference.
MIN_CARRIED = 0.5
CARRIED = {"all steps": "all steps together", "height": "height", "shape": "shape"}


@singledispatch
def describe(result: Result) -> str:
    """Return the verdict, how large the difference is, and the method."""
    raise TypeError(type(result).__name__)


@describe.register
def _(comparison: Comparison) -> str:
    sentences = [_verdict(comparison), _size(comparison), _method(comparison)]
    return " ".join(sentence for sentence in sentences if sentence)


def _verdict(comparison: Comparison) -> str:
    """Say whether the algorithms differ, and in what.

    Height and shape are claimed only when the overall test finds a difference too: that
    keeps the chance of any false claim at alpha. It does so with the split error term, so
    what only the pooled term finds is not claimed.
    """
    whose = names_text([summary.name for summary in comparison.algorithms])
    if is_undecidable(comparison):
        return _undecidable(comparison, whose)
    claim = _single_step if comparison.interaction is None else _height_and_shape
    sentences = [
        claim(comparison, whose),
        _carried(comparison),
        _conventional(comparison),
    ]
    if comparison.interaction is not None:
        sentences.append(_not_claimed(comparison))
    return " ".join(sentence for sentence in sentences if sentence)


def _single_step(comparison: Comparison, whose: str) -> str:
    height = p_of(comparison.algorithm)
    if comparison.overall.significant:
        what = in_what(comparison) or " in height"
        return f"{whose} differ{what} ({height}), at the single step there is."
    return (
        f"No difference between {whose} was detected in height ({height}), at the single "
        "step there is."
    )


def _height_and_shape(comparison: Comparison, whose: str) -> str:
    overall = f"overall {p_of(comparison.overall, explained=True)}"
    effects = comparison.effects[comparison.error]
    # A small p that is not claimed has a sentence of its own.
    undetected = [name for name in PARTS if not effects[name].significant]
    if not comparison.overall.significant:
        parts = [
            f"{_meaning(effects[name])} ({p_of(effects[name])})" for name in undetected
        ]
        neither = ""
        if parts:
            neither = (
                f": {'neither ' if len(parts) == 2 else 'not '}{', nor '.join(parts)}"
            )
        return (
            f"No difference was detected between the learning curves of {whose} ({overall})"
            f"{neither}."
        )
    found = f"The learning curves of {whose} differ{in_what(comparison)} ({overall})"
    claimed = [name for name in PARTS if is_claimed(comparison, name)]
    if len(claimed) == 2:
        both = ", and ".join(
            f"{_meaning(effects[name])} ({p_of(effects[name])})" for name in PARTS
        )
        return f"{found}, both {both}: how far apart they are depends on the amount of training."
    if not claimed:
        unsure = " or ".join(
            f"{EFFECTS[name].how} ({p_of(effects[name])})" for name in undetected
        )
        return f"{found}, but whether {unsure or 'in height or in shape'} cannot be said."
    (name,) = claimed
    other = "interaction" if name == "algorithm" else "algorithm"
    sentence = f"{found}. They differ {_meaning(effects[name])} ({p_of(effects[name])})"
    if name == "interaction":
        sentence += ", so how far apart they are depends on the amount of training"
    if other in undetected:
        noun = EFFECTS[effects[other].name].noun
        sentence += f"; no difference in {noun} was detected ({p_of(effects[other])})"
    return f"{sentence}."


def _meaning(effect: Effect) -> str:
    """Say what an effect is, where it is first named."""
    return HEIGHTS[effect.center] if effect.name == "algorithm" else "in shape"


def _carried(comparison: Comparison) -> str:
    """Say which look of the combined test found a difference that is in neither part claimed."""
    overall = comparison.overall
    if not overall.significant or overall.components is None:
        return ""
    if any(is_claimed(comparison, name) for name in PARTS):
        return ""
    # A component of hundreds of standard deviations is as good as one of fewer.
    weights = {
        name: math.exp(min(2 * z, MAX_EXPONENT)) for name, z in overall.components.items()
    }
    name, weight = max(weights.items(), key=lambda item: item[1])
    if weight < MIN_CARRIED * sum(weights.values()):
        return ""
    if name == "one step":
        assert comparison.most_striking is not None  # noqa: S101 (found with the components)
        start, stop = map(step_text, comparison.most_striking)
        where = (
            f"around step {start}" if start == stop else f"from step {start} to {stop}"
        )
        return f"The difference was found mainly at single steps, {where}."
    return f"The difference was found mainly in {CARRIED[name]}."


def _undecidable(comparison: Comparison, whose: str) -> str:
    """Say, before anything else, that no data could have been significant."""
    parts = [
        f"{EFFECTS[effect.name].noun} {p_of(effect)}"
        for effect in comparison.effects[comparison.error].values()
    ]
    few = "runs" if 1 / comparison.n_relabellings > comparison.alpha else "shuffles"
    sentence = (
        f"Whether {whose} differ cannot be decided with so few {few}: the smallest p "
        f"possible is {p_short(comparison.smallest_pvalue)}, above α = {comparison.alpha:g} "
        f"({', '.join(parts)})."
    )
    return f"{sentence} {_conventional(comparison)}".rstrip()


def _not_claimed(comparison: Comparison) -> str:
    """Say why an effect with a small p is not claimed."""
    effects = comparison.effects[comparison.error]
    tempting = [
        name
        for name in PARTS
        if effects[name].significant and not is_claimed(comparison, name)
    ]
    if not tempting:
        return ""
    nouns = [EFFECTS[name].noun for name in tempting]
    alone = " and ".join(
        f"{noun} alone has p = {p_short(effects[name].pvalue)}"
        for noun, name in zip(nouns, tempting, strict=True)
    )
    alone = alone[0].upper() + alone[1:]
    if any(not holds(comparison, name) for name in tempting):
        own = " and ".join(
            f"p = {p_short(comparison.effects['split'][name].pvalue)} for {noun}"
            for noun, name in zip(nouns, tempting, strict=True)
        )
        return (
            f"{alone}, but this is not claimed: the pooled error term lets height and shape "
            f"pass for each other, and with the split one it is {own}."
        )
    valid = ", and ".join(
        f"if {noun} was your only question and you asked it before seeing the data, "
        f"p = {p_short(effects[name].pvalue)} is valid"
        for noun, name in zip(nouns, tempting, strict=True)
    )
    return (
        f"{alone}, but the overall test is not significant (p = "
        f"{p_short(comparison.overall.pvalue)}), so no difference is claimed: testing height "
        "and shape separately would give two chances of a false alarm. "
        f"{valid[0].upper()}{valid[1:]}."
    )


def _conventional(comparison: Comparison) -> str:
    """Quote the conventional F test where it finds what is not claimed, or misses what is."""
    misled = []
    for name in PARTS:
        conventional = comparison.conventional[name].pvalue_parametric
        if name not in comparison.effects[comparison.error] or conventional is None:
            continue
        if (conventional <= comparison.alpha) != is_claimed(comparison, name):
            misled.append(f"p {_bound(conventional)} for {EFFECTS[name].noun}")
    if not misled:
        return ""
    return f"The conventional F test, with pooled error, would have said {' and '.join(misled)}."


def _bound(pvalue: float) -> str:
    if pvalue >= 1e-4:
        return f"= {p_short(pvalue)}"
    if pvalue < 1e-300:
        return "< 1e-300"
    return f"< 1e{math.floor(math.log10(pvalue)) + 1}"


def _size(comparison: Comparison) -> str:
    where = "Averaged over training" if comparison.n_steps > 1 else "At that step"
    if comparison.difference is not None:
        difference = _from_the_better(comparison.difference, comparison)
        if not comparison.quotes_scores:
            return f"{where}, {_wins(difference)}."
        return f"{where}, {_difference(difference, comparison)}"
    if not comparison.even_blocks or not comparison.quotes_scores:
        return ""  # means across blocks that hold other algorithms would mislead
    is_typical = comparison.center == "trimmed"
    scores = {
        summary.name: summary.mean if summary.typical is None else summary.typical
        for summary in comparison.algorithms
    }
    ranked = sorted(scores, key=scores.__getitem__)
    if not comparison.higher_is_better:
        ranked.reverse()
    worst, best = ranked[0], ranked[-1]
    return (
        f"Mean scores {'of typical runs ' if is_typical else ''}range from "
        f"{number_text(scores[worst])} ({printable(worst)}) to {number_text(scores[best])} "
        f"({printable(best)}, best)."
    )


def _from_the_better(difference: Difference, comparison: Comparison) -> Difference:
    """Return the difference as seen from the algorithm that is better on average."""
    is_better = (difference.value > 0) == comparison.higher_is_better
    return difference if is_better or not difference.value else difference.reversed()


def _difference(difference: Difference, comparison: Comparison) -> str:
    a, b = printable(difference.a), printable(difference.b)
    words = subjects(a, b, comparison.center)
    if difference.value == 0:
        parts = [words.score_the_same]
    else:
        size = number_text(abs(difference.value))
        more = "more" if difference.value > 0 else "less"
        parts = [f"{words.one_scores} {size} {more} than {words.other}"]
        if not comparison.higher_is_better:
            parts[0] += ", and less is better"
    level = percent(difference.confidence)
    if all(map(math.isinf, difference.interval)):
        few = "runs" if 1 / comparison.n_relabellings > comparison.alpha else "shuffles"
        why = f"there are too few {few}"
        if (
            comparison.center == "trimmed"
            and comparison.smallest_pvalue <= comparison.alpha
        ):
            why = "too many relabellings tie"
        parts.append(f"{why} for a {level} interval of the difference")
    else:
        kind = " (studentised)" if comparison.spread == "unequal" else ""
        ends = interval_text(difference.interval)
        parts.append(f"the {level} interval of the difference{kind} is {ends}")
    if difference.hedges_g is not None:
        parts.append(f"Hedges' g is {difference.hedges_g:.2f}")
    return f"{'; '.join([*parts, _wins(difference)])}."


def _wins(difference: Difference) -> str:
    """Say how often a run of one algorithm beats one of the other."""
    share = f"{difference.probability_of_superiority:.0%}"
    return f"a run of {printable(difference.a)} beats a run of {printable(difference.b)} in {share} of pairs"


def _method(comparison: Comparison) -> str:
    steps = "1 step"
    if comparison.n_steps > 1:
        steps = (
            f"{comparison.n_steps} steps, {step_text(comparison.first_step)} to "
            f"{step_text(comparison.last_step)}"
        )
    sizes = [summary.n_runs for summary in comparison.algorithms]
    error = f"{comparison.error} error term"
    if comparison.spread == "unequal":
        error += ", allowing for unequal spread (Welch-type F)"
    more = [error]
    overall = comparison.overall
    if overall.components is not None:
        own = "" if overall.exact == comparison.exact else f" ({_visited(overall)})"
        more.append(f"combined overall test{own}")
    if comparison.center != "mean":
        height = comparison.algorithm
        own = "" if height.exact == comparison.exact else f", {_visited(height)}"
        more.append(f"{METHODS[comparison.center]}{own}")
    parts = method_parts(
        comparison.sampling, sizes, steps, comparison.n_blocks, comparison.alpha, *more
    )
    tables = "tables of equal means drawn" if comparison.spread == "unequal" else ""
    return f"Method: {tables or 'randomized ANOVA of whole curves'}; {parts}."


def _visited(effect: Effect) -> str:
    """Say over how many relabellings an effect was shuffled."""
    if effect.exact:
        return f"all {effect.n_shuffles:,} relabellings"
    return plural(effect.n_shuffles, "shuffle")


@describe.register
def _(comparisons: Comparisons) -> str:
    """Say in which tables the curves differ, after adjustment."""
    how = ADJUSTMENTS[comparisons.adjust].title
    tables = plural(len(comparisons), "table")
    if comparisons.smallest_pvalue > comparisons.alpha:
        undecided = (
            f"In which of {tables} the curves differ cannot be decided after {how}: the "
            f"smallest p possible is {p_short(comparisons.smallest_pvalue)}, above α = "
            f"{comparisons.alpha:g}."
        )
        return f"{undecided} {_at_least(comparisons)}".rstrip()
    sentences = [
        _smallest(comparisons),
        *(_in_tables(comparisons, name, how) for name in EFFECTS),
        _at_least(comparisons),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _smallest(comparisons: Comparisons) -> str:
    """Say how small an adjusted p can be, before any is quoted."""
    sentence = (
        "With these runs the smallest adjusted p possible is "
        f"{p_short(comparisons.smallest_pvalue)}"
    )
    alone = comparisons.smallest_pvalue_alone
    if alone > comparisons.alpha:
        sentence += f" ({p_short(alone)} for a table that stands out alone)"
    return f"{sentence}."


def _in_tables(comparisons: Comparisons, name: EffectName, how: str) -> str:
    """Say in which tables the curves differ, at all, in height or in shape."""
    tested = comparisons.pvalues_adjusted[name]
    if not tested:
        return ""
    found = comparisons.significant(name)
    how_differ = "" if name == "overall" else f" {EFFECTS[name].how}"
    detail = f"smallest adjusted p = {p_short(min(tested.values()))}"
    if found:
        return (
            f"After {how} the curves differ{how_differ} in {len(found)} of "
            f"{plural(len(tested), 'table')}: {listed(found, MAX_NAMED)} ({detail})."
        )
    return (
        f"After {how} no difference{how_differ} was detected in any of "
        f"{plural(len(tested), 'table')} ({detail})."
    )


def _at_least(comparisons: Comparisons) -> str:
    """Say how many tables differ at least, if any do."""
    count = comparisons.at_least["overall"]
    if not count or len(comparisons) == 1:
        return ""
    return (
        f"With {percent(1 - comparisons.alpha)} confidence the curves differ in at least "
        f"{count} of {plural(len(comparisons), 'table')}, if the tables are independent."
    )
