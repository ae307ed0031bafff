"""The study of Gorski & Laird (2009), Evaluating Evaluations."""

from __future__ import annotations

import time

from studies.gorski2009.criteria_claims import criteria_claims
from studies.gorski2009.curve_claims import curve_claims
from studies.gorski2009.errata_claims import errata_claims
from studies.gorski2009.findings import findings
from studies.gorski2009.pictures import pictures
from studies.gorski2009.rule_claim import rule_claim
from studies.gorski2009.table_claims import table_claims
from studies.gorski2009.tables import tables
from studies.gorski2009.text import paragraphs
from studies.report import Study

__all__ = ["study"]


def study(*, seed: int = 2009, quick: bool = False) -> Study:
    """Repeat Tables 1 and 2 and Figures 1 to 4, and judge the claims of the report."""
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
            *errata_claims(found),
        ),
        tables=tuple(tables(found)),
        pictures=tuple(pictures(found)),
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )
