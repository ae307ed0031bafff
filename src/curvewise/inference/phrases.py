"""Phrases that the words of several questions share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curvewise.text import listed, p_short, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.inference.effects import Effect
    from curvewise.inference.sampling import Sampling

__all__ = ["method_parts", "names_text", "p_of"]

MAX_NAMES = 4  # of more, only how many there are


def names_text(names: Sequence[str]) -> str:
    """Return the names of algorithms as a list, or how many there are."""
    return listed(names) if len(names) <= MAX_NAMES else f"the {len(names)} algorithms"


def p_of(effect: Effect) -> str:
    """Return the p of an effect for a sentence, and whether it is exact."""
    return f"{'exact ' if effect.exact else ''}p = {p_short(effect.pvalue)}"


def method_parts(
    sampling: Sampling,
    n_runs: Sequence[int],
    steps: str,
    n_blocks: int | None,
    alpha: float,
    *more: str,
) -> str:
    """Return runs, steps, shuffles, blocks, what else there is, and alpha, for the method."""
    sizes = sorted(set(n_runs))
    each = (
        plural(sizes[0], "run") if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} runs"
    )
    how = (
        f"all {sampling.n_relabellings:,} relabellings"
        if sampling.exact
        else plural(sampling.n_shuffles, sampling.unit)
    )
    within = f" inside {plural(n_blocks, 'block')}" if n_blocks else ""
    parts = [f"{each} per algorithm", steps, f"{how}{within}", *more, f"α = {alpha:g}"]
    return "; ".join(parts)
