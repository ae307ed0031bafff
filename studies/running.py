"""Run one study, or several in parallel."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from joblib import Parallel, delayed

from studies.store import reused_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from studies.report import Study

__all__ = ["STUDIES", "run", "run_all"]

STUDIES = ("piater1997", "piater1998", "error_terms", "gorski2009")


def run(name: str, *, quick: bool, seed: int | None) -> Study:
    """Run one study, with its own seed if ``seed`` is None."""
    module = import_module(f"studies.{name}.study")
    options = {} if seed is None else {"seed": seed}
    reused_seconds.clear()
    study: Study = module.study(quick=quick, **options)
    return replace(study, seconds_before=sum(reused_seconds))


def run_all(names: Sequence[str], n_jobs: int, *, quick: bool, seed: int | None) -> Iterator[Study]:
    """Run studies, ``n_jobs`` at a time, and yield them in the order of ``names``."""
    if n_jobs == 1 or len(names) == 1:
        yield from (run(name, quick=quick, seed=seed) for name in names)
        return
    tasks = (delayed(run)(name, quick=quick, seed=seed) for name in names)
    yield from Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
