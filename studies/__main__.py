"""Run the studies and write their page.

All of them write ``studies/out/index.html``, some of them a page of their own name beside
it, and the quick form goes to ``studies/out/quick``.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

import curvewise as cw
from studies.page import tally, write_page, write_pictures
from studies.running import STUDIES, run_all
from studies.store import OUT, forget

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Run what was asked for, and write the page."""
    arguments = _arguments()
    names = [name for name in STUDIES if name in (arguments.only or STUDIES)]
    if arguments.fresh:
        for name in names:
            forget(name)
    started = time.perf_counter()
    done = []
    try:
        for study in run_all(
            names, arguments.jobs, quick=arguments.quick, seed=arguments.seed
        ):
            print(f"{study.name}, {study.seconds:.0f} s: {tally(study)}", flush=True)
            done.append(study)
    except KeyboardInterrupt:
        sys.exit("Stopped. What was computed is kept: run it again to go on.")
    folder = OUT / "quick" if arguments.quick else OUT
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{'index' if len(names) == len(STUDIES) else '-'.join(names)}.html"
    made = (
        f"Made on {time.strftime('%Y-%m-%d')} with curvewise {cw.__version__}, NumPy "
        f"{np.__version__}, Python {platform.python_version()}, in "
        f"{time.perf_counter() - started:.0f} s."
    )
    write_pictures(done, folder)
    write_page(done, page, made)
    print(f"Written: {page}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m studies", description="Run the studies and write their page."
    )
    parser.add_argument(
        "--quick", action="store_true", help="a reduced form, in a minute"
    )
    parser.add_argument(
        "--only", action="append", choices=STUDIES, help="run this study; repeat for more"
    )
    parser.add_argument(
        "--seed", type=_at_least(0), metavar="N", help="another seed, for all studies"
    )
    parser.add_argument(
        "--jobs", type=_at_least(1), metavar="N", default=2, help="studies at a time (2)"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="compute anew what was kept of these studies"
    )
    return parser.parse_args()


def _at_least(least: int) -> Callable[[str], int]:
    def parsed(text: str) -> int:
        if text.isdecimal() and int(text) >= least:
            return int(text)
        msg = f"must be a whole number from {least} on, not {text!r}"
        raise argparse.ArgumentTypeError(msg)

    return parsed


if __name__ == "__main__":
    main()
