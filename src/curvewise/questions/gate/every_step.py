"""Not worse at any step: a test at each step for a pass, the most striking step for a fail.

A pass needs p ≤ α at every step (intersection–union, Berger 1982). For a fail, the largest
shortfall of any step, in label-blind standard deviations, is held against that of each
relabelling, which allows for all steps (Westfall & Young 1993).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.curves import Curves
from curvewise.kernels.adjustments import TIE
from curvewise.kernels.anova.sums import centred
from curvewise.kernels.contrasts import is_mirrored
from curvewise.kernels.pvalues import pvalue, upper_quantile
from curvewise.questions.gate.bounds import BoundTest, shift_test, tied_test
from curvewise.questions.gate.numbers import GateNumbers
from curvewise.shuffling.layout import Layout
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from curvewise.inference.work import Work
    from curvewise.kernels import Floats, Integers
    from curvewise.shuffling.tally import Measured

__all__ = ["StepSums", "every_step_test"]


@dataclass(frozen=True, eq=False)
class StepSums(Statistic):
    """Sums over the candidate at each step: how many are as large, and the largest shortfall.

    ``least`` is what a sum must reach to count at each step; ``shortfall`` what the largest
    shortfall must reach. The shortfalls are kept. With ``mirrored`` the mirror image of every
    relabelling is measured too.
    """

    columns: Floats
    least: Floats
    scales: Floats
    shortfall: float
    group: int
    mirrored: bool

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch at each step, and those of the maximum."""
        sums = (labels == self.group).astype(np.float64) @ self.columns
        both = [sums, -sums] if self.mirrored else [sums]
        at_steps = sum(np.sum(own >= self.least, axis=0) for own in both)
        largest = np.stack([(-own / self.scales).max(axis=1) for own in both])
        counts = np.append(at_steps, np.sum(largest >= self.shortfall))
        return (counts,), ((largest,) if keep else ())

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts of the hardest step to pass, and of the fail."""
        return np.array([counts[0][:-1].max(), counts[0][-1]])


def every_step_test(
    curves: Curves,
    candidate: str,
    baseline: str,
    bound: float,
    work: Work,
    *,
    alpha: float,
) -> tuple[BoundTest, int]:
    """Test the bound at every step; return the test, and the step that decided.

    That is the step at which a fail is found, else the one that is hardest to pass.
    """
    sign = 1.0 if curves.higher_is_better else -1.0
    two = curves.select(candidate, baseline)
    mine = np.asarray(two.labels == candidate)
    null = Curves(
        sign * two.scores - bound * mine[:, None],
        two.labels,
        two.steps,
        two.runs,
        two.blocks,
        precision=two.precision,
    )
    layout = Layout.of(null)
    group = null.algorithms.index(candidate)
    member = (layout.labels == group).astype(np.float64)
    columns = centred(layout.scores.copy(), layout.blocks)
    # A step without variation holds no difference, and no relabelling has another.
    spread = np.sqrt(np.mean(columns**2, axis=0))
    flat = spread <= 4 * layout.step_noise / math.sqrt(len(columns))
    columns[:, flat] = 0.0
    scales = np.where(flat, 1.0, spread)
    observed = member @ columns
    shortfall = float((-observed / scales).max())
    plan = work.plan(layout.restriction, levels=(alpha,))
    mirrored = plan.exact and is_mirrored(layout.labels, layout.blocks)
    # What rounding can move a sum by, and with it the shortfall, which may be 0.
    slack = 2 * layout.step_noise * math.sqrt(len(columns))
    statistic = StepSums(
        columns,
        observed - slack,
        scales,
        shortfall - TIE * abs(shortfall) - float((slack / scales).max()),
        group,
        mirrored,
    )
    found = work.visit(plan, statistic)
    n_visited = found.n_visited * (2 if mirrored else 1)
    pvalues = pvalue(found.counts[0], n_visited, exact=found.exact)
    above, below = pvalues[:-1], float(pvalues[-1])
    overlap = float(member @ centred(member[:, None].copy(), layout.blocks)[:, 0])
    hardest = int(np.argmax(above - 1e-9 * observed / (scales * overlap)))
    place = hardest
    if below <= alpha and above.max() > alpha:
        place = int(np.argmax(-observed / scales))
    at_step = GateNumbers.of(curves, np.eye(curves.n_steps)[place], candidate, baseline)
    if flat[place]:
        alone = tied_test(at_step, bound)
    else:
        alone = shift_test(at_step, bound, work, alpha=alpha)

    def highest(level: float) -> float:
        largest = found.kept[0].ravel()
        quantile = upper_quantile(largest, level, exact=plan.keeps_all)
        scale = 0.0 if flat[place] else float(scales[place])
        return alone.value + quantile * scale / overlap * layout.unit

    sampling = work.sampling(found)
    if mirrored:
        # An enumeration visits one of two mirror images, and both count.
        sampling = replace(sampling, n_relabellings=n_visited, n_shuffles=n_visited)
    elif is_mirrored(layout.labels, layout.blocks):
        sampling = replace(sampling, n_relabellings=2 * sampling.n_relabellings)
    return (
        BoundTest(
            bound,
            alone.value,
            float(above.max()),
            below,
            alone.lowest,
            highest,
            sampling,
        ),
        place,
    )
