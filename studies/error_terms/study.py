"""The study of error terms: with a pooled one, each effect raises false alarms of the other.

The papers use the pooled error term. A real difference in height then makes their shuffle
test report a difference in shape too often, and the other way round.
"""

from __future__ import annotations

import time

from studies.error_terms.claims import claims
from studies.error_terms.measuring import NAME, measure
from studies.error_terms.pictures import pictures
from studies.error_terms.tables import tables
from studies.error_terms.text import paragraphs
from studies.report import Study

__all__ = ["study"]


def study(*, seed: int = 2003, quick: bool = False) -> Study:
    """Measure false alarms and power of both error terms, and judge the claims."""
    started = time.perf_counter()
    measured = measure(seed, quick=quick)
    return Study(
        name=NAME,
        title="One error term for two effects makes each cry wolf for the other",
        paragraphs=paragraphs(measured),
        claims=claims(measured),
        tables=tables(measured),
        pictures=pictures(measured),
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )
