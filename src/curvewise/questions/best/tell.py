"""What `best` and `best_many` found, in words a person can quote."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from curvewise.data.checks import check_choice, check_drawn
from curvewise.inference.result import one_line
from curvewise.inference.work import ADJUSTMENTS
from curvewise.questions.best.result import Best, Bests
from curvewise.rendering.figures import axes_or_current, label_text, legend_below, one_axes
from curvewise.rendering.forest import (
    CLEAR_COLOUR,
    MAX_HEIGHT,
    WORSE_COLOUR,
    Row,
    forest,
    forest_size,
    legend_above,
    p_cell,
    point,
    row_font,
)
from curvewise.text import listed, number_text, p_short, percent, plural, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats
    from curvewise.questions.best.result import Contender, Standing


# --- What `best_many` found, in words a person can quote.

MAX_NAMED = 6  # algorithms or tasks that a sentence can hold

PROMISES = {
    "bh": (
        "Of the tasks on which any algorithm is ruled out, at most {alpha} are expected to have lost "
        "the one that is truly the best"
    ),
    "bonferroni": (
        "The chance that the truly best algorithm is ruled out on any task is at most {alpha}"
    ),
}


def describe_many(bests: Bests) -> str:
    """Say how small p can be, on how many tasks each algorithm may be the best, and what that means."""
    sentences = [_reach(bests), _settled(bests), _standings(bests)]
    if bests.settled:
        sentences.append(f"{PROMISES[bests.adjust].format(alpha=percent(bests.alpha))}.")
    if bests.dropped:
        dropped = listed(bests.dropped, MAX_NAMED)
        sentences.append(f"Left out, since they lack an algorithm: {dropped}.")
    return " ".join(filter(None, sentences))


def headline_of_many(bests: Bests) -> str:
    """Say in one line who may be the best on most tasks."""
    if bests.smallest_pvalue > bests.alpha:
        return _reach(bests)
    most = max(bests.standings, key=lambda own: own.n_may_be_best)
    tasks = plural(most.n_tasks, "task")
    ruled = f"algorithms are ruled out on {len(bests.settled)}"
    line = f"{{}} may be the best on {most.n_may_be_best} of {tasks}; {ruled}."
    return one_line(line.format, most.name)


def _reach(bests: Bests) -> str:
    """Say how small an adjusted p can be, where that matters."""
    if bests.smallest_pvalue > bests.alpha:
        where, after = "the task", ""
        if len(bests) > 1:
            where = f"each of {plural(len(bests), 'task')}"
            after = f" after {ADJUSTMENTS[bests.adjust].title}"
        return (
            f"Who may be the best on {where} cannot be narrowed down{after}: the smallest p "
            f"possible is {p_short(bests.smallest_pvalue)}, above α = {bests.alpha:g}."
        )
    alone = bests.smallest_pvalue_alone
    if alone > bests.alpha:
        return (
            "With these runs the smallest adjusted p possible is "
            f"{p_short(bests.smallest_pvalue)} ({p_short(alone)} for a task that stands out alone)."
        )
    return ""


def _settled(bests: Bests) -> str:
    """Say on how many tasks any algorithm is ruled out as the best."""
    n_tasks, n_settled = len(bests), len(bests.settled)
    if bests.smallest_pvalue > bests.alpha:
        return ""
    how = ADJUSTMENTS[bests.adjust].title
    if not n_settled:
        where = "the task" if n_tasks == 1 else f"any of {n_tasks:,} tasks"
        return f"After {how} no algorithm can be ruled out as the best on {where}."
    found = f"After {how} algorithms can be ruled out as the best on {n_settled:,} of {plural(n_tasks, 'task')}"
    n_open = n_tasks - n_settled
    any_ = "either" if len(bests.algorithms) == 2 else "any"
    return f"{found}; on {n_open:,} {any_} may be the best." if n_open else f"{found}."


def _standings(bests: Bests) -> str:
    """Say on how many tasks each algorithm may be the best, alone, and its mean rank."""
    standings = bests.standings
    first, *others = standings[:MAX_NAMED]
    parts = [
        f"{printable(first.name)} may be the best on {first.n_may_be_best:,} of {plural(len(bests), 'task')} ({_detail(first, 'mean rank ')})",
        *(f"{printable(one.name)} on {one.n_may_be_best:,} ({_detail(one)})" for one in others),
    ]
    n_left = len(standings) - len(parts)
    if n_left:
        return f"{', '.join(parts)}, and {n_left:,} more on no more tasks than that."
    return f"{listed(parts)}."


def _detail(one: Standing, rank: str = "") -> str:
    """Say on how many tasks it is alone, and its mean rank where there is one."""
    alone = f"alone on {one.n_alone:,}"
    if one.mean_rank is None:
        return f"{alone}; ran on {one.n_tasks:,}"
    return f"{alone}; {rank}{one.mean_rank:.2f}"


# --- What `best` and `best_many` found, in words a person can quote.

# What the leader has the best of.
LEADS = {
    "mean": "mean score",
    "trimmed": "mean score of its typical run",
    "ranks": "mean rank of runs by their score",
}


def describe(best: Best | Bests) -> str:
    """Say who leads, who can be ruled out as the best, and what that means."""
    if isinstance(best, Bests):
        return describe_many(best)
    if not best.worse:
        return best_line(best)
    highest = "highest" if best.higher_is_better else "lowest"
    what = {"trimmed": "trimmed mean", "ranks": "scores"}.get(best.center, "mean")
    return (
        f"{best_line(best)} With {percent(1 - best.alpha)} confidence the algorithm with the "
        f"{highest} true {what} is {_either(best.contenders)}."
    )


def headline(best: Best | Bests) -> str:
    """Say in one line who leads, and how many can be ruled out as the best."""
    if isinstance(best, Bests):
        return headline_of_many(best)
    n_others, n_worse = len(best.rows) - 1, len(best.worse)
    if n_worse == n_others:
        out = {1: "the other", 2: "both others"}.get(n_others, f"all {n_others} others")
        who = f"{out} can"
    elif n_others == 1:
        who = "the other cannot"
    else:
        who = f"{n_worse} of {n_others} others can" if n_worse else "none of the others can"
    return one_line(f"{{}} leads; {who} be ruled out as the best.".format, best.leader)


def best_line(best: Best) -> str:
    """Say in one line who leads, and who can be ruled out."""
    mean = f" ({number_text(best.rows[0].mean)})" if best.quotes_scores else ""
    highest = "highest" if best.higher_is_better else "lowest"
    lead = f"{printable(best.leader)} has the {highest} {LEADS[best.center]} {best.period}{mean}"
    others = [name for name in best.contenders if name != best.leader]
    two = len(best.rows) == 2
    if not others:
        return f"{lead}, and {'the other' if two else 'all others'} can be ruled out as the best."
    if not best.worse:
        none = f"{'the other cannot' if two else 'none of the others can'} be ruled out"
        if best.smallest_pvalue > best.alpha:
            every = "the other" if two else "any other"
            none = f"with so few runs no data could rule out {every}"
        return f"{lead}, but {none} as the best."
    worse = f"{listed(best.worse, MAX_NAMED)} can be ruled out as the best"
    return f"{lead}. {worse}; {listed(others, MAX_NAMED)} cannot."


def _either(names: Sequence[str]) -> str:
    """Return the names as alternatives, of too many only the first."""
    if len(names) > MAX_NAMED:
        return f"one of {listed(names, MAX_NAMED)}"
    *first, last = map(printable, names)
    return " or ".join(filter(None, [", ".join(first), last]))


# --- Tasks × algorithms as a map: how good each is on each task, and which may be the best.

MAX_NAME = 28  # characters of a name beside the map
MAX_WIDTH = 15.0  # inches
DARK = 0.2  # colours this near to either end have white dots

Shown = Literal["ranks", "scores"]


def plot_bests(bests: Bests, ax: Axes | None = None, *, show: Shown = "ranks") -> Axes:
    """Draw a map of tasks × algorithms: blue is better, orange is worse.

    A filled dot marks the algorithm that leads on a task, an open dot those that may be the best as
    well; without a dot an algorithm is ruled out. Algorithms stand in the order of how often they
    may be the best, and that number is beside their name.

    Parameters
    ----------
    bests : Bests
    ax : Axes, optional
        The current ones, if left out.
    show : "ranks" or "scores"
        What colours stand for: the rank of an algorithm on a task, or where its mean is between
        those of the worst and the best algorithm of the task.
    """
    check_drawn(bests, Bests, "plot_bests() draws what best_many() found")
    check_choice("show", show, ("ranks", "scores"))
    ax = axes_or_current(ax, map_size(bests))
    standings = bests.standings
    order = [bests.algorithms.index(one.name) for one in standings]
    goodness = (_by_rank if show == "ranks" else _by_score)(bests)[:, order]
    image = ax.imshow(goodness, cmap=_colours(), vmin=0, vmax=1, aspect="auto")
    usual = float(ax.yaxis.get_major_ticks()[0].label1.get_fontsize())
    font = min(row_font(ax, len(bests) + 1), usual)
    contend = np.array(
        [[one.name in own.contenders for one in standings] for own in bests.values()]
    )
    dark, leads = np.abs(goodness - 0.5) > 0.5 - DARK, bests.ranks[:, order] == 1
    # Dots that look the same are drawn together: one by one they would take most of the time.
    for white, filled in product((True, False), (True, False)):
        y, x = np.nonzero(contend & (dark == white) & (leads == filled))
        if len(x):
            dots = _dot("white" if white else "black", 0.62 * font, filled=filled)
            dots.set_data(x, y)
            ax.add_line(dots)
    tasks = [label_text(task, MAX_NAME) for task in bests]
    names = [f"{label_text(one.name, MAX_NAME)}: {one.n_may_be_best}" for one in standings]
    ax.set_yticks(range(len(tasks)), tasks, fontsize=font, parse_math=False)
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize="small", parse_math=False)
    ax.tick_params(length=0)
    ax.set_xlabel(f"algorithm: on how many of\n{len(bests)} tasks it may be the best")
    # Thin white lines between the cells.
    across, down = np.arange(0.5, len(bests) - 1), np.arange(0.5, len(standings) - 1)
    right, bottom = len(standings) - 0.5, len(bests) - 0.5
    ax.hlines(across, -0.5, right, colors="white", linewidth=0.6)
    ax.vlines(down, -0.5, bottom, colors="white", linewidth=0.6)
    ax.set(xlim=(-0.5, right), ylim=(bottom, -0.5))
    ax.spines[:].set_visible(False)
    figure = ax.get_figure()
    assert figure is not None  # noqa: S101 (Axes that can be drawn on are in a figure)
    # Inside the Axes, so that the figure still has one: labels of a page go to the last.
    place = ax.inset_axes((1.02, 0.2, 0.03, 0.6))
    bar = figure.colorbar(image, cax=place, ticks=[0, 1])
    what = "rank" if show == "ranks" else "score"
    bar.ax.set_yticklabels([f"worst\n{what}", f"best\n{what}"], fontsize="small")
    bar.ax.tick_params(length=0)
    bar.outline.set_visible(False)
    legend = {
        "leads": _dot("black", 6, filled=True),
        "may be the best too": _dot("black", 6, filled=False),
        f"no dot: adjusted p ≤ {bests.alpha:g}": _dot("none", 6, filled=True),
    }
    legend_below(ax, list(legend.values()), list(legend))
    return ax


def map_size(bests: Bests) -> tuple[float, float]:
    """Return the size of a figure, in inches, with room for every task and algorithm."""
    width = min(max(3.4 + 0.45 * len(bests.algorithms), 6.0), MAX_WIDTH)
    return width, min(3.2 + 0.21 * len(bests), MAX_HEIGHT)


def _dot(colour: str, size: float, *, filled: bool) -> Line2D:
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"marker": "o", "markersize": size, "linestyle": ""}
    return Line2D([], [], color=colour, markerfacecolor=colour if filled else "none", **look)


def _by_rank(bests: Bests) -> Floats:
    """Return 1 for the first rank of a task, and 0 for the last."""
    n_ranked = np.sum(~np.isnan(bests.ranks), axis=1, keepdims=True)
    return np.asarray(1 - (bests.ranks - 1) / (n_ranked - 1))


def _by_score(bests: Bests) -> Floats:
    """Return 1 for the best mean of a task, 0 for the worst, and 0.5 where all are equal."""
    means = bests.means if bests.higher_is_better else -bests.means
    low = np.nanmin(means, axis=1, keepdims=True)
    spread = np.nanmax(means, axis=1, keepdims=True) - low
    shares = np.where(np.isnan(means), np.nan, 0.5)
    np.divide(means - low, spread, out=shares, where=(spread > 0) & ~np.isnan(means))
    return shares


def _colours() -> Colormap:
    from matplotlib.colors import LinearSegmentedColormap

    colours = [WORSE_COLOUR, "#F2F2F2", CLEAR_COLOUR]
    return LinearSegmentedColormap.from_list("worse to better", colours)


# --- Pictures of which algorithms may be the best.


def plot_best(best: Best, ax: Axes | None = None) -> Axes:
    """Draw how far each algorithm is from the leader, and which may be the best.

    Draws on the current Axes if none are given, and returns the Axes.
    """
    check_drawn(best, Best, "plot_best() draws what best() found")
    ax = axes_or_current(ax, forest_size(len(best.rows)))

    def row(contender: Contender) -> Row:
        marker = "o" if contender.contends else "s"
        right = p_cell(contender.pvalue_adjusted)
        if contender.name == best.leader:
            marker = "D"
        elif contender.difference is None:
            right = "not compared"
        return Row(
            label_text(contender.name, 32).strip(),
            contender.difference,
            contender.interval,
            right,
            CLEAR_COLOUR if contender.contends else WORSE_COLOUR,
            marker,
            filled=marker != "o",
        )

    forest(ax, [row(contender) for contender in best.rows], "adjusted p")
    level = f"{100 * (1 - best.alpha):.6g}%"
    side = "" if best.higher_is_better else "; lower is better"
    intervals = f"one-sided interval\n({level} for all of them together"
    if best.adjust == "closed":
        intervals = f"{level} interval\n(of the two alone; without 0 only where ruled out"
    ax.set_xlabel(f"difference in height to the leader, with {intervals}{side})")
    handles = [point("leader", CLEAR_COLOUR, "D")]
    if len(best.contenders) > 1:
        handles.append(point("may be the best too", CLEAR_COLOUR, filled=False))
    if best.worse:
        handles.append(point(f"worse (adjusted p ≤ {best.alpha:g})", WORSE_COLOUR, "s"))
    legend_above(ax, handles)
    return ax


def figure(best: Best | Bests, _curves: Curves | None = None) -> Figure:
    """Draw the contenders, or the map of all tasks, in a figure of fitting size."""
    if isinstance(best, Bests):
        return one_axes(plot_bests, best, map_size(best))
    return one_axes(plot_best, best, forest_size(len(best.rows)))
