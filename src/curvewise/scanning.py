"""The shuffle test step by step and window by window: visit relabellings and count."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from curvewise.kernels.adjustments import TIE
from curvewise.kernels.nested import moments, nested_scores, nested_statistics
from curvewise.kernels.profiles import cluster_masses, f_ratios
from curvewise.kernels.shuffles import Shuffles
from curvewise.kernels.streams import BATCH
from curvewise.kernels.windows import Windows
from curvewise.parallel import in_chunks, single_blas

if TYPE_CHECKING:
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.profiles import StepDesign
    from curvewise.shuffling import Relabellings

__all__ = ["MOST_PLACES", "Scan", "Watch", "scan"]

MOST_PLACES = 400  # beyond so many steps, windows begin and end at portions of them
N_PILOT = 256  # relabellings from which scales are learnt
CHUNK = 4  # batches to a task
REPAYS = 4_000_000  # windows × relabellings from which on compiled code is faster


@dataclass(frozen=True, eq=False)
class Watch:
    """What was observed, and with it what every relabelling is compared."""

    design: StepDesign
    roots: Floats  # (2, n_steps): what a relabelling must reach at a step to count
    order: Integers  # (2, n_steps): steps from the most to the least striking
    threshold: float
    nested: Floats  # (2, n_steps)
    nested_scale: tuple[Floats, Floats]
    windows: Windows | None
    compiled: bool

    @classmethod
    def of(
        cls,
        design: StepDesign,
        labels: Integers,
        blocks: Integers,
        threshold: float,
        *,
        n_visited: int,
        windows: bool,
    ) -> Watch:
        """Look at the observed labels, and learn scales from others.

        ``n_visited`` relabellings will be visited: what is worth compiling depends on it.
        """
        n_places = min(design.n_steps, MOST_PLACES)
        compiled = n_places * (n_places + 1) // 2 * n_visited > REPAYS
        # Drawn without looking at the labels, so that any scale they give is fair.
        pilot = Shuffles(labels, blocks, N_PILOT, seed=0).batch(0)
        scale = moments(nested_statistics(_shares(design, pilot)[0]))
        observed = design.roots(design.profiles(design.sums(labels[None, :])))[:, :, 0]
        reached = np.maximum(observed - design.slack, 0.0)
        nested = nested_scores((reached[0] ** 2)[:, None], scale)[:, :, 0]
        return cls(
            design,
            reached,
            np.argsort(-observed, axis=1, kind="stable"),
            threshold,
            nested - TIE * np.abs(nested),
            scale,
            Windows.of(design, labels, pilot, MOST_PLACES, compiled=compiled)
            if windows
            else None,
            compiled,
        )


@dataclass(frozen=True, eq=False)
class Scan:
    """What the relabellings gave; rows are those of A and of I.

    ``n_extreme`` counts at each step, ``n_stepdown`` among the steps not more striking,
    ``n_nested`` for windows to the end and from the start, ``n_windows`` for every window;
    ``maxima``, ``masses`` and ``largest`` have the largest root, the largest cluster and the
    most striking window of each relabelling.
    """

    count: int
    n_extreme: Integers
    n_stepdown: Integers
    n_nested: Integers
    n_windows: Integers
    maxima: Floats
    masses: Floats
    largest: Floats


def scan(relabellings: Relabellings, watch: Watch, *, n_jobs: int = 1) -> Scan:
    """Visit every relabelling; ``n_jobs`` changes no digit."""
    n_batches = -(-relabellings.count // BATCH)
    work = partial(_scan_batches, relabellings, watch)
    with single_blas():
        done = in_chunks(work, range(n_batches), chunk=CHUNK, n_jobs=n_jobs)
    counts, kept = zip(*done, strict=True)
    summed = [np.sum(part, axis=0) for part in zip(*counts, strict=True)]
    joined = [np.concatenate(part, axis=-1) for part in zip(*kept, strict=True)]
    return Scan(relabellings.count, *summed, *joined)


def _shares(design: StepDesign, labels: Integers) -> Floats:
    """Return A and I as shares of the total, enlarged by what rounding may have taken."""
    roots = design.roots(design.profiles(design.sums(labels)))
    return (roots + design.slack[:, :, None]) ** 2


def _scan_batches(
    relabellings: Relabellings, watch: Watch, batches: range
) -> tuple[tuple[Integers, ...], tuple[Floats, ...]]:
    design = watch.design
    n_extreme, n_stepdown, n_nested = (
        np.zeros((2, design.n_steps), dtype=np.int64) for _ in range(3)
    )
    n_windows: Integers = np.zeros((2, 0, 0), dtype=np.int64)
    if watch.windows is not None:
        n_windows = np.zeros(watch.windows.totals.shape, dtype=np.int64)
    maxima, masses, largest = [], [], [np.empty(0)]
    bars = watch.roots[:, :, None] * (1 - TIE)
    for number in batches:
        batch = relabellings.batch(number)
        for start in range(0, len(batch), design.portion):
            labels = batch[start : start + design.portion]
            roots = design.roots(design.profiles(design.sums(labels)))
            ratios = f_ratios(roots**2, design.df)
            masses.append(cluster_masses(ratios, watch.threshold).max(axis=1))
            roots += design.slack[:, :, None]
            n_extreme += np.sum(roots >= bars, axis=-1)
            maxima.append(roots.max(axis=1))
            n_nested += np.sum(
                nested_scores(roots[0] ** 2, watch.nested_scale)
                >= watch.nested[:, :, None],
                axis=-1,
            )
            for effect, order in enumerate(watch.order):
                # The largest of this step and all less striking ones.
                rest = np.maximum.accumulate(roots[effect, order[::-1]], axis=0)[::-1]
                n_stepdown[effect, order] += np.sum(rest >= bars[effect, order], axis=-1)
        if watch.windows is not None:
            counted, most = watch.windows.count(design, batch, compiled=watch.compiled)
            n_windows += counted
            largest.append(most)
    counts = n_extreme, n_stepdown, n_nested, n_windows
    kept = (
        np.concatenate(maxima, axis=-1),
        np.concatenate(masses, axis=-1),
        np.concatenate(largest),
    )
    return counts, kept
