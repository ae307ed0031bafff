"""Run the studies and write their page: ``python -m studies [--quick] [--only NAME]``."""

from __future__ import annotations

import argparse
import platform
import time
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from joblib import Parallel, delayed

import curvewise as cw
from studies.page import write_page, write_pictures
from studies.store import OUT, forget, reused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from studies.report import Study

STUDIES = ("piater1997", "piater1998", "error_terms", "gorski2009")


def run(name: str, *, quick: bool, seed: int | None) -> Study:
    """Run one study; each can run alone."""
    module = import_module(f"studies.{name}.study")
    options = {} if seed is None else {"seed": seed}
    reused.clear()
    study: Study = module.study(quick=quick, **options)
    return replace(study, seconds_before=sum(reused))


def _all(
    names: Sequence[str], n_jobs: int, *, quick: bool, seed: int | None
) -> Iterator[Study]:
    """Run studies, some at a time, and yield them in their order."""
    if n_jobs == 1 or len(names) == 1:
        yield from (run(name, quick=quick, seed=seed) for name in names)
        return
    tasks = (delayed(run)(name, quick=quick, seed=seed) for name in names)
    yield from Parallel(n_jobs=n_jobs, return_as="generator")(tasks)


def _at_least(least: int) -> Callable[[str], int]:
    def parsed(text: str) -> int:
        if text.isdecimal() and int(text) >= least:
            return int(text)
        msg = f"must be a whole number from {least} on, not {text!r}"
        raise argparse.ArgumentTypeError(msg)

    return parsed


def main() -> None:
    """Run what was asked for, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
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
    arguments = parser.parse_args()
    names = arguments.only or STUDIES
    if arguments.fresh:
        for name in names:
            forget(name)
    started = time.perf_counter()
    done = []
    for study in _all(
        names,
        arguments.jobs,
        quick=arguments.quick,
        seed=arguments.seed,
    ):
        counts = {
            verdict: sum(claim.verdict == verdict for claim in study.claims)
            for verdict in ("agrees", "differs", "cannot be known")
        }
        told = ", ".join(
            f"{count} {verdict}" for verdict, count in counts.items() if count
        )
        print(f"{study.name}, {study.seconds:.0f} s: {told}", flush=True)
        done.append(study)
    OUT.mkdir(parents=True, exist_ok=True)
    made = (
        f"Made on {time.strftime('%Y-%m-%d')} with curvewise {cw.__version__}, NumPy "
        f"{np.__version__}, Python {platform.python_version()}, in "
        f"{time.perf_counter() - started:.0f} s."
    )
    write_page(done, OUT / "index.html", made)
    write_pictures(done, OUT)
    print(f"Written: {OUT / 'index.html'}")


if __name__ == "__main__":
    main()
