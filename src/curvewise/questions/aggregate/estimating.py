"""Values, intervals and bands of the algorithms, and of their differences."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from curvewise.inference.effects import Interval
from curvewise.kernels.aggregates import STATISTICS, spread_of, t_quantiles
from curvewise.kernels.multipliers import largest_moves
from curvewise.kernels.pvalues import upper_quantile
from curvewise.questions.aggregate.result import AggregateDifference, AggregateScore, Band

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from curvewise.kernels import Floats
    from curvewise.kernels.aggregates import StratifiedRuns

__all__ = ["estimated"]


def estimated(
    runs: Mapping[str, StratifiedRuns],
    statistic: str,
    gamma: float,
    confidence: float,
    n_multipliers: int,
    keys: Mapping[str, int] | None,
) -> tuple[dict[str, AggregateScore], tuple[AggregateDifference, ...]]:
    """Return the aggregate of each algorithm, best first, and the differences of all pairs.

    Of several steps the value is the mean of the aggregate over the steps. ``keys`` seed the
    multipliers of bands; without them there are no curves and bands.
    """
    aggregate = STATISTICS[statistic]
    values = {name: aggregate.value(own, gamma) for name, own in runs.items()}
    sign = -1 if statistic == "gap" else 1
    # Those of the same value are in the order of their names.
    names = sorted(runs, key=lambda name: (-sign * float(values[name].mean()), name))
    residuals = {
        name: runs[name].residuals(aggregate.influences(runs[name], gamma))
        for name in names
    }
    places = [(place,) for place in range(len(names))]
    pairs = list(combinations(range(len(names)), 2))
    ends = _Ends(runs, names, residuals, confidence)
    least = 0.0 if statistic == "gap" else -math.inf
    curves = {}
    if keys is not None:
        seeds = [keys[name] for name in names]
        curves = ends.bands([values[name] for name in names], n_multipliers, seeds, least)
    scores = {}
    for (place,) in places:
        name = names[place]
        value = float(values[name].mean())
        interval, error, df = ends.interval((place,), value, least)
        scores[name] = AggregateScore(
            name,
            value,
            interval,
            error,
            df,
            len(runs[name].tasks),
            *curves.get((place,), ()),
        )
    differences = []
    for pair in pairs:
        one, other = (names[place] for place in pair)
        value = scores[one].value - scores[other].value
        found = ends.interval(pair, value, -math.inf)
        differences.append(
            AggregateDifference(one, other, value, *found, *curves.get(pair, ()))
        )
    return scores, tuple(differences)


class _Ends:
    """Intervals and bands of algorithms (one place) and differences (two)."""

    def __init__(
        self,
        runs: Mapping[str, StratifiedRuns],
        names: Sequence[str],
        residuals: Mapping[str, Floats],
        confidence: float,
    ) -> None:
        self.residuals = [residuals[name] for name in names]
        self.alpha = 1 - confidence
        self.runs = [runs[name] for name in names]
        self.squares = [
            own.squares(rest) for own, rest in zip(self.runs, self.residuals, strict=True)
        ]
        # The influence of a run on the mean over steps is the mean of its influences.
        self.squares_of_means = [
            own.squares(rest.mean(axis=1, keepdims=True))
            for own, rest in zip(self.runs, self.residuals, strict=True)
        ]

    def interval(
        self, places: tuple[int, ...], value: float, least: float
    ) -> tuple[Interval, float, float | None]:
        """Return the interval of a value, its standard error and its degrees of freedom."""
        from scipy.special import ndtri

        spread = spread_of([self.squares_of_means[place] for place in places])
        quantile = t_quantiles(-float(ndtri(self.alpha / 2)), spread.df)
        reach = float(quantile[0] * spread.error[0])
        df = float(spread.df[0])
        interval = Interval(max(value - reach, least), value + reach)
        return interval, float(spread.error[0]), None if math.isnan(df) else df

    def bands(
        self,
        values: Sequence[Floats],
        n_multipliers: int,
        seeds: Sequence[int],
        least: float,
    ) -> dict[tuple[int, ...], tuple[Floats, Band]]:
        """Return curve and band of every algorithm and every pair."""
        singles = [(place,) for place in range(len(values))]
        wanted = [*singles, *combinations(range(len(values)), 2)]
        spreads = [
            spread_of([self.squares[place] for place in places]) for places in wanted
        ]
        largest = largest_moves(
            self.residuals,
            [(own, spread.error) for own, spread in zip(wanted, spreads, strict=True)],
            n_multipliers,
            seeds,
        )
        found = {}
        for places, spread, moves in zip(wanted, spreads, largest, strict=True):
            curve = values[places[0]]
            if len(places) == 2:
                curve = curve - values[places[1]]
            # From the normal to Student's scale, at the tail of the band.
            quantile = t_quantiles(upper_quantile(moves, self.alpha), spread.df)
            reach = quantile * spread.error
            low = curve - reach
            if len(places) == 1:
                low = np.maximum(low, least)
            found[places] = curve, Band(low, curve + reach)
        return found
