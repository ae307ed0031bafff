"""The study of Piater, Cohen, Zhang & Atighetchi (1998)."""

from __future__ import annotations

import time

from studies.piater1998.counting import count_all
from studies.piater1998.pictures import pictures
from studies.piater1998.power_claims import claims_on_power
from studies.piater1998.tables import tables
from studies.piater1998.text import paragraphs
from studies.piater1998.type_one_claims import claims_on_errors
from studies.report import Study

__all__ = ["study"]


def study(*, seed: int = 1998, quick: bool = False) -> Study:
    """Repeat Figures 3 to 6; the full form takes minutes and stores what takes long."""
    started = time.perf_counter()
    counts = count_all(seed, quick=quick)
    return Study(
        name="piater1998",
        title="Piater, Cohen, Zhang & Atighetchi (1998): errors and power of two tests",
        paragraphs=paragraphs(counts),
        claims=(*claims_on_errors(counts), *claims_on_power(counts)),
        tables=tables(counts),
        pictures=pictures(counts),
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )
