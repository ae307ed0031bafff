"""Simulated experiments: runs with noise around mean curves, each tested as `compare` does.

Run j of an algorithm in experiment r is the same however many runs there are, so that power
rises with their number although it is simulated; and the same whatever the size of the effect.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.inference.noise import PilotNoise
from curvewise.kernels.anova.screening import TABLES_PER_SET, rejections
from curvewise.kernels.anova.spanned import Spanned
from curvewise.kernels.compiling import compiler_is_loaded, worth_compiling
from curvewise.kernels.relabelling.enumeration import n_relabellings
from curvewise.kernels.relabelling.streams import stream_key
from curvewise.shuffling.parallel import chunks_of, in_chunks, single_blas

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from curvewise.inference.effects import EffectName
    from curvewise.inference.noise import Noise
    from curvewise.kernels import Floats, Integers
    from curvewise.kernels.anova.screening import Tests
    from curvewise.questions.power.truth import Truth

__all__ = ["COUNTED", "Simulation", "claim_of", "smallest_n"]

# What is counted: the tests that are significant, and the parts that `compare` claims, where the
# overall test is significant too.
COUNTED = (
    "overall",
    "algorithm",
    "interaction",
    "claimed algorithm",
    "claimed interaction",
)

# Experiments whose noise is drawn together: a number that memory does not depend on.
AT_ONCE = 50
MAX_SCORES_AT_ONCE = 2**24
# Steps × shuffles × experiments beyond which compiled code is faster, its import included.
COMPILE_ABOVE_STEPS_TIMES_SHUFFLES = 300_000_000


@dataclass(frozen=True, eq=False)
class Simulation:
    """How experiments are simulated and tested.

    Attributes
    ----------
    noises : tuple of Noise
        That of each algorithm; with blocks one, of blocks with the curves side by side.
    n_algorithms : int
    ratio : float
        Runs of the first algorithm for a run of each other one.
    in_blocks : bool
        Whether every block holds one run of each algorithm.
    alpha, n_shuffles, combined
        How each experiment is tested.
    keys : tuple of int
        Where noise and shuffles come from.
    """

    noises: tuple[Noise, ...] = field(repr=False)
    n_algorithms: int
    ratio: float
    in_blocks: bool
    alpha: float
    n_shuffles: int
    combined: bool
    keys: tuple[int, int]

    def sizes(self, n_runs: int) -> tuple[int, ...]:
        """Return the runs of each algorithm, where the others than the first have ``n_runs``."""
        first = max(math.floor(self.ratio * n_runs + 0.5), 1)
        return (first, *[n_runs] * (self.n_algorithms - 1))

    def design(self, n_runs: int) -> tuple[Integers, Integers]:
        """Return the algorithm and the block of each run."""
        labels = np.repeat(np.arange(self.n_algorithms), self.sizes(n_runs))
        blocks = np.zeros_like(labels)
        if self.in_blocks:
            blocks = np.tile(np.arange(n_runs), self.n_algorithms)
        return labels, blocks

    def n_rejected(
        self,
        n_runs: int,
        cases: Sequence[tuple[Truth, float, int]],
        *,
        first: int = 0,
        n_jobs: int = 1,
        tests: Tests = "all",
    ) -> Integers:
        """Simulate experiments with so many runs; return how often each test rejects.

        A case is a truth, what its differences are multiplied by, and how many experiments there
        are of it. Returns (n_cases, 5), in the order of `COUNTED`. The experiments before the
        ``first``, a multiple of `AT_ONCE`, are left out. ``tests`` are those of `rejections`:
        counts of what is not asked there mean nothing.
        """
        most = max(number for _, _, number in cases)
        labels, blocks = self.design(n_runs)
        n_scores = len(labels) * cases[0][0].base.size
        n_parts = max(min(MAX_SCORES_AT_ONCE // n_scores, TABLES_PER_SET) // AT_ONCE, 1)
        chunks = chunks_of(range(first, most), n_parts * AT_ONCE)
        compiled = self._repays_compiling(n_runs, cases)
        work = partial(
            self._chunk, n_runs, labels, blocks, cases, tests, compiled=compiled
        )
        with single_blas():
            found = in_chunks(work, chunks, n_jobs=n_jobs)
            return np.sum([counts for _, counts in found], axis=0)

    def _chunk(
        self,
        n_runs: int,
        labels: Integers,
        blocks: Integers,
        cases: Sequence[tuple[Truth, float, int]],
        tests: Tests,
        chunk: range,
        *,
        compiled: bool,
    ) -> Integers:
        """Count the rejections among some experiments."""
        noise = self._noise(n_runs, chunk)
        options: dict[str, Any] = {
            "alpha": self.alpha,
            "n_shuffles": self.n_shuffles,
            "combined": self.combined,
            "tests": tests,
            "compiled": compiled,
        }
        counts = np.zeros((len(cases), len(COUNTED)), dtype=np.int64)
        # Cases with fewer experiments have the first of them.
        stops = sorted({min(number - chunk.start, len(chunk)) for *_, number in cases})
        start = 0
        for stop in (stop for stop in stops if stop > 0):
            part = noise.part(slice(start, stop))
            here = [
                row for row, case in enumerate(cases) if case[2] - chunk.start >= stop
            ]
            key = int(stream_key(self.keys[1], chunk.start + start))
            moved = [row for row in here if cases[row][0].on_curves is None]
            if moved:
                shifts = [cases[row][0].shift(labels, cases[row][1]) for row in moved]
                found = rejections(
                    part, labels, blocks, key=key, shifts=np.stack(shifts), **options
                )
                counts[moved] += _counted(found)
            for row in set(here) - set(moved):
                truth, times, _ = cases[row]
                scores = truth.changed(part.scores(), labels, times)
                found = rejections(scores, labels, blocks, key=key, **options)
                counts[row] += _counted(found)[0]
            start = stop
        return counts

    def _repays_compiling(
        self, n_runs: int, cases: Sequence[tuple[Truth, float, int]]
    ) -> bool:
        """Whether it is faster to compile, as NumPy would take seconds or it is done already."""
        n_relabelled = min(n_relabellings(*self.design(n_runs)), self.n_shuffles)
        n_experiments = sum(number for *_, number in cases)
        work = n_experiments * n_relabelled * cases[0][0].base.size
        large = work >= COMPILE_ABOVE_STEPS_TIMES_SHUFFLES
        return worth_compiling(large or compiler_is_loaded())

    def _noise(self, n_runs: int, chunk: range) -> Spanned:
        """Return the noise of some experiments, the first of which is a multiple of `AT_ONCE`."""
        each = [self._drawn(n_runs, start) for start in chunk[::AT_ONCE]]
        drawn = np.concatenate(each)[: len(chunk)]
        mixed = self._mixed()
        if not mixed:
            return Spanned(drawn)
        return Spanned.of(drawn, np.concatenate([noise.basis for noise in mixed]))

    def _mixed(self) -> list[PilotNoise]:
        """Return the different noises where all are mixtures of curves; else none."""
        mixed = [noise for noise in self.noises if isinstance(noise, PilotNoise)]
        if len(mixed) < len(self.noises):
            return []
        return list({id(noise): noise for noise in mixed}.values())

    def _drawn(self, n_runs: int, start: int) -> Floats:
        """Return the noise of the experiments from ``start`` on; (AT_ONCE, n_runs, n).

        That is the amounts of what is mixed, one noise after the other; else n is the steps.
        """
        streams = np.random.SeedSequence(self.keys[0], spawn_key=(start,)).spawn(
            self.n_algorithms
        )
        if self.in_blocks:
            # Blocks one after the other, each with its curves side by side.
            drawn = self.noises[0].draw(
                np.random.default_rng(streams[0]), n_runs * AT_ONCE
            )
            each = drawn.reshape(n_runs, AT_ONCE, self.n_algorithms, -1)
            return each.transpose(1, 2, 0, 3).reshape(
                AT_ONCE, self.n_algorithms * n_runs, -1
            )
        mixed, parts = self._mixed(), []
        for noise, stream, size in zip(
            self.noises, streams, self.sizes(n_runs), strict=True
        ):
            rng, n_all = np.random.default_rng(stream), size * AT_ONCE
            if isinstance(noise, PilotNoise) and mixed:
                own = [
                    noise.draw_amounts(rng, n_all)
                    if each is noise
                    else np.zeros((n_all, len(each.residuals)))
                    for each in mixed
                ]
                drawn = np.concatenate(own, axis=1)
            else:
                drawn = noise.draw(rng, n_all)
            parts.append(drawn.reshape(size, AT_ONCE, -1))
        return np.concatenate(parts).transpose(1, 0, 2)


def claim_of(question: EffectName) -> int:
    """Return which of the counts has what is claimed; of any difference, its test."""
    name = question if question == "overall" else f"claimed {question}"
    return COUNTED.index(name)


def _counted(found: npt.NDArray[np.bool_]) -> Integers:
    """Count what was found; (n_cases, 3, n_tables) becomes (n_cases, 5)."""
    claimed = found[:, 1:] & found[:, :1]
    return np.concatenate([found, claimed], axis=1).sum(axis=2)


def smallest_n(simulation: Simulation) -> int:
    """Return the fewest runs with which p can be as small as alpha, whatever the shuffles."""
    for n_runs in count(1):
        labels, blocks = simulation.design(n_runs)
        if len(labels) > simulation.n_algorithms and (
            1 / n_relabellings(labels, blocks) <= simulation.alpha
        ):
            break
    return n_runs
