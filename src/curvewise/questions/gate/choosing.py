"""Which test answers a gate, and what it says in the unit of the margin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import OptionError
from curvewise.questions.gate.bounds import (
    normal_test,
    shift_test,
    tied_test,
    welch_shift_test,
)
from curvewise.questions.gate.deciding import Design, Prospect, residual_spread
from curvewise.questions.gate.every_step import every_step_test
from curvewise.questions.gate.numbers import EVERY_STEP
from curvewise.questions.gate.ratios import (
    check_one_sign,
    ratio_test,
    share_null,
    welch_ratio_test,
)
from curvewise.questions.gate.reach import ReachTimes
from curvewise.text import argument, number_text

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.inference.work import Work
    from curvewise.questions.gate.bounds import BoundTest
    from curvewise.questions.gate.numbers import GateNumbers
    from curvewise.questions.gate.options import GateOptions

__all__ = ["Asked", "design_of"]

# Times the largest score: what is moved by more is nothing but the margin, but for rounding.
MAX_MARGIN = 1e9


def design_of(numbers: GateNumbers) -> Design | None:
    """Return how many runs there are; None where blocks are not all alike."""
    curves = numbers.curves
    if curves.blocks is None:
        return Design(*numbers.n_runs)
    counts = curves.block_counts
    if not (counts == counts[0]).all() or not counts[0].all():
        return None
    order = [
        curves.algorithms.index(name) for name in (numbers.candidate, numbers.baseline)
    ]
    candidate, baseline = (int(counts[0][place]) for place in order)
    return Design(candidate, baseline, len(counts))


@dataclass(frozen=True, eq=False)
class Asked:
    """One gate: the runs of two algorithms, a number of each, and what is asked of them.

    ``reference`` is the standard deviation that is the unit of the margin, where there is one.
    """

    curves: Curves
    numbers: GateNumbers
    options: GateOptions
    reference: float | None
    work: Work

    @property
    def test(self) -> str:
        """The test that is made: "shuffle", "Welch", "both", "normal" or "log-rank"."""
        options = self.options
        if options.threshold is not None:
            return "log-rank"
        if options.unit == "sd" and self.reference is None:
            return "normal"
        if options.spread == "unequal":
            return "Welch"
        n_runs = self.numbers.n_runs
        takes_both = (
            options.spread == "auto"
            and n_runs[0] != n_runs[1]
            and min(n_runs) > 1
            and options.center == "mean"
            and options.on != EVERY_STEP
            and self.curves.blocks is None
            and not self.work.exact
        )
        return "both" if takes_both else "shuffle"

    @cached_property
    def times(self) -> ReachTimes | None:
        """When runs reach the threshold, where that is asked."""
        threshold = self.options.threshold
        if threshold is None:
            return None
        return ReachTimes.of(self.curves, self.numbers.candidate, threshold)

    def tests(self) -> tuple[list[BoundTest], int | None]:
        """Test every bound; return also the step that decided, where each was tested."""
        options, numbers, work = self.options, self.numbers, self.work
        unit = self.reference or 1.0
        scores = [bound * unit for bound in options.bounds]
        alpha, place = options.alpha, None
        self._check_size()
        if self.times is not None:
            tests = [self.times.test(float(options.margin), work, alpha=alpha)]
        elif options.on == EVERY_STEP:
            found, place = every_step_test(
                self.curves,
                numbers.candidate,
                numbers.baseline,
                scores[0],
                work,
                alpha=alpha,
            )
            tests = [found]
        elif self.test == "normal":
            tests = [normal_test(numbers, bound) for bound in options.bounds]
        else:
            if options.unit == "relative":
                check_one_sign(numbers, higher_is_better=self.curves.higher_is_better)
            tests = [self._tested(bound) for bound in scores]
        if self.reference is not None:
            tests = [
                own.in_units(unit, bound)
                for own, bound in zip(tests, options.bounds, strict=True)
            ]
        return [own.floored() for own in tests], place

    def _check_size(self) -> None:
        """Raise where nothing would be left of scores that are moved by the margin."""
        options = self.options
        known = options.unit == "score" or self.reference is not None
        if not known or options.threshold is not None:
            return
        largest = float(np.abs(self.curves.scores).max())
        if options.margin / MAX_MARGIN > largest / (self.reference or 1.0):
            msg = (
                f"{argument('margin')} is {options.margin:g}, more than a billion times any score; "
                f"the largest is {number_text(largest)}. Check its unit."
            )
            raise OptionError(msg, option="margin")

    def _tested(self, bound: float) -> BoundTest:
        """Test one bound, by shuffles, by Welch's kind of test, or by both together."""
        numbers, options, work = self.numbers, self.options, self.work
        alpha, is_share = options.alpha, options.unit == "relative"
        null = share_null(numbers, bound) if is_share else numbers.moved(-bound)
        if np.ptp(null.scores) == 0:
            return tied_test(numbers, bound)
        tests = []
        if self.test != "Welch":
            tests.append(
                ratio_test(numbers, bound, work, alpha=alpha)
                if is_share
                else shift_test(numbers, bound, work, alpha=alpha, center=options.center)
            )
        if self.test != "shuffle":
            of_welch = welch_ratio_test if is_share else welch_shift_test
            tests.append(of_welch(numbers, bound, work, alpha=alpha))
        return tests[0] if len(tests) == 1 else tests[0].agreeing_with(tests[1])

    def prospect(self) -> Prospect | None:
        """Return what more runs would do; None where that is not computed."""
        options, numbers = self.options, self.numbers
        design = design_of(numbers)
        if design is None or options.on == EVERY_STEP or options.threshold is not None:
            return None
        values, unit = numbers.values, self.reference or 1.0
        if options.unit == "relative":
            mean = float(numbers.sides[1].mean())
            sign = 1.0 if mean > 0 else -1.0
            values = numbers.scaled(1 - sign * options.margin).scores[:, 0]
            unit = abs(mean)
        spread, df = residual_spread(numbers, values)
        found = Prospect(
            design,
            float(options.margin),
            float(options.assumed),
            spread / unit,
            df,
            float(options.alpha),
            options.two_sided,
        )
        return replace(found, spread=None) if self.test == "normal" else found
