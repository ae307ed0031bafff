"""How much of an effect lies in a part of training, with a bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from curvewise.inference.effects import Interval, json_ready
from curvewise.kernels.location.shares import resampled_shares

if TYPE_CHECKING:
    from collections.abc import Callable

    from curvewise.kernels import Floats, Integers
    from curvewise.shuffling.layout import Layout

__all__ = ["Share", "ShareBootstrap"]


class Share(float):
    """A share of the differences, from 0 to 1, that carries its bootstrap interval."""

    interval: Interval | None

    def __new__(cls, value: float, interval: Interval | None = None) -> Self:
        """Attach an interval to a number."""
        share = super().__new__(cls, value)
        share.interval = interval
        return share

    @property
    def value(self) -> float:
        """The share as a plain number."""
        return float(self)

    def to_dict(self) -> dict[str, Any]:
        """Return value and interval as JSON-ready data."""
        ends = self.interval and [json_ready(end) for end in self.interval]
        return {"value": float(self), "interval": ends}

    def __repr__(self) -> str:
        return f"Share({float(self)!r}, interval={self.interval!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Share, (float(self), self.interval)


@dataclass(frozen=True, eq=False)
class ShareBootstrap:
    """The runs from which shares are resampled, as arrays; none without resamples."""

    scores: Floats = field(repr=False)
    labels: Integers = field(repr=False)
    blocks: Integers = field(repr=False)
    n_resamples: int
    seed: int
    alpha: float

    @classmethod
    def of(
        cls, layout: Layout, n_resamples: int, seed: int, alpha: float
    ) -> ShareBootstrap:
        """Take the runs as they are shuffled."""
        return cls(layout.scores, layout.labels, layout.blocks, n_resamples, seed, alpha)

    def of_effect(
        self, row: int
    ) -> Callable[[list[tuple[int, int]], Floats], list[Share]]:
        """Return the function that gives the shares of A (row 0) or of I (row 1)."""
        return partial(self.shares, row)

    def shares(
        self, row: int, ends: list[tuple[int, int]], profile: Floats
    ) -> list[Share]:
        """Return how much of a profile lies between each pair of steps, given as indices."""
        total = float(profile.sum())
        values = [
            float(profile[first : last + 1].sum()) / total if total > 0 else 0.0
            for first, last in ends
        ]
        if not self.n_resamples:
            return [Share(value) for value in values]
        resampled = resampled_shares(
            *(self.scores, self.labels, self.blocks, self.n_resamples, self.seed, ends),
            changes=row == 1,
        )
        quantiles = np.quantile(resampled, [self.alpha / 2, 1 - self.alpha / 2], axis=0)
        return [
            Share(value, Interval(float(low), float(high)))
            for value, low, high in zip(values, *quantiles, strict=True)
        ]
