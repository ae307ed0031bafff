"""Figures of the mechanism, of false alarms and of power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from studies.error_terms.bounds import MIN_LOSS
from studies.error_terms.designs import (
    ABSENT_EFFECT,
    ADDED,
    DESIGNS,
    DOMAINS,
    DRAWS,
    KINDS,
    LIMIT_SIZES,
    PRESENT_EFFECT,
)
from studies.error_terms.mechanism import EXAMPLE, UNREMARKABLE
from studies.error_terms.shuffles import ALPHA, ERRORS
from studies.report import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from studies.error_terms.measuring import Measured
    from studies.error_terms.mechanism import Mechanism
    from studies.error_terms.rates import Rates


__all__ = ["pictures"]

COLOURS = {"pooled": "#D55E00", "split": "#0072B2"}
MARKERS = {"pooled": "o", "split": "s"}


def pictures(measured: Measured) -> tuple[Picture, ...]:
    """Draw the mechanism, the false alarms and the power."""
    low, high = (f"{p:.1f}".removeprefix("0") for p in UNREMARKABLE)
    return (
        Picture(
            "mechanism",
            f"One data set, {EXAMPLE.n_runs} + {EXAMPLE.n_runs} AR(1) curves of "
            f"{EXAMPLE.n_steps} steps without any effect at size 0 (the first drawn in which "
            f"every p is between {low} and {high}). Solid: the observed F of the effect that "
            f"is not there. Dashed: its critical value, from {EXAMPLE.n_shuffles:,} shuffles. "
            "What is added to one algorithm leaves the observed F as it is. With the pooled term "
            "it changes the critical value, about as the mean of MS_error* would have it "
            "(dotted); a chance difference between the groups may first be made smaller. An "
            "effect is found where the solid line is above the dashed one.",
            _draw_mechanism(measured.mechanism),
        ),
        Picture(
            "ar1",
            "AR(1) curves: how often an effect is found that is not there, against the size "
            "of the one that is. Dotted: the pooled term with very many runs, by the "
            "formula. Grey dashes: α. Bars: 95 per cent.",
            _draw_autoregressive(measured),
        ),
        Picture(
            "papers",
            "Cases a and b of Figure 6 of the 1998 paper, each without one of the effects: "
            "how often it is found all the same. Filled: disjoint draws; open: overlapping "
            "draws, as in the paper. Grey dashes: α. Bars: 95 per cent.",
            _draw_papers(measured),
        ),
        Picture(
            "power",
            "Power for the effect that is there, AR(1) curves: both error terms (top; grey "
            "dashes: α), and how much more often split finds it (bottom; paired, bars 95 per "
            "cent; grey dashes: the loss that would count as one).",
            _draw_power(measured),
        ),
    )


def _axes(
    n_rows: int, n_columns: int, height: float, *, sharey: Literal["all", "row", "none"] = "all"
) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, height), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, sharey=sharey, squeeze=False)
    for each in axes.flat:
        each.spines[["top", "right"]].set_visible(False)
        each.tick_params(labelsize=8)
    return figure, axes


def _draw_rates(axes: Axes, rates: Rates, effect: str, error: str, **style: Any) -> None:
    share = rates.share(effect, error)
    ends = np.array(rates.interval(effect, error)).T
    axes.errorbar(
        rates.sizes,
        share,
        yerr=np.abs(ends - share),
        color=COLOURS[error],
        marker=MARKERS[error],
        linewidth=1.4,
        elinewidth=0.9,
        **{"markersize": 4, **style},
    )


def _draw_mechanism(mechanism: Mechanism) -> Figure:
    figure, axes = _axes(1, 2, 3.6)
    sizes = mechanism.sizes
    for panel, kind in zip(axes[0], KINDS, strict=True):
        for error in ERRORS:
            colour = COLOURS[error]
            critical = mechanism.critical[kind, error]
            observed = mechanism.observed[kind, error]
            # The two error terms give F on different scales: divide by the critical F at size 0.
            unit = critical[0]
            panel.plot(sizes, observed / unit, color=colour, label=f"{error}: observed F")
            panel.plot(sizes, critical / unit, "--", color=colour, label=f"{error}: critical F")
        panel.plot(sizes, mechanism.expected[kind], ":", color="#555555", label="by MS_error*")
        panel.set_ylim(bottom=0)
        panel.set_xlabel(f"{ADDED[kind]}, SD of a score", fontsize=9)
        panel.set_title(f"F of the {ABSENT_EFFECT[kind]} effect, which is not there", fontsize=10)
    axes[0, 0].set_ylabel("F, in critical F at size 0", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8, frameon=False)
    return figure


def _draw_autoregressive(measured: Measured) -> Figure:
    figure, axes = _axes(2, 2, 5.8)
    for column, name in enumerate(DESIGNS):
        axes[0, column].set_title(name, fontsize=10)
        for row, kind in enumerate(KINDS):
            panel = axes[row, column]
            rates = measured.autoregressive[name, kind]
            for error in ERRORS:
                _draw_rates(panel, rates, ABSENT_EFFECT[kind], error, label=error)
            panel.plot(
                LIMIT_SIZES,
                measured.limiting_rates[name, kind],
                ":",
                color=COLOURS["pooled"],
                label="pooled, very many runs",
            )
            _finish(panel, f"{ADDED[kind]}, SD of a score")
        for row, kind in enumerate(KINDS):
            axes[row, 0].set_ylabel(f"{ABSENT_EFFECT[kind]} effect found, share", fontsize=9)
    limit, *others = zip(*axes[0, 0].get_legend_handles_labels(), strict=True)
    handles, labels = zip(*others, limit, strict=True)
    axes[0, 0].legend(handles, labels, fontsize=8, frameon=False)
    return figure


def _finish(panel: Axes, label: str) -> None:
    panel.axhline(ALPHA, color="#555555", linestyle="--", linewidth=0.8, zorder=0)
    panel.set_ylim(-0.02, 1.02)
    panel.set_xlabel(label, fontsize=9)


def _draw_papers(measured: Measured) -> Figure:
    figure, axes = _axes(2, 3, 5.4)
    for column, (name, label) in enumerate(DOMAINS.items()):
        axes[0, column].set_title(label, fontsize=10)
        for row, case in enumerate("ab"):
            panel = axes[row, column]
            for draw, overlapping in DRAWS.items():
                style = {"markerfacecolor": "white", "alpha": 0.8} if overlapping else {}
                for error in ERRORS:
                    rates = measured.papers[name, case, draw]
                    named = f"{error}, {draw}"
                    _draw_rates(panel, rates, ABSENT_EFFECT[case], error, label=named, **style)
            what = "lifted" if case == "a" else "turned"
            _finish(panel, f"f of M_{case} ({what})")
    axes[0, 0].set_ylabel("interaction effect found, share", fontsize=9)
    axes[1, 0].set_ylabel("algorithm effect found, share", fontsize=9)
    axes[0, 2].legend(fontsize=8, frameon=False, loc="upper left")
    return figure


def _draw_power(measured: Measured) -> Figure:
    figure, axes = _axes(2, 4, 4.8, sharey="row")
    for column, ((name, kind), rates) in enumerate(measured.autoregressive.items()):
        top, bottom = axes[:, column]
        effect = PRESENT_EFFECT[kind]
        for error in ERRORS:
            # Open circles around squares, so that both show where they coincide.
            style = {"markerfacecolor": "none", "markersize": 8, "zorder": 4}
            style = style if error == "pooled" else {}
            _draw_rates(top, rates, effect, error, label=error, **style)
        _finish(top, "")
        top.set_title(f"{name}\n{effect} effect", fontsize=9)
        gains = rates.gain(effect)
        middle = np.array([gain for gain, _ in gains])
        ends = np.array([interval for _, interval in gains]).T
        bottom.errorbar(
            rates.sizes, middle, yerr=np.abs(ends - middle), color="#333333", fmt="o", ms=4
        )
        bottom.axhline(0, color="#555555", linewidth=0.8, zorder=0)
        bottom.axhline(-MIN_LOSS, color="#555555", linestyle="--", linewidth=0.8, zorder=0)
        bottom.set_xlabel(f"{ADDED[kind]}, SD", fontsize=8)
    axes[0, 0].set_ylabel("effect found, share", fontsize=9)
    axes[1, 0].set_ylabel("split − pooled", fontsize=9)
    axes[0, 0].legend(fontsize=8, frameon=False, loc="center right")
    return figure
