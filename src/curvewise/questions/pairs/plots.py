"""Pictures of which algorithms differ: intervals in rows, and a matrix of many pairs."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.choices import check_drawn
from curvewise.questions.pairs.result import Pairs
from curvewise.rendering.figures import axes_or_current, label_text, one_axes
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    UNCLEAR_COLOUR,
    Row,
    forest,
    forest_size,
    legend_above,
    legend_of_significance,
    p_cell,
    row_font,
    text_beside,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.kernels import Integers

__all__ = ["Cell", "figure", "matrix_cells", "plot_pairs"]

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
        Row(
            label=f"{label_text(pair.a, 24).strip()} − {label_text(pair.b, 24).strip()}",
            value=pair.difference,
            low=pair.interval.low,
            high=pair.interval.high,
            colour=CLEAR_COLOUR if pair.algorithm.significant else UNCLEAR_COLOUR,
            marker="o",
            filled=pair.algorithm.significant,
            right=p_cell(pair.algorithm.pvalue_adjusted),
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
    names = list(pairs.algorithms)
    place = {name: number for number, name in enumerate(names)}
    differences = np.full((len(names), len(names)), np.nan)
    distinguished = np.zeros_like(differences, dtype=np.bool_)
    for pair in pairs:
        a, b = place[pair.a], place[pair.b]
        differences[a, b], differences[b, a] = pair.difference, -pair.difference
        distinguished[a, b] = distinguished[b, a] = pair.algorithm.significant
    compared = np.isfinite(differences)
    # In balanced data the mean difference from the others orders as the means do.
    lead = np.where(compared, differences, 0).sum(axis=1)
    lead = np.where(
        compared.any(axis=1),
        lead / np.maximum(compared.sum(axis=1), 1),
        -np.inf if pairs.higher_is_better else np.inf,
    )
    kinds = np.select(
        [~compared, differences == 0, (differences > 0) == pairs.higher_is_better],
        [
            Cell.MISSING,
            Cell.EQUAL,
            np.where(distinguished, Cell.BETTER, Cell.PERHAPS_BETTER),
        ],
        np.where(distinguished, Cell.WORSE, Cell.PERHAPS_WORSE),
    )
    np.fill_diagonal(kinds, Cell.ITSELF)
    order = np.argsort(-lead if pairs.higher_is_better else lead, kind="stable")
    return [names[code] for code in order], kinds[np.ix_(order, order)]


def _matrix(pairs: Pairs, ax: Axes) -> Axes:
    """Draw a cell for every two algorithms."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    names, kinds = matrix_cells(pairs)
    n_names = len(names)
    font = row_font(ax, n_names + 1)
    ax.pcolormesh(
        kinds,
        cmap=ListedColormap(CELL_COLOURS),
        vmin=-0.5,
        vmax=len(CELL_COLOURS) - 0.5,
        edgecolors="white" if font > 5 else "none",
        linewidth=0.05 * font,
    )
    for kind, marker, colour in (
        (Cell.BETTER, "+", "white"),
        (Cell.WORSE, "_", "black"),
        (Cell.MISSING, "x", "0.6"),
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
    if max(map(len, letters.values())) <= MAX_LETTERS:
        note += "; algorithms that share a letter (right) are not distinguished"
        for y, name in zip(middles, names, strict=True):
            text_beside(ax, y, letters[name], font)
    ax.set_xlabel(note, fontsize="small")
    handles = [
        Patch(
            facecolor=CELL_COLOURS[kind], label=f"{words} (adjusted p ≤ {pairs.alpha:g})"
        )
        for words, kind in (
            ("+  row is better", Cell.BETTER),
            ("−  row is worse", Cell.WORSE),
        )
    ]
    handles += [
        Patch(facecolor=CELL_COLOURS[kind], label=f"row is {words}, not distinguished")
        for words, kind in (
            ("better", Cell.PERHAPS_BETTER),
            ("worse", Cell.PERHAPS_WORSE),
        )
    ]
    if (kinds == Cell.EQUAL).any():
        colour = CELL_COLOURS[Cell.EQUAL]
        handles.append(Patch(facecolor=colour, edgecolor="0.6", label="equal means"))
    if (kinds == Cell.MISSING).any():
        handles.append(Patch(facecolor="white", edgecolor="0.6", label="×  not compared"))
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
