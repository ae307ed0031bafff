"""How many runs would decide: the power of the gate to let pass what is as good as assumed.

By noncentral t, which is within .04 of the shuffle test at 3 + 3 runs and within .02 from 5 + 5 on
(docs/gate.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.contrasts import Fit
from curvewise.kernels.noncentral import (
    noncentral_quantile,
    noncentral_survival,
    spread_factor,
    t_quantile,
)

if TYPE_CHECKING:
    from curvewise.kernels import Floats
    from curvewise.questions.gate.numbers import GateNumbers

__all__ = ["Design", "Prospect", "enough_runs", "residual_spread"]

MAX_RUNS = 100_000  # more are no plan
CAUTION = 0.8  # confidence that the spread is no larger


@dataclass(frozen=True)
class Design:
    """How many runs of candidate and baseline; of one block, where runs are in blocks.

    ``n_blocks`` is None without blocks.
    """

    candidate: int
    baseline: int
    n_blocks: int | None = None

    @property
    def n_ways(self) -> int:
        """How many ways there are to choose the candidate's runs."""
        ways = math.comb(self.candidate + self.baseline, self.candidate)
        return ways ** (self.n_blocks or 1)

    def reaches(self, alpha: float) -> bool:
        """Tell whether p can be as small as alpha; by logarithms, which any size of design has."""
        n, n_blocks = self.candidate + self.baseline, self.n_blocks or 1
        ways = math.lgamma(n + 1) - math.lgamma(self.candidate + 1)
        ways -= math.lgamma(self.baseline + 1)
        return n_blocks * ways >= -math.log(alpha) - 1e-9

    @property
    def n_runs(self) -> tuple[int, int]:
        """The runs of the candidate, and of the baseline, in all blocks."""
        n_blocks = self.n_blocks or 1
        return self.candidate * n_blocks, self.baseline * n_blocks

    @property
    def df(self) -> int:
        """Degrees of freedom of the error."""
        n_blocks = self.n_blocks or 1
        return (self.candidate + self.baseline - 1) * n_blocks - 1

    @property
    def root(self) -> float:
        """What a standardised difference is multiplied by in t."""
        return math.sqrt((self.n_blocks or 1) / (1 / self.candidate + 1 / self.baseline))

    def grown(self, n: int) -> Design:
        """Return the design with ``n`` of each: of blocks, or else of runs.

        Where one algorithm has more runs than the other, it keeps what it has.
        """
        if self.n_blocks is not None:
            return replace(self, n_blocks=n)
        if self.candidate == self.baseline:
            return Design(n, n)
        fewer_of_candidate = self.candidate < self.baseline
        more = max(n, self.candidate, self.baseline)
        return Design(n, more) if fewer_of_candidate else Design(more, n)


@dataclass(frozen=True)
class Prospect:
    """What the gate is asked, in units of the margin.

    ``spread`` is the standard deviation of runs; None where the margin itself is in these.
    """

    design: Design
    margin: float
    assumed: float
    spread: float | None
    df: float
    alpha: float
    two_sided: bool

    def power(self, design: Design, spread: float | None) -> float:
        """Return the chance of a pass, if the truth is as assumed."""
        sides = [self.assumed + self.margin]
        if self.two_sided:
            sides.append(self.margin - self.assumed)
        df, root = design.df, design.root
        if spread is None:
            critical = noncentral_quantile(1 - self.alpha, df, -self.margin * root)
            chances = [
                noncentral_survival(critical, df, (side - self.margin) * root)
                for side in sides
            ]
        else:
            critical = t_quantile(1 - self.alpha, df)
            chances = [
                noncentral_survival(critical, df, side / spread * root) for side in sides
            ]
        # Of two sides, a lower bound that is near where the power is high.
        return max(0.0, sum(chances) - (len(chances) - 1))

    def needed(self, power: float) -> tuple[int | None, int | None]:
        """Return the fewest runs of each that reach a power, and those to be on the safe side."""
        return self.runs(power), self.runs(power, cautious=True)

    def runs(self, power: float, *, cautious: bool = False) -> int | None:
        """Return the fewest runs, or blocks, of each that reach a power; None if none do."""
        if self.assumed <= -self.margin or (
            self.two_sided and self.assumed >= self.margin
        ):
            return None
        spread = self.spread
        if spread is not None and cautious:
            spread *= spread_factor(self.df, CAUTION)

        def enough(n: int) -> bool:
            design = self.design.grown(n)
            if not design.reaches(self.alpha) or design.df < 1:
                return False
            return spread == 0 or self.power(design, spread) >= power

        low, high = 0, 1
        while not enough(high):
            low, high = high, 2 * high
            if high > MAX_RUNS:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high


def residual_spread(numbers: GateNumbers, values: Floats) -> tuple[float, int]:
    """Return the standard deviation of values within algorithms, and blocks; and its df."""
    curves = numbers.curves
    blocks = np.zeros(curves.n_runs, dtype=np.int64)
    if curves.blocks is not None:
        blocks = np.unique(curves.blocks, return_inverse=True)[1]
    fit = Fit.of(values[:, None].copy(), curves.codes, blocks)
    return math.sqrt(float(fit.errors[0]) / fit.df), fit.df


def enough_runs(design: Design, alpha: float) -> Design:
    """Return the nearest larger design with which p can be as small as alpha."""
    if design.n_blocks is not None:
        n = design.n_blocks
        while not design.grown(n).reaches(alpha):
            n += 1
        return design.grown(n)
    n_added = 0
    while True:
        # Of the same number of runs, those that are shared most evenly allow the smallest p.
        candidates = [
            Design(design.candidate + more, design.baseline + n_added - more)
            for more in range(n_added + 1)
        ]
        best = max(candidates, key=lambda own: own.n_ways)
        if best.reaches(alpha):
            return best
        n_added += 1
