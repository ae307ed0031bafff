"""Every window of training: height and shape of the table restricted to it.

For the window of places a to b let s be the sums Lᵀ S over it, and ``length`` its number of
steps. Then SS_alg = |s|² / length and SS_int = Σ A_h − SS_alg there. Let r be the share that
SS has of its total. The fourth root of r / √(1 − r), minus its mean over shuffles and divided
by its standard deviation, has nearly the same distribution in every window and for both
effects; so their maximum over all windows shows how large chance alone makes the most striking
one. (r / √(1 − r) is −log(1 − r) but for terms of third order, so it behaves like a
χ², and the fourth root of that is nearly normal whatever its degrees of freedom: Hawkins &
Wixley 1986.)

Sums start anew for every first place, so that the sum over a window is never the difference of
larger numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova import EPSILON, MIN_VARIATION_OVER_ROUNDING, ratios
from curvewise.kernels.steps import MIN_RESIDUAL_SHARE, Tiles, sums_of_squares

if TYPE_CHECKING:
    from collections.abc import Iterator

    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.steps import StepDesign


AT_ONCE = 128  # relabellings, so that the arrays worked on stay in the cache
LOWEST_SCORE = -1e9  # below any that a window can have


class Places(NamedTuple):
    """Where windows may begin and end: place p has ``lengths[p]`` steps from ``starts[p]``.

    ``numbers`` has the place of each step.
    """

    starts: Integers
    lengths: Integers
    numbers: Integers

    @classmethod
    def of(cls, n_steps: int, max_places: int) -> Places:
        """Make every step a place; with more than ``max_places``, several steps to each."""
        edges = np.unique(np.linspace(0, n_steps, min(n_steps, max_places) + 1).astype(np.int64))
        lengths = np.diff(edges)
        return cls(edges[:-1], lengths, np.repeat(np.arange(len(lengths)), lengths))

    @property
    def n_places(self) -> int:
        """How many places there are."""
        return len(self.starts)

    def gather(self, values: Floats) -> Floats:
        """Sum over the steps of each place; steps are the second axis from the last."""
        if len(self.starts) == values.shape[-2]:
            return values
        return np.add.reduceat(values, self.starts, axis=-2)


class PlaceSums(NamedTuple):
    """Sums over the steps of each place, in every relabelling.

    ``sums`` is Lᵀ S, (n_groups − 1, n_places, n_relabellings), and ``squares`` is A,
    (n_places, n_relabellings).
    """

    places: Places
    sums: Floats
    squares: Floats

    @classmethod
    def blank(cls, places: Places, design: StepDesign, n_relabellings: int) -> PlaceSums:
        """Make room for some relabellings."""
        shape = places.n_places, n_relabellings
        return cls(places, np.zeros((len(design.factor), *shape)), np.zeros(shape))

    @classmethod
    def of(
        cls, places: Places, design: StepDesign, labels: Integers, *, compiled: bool
    ) -> PlaceSums:
        """Sum up relabellings, some at a time."""
        gathered = cls.blank(places, design, len(labels))
        if compiled:
            tiles = Tiles.of(design, labels)
            for steps, number, sums in tiles.along():
                gathered.add(steps, tiles.parts[number].start, sums)
            return gathered
        for start in range(0, len(labels), design.portion):
            gathered.fill(start, design.sums(labels[start : start + design.portion]))
        return gathered

    def fill(self, start: int, sums: Floats) -> None:
        """Sum up Lᵀ S of the relabellings from ``start`` on, as `StepDesign.sums` gives it."""
        part = slice(start, start + sums.shape[2])
        self.sums[:, :, part] = self.places.gather(sums)
        self.squares[:, part] = self.places.gather(np.asarray(sum(sums**2)))

    def add(self, steps: slice, start: int, sums: Floats) -> None:
        """Add Lᵀ S of some steps of the relabellings from ``start`` on, in compiled code."""
        from curvewise.kernels.compiled_steps import gather_places

        gather_places(sums, self.places.numbers[steps], start, self.sums, self.squares)

    def parts(self) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield so many relabellings as are worked on at a time, and their sums."""
        for start in range(0, self.squares.shape[1], AT_ONCE):
            part = slice(start, start + AT_ONCE)
            yield part, self.sums[:, :, part], self.squares[:, part]


@dataclass(frozen=True, eq=False)
class Windows:
    """All windows: their totals, what was observed in them, and a common scale.

    Arrays over windows are (2, n_places, n_places), by effect, first and last place; only
    first ≤ last means anything.
    """

    places: Places
    lengths: Floats  # (n_places, n_places)
    totals: Floats
    observed: Floats  # SS_alg and SS_int
    bounds: Floats  # what counts as at least as extreme
    means: Floats
    scales: Floats

    @classmethod
    def of(
        cls,
        design: StepDesign,
        observed: Integers,
        pilot: Integers,
        max_places: int,
        *,
        compiled: bool,
    ) -> Windows:
        """Sum up every window of the observed labels, and find the scale.

        Means and standard deviations are those over the ``pilot`` relabellings, which must
        not depend on the observed labels: then the test is exact whatever the scale.
        """
        places = Places.of(design.n_steps, max_places)
        lengths, totals, noise = _totals(design, places)
        # Shape is a difference of sums of squares, so it loses more digits.
        cancelled = 64 * EPSILON * totals.sum(axis=0)
        least = (MIN_VARIATION_OVER_ROUNDING * noise) ** 2
        totals[0][totals[0] <= least] = 0.0
        totals[1][totals[1] <= least + cancelled] = 0.0

        blank = np.zeros_like(totals)
        bare = cls(places, lengths, totals, blank, blank, blank, blank)
        squares = np.zeros_like(totals)
        own = PlaceSums.of(places, design, observed[None, :], compiled=False)
        for first, part in bare._squares(own.sums, own.squares):
            squares[:, first, first:] = part[:, :, 0]
        bounds = np.maximum(np.sqrt(squares) - 2 * noise, 0.0) ** 2
        bounds[1] = np.maximum(bounds[1] - cancelled, 0.0)
        piloted = PlaceSums.of(places, design, pilot, compiled=compiled)
        means, deviations = bare._moments(piloted, compiled=compiled)
        scales = np.zeros_like(deviations)
        np.divide(1.0, deviations, out=scales, where=deviations > 1e-12 * means)
        return cls(places, lengths, totals, squares, bounds, means, scales)

    def _moments(self, pilot: PlaceSums, *, compiled: bool) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the fourth roots over the pilot."""
        means, deviations = np.zeros_like(self.totals), np.zeros_like(self.totals)
        if compiled:
            from curvewise.kernels.compiled_steps import window_moments

            inverses = self._inverse_lengths, self._inverses
            window_moments(pilot.sums, pilot.squares, *inverses, means, deviations)
            return means, deviations
        for first, part in self._squares(pilot.sums, pilot.squares):
            roots = _striking(part * self._inverses[:, first, first:, None])
            means[:, first, first:] = roots.mean(axis=-1)
            deviations[:, first, first:] = roots.std(axis=-1)
        return means, deviations

    @cached_property
    def _inverses(self) -> Floats:
        """1 over the totals; 0 where there is no variation."""
        return ratios(1.0, self.totals)

    @cached_property
    def _inverse_lengths(self) -> Floats:
        return ratios(1.0, self.lengths)

    @property
    def scores(self) -> Floats:
        """The observed statistic of each window on the common scale."""
        return (_striking(self.bounds * self._inverses) - self.means) * self.scales

    def count(self, gathered: PlaceSums, *, compiled: bool) -> tuple[Integers, Floats]:
        """Return how many relabellings are as extreme in each window, and their largest scores.

        The counts are (2, n_places, n_places), the scores (n_relabellings,).
        """
        n_extreme = np.zeros(self.totals.shape, dtype=np.int64)
        largest = np.full(gathered.squares.shape[1], LOWEST_SCORE)
        if compiled:
            from curvewise.kernels.compiled_steps import count_windows

            inverses = self._inverse_lengths, self._inverses
            given = *inverses, self.bounds, self.means, self.scales, n_extreme
            for part, *own in gathered.parts():
                count_windows(*map(np.ascontiguousarray, own), *given, largest[part])
            return n_extreme, largest
        for part, *own in gathered.parts():
            for first, squares in self._squares(*own):
                windows = (slice(None), first, slice(first, None), None)
                n_extreme[:, first, first:] += np.sum(squares >= self.bounds[windows], axis=-1)
                roots = _striking(squares * self._inverses[windows])
                scores = (roots - self.means[windows]) * self.scales[windows]
                # A window without variation takes no part in the maximum.
                scores[self.scales[windows][:, :, 0] == 0] = LOWEST_SCORE
                largest[part] = np.maximum(largest[part], scores.max(axis=(0, 1)))
        return n_extreme, largest

    def _squares(self, sums: Floats, differences: Floats) -> Iterator[tuple[int, Floats]]:
        """Yield SS_alg and SS_int of the windows that begin at each place."""
        for first in range(self.places.n_places):
            heights = np.asarray(sum(np.cumsum(group[first:], axis=0) ** 2 for group in sums))
            heights *= self._inverse_lengths[first, first:, None]
            shapes = np.cumsum(differences[first:], axis=0) - heights
            yield first, np.stack([heights, np.maximum(shapes, 0.0)])


def _totals(design: StepDesign, places: Places) -> tuple[Floats, Floats, Floats]:
    """Return the length of each window, its totals, and how far rounding can move it."""
    n = places.n_places
    lengths, totals, noise = np.zeros((n, n)), np.zeros((2, n, n)), np.zeros((n, n))
    rounded = places.gather(design.noise[:, None] ** 2)[:, 0]
    deviations = design.deviations
    columns = places.gather(deviations.T)
    squares = places.gather(sums_of_squares(deviations)[:, None])[:, 0]
    del deviations  # of long curves, room for the rest
    for first in range(n):
        n_steps = np.cumsum(places.lengths[first:])
        heights = np.sum(np.cumsum(columns[first:], axis=0) ** 2, axis=1) / n_steps
        lengths[first, first:] = n_steps
        noise[first, first:] = np.sqrt(np.cumsum(rounded[first:]))
        totals[0, first, first:] = heights
        totals[1, first, first:] = np.maximum(np.cumsum(squares[first:]) - heights, 0.0)
    return lengths, totals, noise


def _striking(shares: Floats) -> Floats:
    """Return the fourth root of r / √(1 − r)."""
    residual_shares = np.maximum(1.0 - shares, MIN_RESIDUAL_SHARE)
    return np.sqrt(np.sqrt(shares / np.sqrt(residual_shares)))


def intervalwise(pvalues: Floats) -> Floats:
    """Return, for each place, the largest p of the windows that contain it.

    ``pvalues`` is (n_places, n_places), by first and last place (Pini & Vantini 2017).
    """
    of_windows = np.where(np.triu(np.ones_like(pvalues)) > 0, pvalues, 0.0)
    # The largest over all later ends, then over all earlier beginnings.
    ends = np.maximum.accumulate(of_windows[:, ::-1], axis=1)[:, ::-1]
    return np.diagonal(np.maximum.accumulate(ends, axis=0)).copy()
