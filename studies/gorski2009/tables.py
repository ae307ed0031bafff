"""Tables 1 and 2 beside the published ones, for every reading and every case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.gorski2009.mean_curves import N_BATCHES
from studies.gorski2009.measuring import interval_ends
from studies.gorski2009.published import METRICS, PUBLISHED, rule_constant
from studies.gorski2009.text import SIGNS
from studies.report import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import curvewise as cw
    from studies.gorski2009.findings import Findings
    from studies.gorski2009.published import Row
    from studies.gorski2009.readings import Reading

__all__ = ["tables"]


def tables(found: Findings) -> Iterator[Table]:
    """Yield Table 1, every reading of it, Table 2, and the cells that differ."""
    yield _table_1(found.table, found.readings)
    yield _every_reading(found.readings)
    yield _table_2(found.criteria)
    if found.criteria.differences:
        yield _differing_cells(found.criteria)


def _table_1(table: Mapping[str, cw.Transfer], readings: Sequence[Reading]) -> Table:
    rows = []
    for world, found in table.items():
        for metric, title in METRICS.items():
            low, high = interval_ends(found.metrics[metric])
            values = [reading.rows[world][metric] for reading in readings]
            rows.append(
                (
                    world,
                    title,
                    f"{PUBLISHED[world][metric]:.4f}",
                    f"{readings[0].rows[world][metric]:.4f}",
                    f"{low:.4f} to {high:.4f}",
                    f"{min(values):.4f} to {max(values):.4f}",
                )
            )
    return Table(
        "Table 1",
        ("world", "metric", "published", "plain reading", "95 % interval", "all readings"),
        tuple(rows),
        f"The interval is of the trials drawn, from means of {N_BATCHES} batches of them; "
        "that of the transfer ratio takes what is added to the rewards as given, and is too "
        f"narrow for that. The last column spans {len(readings)} readings.",
    )


def _every_reading(readings: Sequence[Reading]) -> Table:
    def cell(reading: Reading, metric: str) -> str:
        if not reading.bears_on(metric):
            return "as plain"
        text = _change(reading.rows, metric)
        return text if reading.keeps(metric) else f"{text} ×"

    rows = [("", "published", *(_change(PUBLISHED, m) for m in METRICS), _b(PUBLISHED))]
    rows += [
        (
            reading.kind,
            reading.name,
            *(cell(reading, metric) for metric in METRICS),
            _b(reading.rows),
        )
        for reading in readings
    ]
    return Table(
        "Table 1 under every reading tried",
        ("choice", "reading", *METRICS.values(), "b"),
        tuple(rows),
        "4x4 → 3x3; × where the change is not in the direction published. The reading that "
        "changes both learner and window was chosen with the published rows in view. b = R "
        "(1/CTR + 1/(TR − 1)): where the foot of regret's box is lifted to 0, b − 1 is how "
        "far the optimum lies above the box, in heights of the box.",
    )


def _change(rows: Mapping[str, Row], metric: str) -> str:
    return " → ".join(f"{row[metric]:.4f}" for row in rows.values())


def _b(rows: Mapping[str, Row]) -> str:
    return " → ".join(f"{rule_constant(row):.4f}" for row in rows.values())


def _table_2(criteria: cw.Criteria) -> Table:
    def cell(verdict: cw.Verdict) -> str:
        # The report judges all four metrics, so `published` is never None here.
        judged = (verdict.published, verdict.holds_in_paper, verdict.holds)
        signs = [SIGNS[bool(each)] for each in judged]
        return signs[0] if len(set(signs)) == 1 else " / ".join(signs)

    rows = tuple(
        (criterion, *(cell(criteria[criterion, metric]) for metric in METRICS))
        for criterion in criteria.criteria
    )
    return Table(
        "Table 2",
        ("criterion", *METRICS.values()),
        rows,
        "One sign where all agree; else published / computed on the cases the report names "
        "/ computed on all cases tried. Which cases count as the report's is our reading.",
    )


def _differing_cells(criteria: cw.Criteria) -> Table:
    rows = tuple(
        (
            each.criterion,
            each.title,
            f"{SIGNS[bool(each.published)]} → {SIGNS[each.holds]}",
            each.case.source or "ours",
            each.sentence,
            each.reason,
        )
        for each in criteria.differences
    )
    return Table(
        "Cells of Table 2 that come out otherwise on all cases tried",
        ("criterion", "metric", "published → ours", "case", "what comes out", "why"),
        rows,
    )
