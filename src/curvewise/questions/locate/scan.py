"""The shuffle test step by step and window by window: a statistic, counted in one visit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.adjustments import TIE, MaxCounts
from curvewise.kernels.compiling import compiling_repays
from curvewise.kernels.location.bands import Difference
from curvewise.kernels.location.nested import nested_maxima
from curvewise.kernels.location.profiles import cluster_masses, f_ratios
from curvewise.kernels.location.scanning import Bars, StepCounts, scan_steps
from curvewise.kernels.location.windows import PlaceSums, Windows
from curvewise.shuffling.plan import MAX_FREE, Limits
from curvewise.shuffling.visiting import Statistic

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.location.profiles import StepDesign
    from curvewise.shuffling.layout import Layout
    from curvewise.shuffling.tally import Measured

__all__ = ["Reference", "ScanCounts", "StepScan", "scan_limits"]

MAX_PLACES = 400  # beyond so many steps, windows begin and end at portions of them
N_PILOT = 256  # relabellings from which scales are learnt
# Seconds for each relabelling: of a window, and of a step and all algorithms but one.
WINDOW_IN_NUMPY, WINDOW_COMPILED = 40e-9, 2e-9
STEP_IN_NUMPY, STEP_COMPILED = 100e-9, 10e-9
MAX_FREE_WORK = 400_000_000  # windows × relabellings that are visited without being asked
MAX_EXACT = 2_000_000  # relabellings, when all are asked for
MAX_SHUFFLES = 2**17  # of "auto" and "precise": about a minute with 200 steps


def scan_limits(n_steps: int) -> Limits:
    """Return how many relabellings can be visited; windows need not be looked at for it.

    With and without windows the same number is visited, so that both give the same answer.
    """
    n_windows = _n_windows(n_steps)
    return Limits(min(MAX_FREE, MAX_FREE_WORK // n_windows), MAX_EXACT, MAX_SHUFFLES)


def _n_windows(n_steps: int) -> int:
    n_places = min(n_steps, MAX_PLACES)
    return n_places * (n_places + 1) // 2


@dataclass(frozen=True, eq=False)
class Reference:
    """The observed statistics, and the limits each relabelling is compared with.

    The two rows of arrays are those of A and of I.
    """

    design: StepDesign
    roots: Floats  # (2, n_steps): what a relabelling must reach at a step to count
    order: Integers  # (2, n_steps): steps from the most to the least striking
    ratios: Floats  # (2, n_steps): F at each step
    profiles: Floats  # (2, n_steps): A and I
    shares: Floats  # (2, n_steps): of the total at each step
    threshold: float  # F of steps that make a cluster
    masses: tuple[Floats, Floats]  # of the observed clusters
    nested: Floats  # (2, n_steps): what it must reach in nested windows
    difference: Difference | None  # of two algorithms
    windows: Windows | None
    compiled: bool

    @cached_property
    def bars(self) -> Bars:
        """What a relabelling must reach, less what may be rounding."""
        return Bars(
            self.roots * (1 - TIE), self.nested * (1 - TIE), self.order, self.threshold
        )

    @classmethod
    def of(
        cls,
        design: StepDesign,
        layout: Layout,
        threshold: float,
        *,
        n_visited: int,
        windows: bool,
    ) -> Reference:
        """Compute the observed statistics, and learn scales from other relabellings.

        ``n_visited`` relabellings will be visited: what is worth compiling depends on it.
        """
        compiled = _repays_compiling(design, n_visited, windows=windows)
        profiles = design.profiles(design.sums(layout.labels[None, :]))
        observed = design.roots(profiles)
        ratios = f_ratios(observed**2, design.df)
        masses = cluster_masses(ratios, threshold)[:, :, 0]
        reached = np.maximum(observed[:, :, 0] - design.slack, 0.0)
        difference = None
        if len(design.factor) == 1:
            difference = Difference.of(design, layout.labels, layout.blocks)
        return cls(
            design,
            reached,
            np.argsort(-observed[:, :, 0], axis=1, kind="stable"),
            ratios[:, :, 0],
            profiles[:, :, 0],
            observed[:, :, 0] ** 2,
            threshold,
            (cluster_ends(masses[0])[1], cluster_ends(masses[1])[1]),
            nested_maxima(reached[0][:, None])[:, :, 0],
            difference,
            _windows(design, layout, compiled=compiled) if windows else None,
            compiled,
        )


def _repays_compiling(design: StepDesign, n_visited: int, *, windows: bool) -> bool:
    n_windows = _n_windows(design.n_steps) if windows else 0
    n_sums = design.n_steps * len(design.factor)
    return compiling_repays(
        n_visited * (n_windows * WINDOW_IN_NUMPY + n_sums * STEP_IN_NUMPY),
        n_visited * (n_windows * WINDOW_COMPILED + n_sums * STEP_COMPILED),
    )


def _windows(design: StepDesign, layout: Layout, *, compiled: bool) -> Windows:
    # Drawn without looking at the labels, so that any scale they give is fair.
    pilot = layout.restriction.drawn(N_PILOT, seed=0).batch(0)
    return Windows.of(design, layout.labels, pilot, MAX_PLACES, compiled=compiled)


def cluster_ends(running: Floats) -> tuple[list[tuple[int, int]], Floats]:
    """Return first and last step of every cluster, and its mass, from sums so far."""
    ends = stretches(running > 0)
    return ends, np.array([running[last] for _, last in ends])


def stretches(
    inside: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> list[tuple[int, int]]:
    """Return the first and last index of every stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], inside.astype(np.int8), [0]])))
    return [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]


class ScanCounts(NamedTuple):
    """How many relabellings are as extreme; rows are those of A and of I.

    Attributes
    ----------
    single : array, (2, n_steps)
        With the largest of all steps as large as the observed at a step.
    step : array, (2, n_steps)
        At the step itself.
    stepdown : array, (2, n_steps)
        With the largest among the steps not more striking.
    nested : array, (2, n_steps)
        In windows to the end, and from the start.
    clusters_a, clusters_i : array
        With the largest cluster as large as each observed one.
    windows : array, (2, n_places, n_places)
        In every window; empty without windows.
    any_window : array
        With the most striking window as striking as each; flat.
    """

    single: Integers
    step: Integers
    stepdown: Integers
    nested: Integers
    clusters_a: Integers
    clusters_i: Integers
    windows: Integers
    any_window: Integers


@dataclass(frozen=True, eq=False)
class StepScan(Statistic):
    """Counts over relabellings at each step, in nested windows, clusters and all windows.

    Every p comes from counts. Of two algorithms the largest √R over the steps is kept, of
    shuffled curves and of shuffled residuals, for the band of their difference.
    """

    reference: Reference
    single: tuple[MaxCounts, MaxCounts]
    clusters: tuple[MaxCounts, MaxCounts]
    any_window: MaxCounts

    chunk = 1  # batches: a tenth of a second with 200 steps, a second with 100,000
    min_batches_for_single_blas = 4

    @classmethod
    def of(cls, reference: Reference) -> StepScan:
        """Prepare the counting of maxima."""
        scores = np.empty(0)
        if reference.windows is not None:
            scores = reference.windows.scores.ravel()
        first, second = (MaxCounts.of(row) for row in reference.roots)
        of_a, of_i = (MaxCounts.of(masses) for masses in reference.masses)
        return cls(reference, (first, second), (of_a, of_i), MaxCounts.of(scores))

    def n_kept(self, n_runs: int) -> int:
        """Keep nothing of more than two algorithms."""
        return 0 if self.reference.difference is None else super().n_kept(n_runs)

    def deciding(self, counts: tuple[Integers, ...]) -> Integers:
        """Return the counts of the most striking step: does any step differ?"""
        found = ScanCounts(*counts)
        n_effects = 2 if self.reference.design.n_steps > 1 else 1
        return np.array(
            [found.single[row, self.reference.order[row, 0]] for row in range(n_effects)]
        )

    def measure(self, labels: Integers, *, keep: bool) -> Measured:
        """Count the extreme relabellings of a batch, and keep the largest √R of each."""
        reference, design = self.reference, self.reference.design
        compiled = reference.compiled
        gathered = None
        if reference.windows is not None:
            gathered = PlaceSums.blank(reference.windows.places, design, len(labels))
        reaching = StepCounts.none(design.n_steps)
        largest_steps, largest_masses = scan_steps(
            design, labels, reference.bars, reaching, gathered, compiled=compiled
        )
        windows: Integers = np.zeros((2, 0, 0), dtype=np.int64)
        most_striking = np.empty(0)
        if reference.windows is not None and gathered is not None:
            windows, most_striking = reference.windows.count(gathered, compiled=compiled)
        del gathered  # of long curves, room for counts
        counts = ScanCounts(
            np.stack(
                [c.count(row) for c, row in zip(self.single, largest_steps, strict=True)]
            ),
            *reaching,
            self.clusters[0].count(largest_masses[0]),
            self.clusters[1].count(largest_masses[1]),
            windows,
            self.any_window.count(most_striking),
        )
        kept: tuple[Floats, ...] = ()
        if keep and reference.difference is not None:
            of_residuals = reference.difference.largest_roots(labels, compiled=compiled)
            kept = (np.stack([largest_steps[0], of_residuals]),)
        return tuple(counts), kept
