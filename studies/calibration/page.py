"""The page, docs/calibration.md, and its data: a table of rates, and the rates of every cell."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import TYPE_CHECKING

from studies.calibration.bounds import CONFIDENCE, MAX_FALSE_PAGE, clopper_pearson
from studies.calibration.claims import ALPHA, N_SHUFFLES
from studies.calibration.designs import DESIGNS
from studies.calibration.processes import PROCESSES
from studies.calibration.truths import TRUTHS
from studies.calibration.verdicts import MAX_CONSERVATIVE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from studies.calibration.measuring import Row
    from studies.calibration.truths import Truth
    from studies.calibration.verdicts import Finding

    # A line of a CSV file: the texts of its columns, by their names.
    Line = dict[str, str]

__all__ = ["cell_lines", "csv_text", "page_text", "rate_text", "table_lines"]

PICTURE = "calibration.png"
TABLE, CELLS = "calibration.csv", "calibration-cells.csv"
VERDICTS = {
    "holds": "Hold",
    "conservative": "Conservative",
    "above nominal": "Above nominal",
    "does not hold": "Do not hold",
    "not promised": "Not promised",
}


def table_lines(found: Sequence[Finding]) -> list[Line]:
    """Return a line for each mistake and family of processes."""
    return [
        {
            "question": finding.question,
            "mistake": finding.claim.name,
            "processes": finding.family,
            "data sets": str(finding.rate.n_sets),
            "rate": _three(finding.rate.share),
            "lower": _three(clopper_pearson(finding.rate)[0]),
            "upper": _three(clopper_pearson(finding.rate)[1]),
            "promised": _three(finding.claim.promised),
            "verdict": finding.verdict,
            "see": finding.page,
            "worst rate": _three(finding.worst.rate.share),
            "worst process": finding.worst.cell.process,
            "worst design": finding.worst.cell.design,
            "worst truth": finding.worst.cell.truth,
            "worst data sets": str(finding.worst.rate.n_sets),
        }
        for finding in found
    ]


def cell_lines(rows: Sequence[Row]) -> list[Line]:
    """Return a line for each mistake in each cell."""
    return [
        {
            "question": row.cell.question,
            "process": row.cell.process,
            "design": row.cell.design,
            "truth": row.cell.truth,
            "data sets": str(row.cell.n_sets),
            "mistake": row.claim.name,
            "rate": _three(row.rate.share),
        }
        for row in rows
    ]


def csv_text(lines: Sequence[Line]) -> str:
    """Return lines as the text of a CSV file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def page_text(table: Sequence[Line], cells: Sequence[Line], provenance: str) -> str:
    """Return the page in Markdown; ``provenance`` says when and with what it was made."""
    parts = [*_head(table, provenance), *_questions(table), *_exceptions(table), *_simulated(cells)]
    return "\n\n".join(parts) + "\n"


def rate_text(rate: float) -> str:
    """Return a rate with three decimals.

    >>> rate_text(0.05), rate_text(1.0)
    ('.050', '1.000')
    """
    return _three(rate).removeprefix("0")


def _three(rate: float) -> str:
    return f"{rate:.3f}"


def _head(table: Sequence[Line], provenance: str) -> Iterator[str]:
    yield "# Calibration"
    yield (
        "How often every p, interval and band of curvewise is wrong, measured on simulated "
        "curves whose truth is known. Written by `make calibration`; every number is "
        "computed by it. How often *other* tests would be wrong on your own runs: "
        "[calibrate](calibrate.md)."
    )
    yield provenance
    yield (
        f"[{TABLE}]({TABLE}) has a row for each mistake on each family of processes, over all "
        f"designs and truths, with exact bounds (Clopper–Pearson, {CONFIDENCE:.0%}) and the worst "
        f"cell; [{CELLS}]({CELLS}) has every cell. Promised is what the documentation says: "
        f"{rate_text(ALPHA)} unless a method is approximate. Where runs of the algorithms do not "
        "vary alike, shuffling tests whether the algorithm matters, not whether means are equal, "
        "and nothing is promised about means."
    )
    yield (
        f"*Does not hold*: the rate, or that of some cell, is above what is promised, at a "
        f"level at which the chance that any true promise of this page is called broken is at "
        f"most {rate_text(MAX_FALSE_PAGE)}. *Conservative*: the upper bound is below "
        f"{MAX_CONSERVATIVE:g} times the nominal level. *Above nominal*: above the nominal "
        f"level, but not above what is promised. Tests and intervals that were not enumerated "
        f"took {N_SHUFFLES} shuffles."
    )
    counts = Counter(line["verdict"] for line in table)
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    yield f"Of {len(table)} rows: {told}."
    yield f"![Rates with bounds, for each mistake and family of processes]({PICTURE})"


def _questions(table: Sequence[Line]) -> Iterator[str]:
    """Sum up each question: its rates on families with a promise, and how many rows hold."""
    yield "## Every question"
    rows = []
    for question in dict.fromkeys(line["question"] for line in table):
        own = [line for line in table if line["question"] == question]
        counts = Counter(line["verdict"] for line in own)
        mistakes = {line["mistake"] for line in own}
        promised = [line for line in own if line["verdict"] != "not promised"]
        rates = _range([line for line in promised if not _of_others(line)])
        shown = (str(counts[verdict] or "") for verdict in VERDICTS)
        rows.append((question, str(len(mistakes)), rates, *shown))
    header = ("question", "mistakes", "rates where promised", *map(str.lower, VERDICTS.values()))
    yield _table(header, rows, ":--", *["--:"] * (len(header) - 1))


def _exceptions(table: Sequence[Line]) -> Iterator[str]:
    """List what does not hold, what is above its nominal level, and what is not promised."""
    header = ("question", "mistake", "processes", "rate", "bounds", "promised", "see")
    for verdict in ("does not hold", "above nominal"):
        lines = [line for line in table if line["verdict"] == verdict and not _of_others(line)]
        if lines:
            yield f"## {VERDICTS[verdict]}"
            rows = (
                (
                    *(line[name] for name in header[:3]),
                    rate_text(float(line["rate"])),
                    f"{rate_text(float(line['lower']))}–{rate_text(float(line['upper']))}",
                    rate_text(float(line["promised"])),
                    f"[{line['see']}]({line['see']})",
                )
                for line in lines
            )
            yield _table(header, rows)
    others = [line for line in table if _of_others(line)]
    if others:
        yield (
            "Percentile bootstraps, as others use them for aggregates, were measured beside these; "
            f"nothing is promised of them (1.000 in the table), and their rates are {_range(others)}."
        )
    lines = [line for line in table if line["verdict"] == "not promised"]
    if lines:
        yield f"## {VERDICTS['not promised']}"
        yield "Why: [method.md](method.md)."
        groups: dict[tuple[str, str], list[Line]] = {}
        for line in lines:
            groups.setdefault((line["question"], line["processes"]), []).append(line)
        yield _table(
            ("question", "processes", "mistakes", "rates", "worst cell"),
            (
                (*key, str(len(own)), _range(own), rate_text(_highest(own, "worst rate")))
                for key, own in groups.items()
            ),
        )


def _of_others(line: Line) -> bool:
    """Return whether a method of others was measured, for comparison: it may always be wrong."""
    return float(line["promised"]) >= 1


def _range(lines: Sequence[Line]) -> str:
    if not lines:
        return ""
    lowest = min(float(line["rate"]) for line in lines)
    return f"{rate_text(lowest)}–{rate_text(_highest(lines, 'rate'))}"


def _highest(lines: Sequence[Line], name: str) -> float:
    return max(float(line[name]) for line in lines)


def _simulated(cells: Sequence[Line]) -> Iterator[str]:
    """Say what the processes, designs and truths of the page are."""

    def used(name: str) -> set[str]:
        return {line[name] for line in cells}

    yield "## What was simulated"
    yield "\n".join(
        f"- {name} ({process.family}): {_first_line(process.draw)}"
        for name, process in PROCESSES.items()
        if name in used("process")
    )
    yield (
        "Truths are planted in units of the process: the spread of its scores at a step. "
        "Blocks have a height and a slope of their own, which their runs share."
    )
    yield "\n".join(
        f"- {name}: {_truth(truth)}" for name, truth in TRUTHS.items() if name in used("truth")
    )
    yield _table(
        ("design", "runs of each algorithm", "steps", "blocks"),
        (
            (
                name,
                ", ".join(map(str, design.sizes)),
                str(design.n_steps),
                str(len(design.blocks) or ""),
            )
            for name, design in DESIGNS.items()
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
