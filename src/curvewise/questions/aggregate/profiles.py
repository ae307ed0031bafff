"""Performance profiles: the share of runs above every score, with bands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import OptionError
from curvewise.kernels.multipliers import profile_reach

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from curvewise.data.display import Display
    from curvewise.kernels import Floats
    from curvewise.kernels.aggregates import StratifiedRuns

__all__ = ["Profiles", "profiles_of"]

N_SCORES = 201  # at which a profile is given, unless scores are asked for


@dataclass(frozen=True, eq=False)
class Profiles:
    """The share of runs above each score, for every algorithm.

    Attributes
    ----------
    tau : array, (n_scores,)
        On the common scale.
    shares : mapping from algorithm to array, (n_scores,)
        The share of runs above τ, averaged over tasks.
    reach : mapping from algorithm to float
        Half the width of its band, the same at every τ.
    confidence : float
        That the band of an algorithm holds its true profile at every τ at once.
    measure, scale_text : str
        What the number of a run is, and how it was put on one scale.
    n_tasks : int
    """

    tau: Floats
    shares: Mapping[str, Floats] = field(repr=False)
    reach: Mapping[str, float]
    confidence: float
    measure: str
    scale_text: str
    n_tasks: int
    display: Display = field(repr=False)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, the best first as by the aggregate."""
        return tuple(self.shares)

    def band(self, algorithm: str) -> tuple[Floats, Floats]:
        """Return the lower and the upper end of a band, between 0 and 1."""
        share, reach = self.shares[algorithm], self.reach[algorithm]
        return np.maximum(share - reach, 0.0), np.minimum(share + reach, 1.0)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "tau": self.tau.tolist(),
            "confidence": self.confidence,
            "measure": self.measure,
            "scale": self.scale_text,
            "n_tasks": self.n_tasks,
            "profiles": {
                name: {
                    "share": own.tolist(),
                    "band": [end.tolist() for end in self.band(name)],
                }
                for name, own in self.shares.items()
            },
        }


def profiles_of(
    runs: Mapping[str, StratifiedRuns],
    tau: npt.ArrayLike | None,
    *,
    confidence: float,
    n_multipliers: int,
    keys: Mapping[str, int],
    about: tuple[str, str, int],
    display: Display,
) -> Profiles:
    """Return the profiles of runs with one number each, at the scores ``tau``."""
    every = np.concatenate([own.scores[:, 0] for own in runs.values()])
    scores = (
        np.linspace(every.min(), every.max(), N_SCORES) if tau is None else _checked(tau)
    )
    shares, reach = {}, {}
    for name, own in runs.items():
        shares[name] = own.mean((own.scores > scores).astype(np.float64))
        reach[name] = profile_reach(own, confidence, n_multipliers, keys[name])
    return Profiles(scores, shares, reach, confidence, *about, display)


def _checked(tau: npt.ArrayLike) -> Floats:
    """Return scores as an increasing array; raise unless they are finite numbers."""
    try:
        scores = np.atleast_1d(np.array(tau, dtype=np.float64))
    except (TypeError, ValueError):
        scores = np.full(1, np.nan)
    if scores.ndim != 1 or not scores.size or not np.isfinite(scores).all():
        msg = f"tau must be scores on the common scale, finite numbers, not {tau!r}."
        raise OptionError(msg, option="tau")
    return np.sort(scores)
