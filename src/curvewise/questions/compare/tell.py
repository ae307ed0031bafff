"""What `compare` and `compare_many` found, in words a person can quote."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.checks import check_drawn
from curvewise.inference.result import (
    EFFECTS,
    PARTS,
    Effect,
    method_parts,
    names_text,
    one_line,
    p_of,
)
from curvewise.inference.work import ADJUSTMENTS
from curvewise.kernels.combined import MAX_EXPONENT
from curvewise.questions.compare.result import (
    Comparison,
    Comparisons,
    holds,
    in_what,
    is_claimed,
    is_undecidable,
)
from curvewise.rendering.curves import plot_curves
from curvewise.rendering.figures import (
    COLOURS,
    OBSERVED_COLOUR,
    axes_or_current,
    label_text,
    new_figure,
)
from curvewise.rendering.forest import forest_size, legend_above, row_font
from curvewise.text import (
    capitalised,
    interval_text,
    listed,
    number_text,
    p_short,
    p_text,
    percent,
    plural,
    printable,
    step_text,
)

if TYPE_CHECKING:
    from typing import Unpack

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Center, EffectName
    from curvewise.kernels import Floats
    from curvewise.questions.compare.result import Difference
    from curvewise.rendering.curves import CurveOptions


# --- What `compare` and `compare_many` found, in one line.

# What is compared of an algorithm's runs, after the difference.
OF_WHAT = {"mean": " on average", "trimmed": " in typical runs", "ranks": " by ranks"}


def headline(result: Comparison | Comparisons) -> str:
    """Return one line: the winner first, the difference with its interval, and p."""
    if isinstance(result, Comparisons):
        return _tables_in_a_line(result)
    names = [summary.name for summary in result.algorithms]
    several = f"{len(names)} algorithms" if len(names) > 2 else ""
    whose = f"the {several}" if several else "{} and {}"
    if is_undecidable(result):
        p = p_short(result.smallest_pvalue)
        line = f"Whether {whose} differ cannot be decided: no p below {p} is possible."
        return one_line(line.format, *names)
    overall, doubt, difference = p_of(result.overall), in_what(result), result.difference
    if not result.overall.significant:
        return one_line(f"No difference detected between {whose} ({overall}).".format, *names)
    in_height = is_claimed(result, "algorithm")
    if several:
        line = f"The {several} differ{doubt} ({overall})"
        ranked = sorted(result.algorithms, key=lambda summary: summary.mean)
        shown = in_height and result.even_blocks and result.quotes_scores
        if shown and result.center == "mean":
            best = ranked[-1 if result.higher_is_better else 0].name
            return one_line(f"{line}; {{}} has the best mean.".format, best)
        return f"{line}."
    if difference is not None and difference.value and in_height:
        return _winner(result, difference, doubt)
    if result.interaction is not None and is_claimed(result, "interaction") and not doubt:
        overall = f"{p_of(result.interaction)}); no difference in height detected"
        return one_line(f"{whose} differ in shape ({overall}.".format, *names)
    return one_line(f"{whose} differ{doubt} ({overall}).".format, *names)


def _winner(comparison: Comparison, difference: Difference, doubt: str) -> str:
    """Say who is ahead, by how much and how surely."""
    ahead = _from_the_better(difference, comparison)
    size = f" by {number_text(abs(ahead.value))}" if comparison.quotes_scores else ""
    if size and not any(map(math.isinf, ahead.interval)):
        # The winner is the subject, so the difference is a positive one.
        low, high = ahead.interval
        size += f" ({interval_text((low, high) if ahead.value > 0 else (-high, -low))})"
    p = p_of(comparison.algorithm)
    what = OF_WHAT[comparison.center] if comparison.n_steps > 1 else ""
    line = f"{{}} beats {{}}{size}{what}; {p}."
    if doubt:
        line = f"{{}} is ahead of {{}}{size}; they differ{doubt} ({p})."
    return one_line(line.format, ahead.a, ahead.b)


def _tables_in_a_line(comparisons: Comparisons) -> str:
    how, tables = ADJUSTMENTS[comparisons.adjust].title, plural(len(comparisons), "table")
    if comparisons.smallest_pvalue > comparisons.alpha:
        p = p_short(comparisons.smallest_pvalue)
        return (
            f"In which of {tables} the curves differ cannot be decided: no p below {p} is possible."
        )
    found = len(comparisons.significant())
    if found:
        return f"The curves differ in {found} of {tables}, after {how}."
    smallest = p_short(min(comparisons.pvalues_adjusted["overall"].values()))
    return f"No difference detected in any of {tables}, after {how} (smallest p = {smallest})."


# --- What `compare` says of typical runs, where height is not the mean of the runs.

# What height is, said where it is first named.
HEIGHTS: dict[Center, str] = {
    "mean": "in height, the mean score {}",
    "trimmed": "in height, the typical run's mean score {}",
    "ranks": "in height, how high runs rank by their mean score {}",
}
METHODS: dict[Center, str] = {
    "trimmed": "height of the typical run (a fifth of the runs cut off at either end)",
    "ranks": "height by ranks of runs",
}


# Who scores, more than whom, and the sentence if neither scores more.
SUBJECTS: dict[Center, tuple[str, str, str]] = {
    "mean": ("{a} scores", "{b}", "{a} and {b} score the same"),
    "trimmed": (
        "the typical run of {a} scores",
        "that of {b}",
        "the typical runs of {a} and {b} score the same",
    ),
    "ranks": (
        "a run of {a} typically scores",
        "a run of {b}",
        "runs of {a} and {b} typically score the same",
    ),
}


# --- What `compare` and `compare_many` found, in words a person can quote.

MAX_NAMED = 6  # tables that a sentence can hold
# The share of the combined statistic from which on one of its looks has found the difference.
MIN_CARRIED = 0.5
CARRIED = {"all steps": "all steps together", "height": "height", "shape": "shape"}


def describe(result: Comparison | Comparisons) -> str:
    """Return the verdict, how large the difference is, and the method."""
    if isinstance(result, Comparisons):
        sentences = _in_all_tables(result)
    else:
        sentences = [*_verdict(result), _size(result), _method(result)]
    return " ".join(filter(None, sentences))


def _verdict(comparison: Comparison) -> list[str]:
    """Say whether the algorithms differ, and in what.

    Height and shape are claimed only when the overall test finds a difference too: that
    keeps the chance of any false claim at alpha. It does so with the split error term, so
    what only the pooled term finds is not claimed.
    """
    whose = names_text([summary.name for summary in comparison.algorithms])
    if is_undecidable(comparison):
        return [_undecidable(comparison, whose), _conventional(comparison)]
    if comparison.interaction is None:
        claim = f"No difference between {whose} was detected in height"
        if comparison.overall.significant:
            claim = f"{whose} differ{in_what(comparison) or ' in height'}"
        claim += f" ({p_of(comparison.algorithm)}), at the single step there is."
        return [claim, _carried(comparison), _conventional(comparison)]
    claim = _height_and_shape(comparison, whose)
    return [claim, _carried(comparison), _conventional(comparison), _not_claimed(comparison)]


def _height_and_shape(comparison: Comparison, whose: str) -> str:
    overall = f"overall {p_of(comparison.overall, explained=True)}"
    effects = comparison.effects[comparison.error]
    # A small p that is not claimed has a sentence of its own.
    undetected = [name for name in PARTS if not effects[name].significant]
    # What an effect is, where it is first named.
    height = HEIGHTS[comparison.algorithm.center].format(comparison.period)
    said = {
        name: f"{height if name == 'algorithm' else 'in shape'} ({p_of(effects[name])})"
        for name in PARTS
    }
    if not comparison.overall.significant:
        parts = [said[name] for name in undetected]
        neither = ""
        if parts:
            neither = f": {'neither ' if len(parts) == 2 else 'not '}{', nor '.join(parts)}"
        return (
            f"No difference was detected between the learning curves of {whose} ({overall})"
            f"{neither}."
        )
    found = f"The learning curves of {whose} differ{in_what(comparison)} ({overall})"
    claimed = [name for name in PARTS if is_claimed(comparison, name)]
    if len(claimed) == 2:
        both = ", and ".join(said.values())
        return f"{found}, both {both}: how far apart they are depends on the amount of training."
    if not claimed:
        unsure = " or ".join(f"{EFFECTS[name].how} ({p_of(effects[name])})" for name in undetected)
        return f"{found}, but whether {unsure or 'in height or in shape'} cannot be said."
    (name,) = claimed
    other = "interaction" if name == "algorithm" else "algorithm"
    sentence = f"{found}. They differ {said[name]}"
    if name == "interaction":
        sentence += ", so how far apart they are depends on the amount of training"
    if other in undetected:
        noun = EFFECTS[other].noun
        sentence += f"; no difference in {noun} was detected ({p_of(effects[other])})"
    return f"{sentence}."


def _carried(comparison: Comparison) -> str:
    """Say which look of the combined test found a difference that is in neither part claimed."""
    overall = comparison.overall
    if not overall.significant or overall.components is None:
        return ""
    if any(is_claimed(comparison, name) for name in PARTS):
        return ""
    # A component of hundreds of standard deviations is as good as one of fewer.
    weights = {name: math.exp(min(2 * z, MAX_EXPONENT)) for name, z in overall.components.items()}
    name, weight = max(weights.items(), key=lambda item: item[1])
    if weight < MIN_CARRIED * sum(weights.values()):
        return ""
    if name == "one step":
        assert comparison.most_striking is not None  # noqa: S101 (found with the components)
        start, stop = map(step_text, comparison.most_striking)
        where = f"around step {start}" if start == stop else f"from step {start} to {stop}"
        return f"The difference was found mainly at single steps, {where}."
    return f"The difference was found mainly in {CARRIED[name]}."


def _undecidable(comparison: Comparison, whose: str) -> str:
    """Say, before anything else, that no data could have been significant."""
    parts = [
        f"{EFFECTS[effect.name].noun} {p_of(effect)}"
        for effect in comparison.effects[comparison.error].values()
    ]
    few = "runs" if 1 / comparison.n_relabellings > comparison.alpha else "shuffles"
    return (
        f"Whether {whose} differ cannot be decided with so few {few}: the smallest p "
        f"possible is {p_short(comparison.smallest_pvalue)}, above α = {comparison.alpha:g} "
        f"({', '.join(parts)})."
    )


def _not_claimed(comparison: Comparison) -> str:
    """Say why an effect with a small p is not claimed."""
    effects = comparison.effects[comparison.error]
    tempting = {
        EFFECTS[name].noun: name
        for name in PARTS
        if effects[name].significant and not is_claimed(comparison, name)
    }
    if not tempting:
        return ""
    p = {noun: p_short(effects[name].pvalue) for noun, name in tempting.items()}
    alone = capitalised(" and ".join(f"{noun} alone has p = {own}" for noun, own in p.items()))
    if any(not holds(comparison, name) for name in tempting.values()):
        split = comparison.effects["split"]
        own = " and ".join(
            f"p = {p_short(split[name].pvalue)} for {noun}" for noun, name in tempting.items()
        )
        return (
            f"{alone}, but this is not claimed: the pooled error term lets height and shape "
            f"pass for each other, and with the split one it is {own}."
        )
    valid = ", and ".join(
        f"if {noun} was your only question and you asked it before seeing the data, "
        f"p = {own} is valid"
        for noun, own in p.items()
    )
    return (
        f"{alone}, but the overall test is not significant (p = "
        f"{p_short(comparison.overall.pvalue)}), so no difference is claimed: testing height "
        f"and shape separately would give two chances of a false alarm. {capitalised(valid)}."
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
    where = f"Averaged {comparison.period}" if comparison.n_steps > 1 else "At that step"
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
    one_scores, other, same = (word.format(a=a, b=b) for word in SUBJECTS[comparison.center])
    if difference.value == 0:
        parts = [same]
    else:
        size = number_text(abs(difference.value))
        more = "more" if difference.value > 0 else "less"
        parts = [f"{one_scores} {size} {more} than {other}"]
        if not comparison.higher_is_better:
            parts[0] += ", and less is better"
    level = percent(difference.confidence)
    if all(map(math.isinf, difference.interval)):
        few = "runs" if 1 / comparison.n_relabellings > comparison.alpha else "shuffles"
        why = f"there are too few {few}"
        if comparison.center == "trimmed" and comparison.smallest_pvalue <= comparison.alpha:
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


def _in_all_tables(comparisons: Comparisons) -> list[str]:
    """Say in which tables the curves differ, after adjustment."""
    how = ADJUSTMENTS[comparisons.adjust].title
    smallest, alone = map(p_short, (comparisons.smallest_pvalue, comparisons.smallest_pvalue_alone))
    if comparisons.smallest_pvalue > comparisons.alpha:
        undecided = (
            f"In which of {plural(len(comparisons), 'table')} the curves differ cannot be decided "
            f"after {how}: the smallest p possible is {smallest}, above α = {comparisons.alpha:g}."
        )
        return [undecided, _at_least(comparisons)]
    reach = f"With these runs the smallest adjusted p possible is {smallest}"
    if comparisons.smallest_pvalue_alone > comparisons.alpha:
        reach += f" ({alone} for a table that stands out alone)"
    found = (_in_tables(comparisons, name, how) for name in EFFECTS)
    return [f"{reach}.", *found, _at_least(comparisons)]


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


# --- Pictures of what `compare` and `compare_many` found.

N_BINS = 60
LOGARITHMIC_FROM = 5  # times the critical value, where the observed one makes the axis so
HISTOGRAM_HEIGHT = 0.78  # of the Axes; the legend stands above


def figure(
    result: Comparison | Comparisons, curves: Curves | None = None, **drawing: Unpack[CurveOptions]
) -> Figure:
    """Draw the curves and null distributions of a comparison, or the p of many."""
    if isinstance(result, Comparisons):
        return _many_tables(result)
    return plot_comparison(curves, result, **drawing)


def plot_null_distribution(effect: Effect, ax: Axes | None = None) -> Axes:
    """Draw where the observed statistic falls among those of the relabellings."""
    check_drawn(
        effect,
        Effect,
        "plot_null_distribution() draws what compare() found of an effect, such as .overall",
    )
    ax = axes_or_current(ax)
    null = effect.null_distribution[np.isfinite(effect.null_distribution)]
    edge = _right_edge(null, effect)
    beyond = int(np.sum(effect.null_distribution > edge))
    bins = _bins(null, effect, edge)
    if bins[0] > 0:
        ax.set_xscale("log")
        null = np.maximum(null, bins[0])
    ax.hist(null[null <= edge], bins=list(bins), color="0.75", edgecolor="0.6")
    p = f"{'exact ' if effect.exact else ''}p = {p_text(effect.pvalue)}"
    observed, critical, symbol = effect.statistic, effect.critical_value, effect.symbol
    if np.isfinite(observed):
        label = f"observed {symbol} = {number_text(observed)}, {p}"
        ax.axvline(observed, 0, HISTOGRAM_HEIGHT, color=OBSERVED_COLOUR, linewidth=2, label=label)
    else:
        ax.plot([], [], color=OBSERVED_COLOUR, label=f"observed {symbol} is infinite, {p}")
    if np.isfinite(critical):
        label = f"critical {symbol} = {number_text(critical)} (α = {effect.alpha:g})"
        dashed: dict[str, Any] = {"color": "black", "linestyle": "--", "linewidth": 1.2}
        ax.axvline(critical, 0, HISTOGRAM_HEIGHT, label=label, **dashed)
    beyond_text = f"; {beyond:,} beyond the edge" if beyond else ""
    ax.set(
        title=f"{EFFECTS[effect.name].title} ({effect.name})",
        xlabel=f"{effect.symbol} of {effect.n_shuffles:,} relabellings{beyond_text}",
        ylabel="relabellings",
    )
    ax.set_ylim(0, ax.get_ylim()[1] / HISTOGRAM_HEIGHT)
    ax.locator_params(axis="y", integer=True)
    ax.legend(fontsize="small", loc="upper center", frameon=False)
    return ax


def plot_comparison(
    curves: Curves | None, comparison: Comparison, **drawing: Unpack[CurveOptions]
) -> Figure:
    """Draw the curves, and beneath them the null distributions of height and shape.

    Without curves the null distributions are drawn alone, and without ``details`` the curves.
    Curves are drawn as `plot_curves` does it, with the same options.
    """
    check_drawn(comparison, Comparison, "plot_comparison() draws what compare() found")
    effects = [comparison.algorithm]
    if comparison.interaction is not None:
        effects.append(comparison.interaction)
    rows = (2,) if curves is None else (3, 2)
    if curves is not None and not drawing.get("details", True):
        figure = new_figure((9, 5.4))
        plot_curves(curves, ax=figure.subplots(), **drawing)
        return figure
    figure = new_figure((9, 1.6 * sum(rows)))
    grid = figure.add_gridspec(len(rows), len(effects), height_ratios=rows)
    if curves is not None:
        plot_curves(curves, ax=figure.add_subplot(grid[0, :]), **drawing)
    for place, effect in enumerate(effects):
        plot_null_distribution(effect, ax=figure.add_subplot(grid[-1, place]))
    return figure


def _many_tables(comparisons: Comparisons) -> Figure:
    """Draw the adjusted p of every table, for each effect, on a logarithmic axis."""
    names = list(comparisons)
    figure = new_figure(forest_size(len(names)))
    ax = figure.subplots()
    # The overall mark is an open ring, so that the others are seen inside it where p is equal.
    looks = (("o", 11, "none"), ("s", 6, "full"), ("^", 6, "full"))
    handles = []
    for (effect, words), colour, look in zip(EFFECTS.items(), COLOURS, looks, strict=False):
        adjusted = comparisons.pvalues_adjusted[effect]
        rows = [names.index(name) for name in adjusted]
        marker, size, fill = look
        shown: dict[str, Any] = {"markersize": size, "fillstyle": fill, "label": words.title}
        handles += ax.plot(list(adjusted.values()), rows, marker, color=colour, **shown)
    alpha = comparisons.alpha
    handles.append(ax.axvline(alpha, color="0.5", linewidth=0.8, label=f"α = {alpha:g}"))
    ax.set_xscale("log")
    font = row_font(ax, len(names) + 1)
    labels = [label_text(name, 32).strip() for name in names]
    ax.set_yticks(range(len(names)), labels, fontsize=font, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.set_xlabel(f"adjusted p (significant at or left of α = {alpha:g})")
    legend_above(ax, handles, n_columns=4)
    return figure


def _bins(null: Floats, effect: Effect, edge: float) -> Floats:
    """Return the edges of the bins: geometric where the observed one lies far out.

    A bar at 0 and a line at 284 would tell nothing. Geometric bins start at the 1% quantile.
    """
    far = LOGARITHMIC_FROM * effect.critical_value
    low = float(np.quantile(null, 0.01)) if null.size else 0.0
    if np.isfinite(effect.statistic) and effect.statistic > far > 0 and low > 0:
        return np.geomspace(low, edge, N_BINS + 1)
    return np.linspace(min(0.0, float(null.min(initial=0.0))), edge, N_BINS + 1)


def _right_edge(null: Floats, effect: Effect) -> float:
    """Choose where the histogram ends: a few far values must not flatten the rest."""
    marks = [value for value in (effect.statistic, effect.critical_value) if np.isfinite(value)]
    if null.size:
        bulk = float(np.quantile(null, 0.995))
        marks.append(min(float(null.max()), 2 * bulk))
    return 1.05 * max(marks, default=1.0) or 1.0
