"""The experiments of Piater, Cohen, Zhang & Atighetchi (1998), run again."""

from __future__ import annotations

import time

from studies.piater1998.counting import find
from studies.piater1998.pictures import pictures
from studies.piater1998.power_claims import claims_on_power
from studies.piater1998.sheets import sheets
from studies.piater1998.type_one_claims import claims_on_errors
from studies.piater1998.words import paragraphs
from studies.report import Study

__all__ = ["study"]


def study(*, seed: int = 1998, quick: bool = False) -> Study:
    """Run all of it; the full form takes minutes, and keeps what took long."""
    started = time.perf_counter()
    found = find(seed, quick=quick)
    return Study(
        name="piater1998",
        title="Piater, Cohen, Zhang & Atighetchi (1998): errors and power of two tests",
        paragraphs=paragraphs(found),
        claims=(*claims_on_errors(found), *claims_on_power(found)),
        sheets=sheets(found),
        pictures=pictures(found),
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )
