"""From when, until when: windows that shrink from one end.

"No difference from step h to the end" for h = 1, 2, … are nested hypotheses. Tested in that
order, each at alpha, and stopping at the first that is not rejected, the chance of any false
rejection stays at alpha: the first true hypothesis must be rejected falsely before any other.

The statistic of a window is the largest of its steps. The largest of fewer steps is never
larger, so a step that stands out among all steps also stands out in every window that contains
it: such a window is rejected whenever the test at each step names a step in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from curvewise.kernels import Floats

__all__ = ["nested_maxima", "sequential"]


def nested_maxima(values: Floats) -> Floats:
    """Return the largest of every nested window.

    ``values`` is (n_steps, n_relabellings). The result is (2, n_steps, n_relabellings): first
    the windows from a step to the end, then those from the start to a step.
    """
    return np.stack(
        [
            np.maximum.accumulate(values[::-1], axis=0)[::-1],
            np.maximum.accumulate(values, axis=0),
        ]
    )


def sequential(pvalues: Floats, of_steps: Floats) -> Floats:
    """Return p of both sequences of nested windows, valid for all of them together.

    ``pvalues`` is (2, n_steps), in the order of `nested_maxima`; ``of_steps`` has the p of each
    step, adjusted for all steps. A window has no smaller p than those tested before it, twice
    that because there are two sequences, and no larger p than any of its steps.

    >>> sequential(np.array([[0.01, 0.2], [0.03, 0.01]]), np.array([0.3, 0.01])).tolist()
    [[0.01, 0.01], [0.06, 0.01]]
    """
    to_end, from_start = 2 * pvalues
    return np.stack(
        [
            np.minimum(
                np.maximum.accumulate(to_end), np.minimum.accumulate(of_steps[::-1])[::-1]
            ),
            np.minimum(
                np.maximum.accumulate(from_start[::-1])[::-1],
                np.minimum.accumulate(of_steps),
            ),
        ]
    )
