"""Figures 3 to 6 of the paper, and the closed form against the counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from studies.piater1998 import power as power_figure
from studies.piater1998.closed_form import ALPHA
from studies.piater1998.counting import CONVENTIONAL, EFFECTS, SHUFFLE, SPLIT
from studies.piater1998.curve_pools import SOURCES
from studies.piater1998.formatting import NOMINAL, TOLERANCE
from studies.report import Picture
from studies.sources.modifications import CASES, modified

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from studies.piater1998.counting import Counts

__all__ = ["pictures"]

COLOURS = ("#d55e00", "#0072b2", "#009e73")


def pictures(counts: Counts) -> tuple[Picture, ...]:
    """Draw Figures 3, 4 and 5, the closed form against the counts, and Figure 6."""
    return (
        _one_learner(counts, CONVENTIONAL),
        _one_learner(counts, SHUFFLE),
        _modified(counts),
        _predictions(counts),
        _power(counts),
    )


def _one_learner(counts: Counts, test: int) -> Picture:
    figure = Figure(figsize=(9, 8), layout="constrained")
    axes = figure.subplots(len(SOURCES), 2, sharex="col")
    for row, (name, each) in enumerate(counts.one_learner.items()):
        for effect, label in enumerate(EFFECTS):
            axis: Axes = axes[row, effect]
            values = each[:, test, effect]
            high = max(float(v[:, test, effect].max()) for v in counts.one_learner.values())
            bins = np.linspace(0, max(high, 100) + 1, 41)
            axis.hist(values, bins=list(bins), color=COLOURS[test])
            axis.axvline(NOMINAL, color="black", linestyle=":", label="50, the level")
            if test == CONVENTIONAL:
                axis.axvline(
                    counts.predicted_rejections(name)[effect],
                    color="black",
                    label="closed form, mean",
                )
            axis.set_title(f"{SOURCES[name]}: {label}, mean {values.mean():.0f}", fontsize=10)
            axis.spines[["top", "right"]].set_visible(False)
    axes[0, 1].legend(frameon=False, fontsize=9)
    figure.supxlabel("rejections of 1000")
    figure.supylabel("repetitions")
    if test == CONVENTIONAL:
        return Picture(
            "figure-3",
            "Figure 3: how often the conventional F test rejects when one learner's curves "
            "are halved at random, with what the closed form predicts.",
            figure,
        )
    return Picture("figure-4", "Figure 4: the same, tested by shuffling whole curves.", figure)


def _modified(counts: Counts) -> Picture:
    figure = Figure(figsize=(10, 11), layout="constrained")
    axes = figure.subplots(len(CASES), 3, sharex="col")
    points = counts.modified_means
    for row, case in enumerate(CASES):
        axis: Axes = axes[row, 0]
        percent = np.arange(1, counts.chess.shape[1] + 1) * 5
        for factor in (0, 1, 2, 5, 10):
            mean = modified(counts.chess, case, factor).mean(axis=0)
            shade = str(0.75 - 0.075 * factor)
            axis.plot(percent, mean, color=shade, label=f"f = {factor}")
        axis.set_ylabel(f"case {case}\naccuracy, per cent")
        for effect, label in enumerate(EFFECTS):
            axis = axes[row, 1 + effect]
            for test, name in ((CONVENTIONAL, "conventional"), (SHUFFLE, "shuffle test")):
                axis.plot(
                    counts.factors,
                    points[row, :, test, effect],
                    "os"[test],
                    color=COLOURS[test],
                    label=name,
                )
            axis.plot(
                counts.factors,
                counts.closed_form[row, :, effect],
                "--",
                color="black",
                linewidth=1,
                label="closed form",
            )
            axis.plot(
                counts.factors,
                counts.by_kind[row, :, effect],
                "-",
                color=COLOURS[CONVENTIONAL],
                linewidth=1,
                label="closed form, by kind",
            )
            axis.axhline(NOMINAL, color="black", linestyle=":", linewidth=1)
            axis.set_ylim(-15, (780, 300)[effect])
            if row == 0:
                axis.set_title(f"{label}: rejections of 1000", fontsize=10)
    axes[0, 0].set_title("mean curve", fontsize=10)
    axes[0, 0].legend(frameon=False, fontsize=8)
    axes[0, 2].legend(frameon=False, fontsize=8, loc="upper right")
    axes[-1, 0].set_xlabel("training, per cent")
    for axis in axes[-1, 1:]:
        axis.set_xlabel("f")
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
    return Picture(
        "figure-5",
        "Figure 5: chess curves and the same curves modified, pooled and halved at random. "
        "Dotted: 50, the level. The modifications take no notice of 100 per cent.",
        figure,
    )


def _predictions(counts: Counts) -> Picture:
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    conventional = counts.modified_means[:, :, CONVENTIONAL]
    for index, label in enumerate(EFFECTS):
        axis = figure.add_subplot(1, 2, index + 1)
        axis.scatter(
            counts.closed_form[:, :, index],
            conventional[:, :, index],
            color=COLOURS[CONVENTIONAL],
            marker="o",
            label="Figure 5, closed form",
        )
        axis.scatter(
            counts.by_kind[:, :, index],
            conventional[:, :, index],
            color=COLOURS[SPLIT],
            marker="x",
            label="Figure 5, by kind",
        )
        axis.scatter(
            [counts.predicted_rejections(name)[index] for name in SOURCES],
            [counts.one_learner[name][:, CONVENTIONAL, index].mean() for name in SOURCES],
            color=COLOURS[SHUFFLE],
            marker="D",
            label="Figure 3, closed form",
        )
        ends = np.array([0.0, float(conventional[:, :, index].max()) * 1.05])
        axis.plot(ends, ends, color="black", linewidth=1)
        axis.fill_between(
            ends, ends - TOLERANCE, ends + TOLERANCE, color="black", alpha=0.08, linewidth=0
        )
        axis.set_title(label, fontsize=10)
        axis.set_xlabel("predicted, of 1000")
        axis.set_ylabel("counted, of 1000")
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_ylim(-TOLERANCE / 4, ends[1] + TOLERANCE)
        if index == 0:
            axis.legend(frameon=False, fontsize=9, loc="lower right")
    return Picture(
        "predictions",
        "Rejections by the conventional test: predicted from the covariance of the curves, "
        f"and counted. Shaded: within {TOLERANCE}.",
        figure,
    )


def _power(counts: Counts) -> Picture:
    figure = Figure(figsize=(9, 10), layout="constrained")
    axes = figure.subplots(len(CASES), 2, sharex=True, sharey=True)
    for row, case in enumerate(CASES):
        for effect, label in enumerate(EFFECTS):
            axis: Axes = axes[row, effect]
            for test, name in enumerate(power_figure.TESTS):
                axis.plot(
                    counts.factors,
                    counts.power[row, :, test, effect],
                    color=COLOURS[test],
                    marker="os^"[test],
                    markersize=(9, 6, 3)[test],
                    linestyle=("-", "-", "--")[test],
                    label=name,
                )
            axis.axhline(ALPHA, color="black", linestyle=":", linewidth=1)
            axis.set_title(f"case {case}: {label}", fontsize=10)
            axis.spines[["top", "right"]].set_visible(False)
    axes[0, 1].legend(frameon=False, fontsize=9)
    figure.supxlabel("f")
    figure.supylabel("share of draws in which an effect is asserted")
    return Picture(
        "figure-6",
        "Figure 6: ten of twenty chess curves against ten of the same curves modified. Case a "
        "has no interaction and case b no algorithm effect: what the shuffle test asserts "
        "there comes of the pooled error term. Dotted: the level of .05.",
        figure,
    )
