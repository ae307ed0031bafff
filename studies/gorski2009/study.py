"""Gorski & Laird (2009), Evaluating Evaluations: Tables 1 and 2, Figures 1 to 4, run again."""

from __future__ import annotations

import time

from studies.gorski2009.criteria_claims import criteria_claims
from studies.gorski2009.curve_claims import curve_claims
from studies.gorski2009.findings import findings
from studies.gorski2009.pictures import pictures
from studies.gorski2009.rule_claim import rule_claim
from studies.gorski2009.sheets import sheets
from studies.gorski2009.slip_claims import slip_claims
from studies.gorski2009.table_claims import table_claims
from studies.gorski2009.words import paragraphs
from studies.report import Study

__all__ = ["study"]


def study(*, seed: int = 2009, quick: bool = False) -> Study:
    """Run both grid worlds under every reading, and the ten criteria."""
    started = time.perf_counter()
    found = findings(seed=seed, quick=quick)
    return Study(
        name="gorski2009",
        title="Gorski & Laird (2009): which metric compares learning curves",
        paragraphs=paragraphs(found),
        claims=(
            *table_claims(found),
            rule_claim(found),
            *curve_claims(found),
            *criteria_claims(found.criteria),
            *slip_claims(found),
        ),
        sheets=tuple(sheets(found)),
        pictures=tuple(pictures(found)),
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )
