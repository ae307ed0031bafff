"""A picture of the tables, and Figures 3 to 7 of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from scipy import special

from studies.piater1997.power import AT_SIZE, AT_STRETCH
from studies.piater1997.profiles import PROFILES
from studies.piater1997.published import ALPHA, COMPARED, PUBLISHED, PUBLISHED_POWER
from studies.piater1997.published_tables import printed_numbers
from studies.piater1997.quantile_ranges import joint_ranges
from studies.piater1997.replications import N_SHUFFLES_PICTURED
from studies.report import Picture
from studies.sources.td_tictactoe import STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    import curvewise as cw
    from studies.piater1997.heights import Heights
    from studies.piater1997.power import Power
    from studies.piater1997.profiles import Profiles
    from studies.piater1997.replications import Replications

__all__ = ["curves_picture", "null_picture", "power_picture", "profiles_picture", "tables_picture"]

Floats = npt.NDArray[np.float64]

FIRST, SECOND, PUBLISHED_COLOUR, PALE = "#0072b2", "#d55e00", "#000000", "#9ecae1"
MAX_DENSITY = 1.2


def tables_picture(replicated: Mapping[str, Replications]) -> Picture:
    """Draw the ranges of each table relative to the published values."""
    figure = Figure(figsize=(10, 6.4), layout="constrained")
    for ax, name in zip(figure.subplots(2, 2).flat, COMPARED, strict=True):
        _draw_ratios(ax, replicated[name])
    return Picture(
        "tables",
        "Tables 1 to 4: the ranges of the replications by which claims are judged (line) and "
        "their medians (dot), divided by the published value (1, dashed). Orange: the "
        "published value lies outside. A published 0 has no ratio and is left out.",
        figure,
    )


def _draw_ratios(ax: Axes, replicated: Replications) -> None:
    rows = [
        (f"{column} {each.source}", each.published, ours)
        for column, numbers in printed_numbers(replicated).items()
        if column != "p"
        for each, ours in zip(
            numbers, joint_ranges([each.values for each in numbers]).ranges, strict=True
        )
        if each.published > 0
    ]
    for index, (_, published, ours) in enumerate(rows):
        colour = FIRST if ours.contains(published) else SECOND
        ends = [ours.low / published, ours.high / published]
        ax.plot(ends, [index, index], color=colour, linewidth=3, solid_capstyle="butt")
        ax.plot(ours.median / published, index, "o", color=colour, markersize=5)
    ax.axvline(1, color=PUBLISHED_COLOUR, linestyle="--", linewidth=1)
    ax.set_yticks(range(len(rows)), [row[0] for row in rows])
    ax.invert_yaxis()
    ax.set_xscale("log")
    lowest = min(ours.low / published for _, published, ours in rows)
    highest = max(ours.high / published for _, published, ours in rows)
    # The same limits for all tables, widened only where a table needs it.
    ax.set_xlim(min(0.03, lowest / 1.3), max(5.0, highest * 1.3))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    _label_axes(
        ax, f"{replicated.name}: {', '.join(COMPARED[replicated.name])}", "replications / published"
    )


def curves_picture(replication: Floats, all_runs: Heights) -> Picture:
    """Draw ten curves of A1 with ten of A2, and with ten of A3."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for ax, index, name in zip(axes, (1, 2), ("A2", "A3"), strict=True):
        for position, colour, style, label in ((0, FIRST, "-", "A1"), (index, SECOND, "--", name)):
            ax.plot(STEPS, replication[position].T, style, color=colour, linewidth=0.7, alpha=0.6)
            mean = all_runs.curves[label]
            ax.plot(STEPS, mean, style, color=colour, linewidth=2.5, label=label)
        number = {"A2": 3, "A3": 5}[name]
        _label_axes(ax, f"Figure {number}: A1 and {name}", "training games")
        ax.legend(loc="lower right")
    axes[0].set_ylabel("score of 100 test games")
    n_runs = len(all_runs.runs["A1"])
    return Picture(
        "curves",
        "Figures 3 and 5: ten learning curves of A1 (solid), and of A2 or A3 (dashed). "
        f"Thick: the mean of all {n_runs:,} runs of each.",
        figure,
    )


def null_picture(example: cw.Comparison) -> Picture:
    """Draw the shuffled F of one table with the conventional F distribution."""
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    for ax, name in zip(figure.subplots(1, 2), ("algorithm", "interaction"), strict=True):
        effect = example.effects["pooled"][name]
        published = PUBLISHED["Table 1"][name]["f"]
        widest = float(np.quantile(effect.null_distribution, 0.999))
        top = 1.1 * max(widest, published, effect.statistic)
        ax.hist(
            effect.null_distribution,
            bins=np.linspace(0, top, 60),
            density=True,
            color=PALE,
            label="shuffled",
        )
        grid = np.linspace(top / 200, top, 400)
        ax.plot(grid, _f_density(grid, *effect.df), color="#555555", label="conventional")
        ax.axvline(effect.statistic, color=SECOND, label="observed here")
        ax.axvline(published, color=PUBLISHED_COLOUR, linestyle="--", label="published")
        ax.set_ylim(0, MAX_DENSITY)
        _label_axes(ax, f"{name}: p = {effect.pvalue:.3f} here", "F", "density")
    _legend(figure, ax)
    return Picture(
        "null",
        f"Figure 4: F of {N_SHUFFLES_PICTURED:,} shuffled tables of A1 and A2 (bars), the conventional "
        "F distribution (line), F observed here and F published. Densities are cut at "
        f"{MAX_DENSITY}.",
        figure,
    )


def _f_density(x: Floats, df: float, df_error: float) -> Floats:
    ratio = df / df_error
    log = (
        df / 2 * np.log(ratio)
        + (df / 2 - 1) * np.log(x)
        - (df + df_error) / 2 * np.log1p(ratio * x)
        - special.betaln(df / 2, df_error / 2)
    )
    return np.asarray(np.exp(log))


def profiles_picture(found: Profiles, shown: int) -> Picture:
    """Draw the sums of squares at each level, and their cumulative share."""
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    titles = {
        "differences": "differences (SS algorithm + SS interaction)",
        "interaction": "SS interaction",
    }
    for ax, (effect, name) in zip(figure.subplots(1, 2), PROFILES.items(), strict=True):
        indices = np.arange(len(STEPS))
        ax.bar(indices, found.ss[effect][shown], color=PALE)
        ax.set_xticks(indices, [f"{step:,}" for step in STEPS], fontsize=9)
        _label_axes(ax, titles[name], "training games", "sum of squares (bars)")
        share = ax.twinx()
        low, high = np.quantile(found.share[effect], [0.05, 0.95], axis=0)
        share.fill_between(indices, low, high, color=SECOND, alpha=0.15, linewidth=0)
        share.plot(indices, found.share[effect][shown], "o-", color=SECOND, markersize=4)
        share.set_ylim(0, 1.05)
        share.set_ylabel("share so far (line)", color=SECOND)
    return Picture(
        "profiles",
        "Section 5: sums of squares of A1 and A2 at each level (bars), and their share up to "
        "it (line; shaded: the middle 90 % of the replications).",
        figure,
    )


def power_picture(by_stretch: Power, by_size: Power) -> Picture:
    """Draw power against the stretch, and against the number of curves."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for ax, power, label, position in (
        (axes[0], by_stretch, "stretch s (l = 10)", AT_STRETCH),
        (axes[1], by_size, "curves per algorithm l (s = 1.1)", AT_SIZE),
    ):
        for values, colour, style, name in (
            (power.algorithm, FIRST, "o-", "algorithm"),
            (power.interaction, SECOND, "s--", "interaction"),
        ):
            low, high = np.quantile(values, [0.05, 0.95], axis=0)
            ax.fill_between(power.points, low, high, color=colour, alpha=0.15, linewidth=0)
            ax.plot(power.points, values.mean(axis=0), style, color=colour, label=name)
        ax.plot(
            position,
            PUBLISHED_POWER,
            "x",
            color=PUBLISHED_COLOUR,
            markersize=11,
            markeredgewidth=2.5,
            linestyle="none",
            label="published, algorithm",
        )
        ax.axhline(ALPHA, color="#999999", linewidth=0.8, linestyle=":")
        ax.set_ylim(0, 1.03)
        _label_axes(ax, power.name, label)
    _legend(figure, ax)
    axes[0].set_ylabel("power")
    axes[1].set_xticks(by_size.points)
    return Picture(
        "power",
        "Figures 6 and 7: power against the stretch and against the number of curves. "
        f"Shaded: the middle 90 % of {by_stretch.experiments}. Cross: the point the text "
        f"of the report gives, which is in both. Dotted: {ALPHA}.",
        figure,
    )


def _label_axes(ax: Axes, title: str, x: str, y: str = "") -> None:
    ax.set_title(title, fontsize=11)
    ax.set_xlabel(x)
    if y:
        ax.set_ylabel(y)


def _legend(figure: Figure, ax: Axes) -> None:
    """Draw one legend below all panels, where it covers no data."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
