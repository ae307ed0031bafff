"""What is claimed by `compare` and `compare_many`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import curvewise as cw
from studies.calibration.claims import ALPHA, N_SHUFFLES, NEAR, Claim, Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.calibration.data_sets import DataSet

__all__ = ["EFFECTS", "QUESTIONS"]

EFFECTS = {"overall": "any difference", "algorithm": "height", "interaction": "shape"}
PAGE = "method.md"
N_TASKS = 6
CENTERS: tuple[Literal["trimmed", "ranks"], ...] = ("trimmed", "ranks")


def _compare(
    overall: Literal["combined", "F"] = "combined",
    spread: Literal["equal", "unequal"] = "equal",
    center: Literal["mean", "trimmed", "ranks"] = "mean",
) -> Callable[[DataSet], cw.Comparison]:
    def ask(data: DataSet) -> cw.Comparison:
        return cw.compare(
            data.curves,
            overall=overall,
            spread=spread,
            center=center,
            alpha=ALPHA,
            n_shuffles=N_SHUFFLES,
            exact=data.design.exact,
            rng=data.rng,
        )

    return ask


def _false_alarm(effect: str) -> Callable[[cw.Comparison, DataSet], bool | None]:
    def is_wrong(found: cw.Comparison, data: DataSet) -> bool | None:
        return None if data.differs(effect) else bool(getattr(found, effect).significant)

    return is_wrong


def _false_verdict(found: cw.Comparison, data: DataSet) -> bool | None:
    """Tell whether anything false is claimed; height and shape only behind the overall test."""
    absent = [effect for effect in EFFECTS if not data.differs(effect)]
    if not absent:
        return None
    claimed = (found.overall.significant and getattr(found, e).significant for e in absent)
    return any(claimed)


def _difference_missed(found: cw.Comparison, data: DataSet) -> bool | None:
    if found.difference is None:
        return None
    low, high = found.difference.interval
    return not low <= data.heights[0] - data.heights[1] <= high


COMPARISON = (
    *(Claim(f"{noun} found", _false_alarm(effect), PAGE) for effect, noun in EFFECTS.items()),
    Claim("a false claim in the verdict", _false_verdict, PAGE),
    Claim("interval of the difference misses", _difference_missed, PAGE),
)


def _compare_many(data: DataSet) -> cw.Comparisons:
    return cw.compare_many(
        data.tasks, alpha=ALPHA, n_shuffles=N_SHUFFLES, exact=data.design.exact, rng=data.rng
    )


def _false_discovery(found: cw.Comparisons, data: DataSet) -> bool:
    """Tell whether one of the tables named, drawn at random, does not differ.

    Its chance is the false discovery rate.
    """
    named = found.significant("overall")
    return bool(named) and data.rng.choice(named) not in data.truly_different


def _too_many(found: cw.Comparisons, data: DataSet) -> bool:
    return found.at_least["overall"] > len(data.truly_different)


QUESTIONS = (
    Question("compare", _compare(), COMPARISON),
    Question(
        'compare, overall="F"',
        _compare(overall="F"),
        (Claim("any difference found", _false_alarm("overall"), PAGE),),
    ),
    Question(
        'compare, spread="unequal"',
        _compare(spread="unequal"),
        tuple(replace(claim, promised=NEAR, needs_equal_spread=False) for claim in COMPARISON),
    ),
    *(
        Question(
            f'compare, center="{center}"',
            _compare(center=center),
            (
                Claim("height found", _false_alarm("algorithm"), PAGE),
                Claim("interval of the difference misses", _difference_missed, PAGE),
            ),
        )
        for center in CENTERS
    ),
    Question(
        "compare_many",
        _compare_many,
        (
            Claim("a named table does not differ", _false_discovery, "compare.md"),
            Claim("fewer tables differ than stated", _too_many, "compare.md"),
        ),
        n_tasks=N_TASKS,
    ),
)
