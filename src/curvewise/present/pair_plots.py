"""Pictures of which algorithms differ: intervals in rows, and a matrix of many pairs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.present.forests import (
    BEHIND,
    CLEAR,
    UNCLEAR,
    Row,
    forest,
    point,
    row_font,
    text_beside,
)
from curvewise.present.plots import axes_or_current, label_text
from curvewise.results import Best, Contrasts, Pairs
from curvewise.tables import p_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.kernels import Integers
    from curvewise.results import Contender, Contrast

__all__ = ["figure_of", "plot_best", "plot_contrasts", "plot_pairs"]

MOST_IN_ROWS = 8  # algorithms whose pairs are listed; of more, a matrix is drawn
LONGEST_LETTERS = 20
WEIGHTS = {
    "mean": "of means over training",
    "trend": "of trends over training",
    "area": "of areas under the curve",
}
# What a cell says: row above column, told apart or not; the same below; equal means; the
# algorithm itself; not compared.
HIGHER, PERHAPS_HIGHER, EQUAL, PERHAPS_LOWER, LOWER, ITSELF, MISSING = range(7)
CELLS = ("#0072B2", "#D6E6F2", "#F4F4F4", "#FBE8CC", "#E69F00", "0.80", "white")


def plot_pairs(pairs: Pairs, ax: Axes | None = None) -> Axes:
    """Draw the difference in height of every two algorithms.

    Up to eight algorithms: a row for each pair, with its interval and adjusted p. More of
    them: a matrix, the best mean first, that tells for each row which columns it is
    above and below, with the letters of `Pairs` at its right.
    """
    ax = axes_or_current(ax, _size(pairs))
    if len(pairs.algorithms) > MOST_IN_ROWS:
        return _matrix(pairs, ax)
    rows = [
        Row(
            label=f"{label_text(pair.a, 24).strip()} − {label_text(pair.b, 24).strip()}",
            value=pair.difference,
            low=pair.interval.low,
            high=pair.interval.high,
            colour=CLEAR if pair.algorithm.significant else UNCLEAR,
            marker="o",
            filled=pair.algorithm.significant,
            right=_p(pair.algorithm.pvalue_adjusted),
        )
        for pair in pairs
    ]
    forest(ax, rows, "adjusted p")
    level = f"{100 * (1 - pairs.alpha):.6g}%"
    ax.set_xlabel(f"difference in height, with the {level} interval of each pair alone")
    clear = f"told apart (adjusted p ≤ {pairs.alpha:g})"
    _significance(ax, rows, clear, "not told apart")
    return ax


def plot_best(best: Best, ax: Axes | None = None) -> Axes:
    """Draw how far each algorithm is from the leader, and which may be the best."""
    ax = axes_or_current(ax, _size(best))

    def row(each: Contender) -> Row:
        low, high = each.interval or (math.nan, math.nan)
        leads = each.name == best.leader
        compared = each.difference is not None
        return Row(
            label=label_text(each.name, 32).strip(),
            value=each.difference,
            low=low,
            high=high,
            colour=CLEAR if each.contends else BEHIND,
            marker="D" if leads else "o" if each.contends else "s",
            filled=leads or not each.contends,
            right=""
            if leads
            else _p(each.pvalue_adjusted)
            if compared
            else "not compared",
        )

    forest(ax, [row(each) for each in best.rows], "adjusted p")
    level = f"{100 * (1 - best.alpha):.6g}%"
    side = "" if best.higher_is_better else "; lower is better"
    ax.set_xlabel(
        f"difference in height to the leader, with one-sided interval\n"
        f"({level} for all of them together{side})"
    )
    handles = [point("leader", CLEAR, "D")]
    if len(best.contenders) > 1:
        handles.append(point("may be the best too", CLEAR, filled=False))
    if best.worse:
        label = f"worse (adjusted p ≤ {best.alpha:g})"
        handles.append(point(label, BEHIND, "s"))
    _legend(ax, handles)
    return ax


def plot_contrasts(contrasts: Contrast | Contrasts, ax: Axes | None = None) -> Axes:
    """Draw contrasts with their intervals and p."""
    ax = axes_or_current(ax, _size(contrasts))
    family = isinstance(contrasts, Contrasts)
    named = (
        dict(contrasts)
        if isinstance(contrasts, Contrasts)
        else {contrasts.formula: contrasts}
    )
    rows = [
        Row(
            label=label_text(name).strip(),
            value=each.value,
            low=each.interval.low,
            high=each.interval.high,
            colour=CLEAR if each.significant else UNCLEAR,
            marker="o",
            filled=each.significant,
            right=_p(
                each.pvalue if each.pvalue_adjusted is None else each.pvalue_adjusted
            ),
        )
        for name, each in named.items()
    ]
    p = "adjusted p" if family else "p"
    forest(ax, rows, p)
    some = next(iter(named.values()))
    over = "as weighted"
    if isinstance(some.weights, str):
        over = WEIGHTS.get(some.weights, some.weights)
    alone = " of each alone" if family else ""
    sided = "" if some.alternative == "two-sided" else "one-sided "
    level = f"{100 * some.confidence:.6g}%"
    ax.set_xlabel(f"contrast {over}, with the {sided}{level} interval{alone}")
    words = {"two-sided": "differs from 0", "greater": "above 0", "less": "below 0"}
    clear = f"{words[some.alternative]} ({p} ≤ {some.alpha:g})"
    _significance(ax, rows, clear, "not significant")
    return ax


def figure_of(result: Pairs | Best | Contrast | Contrasts) -> Figure:
    """Draw pairs, contrasts or the search for the best in a figure of fitting size."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_size(result), layout="constrained")
    ax = figure.subplots()
    if isinstance(result, Pairs):
        plot_pairs(result, ax=ax)
    elif isinstance(result, Best):
        plot_best(result, ax=ax)
    else:
        plot_contrasts(result, ax=ax)
    return figure


def _size(result: Pairs | Best | Contrast | Contrasts) -> tuple[float, float]:
    """Return the size of a figure that has room for every row."""
    if isinstance(result, Pairs) and len(result.algorithms) > MOST_IN_ROWS:
        side = min(3.5 + 0.24 * len(result.algorithms), 15)
        return side + 1, side
    n_rows = 1
    if isinstance(result, Pairs | Contrasts):
        n_rows = len(result)
    elif isinstance(result, Best):
        n_rows = len(result.rows)
    return 8, min(1.6 + 0.28 * n_rows, 15)


def _p(pvalue: float | None) -> str:
    return "" if pvalue is None else p_text(pvalue)


def _significance(ax: Axes, rows: Sequence[Row], clear: str, unclear: str) -> None:
    """Explain filled and open marks, as far as there are any."""
    handles = []
    if any(row.filled for row in rows):
        handles.append(point(clear, CLEAR))
    if not all(row.filled for row in rows):
        handles.append(point(unclear, UNCLEAR, filled=False))
    _legend(ax, handles)


def _legend(ax: Axes, handles: Sequence[Artist], *, n_columns: int = 3) -> None:
    """Put the legend above the Axes, where no row is."""
    ax.legend(
        handles=list(handles),
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=n_columns,
        fontsize="small",
        frameon=False,
        borderaxespad=0.3,
    )


def cells(pairs: Pairs) -> tuple[list[str], Integers]:
    """Prepare the matrix: names, the best mean first, and the kind of every cell."""
    names = list(pairs.algorithms)
    place = {name: number for number, name in enumerate(names)}
    differences = np.full((len(names), len(names)), np.nan)
    apart = np.zeros_like(differences, dtype=np.bool_)
    for pair in pairs:
        a, b = place[pair.a], place[pair.b]
        differences[a, b], differences[b, a] = pair.difference, -pair.difference
        apart[a, b] = apart[b, a] = pair.algorithm.significant
    compared = np.isfinite(differences)
    # In balanced data the mean difference from the others orders as the means do.
    lead = np.where(compared, differences, 0).sum(axis=1)
    lead = np.where(
        compared.any(axis=1),
        lead / np.maximum(compared.sum(axis=1), 1),
        -np.inf if pairs.higher_is_better else np.inf,
    )
    kinds = np.select(
        [~compared, differences == 0, differences > 0],
        [MISSING, EQUAL, np.where(apart, HIGHER, PERHAPS_HIGHER)],
        np.where(apart, LOWER, PERHAPS_LOWER),
    )
    np.fill_diagonal(kinds, ITSELF)
    order = np.argsort(-lead if pairs.higher_is_better else lead, kind="stable")
    return [names[code] for code in order], kinds[np.ix_(order, order)]


def _matrix(pairs: Pairs, ax: Axes) -> Axes:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    names, kinds = cells(pairs)
    n_names = len(names)
    font = row_font(ax, n_names + 1)
    ax.pcolormesh(
        kinds,
        cmap=ListedColormap(CELLS),
        vmin=-0.5,
        vmax=len(CELLS) - 0.5,
        edgecolors="white" if font > 5 else "none",
        linewidth=0.05 * font,
    )
    for kind, marker, colour in (
        (HIGHER, "+", "white"),
        (LOWER, "_", "black"),
        (MISSING, "x", "0.6"),
    ):
        y, x = np.nonzero(kinds == kind)
        look: dict[str, Any] = {"color": colour, "linewidths": 0.13 * font}
        ax.scatter(x + 0.5, y + 0.5, (0.65 * font) ** 2, marker=marker, **look)
    labels = [label_text(name, 24).strip() for name in names]
    ax.set_aspect("equal")
    ax.set_xlim(0, n_names)
    ax.set_ylim(n_names, 0)
    middles = np.arange(n_names) + 0.5
    ax.set_yticks(middles, labels, fontsize=font, parse_math=False)
    ax.set_xticks(middles, labels, fontsize=font, rotation=90, parse_math=False)
    ax.tick_params(length=0)
    letters = pairs.letters
    note = "best mean first"
    if max(map(len, letters.values())) <= LONGEST_LETTERS:
        note += "; algorithms that share a letter (right) are not told apart"
        for y, name in zip(middles, names, strict=True):
            text_beside(ax, y, letters[name], font)
    ax.set_xlabel(note, fontsize="small")
    handles = [
        Patch(facecolor=CELLS[kind], label=f"{words} (adjusted p ≤ {pairs.alpha:g})")
        for words, kind in (("+  row is higher", HIGHER), ("−  row is lower", LOWER))
    ]
    handles += [
        Patch(facecolor=CELLS[kind], label=f"row is {words}, not told apart")
        for words, kind in (("higher", PERHAPS_HIGHER), ("lower", PERHAPS_LOWER))
    ]
    if (kinds == EQUAL).any():
        handles.append(
            Patch(facecolor=CELLS[EQUAL], edgecolor="0.6", label="equal means")
        )
    if (kinds == MISSING).any():
        handles.append(Patch(facecolor="white", edgecolor="0.6", label="×  not compared"))
    _legend(ax, handles, n_columns=2)
    return ax
