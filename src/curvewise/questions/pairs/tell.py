"""What `compare_pairs` found, in words a person can quote."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.checks import check_drawn
from curvewise.inference.result import EFFECTS, PARTS
from curvewise.inference.work import ADJUSTMENTS
from curvewise.questions.pairs.result import Pairs
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.forest import (
    finding,
    forest,
    forest_size,
    legend_above,
    legend_of_significance,
    row_font,
    text_beside,
)
from curvewise.text import number_text, p_short, plural, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Effect, EffectName
    from curvewise.kernels import Integers
    from curvewise.questions.pairs.result import Pair


MAX_NAMED = 6  # pairs that a sentence can hold


def describe(pairs: Pairs) -> str:
    """Say which pairs differ, in height and in shape."""
    if not len(pairs):
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
    promise = f"For each question the chance of any false claim is {most} {pairs.alpha:g}."
    n_told = min(len(pairs.significant(name)) for name in PARTS if _is_asked(pairs, name))
    if not alone and n_told < len(pairs):
        promise += " Pairs that were not told apart may still differ."
    found = [_effect_of_one(pairs, name) if alone else _effect(pairs, name, how) for name in PARTS]
    return " ".join(sentence for sentence in (*found, promise) if sentence)


def headline(pairs: Pairs) -> str:
    """Say in one line how many pairs differ."""
    if len(pairs) < 2 or pairs.smallest_pvalue > pairs.alpha:
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
    every = [(pair, pair.effect(name)) for pair in pairs.best_first()]
    tested = [(pair, effect) for pair, effect in every if effect is not None]
    if not tested:
        return ""
    tested.sort(key=lambda own: _adjusted(own[1]))
    found = [pair for pair, effect in tested if effect.significant]
    noun, total = EFFECTS[name].noun, plural(len(tested), "pair")
    if not found:
        return (
            f"After {how}, no difference in {noun} was detected in any of {total} (smallest "
            f"adjusted p = {p_short(_adjusted(tested[0][1]))})."
        )
    named = [_pair(pair, name, pairs) for pair in found[:MAX_NAMED]]
    if len(found) > MAX_NAMED:
        named.append(f"and {len(found) - MAX_NAMED} more")
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
    return f"{differ}: {_pair(pair, name, pairs)}." if name == "algorithm" else f"{differ} ({p})."


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


# --- Pictures of which algorithms differ: intervals in rows, and a matrix of many pairs.

MAX_IN_ROWS = 8  # algorithms whose pairs are listed; of more, a matrix is drawn
MAX_LETTERS = 20  # of an algorithm; where one has more, none are shown
MAX_SIDE = 15.0  # of the matrix, in inches


class Cell(IntEnum):
    """What a cell of the matrix says about the algorithm of its row and that of its column."""

    BETTER = 0  # significantly better than the column
    PERHAPS_BETTER = 1  # better, but not distinguished
    EQUAL = 2  # the same mean
    PERHAPS_WORSE = 3
    WORSE = 4
    ITSELF = 5  # row and column are the same algorithm
    MISSING = 6  # not compared


CELL_COLOURS = ("#0072B2", "#D6E6F2", "#F4F4F4", "#FBE8CC", "#E69F00", "0.80", "white")


def plot_pairs(pairs: Pairs, ax: Axes | None = None) -> Axes:
    """Draw the difference in height of every two algorithms.

    Up to eight algorithms: a row for each pair, with its interval and adjusted p. More of
    them: a matrix, the best mean first, that tells for each row which columns it is better
    and worse than, with the letters of `Pairs` at its right. Draws on the current Axes if none
    are given, and returns the Axes.
    """
    check_drawn(pairs, Pairs, "plot_pairs() draws what compare_pairs() found")
    ax = axes_or_current(ax, _size(pairs))
    if len(pairs.algorithms) > MAX_IN_ROWS:
        return _matrix(pairs, ax)
    rows = [
        finding(
            f"{label_text(pair.a, 24).strip()} − {label_text(pair.b, 24).strip()}",
            pair.difference,
            pair.interval,
            pair.algorithm.pvalue_adjusted,
            clear=pair.algorithm.significant,
        )
        for pair in pairs
    ]
    forest(ax, rows, "adjusted p")
    level = f"{100 * (1 - pairs.alpha):.6g}%"
    ax.set_xlabel(f"difference in height, with the {level} interval of each pair alone")
    clear = f"distinguished (adjusted p ≤ {pairs.alpha:g})"
    legend_of_significance(ax, rows, clear, "not distinguished")
    return ax


def matrix_cells(pairs: Pairs) -> tuple[list[str], Integers]:
    """Return the names of rows and columns, the best mean first, and a `Cell` for each two.

    Algorithms that are in no pair come last.
    """
    names = pairs.algorithms
    leads = np.full((len(names), len(names)), np.nan)
    distinguished = np.zeros_like(leads, dtype=np.bool_)
    for pair in pairs:
        a, b = names.index(pair.a), names.index(pair.b)
        lead = pair.difference if pairs.higher_is_better else -pair.difference
        leads[a, b], leads[b, a] = lead, -lead
        distinguished[a, b] = distinguished[b, a] = pair.algorithm.significant
    compared = np.isfinite(leads)
    # In balanced data the mean difference from the others orders as the means do.
    n_compared = compared.sum(axis=1)
    mean = np.where(compared, leads, 0).sum(axis=1) / np.maximum(n_compared, 1)
    kinds = np.select(
        [~compared, leads == 0, leads > 0],
        [Cell.MISSING, Cell.EQUAL, np.where(distinguished, Cell.BETTER, Cell.PERHAPS_BETTER)],
        np.where(distinguished, Cell.WORSE, Cell.PERHAPS_WORSE),
    )
    np.fill_diagonal(kinds, Cell.ITSELF)
    order = np.argsort(np.where(n_compared, -mean, np.inf), kind="stable")
    return [names[code] for code in order], kinds[np.ix_(order, order)]


def _matrix(pairs: Pairs, ax: Axes) -> Axes:
    """Draw a cell for every two algorithms."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    names, kinds = matrix_cells(pairs)
    n_names = len(names)
    font = row_font(ax, n_names + 1)
    look: dict[str, Any] = {"vmin": -0.5, "vmax": len(CELL_COLOURS) - 0.5, "linewidth": 0.05 * font}
    edges = "white" if font > 5 else "none"
    ax.pcolormesh(kinds, cmap=ListedColormap(CELL_COLOURS), edgecolors=edges, **look)
    signs = {Cell.BETTER: ("+", "white"), Cell.WORSE: ("_", "black"), Cell.MISSING: ("x", "0.6")}
    for kind, (marker, colour) in signs.items():
        y, x = np.nonzero(kinds == kind)
        look = {"color": colour, "linewidths": 0.13 * font}
        ax.scatter(x + 0.5, y + 0.5, (0.65 * font) ** 2, marker=marker, **look)
    labels = [label_text(name, 24).strip() for name in names]
    ax.set(aspect="equal", xlim=(0, n_names), ylim=(n_names, 0))
    middles = np.arange(n_names) + 0.5
    ax.set_yticks(middles, labels, fontsize=font, parse_math=False)
    ax.set_xticks(middles, labels, fontsize=font, rotation=90, parse_math=False)
    ax.tick_params(length=0)
    letters = pairs.letters
    note = "best mean first"
    if max(map(len, letters.values())) <= MAX_LETTERS:
        note += "; algorithms that share a letter (right) are not distinguished"
        for y, name in zip(middles, names, strict=True):
            text_beside(ax, y, letters[name], font)
    ax.set_xlabel(note, fontsize="small")
    level = f"(adjusted p ≤ {pairs.alpha:g})"
    meanings = {
        Cell.BETTER: f"+  row is better {level}",
        Cell.WORSE: f"−  row is worse {level}",
        Cell.PERHAPS_BETTER: "row is better, not distinguished",
        Cell.PERHAPS_WORSE: "row is worse, not distinguished",
    }
    handles = [Patch(facecolor=CELL_COLOURS[own], label=text) for own, text in meanings.items()]
    for own, text in ((Cell.EQUAL, "equal means"), (Cell.MISSING, "×  not compared")):
        if (kinds == own).any():
            handles.append(Patch(facecolor=CELL_COLOURS[own], edgecolor="0.6", label=text))
    legend_above(ax, handles, n_columns=2)
    return ax


def figure(pairs: Pairs, _curves: Curves | None = None) -> Figure:
    """Draw the pairs in a figure of fitting size; the curves are not needed."""
    return one_axes(plot_pairs, pairs, _size(pairs))


def _size(pairs: Pairs) -> tuple[float, float]:
    """Return the size of a figure, in inches, with room for rows or matrix."""
    if len(pairs.algorithms) <= MAX_IN_ROWS:
        return forest_size(len(pairs))
    side = min(3.5 + 0.24 * len(pairs.algorithms), MAX_SIDE)
    return side + 1, side
