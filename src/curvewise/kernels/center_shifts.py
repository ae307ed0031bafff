"""The shifts of one algorithm against another that a test of typical runs does not reject.

Subtract δ from every run of the first of two algorithms and test again. The trimmed mean of any
group falls as δ grows, by at most δ. So with T* for the difference of trimmed means of a
relabelling, and T − δ for the observed one, both T* − (T − δ) and its mirror image −T* − (T − δ)
rise with δ below T, and each relabelling is at least as extreme from one shift on. How many are
rises with δ up to T and falls from there: the shifts that are not rejected are one interval,
whose ends can be found by halving, and a relabelling that is decided at both ends of what is
left need not be looked at again.

The ranks change only where δ is the difference of two runs, so the ends of the interval of the
rank test are such differences (Hodges & Lehmann 1963).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.anova.sums import centred
from curvewise.kernels.anova.thresholds import EPSILON
from curvewise.kernels.centers import midranks, pairwise_differences, trimmed_means
from curvewise.kernels.pvalues import n_allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers

    Booleans = npt.NDArray[np.bool_]

__all__ = ["Shifted", "rank_ends", "trimmed_ends"]

MAX_NUMBERS_AT_ONCE = 2_000_000  # in the largest array of a portion


@dataclass(frozen=True, eq=False)
class Shifted:
    """One number a run of two groups, and the relabellings that a shift is tested with.

    ``relabelled`` is (n_relabellings, n_runs): all of them when ``exact``, else a sample without
    the observed one. ``tie`` is how far rounding can set two numbers apart. One-sided, the first
    group is asked to be larger.
    """

    numbers: Floats
    labels: Integers
    blocks: Integers
    relabelled: Integers
    tie: float
    alpha: float
    exact: bool
    two_sided: bool = True

    @property
    def n_allowed(self) -> int:
        """How many relabellings may be as extreme as the observed one of a rejected shift."""
        return n_allowed(len(self.relabelled), self.alpha, exact=self.exact)

    def shifted(self, shift: float) -> Floats:
        """Return the numbers with the shift taken off the first group."""
        return self.numbers - shift * (self.labels == 0)

    def counts(self, statistics: Floats, observed: float, slack: float) -> Booleans:
        """Return which relabellings are as extreme as the observed one, within ``slack``."""
        if self.two_sided:
            return np.abs(statistics) >= abs(observed) - slack
        return statistics >= observed - slack

    def portions(self, rows: Integers) -> Iterator[Integers]:
        """Yield the labels of some relabellings, a bounded number at a time."""
        most = max(1, MAX_NUMBERS_AT_ONCE // len(self.numbers))
        for start in range(0, len(rows), most):
            yield self.relabelled[rows[start : start + most]]


def trimmed_ends(test: Shifted) -> tuple[float, float]:
    """Return the lowest and highest shift of trimmed means with a p above alpha.

    Infinite where no shift is rejected on that side, and always at the upper end one-sided.
    The shift 0 lies inside exactly if the same relabellings give it a p above alpha.
    """
    if test.n_allowed < 0:
        return -math.inf, math.inf
    estimate = float(_trimmed_difference(test, 0.0, test.labels[None, :])[0])
    span = float(np.ptp(test.numbers)) + test.tie
    # Beyond all differences of runs a relabelling gains on the observed labelling by at least
    # δ / n_runs, or never.
    far = 8 * len(test.numbers) * span
    if not test.two_sided:
        return _end(test, far, [0.0, estimate - span, -far], span), math.inf
    low = _end(test, estimate, [0.0, estimate - span, -far], span)
    high = _end(test, estimate, [0.0, estimate + span, far], span)
    return low, high


def _end(test: Shifted, inside: float, outer: list[float], span: float) -> float:
    """Return the last shift that is not rejected, from ``inside`` to the last of ``outer``.

    Which relabellings count changes one way only in between. First the ``outer`` shifts are
    tried, until one is rejected; if none is, the result is infinite.
    """
    rows, n_always, outside = np.arange(len(test.relabelled)), 0, math.nan
    outwards = outer[-1] > inside
    # Zero may lie on the other side.
    asked = [shift for shift in outer if (shift > inside) == outwards and shift != inside]
    while True:
        if math.isnan(outside):
            if not asked:
                return math.inf if outwards else -math.inf
            shift = asked.pop(0)
        else:
            shift = inside + (outside - inside) / 2
            if abs(outside - inside) <= EPSILON * span or shift in (inside, outside):
                return inside
        counts = _trimmed_counts(test, shift, rows)
        if n_always + int(counts.sum()) > test.n_allowed:
            inside, rows = shift, rows[counts]  # the others count no further out either
        else:
            n_always += int(counts.sum())  # these count anywhere further in
            outside, rows = shift, rows[~counts]


def _trimmed_counts(test: Shifted, shift: float, rows: Integers) -> Booleans:
    (observed,) = _trimmed_difference(test, shift, test.labels[None, :])
    parts = [
        test.counts(_trimmed_difference(test, shift, labels), observed, 2 * test.tie)
        for labels in test.portions(rows)
    ]
    return np.concatenate([np.empty(0, dtype=np.bool_), *parts])


def _trimmed_difference(test: Shifted, shift: float, labels: Integers) -> Floats:
    first, second = trimmed_means(labels, test.shifted(shift))
    return np.asarray(first - second)


def rank_ends(test: Shifted) -> tuple[float, float]:
    """Return the lowest and highest shift with a p of the rank test above alpha.

    The ends are differences of runs (in one block); infinite where no shift is rejected.
    """
    if test.n_allowed < 0:
        return -math.inf, math.inf
    differences = pairwise_differences(test.numbers, test.labels, test.blocks)
    new = np.concatenate([[True], np.diff(differences) > 4 * test.tie])
    places = differences[new]
    last = differences[np.append(np.flatnonzero(new[1:]), len(differences) - 1)]
    # One shift between every two neighbouring differences, and one beyond each end.
    margin = 1.0 + float(np.ptp(differences))
    between = (last[:-1] + places[1:]) / 2
    cells = np.concatenate([[places[0] - margin], between, [last[-1] + margin]])
    median = float(np.median(differences))
    middle = int(np.searchsorted(cells, median))

    def kept(cell: int) -> bool:
        return _rank_count(test, float(cells[cell])) > test.n_allowed

    first = _first_kept(kept, 0, middle)
    low = -math.inf if first == 0 else min(float(places[first - 1]), median)
    if not test.two_sided:
        return low, math.inf
    turned = _first_kept(lambda cell: kept(len(cells) - 1 - cell), 0, len(cells) - middle)
    high = math.inf if turned == 0 else max(float(last[len(cells) - 1 - turned]), median)
    return low, high


def _first_kept(kept: Callable[[int], bool], first: int, last: int) -> int:
    """Return the first place from which on ``kept`` is true; it is taken to be so at ``last``."""
    while first < last:
        middle = (first + last) // 2
        first, last = (first, middle) if kept(middle) else (middle + 1, last)
    return first


def _rank_count(test: Shifted, shift: float) -> int:
    """Count the relabellings whose rank sum is as extreme as the observed one."""
    ranks = centred(
        midranks(test.shifted(shift), test.blocks, test.tie)[:, None], test.blocks
    )[:, 0]
    observed = float(ranks[test.labels == 0].sum())
    # Rank sums differ by a half or not at all.
    return sum(
        int(np.sum(test.counts((labels == 0).astype(np.float64) @ ranks, observed, 1e-6)))
        for labels in test.portions(np.arange(len(test.relabelled)))
    )
