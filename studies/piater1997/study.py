"""The study of Piater & Cohen (1997): all computations, claims, tables and pictures."""

from __future__ import annotations

import time

from studies.piater1997.arithmetic import arithmetic_claim, arithmetic_table
from studies.piater1997.conventional import conventional_claims
from studies.piater1997.counts import counts_claim, counts_table
from studies.piater1997.curves import draw_replications, trained_curves
from studies.piater1997.errata import errata_claims
from studies.piater1997.heights import height_claims, heights
from studies.piater1997.pictures import (
    curves_picture,
    null_picture,
    power_picture,
    profiles_picture,
    tables_picture,
)
from studies.piater1997.power import AT_SIZE, AT_STRETCH, measure_power
from studies.piater1997.power_claims import power_claims, power_table
from studies.piater1997.profiles import profile_claims, profile_table, profiles
from studies.piater1997.published import COMPARED
from studies.piater1997.published_tables import replicated_table
from studies.piater1997.replications import compare_for_picture, median_replication, replicate
from studies.piater1997.table_claims import table_claims
from studies.report import Study

__all__ = ["study"]


def study(*, seed: int = 1997, quick: bool = False) -> Study:
    """Repeat Tables 1 to 4 and Figures 3 to 7, and judge the claims of the report."""
    started = time.perf_counter()
    pool = trained_curves(seed, quick=quick)
    curves = draw_replications(pool, seed, quick=quick)
    replicated = replicate(curves, seed, quick=quick)
    all_runs = heights(pool)
    by_level = profiles(curves)
    by_stretch, by_size = measure_power(pool[0], seed, quick=quick)
    shown = median_replication(replicated)
    example = compare_for_picture(curves[shown], seed)
    return Study(
        name="piater1997",
        title="Piater & Cohen (1997): the report's tables and power",
        paragraphs=_paragraphs(len(curves), pool.shape[1], quick=quick),
        claims=(
            arithmetic_claim(),
            counts_claim(),
            *errata_claims(example),
            *height_claims(all_runs),
            *table_claims(replicated, all_runs),
            *conventional_claims(replicated),
            *profile_claims(by_level, replicated["Table 1"], shown),
            *power_claims(by_stretch, by_size),
        ),
        tables=(
            *(replicated_table(replicated[name]) for name in COMPARED),
            arithmetic_table(),
            counts_table(),
            profile_table(by_level, shown),
            power_table(by_stretch, f"stretch s, l = {AT_SIZE}"),
            power_table(by_size, f"curves l, s = {AT_STRETCH}"),
        ),
        pictures=(
            tables_picture(replicated),
            curves_picture(curves[shown], all_runs),
            null_picture(example),
            profiles_picture(by_level, shown),
            power_picture(by_stretch, by_size),
        ),
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )


def _paragraphs(n_replications: int, n_curves: int, *, quick: bool) -> tuple[str, ...]:
    independence = (
        f"This quick form deals its {n_replications} replications out of {n_curves} runs of "
        "each algorithm, so they share runs, its ranges are rough, and nothing is refuted by "
        "them: what they would refute cannot be known."
        if quick
        else f"No two of the {n_replications} replications share a run."
    )
    return (
        (
            "The report compares TD(0) learners of tic-tac-toe with three learning rates, ten "
            "runs of each. It does not list its scores; here each table is made again from "
            f"fresh runs, {n_replications} times, and published numbers agree when all of "
            "one kind in a table lie inside the ranges of the replications. These leave out "
            "the same share on both sides of every number, at most 5 %, and only so much "
            "that 90 % of the replications have all their own numbers inside. "
            f"{independence}"
        ),
        (
            "Some of what the report says is so in one draw of runs and not in another, such "
            "as that p is significant. It agrees when it is so in at least 90 % of the "
            "replications, differs when in at most 10 %, and cannot be known from one table "
            "otherwise."
        ),
        (
            "The report states neither how much its learner explores, nor its first values, "
            "nor who starts. These were chosen to give scores of its magnitude: that sums of "
            "squares for training agree is therefore no evidence that the choice is right."
        ),
        (
            "All tables use the report's pooled error. Figures 1 and 2 are a sketch of "
            "how curves can differ and the layout of a data table; they show no data and are "
            "not made again (Table 4 is the case of Figure 1b). Figures 3 to 5 and the "
            "profiles show one replication, the one with the middle F of the algorithm effect "
            "of A1 and A2. Figures 6 and 7 are published as pictures without numbers; the "
            "text gives one of their points, which is marked."
        ),
    )
