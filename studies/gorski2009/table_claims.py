"""Claims about Table 1: how the metrics change between the worlds, and its digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.gorski2009.measuring import interval_ends
from studies.gorski2009.published import HALF_DIGIT, METRICS, PUBLISHED, RISES
from studies.gorski2009.readings import KINDS
from studies.gorski2009.text import changes, join_words, row_text, windows
from studies.report import Claim, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import curvewise as cw
    from studies.gorski2009.findings import Findings
    from studies.gorski2009.readings import Reading

__all__ = ["table_claims"]

MAX_DISTANCE = 0.01  # a reading reproduces a row if all four values are this close
COMPARABLE = [metric for metric in METRICS if not RISES[metric]]
INCOMPARABLE = [metric for metric in METRICS if RISES[metric]]


def table_claims(found: Findings) -> Iterator[Claim]:
    """Judge the directions of change, whether they depend on the reading, and the digits."""
    yield _directions(found)
    yield _comparable(found.readings)
    yield _incomparable(found.readings)
    for world in PUBLISHED:
        yield _digits(world, found.table[world], found.readings)


def _directions(found: Findings) -> Claim:
    plain, readings = found.readings[0], found.readings
    keeping = [reading for reading in readings if reading.keeps_all]
    disjoint = [metric for metric in METRICS if _are_disjoint(found.table, metric)]
    kinds = []
    for kind in KINDS:
        of_kind = [reading for reading in readings if reading.kind == kind]
        kinds.append(f"{kind} {sum(each.keeps_all for each in of_kind)} of {len(of_kind)}")
    return Claim(
        "section 3, Table 1",
        f"From the 4x4 to the 3x3 world {_titles(COMPARABLE)} fall, while "
        f"{_titles(INCOMPARABLE)} rise.",
        changes(PUBLISHED),
        f"plain reading, {windows()}: {changes(plain.rows)}; all four move as published in "
        f"{len(keeping)} of {len(readings)} readings",
        judge(plain.keeps_all and len(disjoint) == len(METRICS)),
        "Judged by the plain reading: every value must move as published, and the 95 % "
        f"intervals of the two worlds must lie apart, as those of {len(disjoint)} of "
        f"{len(METRICS)} metrics do. Readings that keep all four: {', '.join(kinds)}.",
    )


def _are_disjoint(table: Mapping[str, cw.Transfer], metric: str) -> bool:
    """Return whether the intervals of the two worlds do not overlap."""
    (low, high), (other_low, other_high) = (
        interval_ends(found.metrics[metric]) for found in table.values()
    )
    return high < other_low or other_high < low


def _comparable(readings: Sequence[Reading]) -> Claim:
    reversing = _reversing(readings, COMPARABLE)
    return Claim(
        "section 3",
        f"{_titles(COMPARABLE)} may be compared between the worlds: both say that less was "
        "gained in the smaller one.",
        changes(PUBLISHED, COMPARABLE),
        _counts(readings, reversing),
        judge(not any(reversing.values())),
        "Judged so if no choice that the text leaves open turns either round. Counted are "
        "the readings that can change the metric." + _reversing_text(reversing),
    )


def _incomparable(readings: Sequence[Reading]) -> Claim:
    reversing = _reversing(readings, INCOMPARABLE)
    reversed_by_measuring = [
        any("learner" not in each.kind for each in opposed) for opposed in reversing.values()
    ]
    titles = _titles(INCOMPARABLE)
    return Claim(
        "section 3",
        f"{titles[0].upper()}{titles[1:]} may not be compared between the worlds: that they "
        "rise does not mean that more was gained.",
        changes(PUBLISHED, INCOMPARABLE),
        _counts(readings, reversing),
        # A metric that no reading tried reverses might still be reversed by another one.
        "agrees" if all(reversed_by_measuring) else "cannot be known",
        "Judged so if each is turned round by some choice that changes the measuring and not "
        "the learning: then the rise belongs to the reading, not to the worlds. Counted are "
        "the readings that can change the metric." + _reversing_text(reversing),
    )


def _reversing(readings: Sequence[Reading], metrics: Sequence[str]) -> dict[str, list[Reading]]:
    """Return the readings that reverse the direction of each metric."""
    return {
        metric: [each for each in readings if each.bears_on(metric) and not each.keeps(metric)]
        for metric in metrics
    }


def _counts(readings: Sequence[Reading], reversing: Mapping[str, Sequence[Reading]]) -> str:
    texts = []
    for metric, opposed in reversing.items():
        n_tried = sum(each.bears_on(metric) for each in readings)
        direction = "rises" if RISES[metric] else "falls"
        texts.append(
            f"{METRICS[metric]} {direction} in {n_tried - len(opposed)} of {n_tried} readings"
        )
    return "; ".join(texts)


def _reversing_text(reversing: Mapping[str, Sequence[Reading]]) -> str:
    return "".join(
        f" The {METRICS[metric]} is turned round by "
        + "; ".join(f"{each.kind}: {each.name}" for each in opposed)
        + "."
        for metric, opposed in reversing.items()
        if opposed
    )


def _titles(metrics: Sequence[str]) -> str:
    return join_words(METRICS[metric] for metric in metrics)


def _digits(world: str, found: cw.Transfer, readings: Sequence[Reading]) -> Claim:
    published = PUBLISHED[world]
    inside = [
        _within(published[metric], interval_ends(found.metrics[metric])) for metric in METRICS
    ]
    n_near = sum(each.distance(world, published) <= MAX_DISTANCE for each in readings)
    nearest = min(readings, key=lambda each: each.distance(world, published))
    return Claim(
        f"Table 1, {world}",
        "The digits follow from the description.",
        row_text(published),
        f"{row_text(readings[0].rows[world])}; {sum(inside)} of {len(inside)} published "
        "values within the interval of ours",
        judge(all(inside)),
        "Judged by the plain reading: all four published values must lie within its 95 % "
        "intervals, which are of the trials drawn, not of the choices. Of "
        f"{len(readings)} readings {n_near} come within {MAX_DISTANCE:g} of all four; the nearest "
        f"({nearest.kind}: {nearest.name}) gives {row_text(nearest.rows[world])}.",
    )


def _within(value: float, interval: tuple[float, float]) -> bool:
    low, high = interval
    return low - HALF_DIGIT <= value <= high + HALF_DIGIT
