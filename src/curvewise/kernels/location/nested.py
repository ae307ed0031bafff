"""From when, until when: windows that shrink from one end.

"No difference from step h to the end" for h = 1, 2, … are nested hypotheses. Tested in that
order, each at alpha, and stopping at the first that is not rejected, the chance of any false
rejection stays at alpha: the first true hypothesis must be rejected falsely before any other.

The statistic of a window must be sensitive to a difference anywhere in it. The sum of the
shares A/T over the window is sensitive to wide and faint differences, the largest share to
narrow ones; both are put on the same scale, and the larger of the two is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = ["moments", "nested_scores", "nested_statistics", "standardised"]


def nested_statistics(shares: Floats) -> Floats:
    """Return the fourth roots of the sum and the maximum over every nested window.

    ``shares`` is (n_steps, n_relabellings). The result is (2, 2, n_steps, n_relabellings):
    first the windows from a step to the end, then those from the start to a step; first
    sums, then maxima. The fourth root makes such sums nearly normal whatever their degrees
    of freedom (Hawkins & Wixley 1986).
    """
    to_end = shares[::-1]
    statistics = np.stack(
        [
            np.stack(
                [
                    np.cumsum(to_end, axis=0)[::-1],
                    np.maximum.accumulate(to_end, axis=0)[::-1],
                ]
            ),
            np.stack([np.cumsum(shares, axis=0), np.maximum.accumulate(shares, axis=0)]),
        ]
    )
    return np.sqrt(np.sqrt(statistics, out=statistics), out=statistics)


def moments(statistics: Floats) -> tuple[Floats, Floats]:
    """Return mean and 1 / standard deviation over relabellings, the last axis, which is kept.

    The second is 0 where the statistic does not vary.
    """
    means = statistics.mean(axis=-1, keepdims=True)
    spreads = statistics.std(axis=-1, keepdims=True)
    scales = np.zeros_like(spreads)
    np.divide(1.0, spreads, out=scales, where=spreads > 1e-12 * np.abs(means))
    return means, scales


def standardised(statistics: Floats, scale: tuple[Floats, Floats]) -> Floats:
    """Return statistics on a common scale, the pair of arrays that `moments` returns."""
    return (statistics - scale[0]) * scale[1]


def nested_scores(shares: Floats, scale: tuple[Floats, Floats]) -> Floats:
    """Return the larger of the standardised sum and maximum of every nested window.

    ``shares`` is (n_steps, n_relabellings); the result is (2, n_steps, n_relabellings), in
    the order of `nested_statistics`.
    """
    return standardised(nested_statistics(shares), scale).max(axis=1)
