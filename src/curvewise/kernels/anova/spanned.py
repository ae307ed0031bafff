"""Many tables whose curves are mixtures of a few: what is summed over runs are then amounts.

The noise of simulated runs mixes the curves of a few pilots: write a for the amounts of a run and
E for the curves that are mixed, so that its scores are a E. Sums over the runs of a relabelling
are then (Σ a) E, and so are those of squares and products: the cost of a run no longer depends on
the number of steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from curvewise.kernels.anova.many_tables import block_centred, roundings

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Floats, Integers

__all__ = ["Centred", "Shifted", "Spanned"]

# Where single precision does not suffice: shapes with less than this share of all, and steps or
# heights that vary by less than so many times what rounding can do.
MIN_SHAPE_SHARE, MIN_VARIATION_OVER_NOISE = 0.002, 1e6

# A mixture must take so many times fewer products: those of small matrices are slower.
MIN_SAVING = 2


@dataclass(frozen=True, eq=False)
class Spanned:
    """Tables of one design, by the amounts of what their curves are made of.

    Attributes
    ----------
    amounts : array, (n_tables, n_runs, n_parts)
    basis : array, (n_parts, n_steps), or None
        The curves of which there are so much; None where the amounts are the scores.
    """

    amounts: Floats
    basis: Floats | None = None

    @classmethod
    def of(cls, amounts: Floats, basis: Floats) -> Spanned:
        """Return the tables in the form in which they are summed up faster."""
        _, n_runs, n_parts = amounts.shape
        n_steps = basis.shape[1]
        if MIN_SAVING * n_parts * (n_runs + n_steps) < n_runs * n_steps:
            return cls(amounts, basis)
        return cls(amounts @ basis)

    def __len__(self) -> int:
        return len(self.amounts)

    @property
    def n_steps(self) -> int:
        """The number of steps of a curve."""
        return self.amounts.shape[2] if self.basis is None else self.basis.shape[1]

    def part(self, rows: slice | npt.NDArray[np.intp]) -> Spanned:
        """Return some of the tables."""
        return Spanned(self.amounts[rows], self.basis)

    def scores(self) -> Floats:
        """Return the curves; (n_tables, n_runs, n_steps)."""
        return self.at_steps(self.amounts)

    def at_steps(self, amounts: Floats) -> Floats:
        """Return the curves that have some amounts; (…, n_parts) becomes (…, n_steps)."""
        return amounts if self.basis is None else amounts @ self.basis

    def heights(self) -> Floats:
        """Return the sum over steps of each curve; (n_tables, n_runs)."""
        if self.basis is None:
            return np.asarray(self.amounts.sum(axis=2))
        return np.asarray(self.amounts @ self.basis.sum(axis=1))

    def sizes(self) -> Floats:
        """Return what no score of a table at a step exceeds; (n_tables, n_steps)."""
        most = np.abs(self.amounts).max(axis=1)
        return np.asarray(most if self.basis is None else most @ np.abs(self.basis))


@dataclass(frozen=True, eq=False)
class Centred:
    """Tables less the mean curves of their blocks, with what all shifts of them share.

    Attributes
    ----------
    curves : Spanned
    blocks : array, (n_runs,)
    heights : array, (n_tables, n_runs)
        The coordinates of the heights: means, times the root of the number of steps.
    sizes : array, (n_tables, n_steps)
        What no score exceeded before it was centred.
    """

    curves: Spanned
    blocks: Integers
    heights: Floats
    sizes: Floats

    @classmethod
    def of(cls, tables: Spanned, blocks: Integers) -> Centred:
        """Centre the curves."""
        curves = Spanned(block_centred(tables.amounts, blocks), tables.basis)
        heights = curves.heights() / np.sqrt(tables.n_steps)
        return cls(curves, blocks, heights, tables.sizes())

    @cached_property
    def squares(self) -> Floats:
        """The sum of squares over runs, at each step; (n_tables, n_steps)."""
        return self.products(self.curves.amounts)

    def products(self, others: Floats) -> Floats:
        """Return Σ_runs score × other at each step; (n_tables, n_steps).

        The others are amounts of each table or, where they are of no table, scores.
        """
        amounts, basis = self.curves.amounts, self.curves.basis
        of_tables = others.ndim == amounts.ndim
        if basis is None:
            kind = "rjh,rjh->rh" if of_tables else "rjh,jh->rh"
            return np.asarray(np.einsum(kind, amounts, others))
        sums = amounts.transpose(0, 2, 1) @ others
        return np.asarray(
            np.einsum("rph,ph->rh", sums @ basis if of_tables else sums, basis)
        )

    def with_shift(self, shift: Floats) -> Shifted:
        """Return the tables with a shift added, (n_runs, n_steps); what it takes to test them."""
        heights, noise, step_noise = self.shifted_heights(shift)
        shift = block_centred(shift[None], self.blocks)[0]
        squares = self.squares + 2 * self.products(shift) + np.sum(shift**2, axis=0)
        np.maximum(squares, 0.0, out=squares)
        lengths = np.sqrt(squares)
        lengths[lengths <= step_noise * MIN_VARIATION_OVER_NOISE] = 0.0
        of_heights = np.sum(heights**2, axis=1)
        total = squares.sum(axis=1)
        known = (
            np.all((lengths > 0) | (squares <= step_noise**2), axis=1)
            & (total - of_heights > MIN_SHAPE_SHARE * total)
            & (of_heights > (MIN_VARIATION_OVER_NOISE * noise) ** 2)
        )
        totals = np.stack([total, of_heights, total - of_heights])
        return Shifted(
            self.curves, shift, squares, lengths, heights, totals, noise, known
        )

    def shifted_heights(self, shift: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the coordinates of heights with a shift, and how far rounding moves them.

        The last two are for tables and for steps.
        """
        noise, step_noise = roundings(self.sizes + np.abs(shift).max(axis=0), len(shift))
        own = shift.sum(axis=1)[None, :, None] / np.sqrt(self.curves.n_steps)
        moved = block_centred(own, self.blocks)[0, :, 0]
        return self.heights + moved, noise, step_noise


class Shifted(NamedTuple):
    """What tables are made of to which a shift is added; arrays have the tables first."""

    curves: Spanned  # centred, and so is the shift
    shift: Floats  # (n_runs, n_steps)
    squares: Floats  # of the shifted curves, at each step
    lengths: Floats  # their roots, 0 at steps without variation
    heights: Floats  # the coordinate of the height
    totals: (
        Floats  # (3, n_tables): all sums of squares, those of heights, those of shapes
    )
    noise: Floats  # how far rounding can move a table
    known: npt.NDArray[np.bool_]  # where single precision suffices

    def sums(self, weights: Floats, tables: npt.NDArray[np.intp]) -> Floats:
        """Return weighted sums over runs, of one table each; (n, n_steps).

        ``weights`` is (n, n_runs), and ``tables`` says of which table.
        """
        amounts = np.einsum("pjd,pj->pd", self.curves.amounts[tables], weights)
        return np.asarray(self.curves.at_steps(amounts) + weights @ self.shift)
