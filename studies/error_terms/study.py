"""One error term for two effects: why parallel curves are found to differ in shape.

A finding about the papers: with their pooled error term each effect makes the shuffle test
of the other cry wolf.
"""

from __future__ import annotations

import time

from studies.error_terms.claims import claims
from studies.error_terms.measuring import NAME, measure
from studies.error_terms.pictures import pictures
from studies.error_terms.sheets import sheets
from studies.error_terms.words import paragraphs
from studies.report import Study

__all__ = ["study"]


def study(*, seed: int = 2003, quick: bool = False) -> Study:
    """Measure both error terms, and say what follows."""
    started = time.perf_counter()
    measured = measure(seed, quick=quick)
    return Study(
        name=NAME,
        title="One error term for two effects makes each cry wolf for the other",
        paragraphs=paragraphs(measured),
        claims=claims(measured),
        sheets=sheets(measured),
        pictures=pictures(measured),
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )
