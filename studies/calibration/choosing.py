"""What is claimed by `compare_pairs`, `best`, `contrast` and `contrast_many`."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

import curvewise as cw
from studies.calibration.claims import ALPHA, N_SHUFFLES, NEAR, Claim, Question
from studies.calibration.comparing import EFFECTS
from studies.calibration.designs import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.calibration.data_sets import DataSet

__all__ = ["QUESTIONS"]


def _pairs(data: DataSet) -> cw.Pairs:
    return cw.compare_pairs(
        data.curves, alpha=ALPHA, n_shuffles=N_SHUFFLES, exact=data.design.exact, rng=data.rng
    )


def _false_pair(effect: str) -> Callable[[cw.Pairs, DataSet], bool | None]:
    """Look for two algorithms that are told apart and do not differ."""

    def is_wrong(found: cw.Pairs, data: DataSet) -> bool | None:
        alike = {
            frozenset((NAMES[a], NAMES[b]))
            for a, b in combinations(range(data.n_algorithms), 2)
            if not data.differs(effect, (a, b))
        }
        if not alike:
            return None
        return any(frozenset((p.a, p.b)) in alike for p in found.significant(effect))

    return is_wrong


def _pair_missed(found: cw.Pairs, data: DataSet) -> bool:
    """Tell whether the interval of the first pair, which is at its own level, misses."""
    pair = found.pairs[0]
    a, b = NAMES.index(pair.a), NAMES.index(pair.b)
    low, high = pair.interval
    return not low <= data.heights[a] - data.heights[b] <= high


def _best(data: DataSet) -> cw.Best:
    return cw.best(
        data.curves, alpha=ALPHA, n_shuffles=N_SHUFFLES, exact=data.design.exact_pairs, rng=data.rng
    )


def _best_lost(found: cw.Best, data: DataSet) -> bool:
    """Tell whether the first of the truly best is ruled out."""
    truly = NAMES[int(np.argmax(data.heights.round(9)))]
    return truly in found.worse


def _gap_missed(found: cw.Best, data: DataSet) -> bool:
    """Tell whether the interval of one algorithm, named in advance, misses its true gap.

    The gap is to the algorithm that leads, which has no interval itself.
    """
    last = NAMES[data.n_algorithms - 1]
    (row,) = (row for row in found.rows if row.name == last)
    if row.interval is None:
        return False
    leader = data.heights[NAMES.index(found.leader)]
    return not row.interval.low <= data.heights[-1] - leader <= row.interval.high


def _coefficients(data: DataSet) -> dict[str, float]:
    """Return the first algorithm against the mean of the others."""
    n_others = data.n_algorithms - 1
    return {"A": 1.0, **dict.fromkeys(NAMES[1 : n_others + 1], -1 / n_others)}


def _value(data: DataSet, coefficients: dict[str, float]) -> float:
    return sum(c * data.heights[NAMES.index(name)] for name, c in coefficients.items())


def _contrast(alternative: Literal["two-sided", "greater"]) -> Callable[[DataSet], cw.Contrast]:
    def ask(data: DataSet) -> cw.Contrast:
        return cw.contrast(
            data.curves,
            _coefficients(data),
            alternative=alternative,
            alpha=ALPHA,
            n_shuffles=N_SHUFFLES,
            exact=data.design.exact,
            rng=data.rng,
        )

    return ask


def _false_contrast(found: cw.Contrast, data: DataSet) -> bool | None:
    if abs(_value(data, _coefficients(data))) > data.tolerance:
        return None
    return found.significant


def _contrast_missed(found: cw.Contrast, data: DataSet) -> bool:
    low, high = found.interval
    return not low <= _value(data, _coefficients(data)) <= high


def _family(data: DataSet) -> dict[str, dict[str, float]]:
    """Return the first algorithm against each of the others."""
    return {f"A - {b}": {"A": 1.0, b: -1.0} for b in NAMES[1 : data.n_algorithms]}


def _contrast_many(data: DataSet) -> cw.Contrasts:
    return cw.contrast_many(
        data.curves,
        _family(data),
        alpha=ALPHA,
        n_shuffles=N_SHUFFLES,
        exact=data.design.exact_pairs,
        rng=data.rng,
    )


def _false_in_family(found: cw.Contrasts, data: DataSet) -> bool | None:
    zero = {name for name, own in _family(data).items() if abs(_value(data, own)) <= data.tolerance}
    return bool(zero & set(found.significant())) if zero else None


CONTRAST = (
    Claim("a contrast of 0 found", _false_contrast, "contrast.md"),
    Claim("interval of the contrast misses", _contrast_missed, "contrast.md"),
)
# The contrast of more than two algorithms shuffles residuals, which is approximate.
NEAR_CONTRAST = tuple(replace(claim, promised=NEAR) for claim in CONTRAST)

QUESTIONS = (
    Question(
        "compare_pairs",
        _pairs,
        (
            *(
                Claim(f"a pair told apart, {noun}", _false_pair(effect), "pairs.md")
                for effect, noun in EFFECTS.items()
            ),
            Claim("interval of the first pair misses", _pair_missed, "pairs.md"),
        ),
    ),
    Question(
        "best",
        _best,
        (
            Claim("the best is ruled out", _best_lost, "best.md"),
            Claim("interval of the last algorithm misses", _gap_missed, "best.md"),
        ),
    ),
    Question("contrast of two", _contrast("two-sided"), CONTRAST),
    Question("contrast of several", _contrast("two-sided"), NEAR_CONTRAST),
    Question("contrast of several, one-sided", _contrast("greater"), NEAR_CONTRAST),
    Question(
        "contrast_many",
        _contrast_many,
        (Claim("a contrast of 0 in the family", _false_in_family, "contrast.md"),),
    ),
)
