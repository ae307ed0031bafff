"""How relabellings were visited: all of them or a sample, how many, from which seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from curvewise.inference.requirements import RNGLike

__all__ = ["Sampled", "Sampling", "known_seed"]


@dataclass(frozen=True)
class Sampling:
    """How the relabellings behind a p-value were visited.

    Attributes
    ----------
    exact : bool
        Whether every distinct relabelling was visited.
    n_relabellings : int
        How many distinct relabellings there are.
    n_shuffles : int
        How many relabellings were visited.
    engine : str
        What did the counting: NumPy or compiled code, shuffling, drawing or enumerating.
    seed : int or None
        The ``rng`` that repeats the result, when it was a number and mattered.
    unit : str
        What was counted: "shuffle", or "draw" where tables are drawn anew and ``n_relabellings``
        is how many sets of draws there are.
    n_alike : int
        How many relabellings have the same statistic whatever the data; more than one of
        trimmed means, where runs that are cut off can change places unnoticed.
    """

    exact: bool
    n_relabellings: int
    n_shuffles: int
    engine: str = ""
    seed: int | None = None
    unit: str = "shuffle"
    n_alike: int = 1

    @property
    def smallest_by_runs(self) -> float:
        """The smallest p that the number of relabellings allows."""
        return self.n_alike / self.n_relabellings

    @property
    def smallest_pvalue(self) -> float:
        """The smallest p that this many runs, or shuffles, could be trusted to give."""
        if self.exact:
            return self.smallest_by_runs
        return max(self.smallest_by_runs, 1 / (1 + self.n_shuffles))

    def with_seed(self, seed: int | None) -> Sampling:
        """Return the same with another seed to report."""
        return replace(self, seed=seed)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; the engine says what the unit is."""
        told = {
            name: value
            for name, value in vars(self).items()
            if name not in ("unit", "n_alike")
        }
        return {**told, "smallest_pvalue": self.smallest_pvalue}


class Sampled:
    """The attributes of `Sampling`, for a result that has one as ``sampling``."""

    sampling: Sampling

    @property
    def exact(self) -> bool:
        """Whether every distinct relabelling was visited."""
        return self.sampling.exact

    @property
    def n_relabellings(self) -> int:
        """How many distinct relabellings there are."""
        return self.sampling.n_relabellings

    @property
    def n_shuffles(self) -> int:
        """How many relabellings were visited."""
        return self.sampling.n_shuffles

    @property
    def engine(self) -> str:
        """What did the counting: NumPy or compiled code, shuffling or enumerating."""
        return self.sampling.engine

    @property
    def seed(self) -> int | None:
        """The ``rng`` that repeats the result, when it was a number and mattered."""
        return self.sampling.seed

    @property
    def smallest_pvalue(self) -> float:
        """The smallest p that this many runs, or shuffles, could be trusted to give."""
        return self.sampling.smallest_pvalue


def known_seed(rng: RNGLike, *, mattered: bool = True) -> int | None:
    """Return the seed to report: ``rng`` if it was a number and made a difference."""
    return int(rng) if mattered and isinstance(rng, int | np.integer) else None
