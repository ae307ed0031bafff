"""Tables of false alarms, of more runs and of power."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.error_terms.designs import (
    ABSENT_EFFECT,
    DESIGNS,
    DOMAINS,
    DRAWS,
    KINDS,
    PRESENT_EFFECT,
    RUNS_DESIGN,
    SHIFT,
)
from studies.error_terms.formatting import cell, difference, number
from studies.error_terms.shuffles import ALPHA, ERRORS
from studies.report import Table

if TYPE_CHECKING:
    from studies.error_terms.measuring import Measured
    from studies.error_terms.rates import Rates

__all__ = ["tables"]

DIFFERENCE = "split − pooled, paired"


def tables(measured: Measured) -> tuple[Table, ...]:
    """Return the tables of false alarms, then those of power."""
    return (
        *(_autoregressive_table(measured, kind) for kind in KINDS),
        *(_papers_table(measured, case) for case in "ab"),
        _runs_table(measured),
        *(_power_table(measured, kind) for kind in KINDS),
        *(_papers_power_table(measured, case) for case in "ab"),
    )


def _autoregressive_table(measured: Measured, kind: str) -> Table:
    rates = {name: measured.autoregressive[name, kind] for name in DESIGNS}
    sizes = next(iter(rates.values())).sizes
    return Table(
        f"AR(1) curves, {kind}: how often an {ABSENT_EFFECT[kind]} effect is found that is not there",
        ("size, SD", *(f"{error}: {name}" for name in DESIGNS for error in ERRORS)),
        tuple(
            (
                f"{size:g}",
                *(
                    cell(each, ABSENT_EFFECT[kind], error, index)
                    for each in rates.values()
                    for error in ERRORS
                ),
            )
            for index, size in enumerate(sizes)
        ),
    )


def _papers_table(measured: Measured, case: str) -> Table:
    effect = ABSENT_EFFECT[case]
    rows = []
    for name, label in DOMAINS.items():
        drawn = [measured.papers[name, case, draw] for draw in DRAWS]
        for index, factor in enumerate(drawn[0].sizes):
            cells = [cell(r, effect, error, index) for r in drawn for error in ERRORS]
            rows.append((label, f"{factor:g}", *cells))
    return Table(
        f"The papers' kinds of curves, M_{case}: how often an {effect} effect is found "
        "that is not there",
        ("curves", "f", *(f"{error}, {draw}" for draw in DRAWS for error in ERRORS)),
        tuple(rows),
    )


def _runs_table(measured: Measured) -> Table:
    rows = [
        (str(runs), *(cell(rates, "interaction", error, -1) for error in ERRORS))
        for runs, rates in measured.more_runs.items()
    ]
    rows.append(("very many, by the formula", number(measured.limit), number(ALPHA)))
    return Table(
        f"More runs: interaction found in parallel AR(1) curves, shift {SHIFT:g} SD, "
        f"{DESIGNS[RUNS_DESIGN].n_steps} steps",
        ("runs of each algorithm", *ERRORS),
        tuple(rows),
    )


def _power_cells(rates: Rates, effect: str, index: int) -> tuple[str, ...]:
    gain = difference(*rates.gain(effect)[index])
    return (*(cell(rates, effect, error, index) for error in ERRORS), gain)


def _power_table(measured: Measured, kind: str) -> Table:
    effect = PRESENT_EFFECT[kind]
    rows = []
    for name in DESIGNS:
        rates = measured.autoregressive[name, kind]
        for index, size in enumerate(rates.sizes):
            rows.append((name, f"{size:g}", *_power_cells(rates, effect, index)))
    return Table(
        f"Power, AR(1) curves, {kind}: how often the {effect} effect is found that is there",
        ("runs", "size, SD", *ERRORS, DIFFERENCE),
        tuple(rows),
        "At size 0 there is none, and the rate is the level.",
    )


def _papers_power_table(measured: Measured, case: str) -> Table:
    effect = PRESENT_EFFECT[case]
    rows = []
    for name, label in DOMAINS.items():
        for draw in DRAWS:
            rates = measured.papers[name, case, draw]
            for index, factor in enumerate(rates.sizes):
                cells = _power_cells(rates, effect, index)
                rows.append((label, draw, f"{factor:g}", *cells))
                found = [rates.found[effect][error][index] for error in ERRORS]
                if min(found) == rates.n_sets:
                    break  # larger factors add nothing once both always find the effect
    return Table(
        f"Power, the papers' kinds of curves, M_{case}: how often the {effect} effect is "
        "found that is there",
        ("curves", "draws", "f", *ERRORS, DIFFERENCE),
        tuple(rows),
        "Up to the first f at which both error terms always find it. At f = 0 there is none, "
        "and the rate is the level.",
    )
