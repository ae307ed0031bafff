"""Every statistic that `compare` and `locate` visit, and what each is visited with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.kernels.anova import Design
from curvewise.kernels.relabel import RandomDraws
from curvewise.kernels.steps import StepDesign
from curvewise.questions.compare.method import Overall, WelchStatistic
from curvewise.questions.locate.method import Reference, StepScan
from curvewise.shuffling.visit import Layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise import Curves
    from curvewise.kernels.relabel import Restriction
    from curvewise.shuffling.visit import Statistic

THRESHOLD = 4.0  # F of steps that make a cluster


def anova(layout: Layout) -> Overall:
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    return Overall(design)


def welch(layout: Layout) -> WelchStatistic:
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    return WelchStatistic.of(design, layout)


def scan(layout: Layout) -> StepScan:
    design = StepDesign.from_scores(layout.scores, layout.labels, layout.blocks, layout.step_noise)
    reference = Reference.of(design, layout, THRESHOLD, n_visited=1, windows=True)
    return StepScan.of(reference)


STATISTICS: dict[str, Callable[[Layout], Statistic]] = {
    "randomized ANOVA": anova,
    "Welch": welch,
    "step scan": scan,
}


def restriction_of(statistic: Statistic, layout: Layout) -> Restriction:
    """Return what a statistic is visited with: relabellings, or draws."""
    if isinstance(statistic, WelchStatistic):
        return RandomDraws(layout.labels, layout.blocks, statistic.design.width)
    return layout.restriction


def statistic_of(name: str, curves: Curves) -> tuple[Statistic, Layout]:
    """Return a statistic of some curves, and the layout of the runs it takes labels for."""
    layout = Layout.of(curves)
    return STATISTICS[name](layout), layout
