"""The report's tables and figures, put together: claims, tables and pictures."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from scipy import special

import curvewise as cw
from studies.piater1997.power import (
    PUBLISHED_POWER,
    measure,
    power_claims,
    power_sheet,
)
from studies.piater1997.tables import (
    COMPARED,
    PUBLISHED,
    arithmetic,
    band,
    band_sheet,
    compared,
    counts,
    deal,
    replicate,
    shares,
    slips,
    table_claims,
    trained,
)
from studies.report import Claim, Picture, Sheet, Study
from studies.sources.td_tictactoe import STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from studies.piater1997.power import Power
    from studies.piater1997.tables import Replications

__all__ = ["study"]

Floats = npt.NDArray[np.float64]

FIRST, SECOND, PUBLISHED_COLOUR = "#0072b2", "#d55e00", "#000000"
EFFECTS = ("algorithm", "interaction")


def study(*, seed: int = 1997, quick: bool = False) -> Study:
    """Re-make Tables 1 to 4 and Figures 3 to 7, and judge what the report says of them."""
    started = time.perf_counter()
    pool = trained(seed, quick=quick)
    curves = deal(pool, seed, quick=quick)
    made = replicate(curves, seed, quick=quick)
    by_stretch, by_size = measure(pool[0], seed, quick=quick)
    # Pictures of single tables show the first replication, whatever it came out as.
    example = cw.compare(
        compared(curves[0], COMPARED["Table 1"]),
        error="pooled",
        exact=False,
        n_shuffles=9_999,
        rng=seed,
    )
    where = cw.locate(compared(curves[0], COMPARED["Table 1"]), windows=False, rng=seed)
    up_to = {effect: shares(curves, effect) for effect in EFFECTS}
    sums, sums_sheet = arithmetic()
    counted, counted_sheet = counts()
    claims = (
        sums,
        counted,
        *slips(example),
        *table_claims(made),
        _profile_claim(example, where),
        *power_claims(by_stretch, by_size),
    )
    sheets = (
        *(band_sheet(made[name]) for name in COMPARED),
        sums_sheet,
        counted_sheet,
        _profile_sheet(where, up_to),
        power_sheet(by_stretch, "stretch s, l = 10"),
        power_sheet(by_size, "curves l, s = 1.1"),
    )
    return Study(
        name="piater1997",
        title="Piater & Cohen (1997): the report's tables and power",
        paragraphs=_paragraphs(len(curves), pool.shape[1], quick=quick),
        claims=claims,
        sheets=sheets,
        pictures=_pictures(curves[0], made, example, where, up_to, by_stretch, by_size),
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )


def _paragraphs(n_replications: int, n_curves: int, *, quick: bool) -> tuple[str, ...]:
    dealt = (
        f"This quick form deals its {n_replications} tables out of {n_curves} curves per "
        "algorithm, so they share runs and its ranges are rough."
        if quick
        else f"No two of the {n_replications} replications share a run."
    )
    return (
        (
            "The report compares TD(0) learners of tic-tac-toe with three learning rates, ten "
            "runs of each. It does not list its scores; here each table is made again from "
            f"fresh runs, {n_replications} times, and a published number agrees when it lies in the middle "
            f"90 % of the replications. {dealt}"
        ),
        (
            "What one draw of runs has and another has not, such as a significant p, agrees when "
            "at least 90 % of the replications have it, differs when at most 10 % do, and "
            "otherwise cannot be known from one table."
        ),
        (
            "The report states neither how much its learner explores, nor its first values, nor "
            "who starts. These were chosen to give scores of its magnitude, so it is no "
            "evidence for the choice that sums of squares for training agree."
        ),
        (
            "All tables use the report's pooled error. Figures 3 to 5 show the first "
            "replication; Figures 6 and 7 are published as pictures without numbers, and the "
            "text gives one of their points, which is marked."
        ),
    )


def _profile_claim(example: cw.Comparison, where: cw.Location) -> Claim:
    """Ask what the sum of squares for algorithm is a sum over levels of."""
    ss = example.ss
    total = float(where.effects["algorithm"].profile.sum())
    shape = float(where.effects["interaction"].profile.sum())
    literal = bool(np.isclose(total, ss["algorithm"]))
    whole = bool(np.isclose(total, ss["algorithm"] + ss["interaction"]))
    return Claim(
        "Section 5",
        "Stopping the sum over levels of SS algorithm shows where the curves differ",
        "SS algorithm",
        f"differences at each level sum to {total:.1f}; SS algorithm is "
        f"{ss['algorithm']:.1f}, SS interaction {ss['interaction']:.1f} "
        f"(its profile sums to {shape:.1f})",
        "agrees" if literal else "differs",
        "SS algorithm adds the same amount at every level, so its share up to level h is "
        "always h/k. "
        + (
            "The sum that can be stopped is that of SS algorithm and SS interaction "
            "together, and the argument holds for it."
            if whole
            else ""
        ),
    )


def _profile_sheet(where: cw.Location, up_to: Mapping[str, Floats]) -> Sheet:
    rows = []
    for place, step in enumerate(STEPS):
        cells = [str(step)]
        for effect in EFFECTS:
            found = where.effects[effect]
            spread = band(up_to[effect][:, place])
            cells += [
                f"{found.profile[place]:.1f}",
                f"{found.cumulative_share[place]:.2f}",
                f"{spread.low:.2f} to {spread.high:.2f}",
            ]
        rows.append(tuple(cells))
    columns = ("SS", "share so far", "5 % to 95 %")
    return Sheet(
        "Where A1 and A2 differ: profiles of sums of squares",
        (
            "games",
            *(f"differences, {each}" for each in columns),
            *(f"interaction, {each}" for each in columns),
        ),
        tuple(rows),
        "The first replication, and the range of all of them.",
    )


def _pictures(
    replication: Floats,
    made: Mapping[str, Replications],
    example: cw.Comparison,
    where: cw.Location,
    up_to: Mapping[str, Floats],
    by_stretch: Power,
    by_size: Power,
) -> tuple[Picture, ...]:
    return (
        Picture(
            "tables",
            "Tables 1, 3 and 4: the middle 90 % of the replications (line) and their median "
            "(dot), each divided by the published value (1, dashed).",
            _bands_figure(made),
        ),
        Picture(
            "curves",
            "Figures 3 and 5: ten learning curves of A1 (solid), and of A2 or A3 (dashed).",
            _curves_figure(replication),
        ),
        Picture(
            "null",
            "Figure 4: F of the shuffled tables of A1 and A2 (bars), the conventional F "
            "distribution (line), F observed here and F published.",
            _null_figure(example),
        ),
        Picture(
            "profiles",
            "Section 5: sums of squares at each step in the first replication (bars), and "
            "their share up to each step (line; shaded: the middle 90 % of replications).",
            _profiles_figure(where, up_to),
        ),
        Picture(
            "power",
            "Figures 6 and 7: power against the stretch s (l = 10) and the number of curves "
            "l (s = 1.1). Shaded: the middle 90 % of experiments of the report's size. "
            "Cross: the point its text gives, algorithm effect.",
            _power_figure(by_stretch, by_size),
        ),
    )


def _bands_figure(made: Mapping[str, Replications]) -> Figure:
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    names = ("Table 1", "Table 3", "Table 4")
    axes = figure.subplots(1, len(names), sharex=True)
    for ax, name in zip(axes, names, strict=True):
        said, ours_by = PUBLISHED[name], made[name]
        sources = ("interaction", "algorithm", "training", "error")
        rows = [(f"SS {each}", said[each]["ss"], ours_by.ss[each]) for each in sources]
        rows += [(f"F {each}", said[each]["f"], ours_by.f[each]) for each in sources[:2]]
        rows = [row for row in rows if row[1] > 0]  # 0 in Table 4 has no ratio
        for place, (_, published, values) in enumerate(rows):
            ours = band(values)
            ends = [ours.low / published, ours.high / published]
            ax.plot(ends, [place, place], color=FIRST, linewidth=3, solid_capstyle="butt")
            ax.plot(ours.median / published, place, "o", color=FIRST, markersize=7)
        ax.axvline(1, color=PUBLISHED_COLOUR, linestyle="--", linewidth=1)
        ax.set_yticks(range(len(rows)), [row[0] for row in rows])
        ax.invert_yaxis()
        ax.set_xscale("log")
        ax.set_xlim(0.01, 10)
        ax.set_title(f"{name}: {', '.join(COMPARED[name])}", fontsize=11)
        ax.set_xlabel("replications / published")
    return figure


def _curves_figure(replication: Floats) -> Figure:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for ax, place, name in zip(axes, (1, 2), ("A2", "A3"), strict=True):
        for curves, colour, style, label in (
            (replication[0], FIRST, "-", "A1"),
            (replication[place], SECOND, "--", name),
        ):
            lines = ax.plot(STEPS, curves.T, style, color=colour, linewidth=0.9)
            lines[0].set_label(label)
        ax.set_xlabel("training games")
        ax.set_title(f"A1 and {name}", fontsize=11)
        ax.legend(loc="lower right")
    axes[0].set_ylabel("score of 100 test games")
    return figure


def _null_figure(example: cw.Comparison) -> Figure:
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    for ax, effect in zip(figure.subplots(1, 2), EFFECTS, strict=True):
        found = example.effects["pooled"][effect]
        published = PUBLISHED["Table 1"][effect]["f"]
        widest = max(float(np.quantile(found.null_distribution, 0.999)), published)
        top = 1.1 * max(widest, found.statistic)
        ax.hist(
            found.null_distribution,
            bins=np.linspace(0, top, 60),
            density=True,
            color="#9ecae1",
            label="shuffled",
        )
        grid = np.linspace(top / 200, top, 400)
        ax.plot(grid, _f_density(grid, *found.df), color="#555555", label="conventional")
        ax.axvline(found.statistic, color=SECOND, label="observed here")
        ax.axvline(published, color=PUBLISHED_COLOUR, linestyle="--", label="published")
        ax.set_ylim(0, 1.2)
        _name(ax, f"{effect}: p = {found.pvalue:.3f} here", "F", "density")
        ax.legend()
    return figure


def _f_density(x: Floats, df: float, df_error: float) -> Floats:
    ratio = df / df_error
    log = (
        df / 2 * np.log(ratio)
        + (df / 2 - 1) * np.log(x)
        - (df + df_error) / 2 * np.log1p(ratio * x)
        - special.betaln(df / 2, df_error / 2)
    )
    return np.asarray(np.exp(log))


def _profiles_figure(where: cw.Location, up_to: Mapping[str, Floats]) -> Figure:
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    titles = {"algorithm": "differences at each step", "interaction": "interaction"}
    for ax, effect in zip(figure.subplots(1, 2), EFFECTS, strict=True):
        found = where.effects[effect]
        places = np.arange(len(STEPS))
        ax.bar(places, found.profile, color="#9ecae1")
        ax.set_xticks(places, [f"{step:,}" for step in STEPS])
        _name(ax, titles[effect], "training games", "sum of squares")
        share = ax.twinx()
        low, _, high = np.quantile(up_to[effect], [0.05, 0.5, 0.95], axis=0)
        share.fill_between(places, low, high, color=SECOND, alpha=0.15, linewidth=0)
        share.plot(places, found.cumulative_share, "o-", color=SECOND, markersize=4)
        share.set_ylim(0, 1.05)
        share.set_ylabel("share so far", color=SECOND)
    return figure


def _power_figure(by_stretch: Power, by_size: Power) -> Figure:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    labels = ("stretch s", "curves per algorithm l")
    for ax, power, label, at in zip(
        axes, (by_stretch, by_size), labels, (1.1, 10), strict=True
    ):
        for values, colour, style, name in (
            (power.algorithm, FIRST, "o-", "algorithm"),
            (power.interaction, SECOND, "s--", "interaction"),
        ):
            low, high = np.quantile(values, [0.05, 0.95], axis=0)
            ax.fill_between(
                power.points, low, high, color=colour, alpha=0.15, linewidth=0
            )
            ax.plot(power.points, values.mean(axis=0), style, color=colour, label=name)
        ax.plot(
            at,
            PUBLISHED_POWER,
            "x",
            color=PUBLISHED_COLOUR,
            markersize=11,
            markeredgewidth=2.5,
            linestyle="none",
            label="published",
        )
        ax.axhline(0.05, color="#999999", linewidth=0.8, linestyle=":")
        ax.set_ylim(0, 1.03)
        ax.set_title(power.name, fontsize=11)
        ax.set_xlabel(label)
        ax.legend(loc="lower right")
    axes[0].set_ylabel("power")
    axes[1].set_xticks(by_size.points)
    return figure


def _name(ax: Axes, title: str, x: str, y: str) -> None:
    ax.set_title(title, fontsize=11)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
