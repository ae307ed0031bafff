"""Claims about Table 1: how the metrics change between the worlds, and the digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.gorski2009.measuring import ends
from studies.gorski2009.published import HALF_DIGIT, METRICS, PUBLISHED, RISES
from studies.gorski2009.readings import KINDS
from studies.gorski2009.words import changes, listed, row_text, windows
from studies.report import Claim, judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import curvewise as cw
    from studies.gorski2009.findings import Findings
    from studies.gorski2009.readings import Reading

__all__ = ["table_claims"]

NEAR = 0.01  # a reading whose four values are this close gives the row
COMPARABLE = [metric for metric in METRICS if not RISES[metric]]
INCOMPARABLE = [metric for metric in METRICS if RISES[metric]]


def table_claims(found: Findings) -> Iterator[Claim]:
    """Yield the report's point, whether it needs the reading, and the digits of each row."""
    yield _directions(found)
    yield _fall(found.readings)
    yield _depend(found.readings)
    for world in PUBLISHED:
        yield _digits(world, found.table[world], found.readings)


def _directions(found: Findings) -> Claim:
    plain, readings = found.readings[0], found.readings
    kept = [reading for reading in readings if reading.keeps_all]
    apart = [metric for metric in METRICS if _apart(found.table, metric)]
    kinds = []
    for kind in KINDS:
        tried = [reading for reading in readings if reading.kind == kind]
        kinds.append(f"{kind} {sum(each.keeps_all for each in tried)} of {len(tried)}")
    return Claim(
        "section 3, Table 1",
        f"From the 4x4 to the 3x3 world {_titles(COMPARABLE)} fall, while "
        f"{_titles(INCOMPARABLE)} rise.",
        changes(PUBLISHED),
        f"plain reading, {windows()}: {changes(plain.rows)}; all four move as published in "
        f"{len(kept)} of {len(readings)} readings",
        judged(plain.keeps_all and len(apart) == len(METRICS)),
        "Judged by the plain reading: every value must move as published, and the 95 % "
        f"intervals of the two worlds must lie apart, as those of {len(apart)} of "
        f"{len(METRICS)} metrics do. Readings that keep all four: {', '.join(kinds)}.",
    )


def _apart(table: Mapping[str, cw.Transfer], metric: str) -> bool:
    """Whether the intervals of the two worlds do not overlap."""
    (low, high), (least, most) = (ends(found.metrics[metric]) for found in table.values())
    return high < least or most < low


def _fall(readings: Sequence[Reading]) -> Claim:
    turned = _turned(readings, COMPARABLE)
    return Claim(
        "section 3",
        f"{_titles(COMPARABLE)} may be compared between the worlds: both say that less was "
        "gained in the smaller one.",
        changes(PUBLISHED, COMPARABLE),
        _counts(readings, turned),
        judged(not any(turned.values())),
        "Judged so if no choice that the text leaves open turns either round. Counted are "
        "the readings that can change the metric." + _turned_text(turned),
    )


def _depend(readings: Sequence[Reading]) -> Claim:
    turned = _turned(readings, INCOMPARABLE)
    by_measuring = [
        any("learner" not in each.kind for each in against) for against in turned.values()
    ]
    titles = _titles(INCOMPARABLE)
    return Claim(
        "section 3",
        f"{titles[0].upper()}{titles[1:]} may not be compared between the worlds: that they "
        "rise does not mean that more was gained.",
        changes(PUBLISHED, INCOMPARABLE),
        _counts(readings, turned),
        # A metric that nothing here turns round might still be turned by something else.
        "agrees" if all(by_measuring) else "cannot be known",
        "Judged so if each is turned round by some choice that changes the measuring and not "
        "the learning: then the rise belongs to the reading, not to the worlds. Counted are "
        "the readings that can change the metric." + _turned_text(turned),
    )


def _turned(
    readings: Sequence[Reading], metrics: Sequence[str]
) -> dict[str, list[Reading]]:
    """Return the readings that turn each metric round."""
    return {
        metric: [
            each for each in readings if each.bears_on(metric) and not each.keeps(metric)
        ]
        for metric in metrics
    }


def _counts(readings: Sequence[Reading], turned: Mapping[str, Sequence[Reading]]) -> str:
    told = []
    for metric, against in turned.items():
        n_tried = sum(each.bears_on(metric) for each in readings)
        way = "rises" if RISES[metric] else "falls"
        told.append(
            f"{METRICS[metric]} {way} in {n_tried - len(against)} of {n_tried} readings"
        )
    return "; ".join(told)


def _turned_text(turned: Mapping[str, Sequence[Reading]]) -> str:
    return "".join(
        f" The {METRICS[metric]} is turned round by "
        + "; ".join(f"{each.kind}: {each.name}" for each in against)
        + "."
        for metric, against in turned.items()
        if against
    )


def _titles(metrics: Sequence[str]) -> str:
    return listed(METRICS[metric] for metric in metrics)


def _digits(world: str, found: cw.Transfer, readings: Sequence[Reading]) -> Claim:
    published = PUBLISHED[world]
    inside = [
        _within(published[metric], ends(found.metrics[metric])) for metric in METRICS
    ]
    near = sum(each.distance(world, published) <= NEAR for each in readings)
    nearest = min(readings, key=lambda each: each.distance(world, published))
    return Claim(
        f"Table 1, {world}",
        "The digits follow from the description.",
        row_text(published),
        f"{row_text(readings[0].rows[world])}; {sum(inside)} of {len(inside)} published "
        "values within the interval of ours",
        judged(all(inside)),
        "Judged by the plain reading: all four published values must lie within its 95 % "
        "intervals, which are of the trials drawn, not of the choices. Of "
        f"{len(readings)} readings {near} come within {NEAR:g} of all four; the nearest "
        f"({nearest.kind}: {nearest.name}) gives {row_text(nearest.rows[world])}.",
    )


def _within(value: float, interval: tuple[float, float]) -> bool:
    low, high = interval
    return low - HALF_DIGIT <= value <= high + HALF_DIGIT
