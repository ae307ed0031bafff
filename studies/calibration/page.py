"""The page: docs/calibration.md, with its tables and picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.calibration.bounds import CONFIDENCE, MAX_FALSE_PAGE, clopper_pearson
from studies.calibration.claims import N_SHUFFLES
from studies.calibration.designs import DESIGNS
from studies.calibration.processes import PROCESSES
from studies.calibration.truths import TRUTHS
from studies.calibration.verdicts import MAX_CONSERVATIVE, findings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from studies.calibration.measuring import Row
    from studies.calibration.truths import Truth
    from studies.calibration.verdicts import Finding

__all__ = ["page_text", "rate_text"]

PICTURE = "calibration.png"


def page_text(rows: Sequence[Row], provenance: str) -> str:
    """Return the page in Markdown; ``provenance`` says when and with what it was made."""
    found = findings(rows)
    questions = dict.fromkeys(finding.question for finding in found)
    parts = [
        *_head(rows, found, provenance),
        *(line for question in questions for line in _question(question, found, rows)),
        *_simulated(rows),
    ]
    return "\n\n".join(parts) + "\n"


def rate_text(rate: float) -> str:
    """Return a rate with three decimals.

    >>> rate_text(0.05), rate_text(1.0)
    ('.050', '1.000')
    """
    return f"{rate:.3f}".removeprefix("0")


def _head(
    rows: Sequence[Row], found: Sequence[Finding], provenance: str
) -> Iterator[str]:
    yield "# Calibration"
    yield (
        "How often every p, interval and band of curvewise is wrong, measured on simulated "
        "curves whose truth is known. Written by `make calibration`; every number is "
        "computed by it. How often *other* tests would be wrong on your own runs: "
        "[calibrate](calibrate.md)."
    )
    yield provenance
    yield (
        f"A row of the tables is one mistake on one family of processes, over all designs and "
        f"truths. The bounds are exact (Clopper–Pearson, {CONFIDENCE:.0%}). Promised is what "
        f"the documentation says: {rate_text(min(r.claim.level for r in rows))} unless a method "
        "is approximate. Where runs of the algorithms do not vary alike, shuffling tests "
        "whether the algorithm matters, not whether means are equal, and nothing is promised "
        "about means."
    )
    yield (
        f"*Does not hold*: the rate, or that of some cell, is above what is promised, at a "
        f"level at which the chance that any true promise of this page is called broken is at "
        f"most {rate_text(MAX_FALSE_PAGE)}. *Conservative*: the upper bound is below "
        f"{MAX_CONSERVATIVE:g} times the nominal level. Tests and intervals that were not "
        f"enumerated took {N_SHUFFLES} shuffles."
    )
    counts: dict[str, int] = {}
    for finding in found:
        counts[finding.verdict] = counts.get(finding.verdict, 0) + 1
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    yield f"Of {len(found)} rows: {told}."
    broken = [finding for finding in found if finding.verdict == "does not hold"]
    if broken:
        yield "\n".join(
            f"- {finding.question}: {finding.claim.name}, {finding.family}: "
            f"{rate_text(finding.rate.share)}, promised {rate_text(finding.claim.promised)}; "
            f"worst {_worst(finding)}"
            for finding in broken
        )
    yield f"![Rates with bounds, for each mistake and family of processes]({PICTURE})"


def _question(
    question: str, found: Sequence[Finding], rows: Sequence[Row]
) -> Iterator[str]:
    own = [finding for finding in found if finding.question == question]
    yield f"## {question}"
    first = ("mistake", "processes", "data sets", "rate", "bounds")
    header = (*first, "promised", "worst cell", "verdict")
    table, last = [], ""
    for finding in own:
        low, high = clopper_pearson(finding.rate)
        name = finding.claim.name
        table.append(
            (
                "" if name == last else name,
                finding.family,
                f"{finding.rate.n_sets:,}",
                rate_text(finding.rate.share),
                f"{rate_text(low)} to {rate_text(high)}",
                rate_text(finding.claim.promised),
                _worst(finding),
                finding.words,
            )
        )
        last = name
    yield _table(header, table, ":--", ":--", "--:", "--:", "--:", "--:", ":--", ":--")
    cells = _cells([row for row in rows if row.cell.question == question])
    yield f"<details><summary>Every cell</summary>\n\n{cells}\n\n</details>"


def _worst(finding: Finding) -> str:
    cell, rate = finding.worst.cell, finding.worst.rate
    where = f"{cell.process}, {cell.design}, {cell.truth}"
    return f"{rate_text(rate.share)} ({where}; {rate.n_sets:,})"


def _cells(rows: Sequence[Row]) -> str:
    """Return a table with a line for each cell and a column for each claim."""
    claims = list(dict.fromkeys(row.claim.name for row in rows))
    shares = {(row.cell, row.claim.name): row.rate.share for row in rows}
    cells = list(dict.fromkeys(row.cell for row in rows))
    table = (
        (
            cell.process,
            cell.design,
            cell.truth,
            f"{cell.n_sets:,}",
            *(
                rate_text(shares[cell, name]) if (cell, name) in shares else ""
                for name in claims
            ),
        )
        for cell in cells
    )
    header = ("process", "design", "truth", "data sets", *claims)
    return _table(header, table, *[":--"] * 3, *["--:"] * (len(claims) + 1))


def _simulated(rows: Sequence[Row]) -> Iterator[str]:
    """Say what the processes, designs and truths of the page are."""

    def used(name: str) -> dict[str, None]:
        return dict.fromkeys(getattr(row.cell, name) for row in rows)

    yield "## What was simulated"
    yield _table(
        ("process", "family", "curves"),
        (
            (name, PROCESSES[name].family, _first_line(PROCESSES[name].draw))
            for name in PROCESSES
            if name in used("process")
        ),
    )
    yield (
        "Truths are planted in units of the process: the spread of its scores at a step. "
        "Blocks have a height and a slope of their own, which their runs share."
    )
    yield _table(
        ("truth", "mean curves"),
        ((name, _truth(TRUTHS[name])) for name in TRUTHS if name in used("truth")),
    )
    yield _table(
        ("design", "runs of each algorithm", "steps", "blocks"),
        (
            (
                name,
                ", ".join(map(str, DESIGNS[name].sizes)),
                str(DESIGNS[name].n_steps),
                str(len(DESIGNS[name].blocks) or ""),
            )
            for name in DESIGNS
            if name in used("design")
        ),
    )


def _truth(truth: Truth) -> str:
    """Say what is planted, and how much of it in each of several tasks."""
    planted = _first_line(truth.effects)
    if not truth.on_tasks:
        return planted
    times = ", ".join(f"{each:g}" for each in truth.on_tasks)
    return f"{planted} On tasks, in turn, {times} times as much."


def _first_line(function: Callable[..., object]) -> str:
    return (function.__doc__ or "").partition("\n")[0]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], *alignment: str) -> str:
    marks = alignment or [":--"] * len(header)
    lines = [header, marks, *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
