"""Run logs with known truths, for tests of alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise import RunLog

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from curvewise.kernels import Floats


def log(
    algorithm: str,
    run: object,
    steps: npt.ArrayLike,
    scores: npt.ArrayLike | Callable[[Floats], Floats] = np.sqrt,
    *,
    metric: str = "score",
    **extra: Any,
) -> RunLog:
    """A run whose scores are given, or a function of its steps."""
    at = np.asarray(steps, dtype=float)
    values = scores(at) if callable(scores) else np.asarray(scores, dtype=float)
    return RunLog(algorithm, str(run), metric, at, values, **extra)
