"""Every statistic that `compare` and `locate` visit, and what each is visited with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.kernels.anova.design import Design
from curvewise.kernels.bootstrap.draws import RandomDraws
from curvewise.kernels.location.profiles import StepDesign
from curvewise.questions.compare.randomized_anova import RandomizedAnova
from curvewise.questions.compare.unequal_spread import WelchStatistic
from curvewise.questions.locate.scan import Reference, StepScan
from curvewise.shuffling.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise import Curves
    from curvewise.kernels.relabelling.restriction import Restriction
    from curvewise.shuffling.visiting import Statistic

THRESHOLD = 4.0  # F of steps that make a cluster


def anova(layout: Layout) -> RandomizedAnova:
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    return RandomizedAnova(design, "split")


def welch(layout: Layout) -> WelchStatistic:
    design = Design.from_scores(layout.scores, layout.labels, layout.blocks, layout.noise)
    return WelchStatistic.of(design, layout)


def scan(layout: Layout) -> StepScan:
    design = StepDesign.from_scores(
        layout.scores, layout.labels, layout.blocks, layout.step_noise
    )
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
