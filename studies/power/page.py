"""The page: docs/measured-power.md, with its tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from studies.power import gates
from studies.power.closed_pairs import ADJUSTMENTS, N_SHUFFLES, closed_pairs_powers
from studies.power.crying_wolf import crying_wolf
from studies.power.first_test import DIFFERENCES, KINDS, TARGET, first_test_powers
from studies.power.many_tasks import KINDS as RUN_KINDS
from studies.power.many_tasks import counted_tasks, many_tasks_powers, n_sets_of
from studies.power.pilots import TRUE_POWER, pilot_powers
from studies.power.sequential import EFFECTS, STATED, advice_powers, sequential_powers
from studies.power.times import TESTS as TIME_TESTS
from studies.power.times import times_powers
from studies.power.typical_runs import CENTERS, SHIFTS, typical_runs_powers
from studies.power.unequal_spread import unequal_spread_powers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["page_text"]

TESTS = ("combined", "F", "height", "shape")
N_RUNS = (5, 10)


def page_text(n_sets: int, seed: int) -> str:
    """Measure, and return the page in Markdown; PROVENANCE stands for when it was made."""
    parts = [
        "# How much the tests find",
        (
            "Measured on simulated curves by `make power`; every number is computed by it. "
            "How often the tests are wrong is measured in [calibration](calibration.md)."
        ),
        "PROVENANCE",
        f"The standard error of a rate is at most {_error(n_sets)}.",
        *_first_test({n: first_test_powers(n, n_sets, seed) for n in N_RUNS}),
        *_typical_runs(typical_runs_powers(n_sets, seed)),
        *_closed_pairs(closed_pairs_powers(n_sets, seed)),
        *_many_tasks(many_tasks_powers(n_sets, seed), counted_tasks(n_sets, seed), n_sets),
        *_unequal_spread(unequal_spread_powers(n_sets, seed)),
        *_gates(gates.gate_rates(n_sets, seed)),
        *_times(times_powers(n_sets, seed)),
        *_crying_wolf(crying_wolf(n_sets, seed)),
        *_sequential(sequential_powers(n_sets, seed), advice_powers(n_sets, seed)),
        *_pilots(pilot_powers(n_sets, seed)),
    ]
    return "\n\n".join(parts) + "\n"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first are numbers."""
    lines = [header, [":--", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rate(value: float | None) -> str:
    """Return a rate with two decimals, as in .05; a dash where there is none.

    >>> rate(0.0512), rate(1.0), rate(None)
    ('.05', '1.00', '–')
    """
    return "–" if value is None else f"{value:.2f}".removeprefix("0")


def _first_test(found: dict[int, dict[str, Any]]) -> Iterator[str]:
    yield "## Do the curves differ at all?"
    yield (
        f"Two algorithms, 50 steps, α = .05, {len(KINDS)} kinds of curves × "
        f"{len(DIFFERENCES)} differences. In each of these cells the difference is as large "
        f"as the second best of five plain tests (all steps, height, shape, the most "
        f"striking step, standardised steps) finds in {TARGET:.0%} of data sets. *Combined* "
        'is the overall test of `compare()`, *F* is `overall="F"`. Worst shortfall: the '
        "best of the four in a cell minus this one."
    )
    rows = []
    for n_runs, own in found.items():
        cells = list(own["cells"].values())
        for test in TESTS:
            powers = [cell[test] for cell in cells]
            short = max(max(cell[t] for t in TESTS) - cell[test] for cell in cells)
            shifts = [own["cells"][f"{kind}: shift"][test] for kind in KINDS]
            null = [cell[test] for cell in own["null"].values()]
            spread = [cell[test] for cell in own["spread"].values()]
            rows.append(
                [
                    f"{n_runs} + {n_runs}, {test}",
                    *(rate(_mean(values)) for values in (powers, shifts)),
                    rate(min(powers)),
                    rate(short),
                    *(rate(_mean(values)) for values in (null, spread)),
                ]
            )
    header = ["runs, test", "mean power", "pure shifts", "worst cell", "worst shortfall"]
    yield table([*header, "no difference", "equal means, spread × 3"], rows)
    for n_runs, own in found.items():
        yield f"Combined / F, {n_runs} + {n_runs} runs:"
        yield table(
            ["difference", *KINDS],
            [
                [
                    difference,
                    *(
                        f"{rate(cell['combined'])} / {rate(cell['F'])}"
                        for cell in (own["cells"][f"{kind}: {difference}"] for kind in KINDS)
                    ),
                ]
                for difference in DIFFERENCES
            ],
        )


def _typical_runs(found: dict[str, Any]) -> Iterator[str]:
    sizes = " and ".join(f"{shift:g} ({n} runs)" for n, shift in SHIFTS.items())
    yield "## Typical runs"
    yield (
        f"Height of two algorithms that differ by a shift of {sizes} standard deviations of a "
        "score, by `center=`; and the 95% interval of the shift: how often it holds it, and "
        "its median width in standard deviations."
    )
    rows = [
        [
            name,
            *(rate(own[center]["power"]) for center in CENTERS),
            *(f"{rate(own[center]['coverage'])}, {own[center]['width']:.2f}" for center in CENTERS),
        ]
        for name, own in found.items()
    ]
    header = ["curves", *(f"power: {center}" for center in CENTERS)]
    yield table([*header, *(f"interval: {center}" for center in CENTERS)], rows)


def _closed_pairs(found: dict[str, Any]) -> Iterator[str]:
    yield "## Pairs"
    yield (
        f"Five algorithms of five runs, normal heights, {N_SHUFFLES} shuffles: how often any "
        "false pair is claimed, and the share of truly different pairs found, by `adjust=`."
    )
    rows = [
        [
            name,
            *(
                f"{rate(own[adjust]['false'])} / {rate(own[adjust]['found'])}"
                for adjust in ADJUSTMENTS
            ),
        ]
        for name, own in found.items()
    ]
    yield table(["heights (SD)", *(f"{adjust}: false / found" for adjust in ADJUSTMENTS)], rows)


def _error(n_sets: int) -> str:
    """Return the largest standard error of a rate."""
    return f"{math.sqrt(0.25 / n_sets):.3f}".removeprefix("0")


def _many_tasks(found: dict[str, Any], counted: dict[str, Any], n_sets: int) -> Iterator[str]:
    yield "## Many tasks"
    yield (
        "What `compare_tasks()` finds, α = .05, one step: that an algorithm is better on the "
        "whole (*V*), that the two differ on any task (*Q*), that they differ on at least one "
        "task (*counted*, Fisher's combination); how often the 95% interval of the "
        "probability of winning misses it, and its mean width. Normal runs / runs of which 12% "
        "fail; the effects are in `studies/power/many_tasks.py`. With no difference, and for V "
        "also where half of the tasks go each way, what is found is a false alarm. Half of the "
        "data sets for ten tasks, a sixth for 57: the standard error of a rate is up to "
        f"{_error(n_sets_of(n_sets, 10, 5))} and {_error(n_sets_of(n_sets, 57, 5))}."
    )

    def both(own: dict[str, dict[str, float]], name: str) -> str:
        return " / ".join(rate(own[kind][name]) for kind in RUN_KINDS)

    names = ("whole", "anywhere", "counted", "missed", "width")
    yield table(
        ["truth, tasks × runs", "V", "Q", "counted", "interval misses", "width"],
        [[name, *(both(own, each) for each in names)] for name, own in found.items()],
    )
    yield (
        "How many tasks are named by Holm and by Benjamini & Hochberg (with the share of false "
        "ones among them), and how many are counted at least, on average; how often that is too "
        "many. Normal runs; the first is better where they differ. The last row has a few "
        f"data sets only, {n_sets_of(n_sets, 57, 10)}."
    )
    yield table(
        [
            "tasks × runs, different",
            *("Holm", "BH", "false share", "differ", "too many", "better", "too many"),
        ],
        [
            [
                name,
                *(f"{own[each]:.1f}" for each in ("holm", "bh")),
                f"{own['false']:.3f}".removeprefix("0"),
                f"{own['differ']:.1f}",
                f"{own['too many']:.3f}".removeprefix("0"),
                f"{own['better']:.1f}",
                f"{own['better too many']:.3f}".removeprefix("0"),
            ]
            for name, own in counted.items()
        ],
    )


def _unequal_spread(found: dict[str, Any]) -> Iterator[str]:
    yield "## Unequal spread"
    yield (
        "AR(1) curves (skewed: with a large exponential offset of each run), by `spread=`: how often a difference was found overall / in height / in "
        "shape. With equal means these are false alarms."
    )
    rows = [
        [name, *(" / ".join(map(rate, own[spread])) for spread in ("equal", "unequal"))]
        for name, own in found.items()
    ]
    yield table(["design", "equal", "unequal"], rows)


def _gates(found: dict[str, dict[str, dict[str, float]]]) -> Iterator[str]:
    yield "## Gates"
    yield (
        "A candidate that is worse by exactly the margin, 1.5 standard deviations: how often the "
        "gate passed / failed at α = .05, by the distribution of runs. Both are mistakes."
    )
    header = ["runs: candidate + baseline", *gates.KINDS]
    at_margin = found["at margin"]
    yield table(
        header,
        [
            [f"{c} + {b}", *(_both(at_margin[f"{kind}, {c} + {b}"]) for kind in gates.KINDS)]
            for c, b in gates.RUNS
        ],
    )
    yield (
        "A candidate as good as the baseline, normal runs: how often the gate passed, by the "
        "margin in standard deviations of runs."
    )
    as_good = found["as good"]
    yield table(
        ["runs", *(f"{margin:g}" for margin in gates.MARGINS)],
        [
            [
                f"{n} + {n}",
                *(
                    rate(as_good[f"as good, {n} + {n}, margin {margin:g}"]["pass"])
                    for margin in gates.MARGINS
                ),
            ]
            for n in gates.N_EQUAL
        ],
    )
    yield (
        "Other gates, passed / failed: with twice the spread, a margin of 10%, a margin in "
        "standard deviations, both sides and times the candidate is worse by the margin unless a "
        "row says otherwise; *at one step*, it is better at all others."
    )
    scenes = found["scenes"].items()
    yield table(["gate", "passed / failed"], [[name, _both(own)] for name, own in scenes])


def _both(own: dict[str, float]) -> str:
    return f"{rate(own['pass'])} / {rate(own['fail'])}"


def _times(found: dict[str, Any]) -> Iterator[str]:
    yield "## Times to a threshold"
    yield (
        "How often a difference is found with 5 + 5 / 10 + 10 runs: by the log-rank test of "
        "`transfer()`, and by tests that give runs which never reach the threshold a made-up "
        "time, or leave them out. In the first row it is a false alarm. In the last the survival "
        "curves cross: no test of times finds much, and one that leaves runs out finds what "
        "those that are left do."
    )
    rows = [
        [name, *(" / ".join(rate(own[n][place]) for n in own) for place in range(len(TIME_TESTS)))]
        for name, own in found.items()
    ]
    yield table(["times", *TIME_TESTS], rows)


def _crying_wolf(found: dict[str, Any]) -> Iterator[str]:
    yield "## Crying wolf"
    yield (
        "How often common tests find a difference between two halves of the same runs, smooth "
        "curves of 30 steps: the mean over sets of runs of what [`calibrate()`](calibrate.md) "
        "counts, ± its standard deviation between them, which is how far one set of runs can "
        "be off. Halves of ten runs are experiments of 5 + 5. What curvewise finds follows from "
        "the number of runs."
    )
    rows = [
        [
            f"{n_runs} runs",
            *(
                rate(mean) if procedure == "curvewise" else f"{rate(mean)} ± {rate(sd)}"
                for procedure, (mean, sd) in own.items()
            ),
        ]
        for n_runs, own in found.items()
    ]
    header = ["F, height", "F, shape", "t at every step", "t of the final score"]
    yield table(["", *header, "t of the area", "curvewise"], rows)


def _sequential(found: dict[str, Any], advice: dict[str, Any]) -> Iterator[str]:
    yield "## Looks after batches"
    yield (
        "`monitor()`, two algorithms of at most 20 runs each, normal heights, batches far apart: "
        "how often a difference is found, and the mean number of runs of each algorithm used."
    )
    rows = [
        [name, *(f"{rate(own[f'{e:g}']['found'])}, {own[f'{e:g}']['runs']:.1f}" for e in EFFECTS)]
        for name, own in found.items()
    ]
    header = ["plan", *(f"difference of {effect:g} SD" for effect in EFFECTS)]
    yield table(header, rows)
    yield (
        f"Advice to stop, 5 batches of 4, linear, with a stated effect of {STATED:g} SD: how often "
        "stopping is advised before a difference is found; and what is found, with how many runs, "
        "if the advice is ignored and if it is followed."
    )
    yield table(
        ["true difference", "advised", "ignored", "followed"],
        [
            [
                f"{effect} SD",
                rate(own["advised"]),
                *(
                    f"{rate(own[f'{does}: found'])}, {own[f'{does}: runs']:.1f}"
                    for does in ("ignored", "followed")
                ),
            ]
            for effect, own in advice.items()
        ],
    )


def _pilots(found: dict[int, dict[str, float]]) -> Iterator[str]:
    yield "## What pilots tell"
    yield (
        "`estimate_power()` for height with 10 + 10 runs, from pilots of two algorithms that do "
        f"not differ. With a stated lift whose true power is {rate(TRUE_POWER)}: the mean "
        "estimate, how often its 90% range holds the truth, and how wide that is. Then what is "
        'promised, on average, for what was observed: by `effect="observed"`, and by drawing '
        "the pilots again as they are. There is nothing to find: .05 would be right."
    )
    columns = ("estimate", "holds", "width", "observed", "bootstrapped")
    rows = [[str(n), *(rate(own[key]) for key in columns)] for n, own in found.items()]
    header = ["pilots of each", "estimate", "range holds", "range width"]
    yield table([*header, "observed, shrunk", "observed, drawn again"], rows)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
