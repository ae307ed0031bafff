"""Run the studies and write one HTML page with their results.

All studies together write ``studies/out/index.html``; a selection writes a page named after
the selected studies. The quick form writes to ``studies/out/quick``.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time

import numpy as np

import curvewise as cw
from studies.options import integer_from
from studies.page import tally, write_page, write_pictures
from studies.running import STUDIES, run_all
from studies.store import OUT, forget


def main() -> None:
    """Run the selected studies, and write their figures and the page."""
    arguments = _arguments()
    names = [name for name in STUDIES if name in (arguments.only or STUDIES)]
    if arguments.fresh:
        for name in names:
            forget(name)
    started = time.perf_counter()
    finished = []
    try:
        for study in run_all(names, arguments.jobs, quick=arguments.quick, seed=arguments.seed):
            print(f"{study.name}, {study.seconds:.0f} s: {tally(study)}", flush=True)
            finished.append(study)
    except KeyboardInterrupt:
        sys.exit("Stopped. Finished parts are stored: run the command again to continue.")
    folder = OUT / "quick" if arguments.quick else OUT
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{'index' if len(names) == len(STUDIES) else '-'.join(names)}.html"
    provenance = (
        f"Made on {time.strftime('%Y-%m-%d')} with curvewise {cw.__version__}, NumPy "
        f"{np.__version__}, Python {platform.python_version()}, in "
        f"{time.perf_counter() - started:.0f} s."
    )
    write_pictures(finished, folder)
    write_page(finished, page, provenance)
    print(f"Written: {page}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m studies", description="Run the studies and write their page."
    )
    parser.add_argument("--quick", action="store_true", help="a reduced form, in about a minute")
    parser.add_argument(
        "--only", action="append", choices=STUDIES, help="run this study; repeat for more"
    )
    parser.add_argument(
        "--seed",
        type=integer_from(0),
        metavar="N",
        help="seed of all studies, instead of their own",
    )
    parser.add_argument(
        "--jobs", type=integer_from(1), metavar="N", default=2, help="studies run at a time (2)"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="recompute the stored parts of these studies"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
