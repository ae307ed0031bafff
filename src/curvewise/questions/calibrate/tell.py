"""How often tests cry wolf, in words a person can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curvewise.data.checks import check_drawn
from curvewise.questions.calibrate.result import PROCEDURES, Calibration
from curvewise.rendering.figures import COLOURS, axes_or_current, label_text, one_axes
from curvewise.rendering.forest import legend_above
from curvewise.text import percent, plural, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from curvewise.data.curves import Curves
    from curvewise.questions.calibrate.result import ProcedureRate


def describe(calibration: Calibration) -> str:
    """Say how often each test announced a difference between halves of the same runs."""
    *measured, own = calibration.rows
    first, *others = measured
    *between, last = [f"{PROCEDURES[row.procedure].subject} in {_share(row)}" for row in others]
    of_own = (
        f"find one in {_share(own)} by construction (fewer where runs tie), whatever the runs "
        "are: that follows from how many there are, and proves nothing about them."
    )
    if not own.n_found:
        of_own = (
            "find none, by construction, whatever the runs are: between halves of so few no p "
            "can be as small as alpha."
        )
    by_splits = " of splits" if first.is_rate else " splits"
    return (
        f"Splitting {_whose(calibration)} in two at random, as if they were two algorithms, "
        f"{PROCEDURES[first.procedure].subject} would have announced a difference in "
        f"{_share(first)}{by_splits}, {', '.join(between)} and {last}. There is none to find, "
        f"and each test promises one in {percent(calibration.alpha)} at most. curvewise's exact "
        f"tests {of_own}"
    )


def _share(row: ProcedureRate) -> str:
    if not row.is_rate:
        return f"{row.n_found:,} of {row.n_splits:,}"
    share = f"{100 * row.rate:.1f}%"
    return share if row.by_construction else f"{share} (± {100 * row.sd:.0f})"


def _whose(calibration: Calibration) -> str:
    members = calibration.algorithms
    if len(members) > 1:
        return f"the runs of each of {len(members)} algorithms"
    ((name, own),) = members.items()
    return f"the {plural(own.n_runs, 'run')} of {printable(name)}"


# --- A picture of how often tests cry wolf: a bar for each.

MEASURED, CONSTRUCTED = COLOURS[6], "0.45"
MAX_NAMED = 3  # algorithms that the legend names


def plot_calibration(result: Calibration, ax: Axes | None = None) -> Axes:
    """Draw a bar for each procedure: in which share of splits it found a difference.

    Lines are how far that varies between sets of runs, dots the algorithms by themselves. What
    holds by construction is not filled; the line is what the tests promise.
    """
    check_drawn(result, Calibration, "plot_calibration() draws what calibrate() found")
    ax = axes_or_current(ax, (8, 3.4))
    for place, row in enumerate(result.rows):
        _bar(ax, place, row)
    if len(result.algorithms) > 1:
        _dots(ax, result)
    label = f"promised: {percent(result.alpha)}"
    ax.axvline(result.alpha, color="black", linewidth=1, linestyle="--", label=label, zorder=4)
    ax.set_yticks(range(len(result.rows)), [row.title for row in result.rows])
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    ax.set_xlabel("splits in which a difference was found, though there is none")
    ax.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    legend_above(ax, n_columns=4, title=_whose_names(result))
    return ax


def figure(result: Calibration, _curves: Curves | None = None) -> Figure:
    """Draw what `plot_calibration` draws."""
    return one_axes(plot_calibration, result, (8, 3.6))


def _bar(ax: Axes, place: int, row: ProcedureRate) -> None:
    look: dict[str, Any] = {"color": MEASURED, "alpha": 0.75}
    label = "measured" if place == 0 else None
    if row.by_construction:
        look = {"facecolor": "none", "edgecolor": CONSTRUCTED, "hatch": "////"}
        label = "by construction"
    ax.barh(place, row.rate, height=0.62, label=label, **look)
    if row.is_rate and not row.by_construction:
        low, high = max(row.rate - row.sd, 0.0), min(row.rate + row.sd, 1.0)
        ax.plot([low, high], [place, place], color="0.2", linewidth=1.4, zorder=3)
    text = f"{row.rate:.1%}" if row.is_rate else f"{row.n_found:,} of {row.n_splits:,} splits"
    small: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": "small"}
    ax.annotate(text, (1, place), (8, 0), xycoords=("axes fraction", "data"), **small)


def _dots(ax: Axes, result: Calibration) -> None:
    """Draw each algorithm by itself."""
    dots = [
        (row.rate, place + 0.2)
        for own in result.algorithms.values()
        for place, row in enumerate(own.rates)
        if not row.by_construction
    ]
    look: dict[str, Any] = {"color": "white", "markeredgecolor": "0.2", "markersize": 4.5}
    points = zip(*dots, strict=True)
    ax.plot(*points, "o", label="each algorithm", clip_on=False, zorder=5, **look)


def _whose_names(result: Calibration) -> str:
    names = [
        f"{label_text(name, 24).strip()} ({own.n_runs} runs)"
        for name, own in list(result.algorithms.items())[:MAX_NAMED]
    ]
    more = len(result.algorithms) - len(names)
    return f"Halves of {', '.join(names)}" + (f" and {more} more" if more else "")
