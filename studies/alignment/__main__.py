"""Measure what common steps and failing runs do, and write docs/alignment.md.

Finished cells are stored, so that a stopped run goes on where it was. With fewer data sets than
the default the page is written to ``studies/out`` instead.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path

import numpy as np

import curvewise as cw
from studies.alignment.page import page_text
from studies.options import integer_from
from studies.store import OUT, forget

DOCS = Path(__file__).parents[2] / "docs"
N_SETS = 1_000


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m studies.alignment",
        description="Measure what common steps and failing runs do, and write the page about it.",
    )
    parser.add_argument(
        "--sets",
        type=integer_from(1),
        metavar="N",
        default=N_SETS,
        help=f"data sets for each cell ({N_SETS})",
    )
    parser.add_argument(
        "--seed", type=integer_from(0), metavar="N", default=1, help="the seed (1)"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="measure the stored cells again"
    )
    arguments = parser.parse_args()
    if arguments.fresh:
        forget("alignment")
    try:
        text = page_text(arguments.sets, arguments.seed)
    except KeyboardInterrupt:
        sys.exit("Stopped. Finished cells are stored: run the command again to continue.")
    folder = DOCS if arguments.sets == N_SETS else OUT
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / "alignment.md"
    provenance = (
        f"Made on {time.strftime('%Y-%m-%d')} with curvewise {cw.__version__}, NumPy "
        f"{np.__version__}, Python {platform.python_version()}; seed {arguments.seed}, "
        f"{arguments.sets} data sets for each cell."
    )
    page.write_text(text.replace("PROVENANCE", provenance), encoding="utf-8")
    print(f"Written: {page}")


if __name__ == "__main__":
    main()
