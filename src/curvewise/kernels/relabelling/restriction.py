"""Which relabellings are allowed: how many there are, all of them, and some at random.

A test is exact when, under its null hypothesis, every allowed relabelling is equally likely. A
new restriction (pairs that swap, labels that rotate) is a class with the members of
`Restriction`; nothing else needs to know about it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from curvewise.kernels.relabelling.enumeration import Enumeration, n_relabellings
from curvewise.kernels.relabelling.shuffles import Shuffles

if TYPE_CHECKING:
    from curvewise.kernels import Integers

__all__ = ["Relabellings", "Restriction", "WithinBlocks"]


class Relabellings(Protocol):
    """A number of relabellings, in batches that are the same for every caller."""

    @property
    def labels(self) -> Integers:
        """The observed labels; (n_runs,)."""

    @property
    def blocks(self) -> Integers:
        """The block of each run; (n_runs,)."""

    @property
    def count(self) -> int:
        """How many relabellings there are in all batches."""

    def batch(self, number: int) -> Integers:
        """Return the labels of one batch; (BATCH or fewer, n_runs)."""


class Restriction(Protocol):
    """The relabellings that are equally likely if the null hypothesis holds."""

    @property
    def count(self) -> int:
        """How many distinct relabellings are allowed, the observed one among them."""

    @property
    def unit(self) -> str:
        """What one of them, drawn at random, is called."""

    def every(self) -> Relabellings:
        """Return all of them."""

    def drawn(self, count: int, seed: int) -> Relabellings:
        """Return ``count`` of them at random, the same ones for the same seed."""


@dataclass(frozen=True, eq=False)
class WithinBlocks:
    """Runs change algorithms inside their block; without blocks all runs are in one."""

    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)
    unit: str = "shuffle"

    @cached_property
    def count(self) -> int:
        """How many distinct relabellings are allowed, the observed one among them."""
        return n_relabellings(self.labels, self.blocks)

    def every(self) -> Enumeration:
        """Return all of them."""
        return Enumeration(self.labels, self.blocks)

    def drawn(self, count: int, seed: int) -> Shuffles:
        """Return ``count`` of them at random, the same ones for the same seed."""
        return Shuffles(self.labels, self.blocks, count, seed)
