"""The command of a study that measures rates and writes a page of docs/ about them."""

from __future__ import annotations

import argparse
import platform
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import curvewise as cw
from studies.options import integer_from
from studies.store import OUT, forget

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["write_measured_page"]

DOCS = Path(__file__).parents[1] / "docs"


def write_measured_page(
    name: str, what: str, page_text: Callable[[int, int], str], n_sets: int, page: str | None = None
) -> None:
    """Read the options, measure, and write the page into docs/.

    Finished cells are stored, so that a stopped run goes on where it was. With another number
    of data sets than ``n_sets`` the page is written to ``studies/out`` instead.

    Parameters
    ----------
    name : str
        The study, its stored cells and its page.
    what : str
        What is measured, after "Measure".
    page_text : callable
        From the number of data sets and the seed to the text, with PROVENANCE where it says
        how it was made.
    n_sets : int
        The data sets for each cell of the page in docs/.
    page : str, optional
        The name of the page, where it is not that of the study.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m studies.{name}",
        description=f"Measure {what}, and write the page about it.",
    )
    parser.add_argument(
        "--sets",
        type=integer_from(1),
        metavar="N",
        default=n_sets,
        help=f"data sets for each cell ({n_sets})",
    )
    parser.add_argument("--seed", type=integer_from(0), metavar="N", default=1, help="the seed (1)")
    parser.add_argument("--fresh", action="store_true", help="measure the stored cells again")
    arguments = parser.parse_args()
    if arguments.fresh:
        forget(name)
    try:
        text = page_text(arguments.sets, arguments.seed)
    except KeyboardInterrupt:
        sys.exit("Stopped. Finished cells are stored: run the command again to continue.")
    folder = DOCS if arguments.sets == n_sets else OUT
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{page or name}.md"
    provenance = (
        f"Made on {time.strftime('%Y-%m-%d')} with curvewise {cw.__version__}, NumPy "
        f"{np.__version__}, Python {platform.python_version()}; seed {arguments.seed}, "
        f"{arguments.sets} data sets for each cell."
    )
    path.write_text(text.replace("PROVENANCE", provenance), encoding="utf-8")
    print(f"Written: {path}")
