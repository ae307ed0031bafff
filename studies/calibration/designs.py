"""Designs: how many runs of each algorithm, how many steps, and which blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["DESIGNS", "NAMES", "Design"]

NAMES = "ABCDEFGH"
N_STEPS = 20
MAX_ENUMERATED = 1_000  # relabellings; more are sampled, which is as exact and takes less time


@dataclass(frozen=True)
class Design:
    """One design.

    Attributes
    ----------
    name : str
    sizes : tuple of int
        The number of runs of each algorithm.
    blocks : tuple of (int, ...), optional
        For each block, the algorithm of each run in it; ``sizes`` must agree.
    """

    name: str
    sizes: tuple[int, ...]
    blocks: tuple[tuple[int, ...], ...] = ()
    n_steps: int = N_STEPS

    @property
    def codes(self) -> npt.NDArray[np.int64]:
        """The algorithm of each run."""
        if self.blocks:
            return np.array([code for block in self.blocks for code in block])
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def block_of_run(self) -> npt.NDArray[np.int64] | None:
        """The block of each run, or None without blocks."""
        if not self.blocks:
            return None
        return np.repeat(np.arange(len(self.blocks)), [len(block) for block in self.blocks])

    @property
    def exact(self) -> bool | None:
        """The option ``exact`` for tests that shuffle all runs: sampled where many."""
        if self.blocks:
            n = math.prod(math.factorial(len(block)) for block in self.blocks)
        else:
            n = math.factorial(sum(self.sizes))
            n //= math.prod(math.factorial(size) for size in self.sizes)
        return None if n <= MAX_ENUMERATED else False

    @property
    def exact_pairs(self) -> bool | None:
        """The option ``exact`` for tests that shuffle the runs of two algorithms."""
        if self.blocks:
            return self.exact
        most = max(math.comb(a + b, a) for a, b in combinations(self.sizes, 2))
        return None if most <= MAX_ENUMERATED else False


def _in_blocks(name: str, blocks: tuple[tuple[int, ...], ...]) -> Design:
    codes = [code for block in blocks for code in block]
    sizes = tuple(codes.count(code) for code in range(max(codes) + 1))
    return Design(name, sizes, blocks)


def _in_batches(name: str, n_batches: int, size: int, n_algorithms: int = 2) -> Design:
    """Batches are blocks with several runs of each algorithm."""
    batch = tuple(code for code in range(n_algorithms) for _ in range(size))
    return _in_blocks(name, (batch,) * n_batches)


DESIGNS: dict[str, Design] = {
    design.name: design
    for design in (
        Design("3 + 3", (3, 3)),
        Design("5 + 5", (5, 5)),
        Design("10 + 10", (10, 10)),
        Design("4 + 7", (4, 7)),
        Design("4 + 12", (4, 12)),
        Design("5 + 5, long", (5, 5), n_steps=200),
        Design("3 × 5", (5,) * 3),
        Design("3, 5, 6", (3, 5, 6)),
        Design("3 × 10", (10,) * 3),
        Design("6 × 5", (5,) * 6),
        _in_blocks("8 pairs", ((0, 1),) * 8),
        _in_blocks("6 blocks of 3", ((0, 1, 2),) * 6),
        _in_blocks("12 of 3 pairs", ((0, 1), (0, 2), (1, 2)) * 4),
        _in_batches("2 batches of 5 + 5", 2, 5),
        _in_batches("3 batches of 5 + 5", 3, 5),
        _in_batches("5 batches of 4 + 4", 5, 4),
        _in_batches("5 batches of 2 + 2", 5, 2),
        _in_batches("4 batches of 4 × 4", 4, 4, 4),
    )
}
