"""Errors in the report's remarks on the metrics: signs, undefined values, extremes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from studies.gorski2009.figure_cases import case_values
from studies.gorski2009.measuring import measure, metric_values, relative_reduction
from studies.gorski2009.published import PUBLISHED
from studies.report import Claim, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import curvewise as cw
    from studies.gorski2009.findings import Findings
    from studies.gorski2009.published import Row
    from studies.gorski2009.readings import Reading
    from studies.report import Verdict

__all__ = ["errata_claims"]

ARR = "average_relative_reduction"
SLOW = np.array([0.1, 0.2, 0.4, 0.6, 0.8, 0.9])
FAST = np.array([0.3, 0.6, 0.8, 0.9, 0.9, 0.9])
LOW, HIGH = SLOW / 2, 0.5 + SLOW / 2  # all of HIGH is above all of LOW
NOTHING = np.zeros(6)
EQUAL = np.full(6, 0.5)


def errata_claims(found: Findings) -> Iterator[Claim]:
    """Judge each remark that a computation can check."""
    yield _sign()
    yield _undefined_ratio()
    yield _defined_regret()
    yield _scaling(found.criteria)
    yield _all_above(found.readings)


def _sign() -> Claim:
    better, worse = (metric_values(measure(*pair))[ARR] for pair in ((SLOW, FAST), (FAST, SLOW)))
    return Claim(
        "section 2.4",
        "ARR is negative when the experimental condition is the better one.",
        "negative",
        f"better: {better:.4f}; worse: {worse:.4f}",
        judge(better < 0),
        "A slip of the sign: by the formula beside it a better condition has a positive ARR, "
        "as in the report's Table 1.",
    )


def _undefined_ratio() -> Claim:
    by_control, by_transfer = (
        measure(*pair).transfer_ratio for pair in ((NOTHING, FAST), (SLOW, NOTHING))
    )
    return Claim(
        "section 5.1",
        "The transfer ratio is undefined when the integral of the experimental condition is 0.",
        "undefined",
        f"experimental 0: {_value_text(by_transfer)}; control 0: {_value_text(by_control)}",
        judge(not by_transfer.defined),
        "It is the control's integral that is divided by; section 5.2 has the ratio 0 for "
        "an experimental condition that integrates to 0.",
    )


def _defined_regret() -> Claim:
    equal = measure(EQUAL, EQUAL).transfer_regret
    return Claim(
        "sections 2.2, 5.1",
        "Transfer regret is always defined.",
        "always",
        f"all scores equal: {_value_text(equal)}",
        judge(equal.defined),
        "Without a difference between the best and the worst score the box has no height.",
    )


def _scaling(criteria: cw.Criteria) -> Claim:
    scaled, squeezed = (
        case_values(criteria, "similar", "transfer_ratio", source)
        for source in ("section 4.1.2", "Figure 4")
    )
    return Claim(
        "section 4.1.2",
        "The transfer ratio differs between curves that differ only by a scaling factor.",
        "similar: transfer ratio ×",
        f"scores multiplied: {scaled[0]:.4f}, {scaled[1]:.4f}; multiplied and raised, as "
        f"in Figure 4: {squeezed[0]:.4f}, {squeezed[1]:.4f}",
        judge(not math.isclose(*scaled, rel_tol=1e-9)),
        "The cross needs an affine change: scale and height. A factor alone leaves the "
        "ratio as it is.",
    )


def _all_above(readings: Sequence[Reading]) -> Claim:
    from_1, from_0 = (
        metric_values(measure(LOW, HIGH))[ARR],
        relative_reduction(LOW, HIGH, first=0),
    )
    is_one = [math.isclose(value, 1) for value in (from_1, from_0)]
    verdict: Verdict = judge(all(is_one))
    if any(is_one) and not all(is_one):
        verdict = "cannot be known"
    plain, counted = readings[0], next(each for each in readings if each.kind == "count")
    return Claim(
        "section 5.2",
        "ARR is 1 when all of the experimental condition is above all of the control.",
        "1",
        f"trials counted from 1: {from_1:.4f}; from 0: {from_0:.4f}",
        verdict,
        "The text does not say from what number trials are counted: it agrees if ARR is 1 "
        "with both counts, differs if with neither. "
        "Counted from 1, what the control reaches on trial x is reached on trial 1 instead, a "
        "reduction of 1 − 1/x; counted from 0, the reduction is whole. In 4x4 and 3x3, the "
        f"ARR of Table 1 is {_both(PUBLISHED)}; the plain reading has {_both(plain.rows)} "
        f"counted from 1 and {_both(counted.rows)} counted from 0.",
    )


def _both(rows: Mapping[str, Row]) -> str:
    return " and ".join(f"{row[ARR]:.4f}" for row in rows.values())


def _value_text(metric: cw.Metric) -> str:
    return f"{metric.value:.4f}" if metric.defined else "undefined"
