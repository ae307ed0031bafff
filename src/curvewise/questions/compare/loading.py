"""Compiled code for many comparisons: none of them alone may repay loading it, all do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from curvewise.kernels.anova.halving import halving_repays_compiling
from curvewise.kernels.anova.subset_sums import MAX_SUBSET_RUNS, counting_repays_compiling
from curvewise.shuffling.plan import MAX_FREE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from curvewise.data.curves import Curves

__all__ = ["load_compiler", "load_compiler_for"]


def load_compiler(tables: Iterable[Curves]) -> None:
    """Import compiled code if all tables together repay it: each of them then finds it there."""
    load_compiler_for(
        (curves.sizes[0], curves.sizes[1], curves.n_steps)
        for curves in tables
        if len(curves.sizes) == 2 and curves.blocks is None
    )


def load_compiler_for(designs: Iterable[tuple[int, int, int]]) -> None:
    """Do the same for comparisons of two: how many runs each has, and how many steps."""
    n_halved, n_subsets = 0, 0
    for first, second, n_steps in designs:
        n_runs = first + second
        count = math.comb(n_runs, first)
        if count <= MAX_FREE:
            n_halved += count * n_steps
        elif n_runs <= MAX_SUBSET_RUNS:
            n_subsets += 2 ** (n_runs // 2)
    if halving_repays_compiling(n_halved, 1):
        import curvewise.kernels.anova.compiled_halves
        import curvewise.kernels.compiled_inversion
    if counting_repays_compiling(n_subsets):
        import curvewise.kernels.anova.compiled_subsets  # noqa: F401
