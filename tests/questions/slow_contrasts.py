"""Contrasts the obvious way, one relabelling at a time: what the fast code is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.shuffling.visit import visit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt
    import pytest

    from curvewise.kernels import Floats, Integers
    from curvewise.shuffling.visit import Counts, Plan, Statistic

TIE = 1e-9


class LeastSquares:
    """Algorithms and blocks fitted to the columns of a table, by the normal equations."""

    def __init__(self, values: Floats, labels: Integers, blocks: Integers) -> None:
        groups = (labels[:, None] == np.unique(labels)).astype(float)
        others = (blocks[:, None] == np.unique(blocks)[1:]).astype(float)
        design = np.hstack([groups, others])
        self.inverse = np.linalg.inv(design.T @ design)
        self.estimates = self.inverse @ design.T @ values
        self.squares = np.sum((values - design @ self.estimates) ** 2, axis=0)
        self.df = len(labels) - design.shape[1]

    def u(self, coefficients: Floats) -> Floats:
        """A contrast of each column, in units of its standard deviation over sigma."""
        c = np.pad(coefficients, (0, len(self.inverse) - len(coefficients)))
        return c @ self.estimates / np.sqrt(c @ self.inverse @ c)

    def t(self, coefficients: Floats) -> float:
        """The t of a contrast of the first column."""
        return float(self.u(coefficients)[0] / np.sqrt(self.squares[0] / self.df))


def all_labels(plan: Plan) -> Iterator[Integers]:
    """Every relabelling of a plan, one by one."""
    for number in range(plan.n_batches):
        yield from plan.relabellings.batch(number)


def n_at_least(values: npt.ArrayLike, observed: float) -> int:
    """How many values are at least as large as the observed one, but for rounding."""
    return int(np.sum(np.asarray(values) >= observed - TIE * abs(observed)))


def same_however_it_is_cut(plan: Plan, statistic: Statistic, patch: pytest.MonkeyPatch) -> Counts:
    """Visit with one job and two, in chunks of different sizes; nothing may change."""
    assert plan.n_batches > 3 or plan.exact
    results = []
    for n_jobs in (1, 2):
        for chunk in (1, 3, 64):
            patch.setattr(type(statistic), "chunk", chunk, raising=False)
            results.append(visit(plan, statistic, n_jobs=n_jobs))
    first, *others = results
    for other in others:
        for one, two in zip(
            (*first.counts, *first.kept), (*other.counts, *other.kept), strict=True
        ):
            np.testing.assert_array_equal(one, two)
        assert other.n_visited == first.n_visited
    return first


def slow_maxima(
    plan: Plan, values: Floats, blocks: Integers, largest: Callable[[LeastSquares], float]
) -> list[float]:
    """The largest statistic of every relabelling of the values."""
    return [largest(LeastSquares(values, each, blocks)) for each in all_labels(plan)]
