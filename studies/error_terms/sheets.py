"""The tables: false alarms, more runs, power."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.error_terms.cells import cell, difference, number
from studies.error_terms.designs import (
    DESIGNS,
    DOMAINS,
    DRAWS,
    FALSE,
    KINDS,
    RUNS_DESIGN,
    SHIFT,
    TRUE,
)
from studies.error_terms.shuffles import ALPHA, ERRORS
from studies.report import Sheet

if TYPE_CHECKING:
    from studies.error_terms.measuring import Measured
    from studies.error_terms.rates import Rates

__all__ = ["sheets"]

DIFFERENCE = "split − pooled, paired"


def sheets(measured: Measured) -> tuple[Sheet, ...]:
    """Return how often effects are found that are not there, and that are."""
    return (
        *(_sheet_autoregressive(measured, kind) for kind in KINDS),
        *(_sheet_papers(measured, case) for case in "ab"),
        _sheet_runs(measured),
        *(_sheet_power(measured, kind) for kind in KINDS),
        *(_sheet_power_papers(measured, case) for case in "ab"),
    )


def _sheet_autoregressive(measured: Measured, kind: str) -> Sheet:
    rates = {name: measured.autoregressive[name, kind] for name in DESIGNS}
    sizes = next(iter(rates.values())).sizes
    return Sheet(
        f"AR(1) curves, {kind}: how often an {FALSE[kind]} effect is found that is not there",
        ("size, SD", *(f"{error}: {name}" for name in DESIGNS for error in ERRORS)),
        tuple(
            (
                f"{size:g}",
                *(
                    cell(each, FALSE[kind], error, place)
                    for each in rates.values()
                    for error in ERRORS
                ),
            )
            for place, size in enumerate(sizes)
        ),
    )


def _sheet_papers(measured: Measured, case: str) -> Sheet:
    effect = FALSE[case]
    rows = []
    for name, label in DOMAINS.items():
        drawn = [measured.papers[name, case, draw] for draw in DRAWS]
        for place, factor in enumerate(drawn[0].sizes):
            cells = [cell(r, effect, error, place) for r in drawn for error in ERRORS]
            rows.append((label, f"{factor:g}", *cells))
    return Sheet(
        f"The papers' kinds of curves, M_{case}: how often an {effect} effect is found "
        "that is not there",
        ("curves", "f", *(f"{error}, {draw}" for draw in DRAWS for error in ERRORS)),
        tuple(rows),
    )


def _sheet_runs(measured: Measured) -> Sheet:
    rows = [
        (str(runs), *(cell(rates, "interaction", error, -1) for error in ERRORS))
        for runs, rates in measured.more_runs.items()
    ]
    rows.append(("very many, by the formula", number(measured.limit), number(ALPHA)))
    return Sheet(
        f"More runs: interaction found in parallel AR(1) curves, shift {SHIFT:g} SD, "
        f"{DESIGNS[RUNS_DESIGN].n_steps} steps",
        ("runs of each algorithm", *ERRORS),
        tuple(rows),
    )


def _power_cells(rates: Rates, effect: str, place: int) -> tuple[str, ...]:
    gain = difference(*rates.gain(effect)[place])
    return (*(cell(rates, effect, error, place) for error in ERRORS), gain)


def _sheet_power(measured: Measured, kind: str) -> Sheet:
    effect = TRUE[kind]
    rows = []
    for name in DESIGNS:
        rates = measured.autoregressive[name, kind]
        for place, size in enumerate(rates.sizes):
            rows.append((name, f"{size:g}", *_power_cells(rates, effect, place)))
    return Sheet(
        f"Power, AR(1) curves, {kind}: how often the {effect} effect is found that is there",
        ("runs", "size, SD", *ERRORS, DIFFERENCE),
        tuple(rows),
        "At size 0 there is none, and the rate is the level.",
    )


def _sheet_power_papers(measured: Measured, case: str) -> Sheet:
    effect = TRUE[case]
    rows = []
    for name, label in DOMAINS.items():
        for draw in DRAWS:
            rates = measured.papers[name, case, draw]
            for place, factor in enumerate(rates.sizes):
                cells = _power_cells(rates, effect, place)
                rows.append((label, draw, f"{factor:g}", *cells))
                found = [rates.found[effect][error][place] for error in ERRORS]
                if min(found) == rates.n_sets:
                    break  # where both always find it, more rows say nothing more
    return Sheet(
        f"Power, the papers' kinds of curves, M_{case}: how often the {effect} effect is "
        "found that is there",
        ("curves", "draws", "f", *ERRORS, DIFFERENCE),
        tuple(rows),
        "Up to the first f at which both error terms always find it. At f = 0 there is none, "
        "and the rate is the level.",
    )
