"""The page: docs/alignment.md, with its tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from studies.alignment.measuring import POLICIES, failure_rates, gap_rates, schedule_rates
from studies.alignment.rules import RULES
from studies.alignment.simulated_logs import SCHEDULES
from studies.power.page import rate, table

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["page_text"]


def page_text(n_sets: int, seed: int) -> str:
    """Measure, and return the page in Markdown; PROVENANCE stands for when it was made."""
    error = f"{math.sqrt(0.05 * 0.95 / n_sets):.3f}".removeprefix("0")
    parts = [
        "# Common steps, missing scores and failing runs",
        (
            "How often two algorithms that are alike in truth are found to differ, at α = .05, by "
            "how their runs are brought to common steps, by which scores are missing, and by what "
            "becomes of runs that fail. "
            "Measured on simulated curves by `make alignment`; every number is computed by it."
        ),
        "PROVENANCE",
        f"The standard error of a rate near .05 is {error}.",
        *_schedules(n_sets, seed),
        *_gaps(n_sets, seed),
        *_failures(n_sets, seed),
    ]
    return "\n\n".join(parts) + "\n"


def _schedules(n_sets: int, seed: int) -> Iterator[str]:
    found = schedule_rates(n_sets, seed)
    yield "## Logged at different steps"
    yield (
        "Ten runs of each; false alarms of height / shape. Where logging does not go with the "
        "algorithm, every rule holds α, since none looks at labels. Where it does, linear "
        "interpolation inside the range that all runs share is what stays near it throughout: "
        "carrying values forward lags behind a rising curve by half a logging interval, a bin holds points of "
        "a dense log from before the only point of a sparse one, and a moving average over rows "
        "covers more training in the sparse log. `align()` does the first by default, the second "
        "with `n_steps=`, and refuses the last value and bins where schedules differ; the others "
        "it does not offer."
    )
    rows = [
        [rule, *(" / ".join(map(rate, found[schedule][rule])) for schedule in SCHEDULES)]
        for rule in RULES
    ]
    yield table(["rule", *SCHEDULES], rows)


def _gaps(n_sets: int, seed: int) -> Iterator[str]:
    found = gap_rates(n_sets, seed)
    yield "## Missing scores"
    yield (
        "Ten runs of each, all logged at the same 20 steps; each score is missing by chance, "
        'whatever it is, and `short="prefix"`. Gaps inside a run are filled on its own line; '
        "steps before the latest first score and after the earliest last one are not compared."
    )
    rows = [[gaps, *map(rate, own)] for gaps, own in found.items()]
    heads = ["overall", "height", "shape", "scores interpolated", "steps compared"]
    yield table(["missing", *heads], rows)


def _failures(n_sets: int, seed: int) -> Iterator[str]:
    found = failure_rates(n_sets, seed)
    yield "## Runs that fail"
    yield (
        "Twenty-one runs of each, of which a third never take off; false alarms of height by "
        "`short=`. Dropping is right only where failing has nothing to do with the scores, and the "
        "worst score only where failing is the algorithm's own doing. A prefix holds in all "
        "cases but the last two: if failed runs of one algorithm only were run again with other "
        "seeds, no policy holds in both of them, and no program can see it."
    )
    rows = [[kind, *(rate(own[policy]) for policy in POLICIES)] for kind, own in found.items()]
    yield table(["who fails", *(f"`{policy}`" for policy in POLICIES)], rows)
