"""Measure how often curvewise is wrong, and write docs/calibration.md, its tables and its picture.

Finished cells are stored, so that a stopped run goes on where it was. The quick form, and one
of fewer questions or data sets, is written to ``studies/out`` instead. The exit code is 1
when a promise does not hold.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path

import numpy as np

import curvewise as cw
from studies.calibration.measuring import NAME, measure
from studies.calibration.page import (
    CELLS,
    PICTURE,
    TABLE,
    cell_lines,
    csv_text,
    page_text,
    rate_text,
    table_lines,
)
from studies.calibration.picture import draw
from studies.calibration.plan import FULL, QUICK
from studies.calibration.questions import QUESTIONS
from studies.calibration.verdicts import findings
from studies.options import integer_from
from studies.store import OUT, forget

DOCS = Path(__file__).parents[2] / "docs"


def main() -> int:
    """Measure, write the page, its tables and the picture, and return how many promises do not hold."""
    arguments = _arguments()
    if arguments.fresh:
        forget(NAME)
    plan = QUICK if arguments.quick else FULL
    most = arguments.sets or max(cell.n_sets for cell in plan)
    cells = [
        cell._replace(n_sets=min(cell.n_sets, most))
        for cell in plan
        if cell.question in (arguments.only or QUESTIONS)
    ]
    try:
        rows = measure(cells, arguments.seed, arguments.jobs, quick=arguments.quick)
    except KeyboardInterrupt:
        sys.exit("Stopped. Finished cells are stored: run the command again to continue.")
    folder = DOCS if cells == list(FULL) else OUT / "quick"
    folder.mkdir(parents=True, exist_ok=True)
    provenance = (
        f"Made on {time.strftime('%Y-%m-%d')} with curvewise {cw.__version__}, NumPy "
        f"{np.__version__}, Python {platform.python_version()}; seed {arguments.seed}; "
        f"{len(cells)} cells, {sum(cell.n_sets for cell in cells):,} data sets."
    )
    found = findings(rows)
    draw(found).savefig(folder / PICTURE, dpi=110)
    page = folder / f"{NAME}.md"
    table, every = table_lines(found), cell_lines(rows)
    (folder / TABLE).write_text(csv_text(table), encoding="utf-8")
    (folder / CELLS).write_text(csv_text(every), encoding="utf-8")
    page.write_text(page_text(table, every, provenance), encoding="utf-8")
    print(f"Written: {page}")
    broken = [finding for finding in found if finding.verdict == "does not hold"]
    for finding in broken:
        print(
            f"Does not hold: {finding.question}, {finding.claim.name}, {finding.family}: "
            f"{rate_text(finding.rate.share)} of {finding.rate.n_sets:,} data sets, "
            f"promised {rate_text(finding.claim.promised)}."
        )
    return min(len(broken), 1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m studies.calibration",
        description="Measure how often curvewise is wrong, and write the page about it.",
    )
    parser.add_argument("--quick", action="store_true", help="a short form, in seconds")
    parser.add_argument(
        "--only", action="append", choices=QUESTIONS, help="this question; repeat for more"
    )
    parser.add_argument(
        "--sets", type=integer_from(1), metavar="N", help="at most N data sets for a cell"
    )
    parser.add_argument(
        "--seed", type=integer_from(0), metavar="N", default=2026, help="the seed (2026)"
    )
    parser.add_argument(
        "--jobs", type=integer_from(1), metavar="N", default=2, help="cells measured at a time (2)"
    )
    parser.add_argument("--fresh", action="store_true", help="measure the stored cells again")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
