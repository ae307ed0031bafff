"""What is claimed, what was found, and whether they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.error_terms.bounds import MARGIN, above, below
from studies.error_terms.cells import cell, difference, number, short, span
from studies.error_terms.designs import (
    ADDED,
    DESIGNS,
    DOMAINS,
    DRAWS,
    FALSE,
    KINDS,
    PAPERS_SHUFFLES,
    RUNS_DESIGN,
    SHIFT,
)
from studies.error_terms.shuffles import ALPHA, EFFECTS, ERRORS
from studies.report import Claim, judged

if TYPE_CHECKING:
    from studies.error_terms.measuring import Gain, Measured
    from studies.report import Verdict

__all__ = ["claims"]

OURS = "(not in the papers)"
LEVEL = short(ALPHA)


def claims(measured: Measured) -> tuple[Claim, ...]:
    """Hold the paper's claims, and then those of this study, against the rates."""
    return (
        *(_figure_6(measured, case) for case in "ab"),
        _figure_6_split(measured),
        *(_pooled_cries_wolf(measured, kind) for kind in KINDS),
        _split_keeps_alpha(measured),
        _split_does_not_move(measured),
        _pooled_keeps_alpha_without_effects(measured),
        _runs_do_not_help(measured),
        _no_power_lost(measured),
    )


def _figure_6(measured: Measured, case: str) -> Claim:
    effect = FALSE[case]
    chess = {
        draw: {
            DOMAINS[name]: measured.papers[name, case, draw]
            for name in DOMAINS
            if name != "td"
        }
        for draw in DRAWS
    }
    drawn = chess["overlapping"]
    alarms = [
        above(rates.found[effect]["pooled"][-1], rates.n_sets, len(drawn))
        for rates in drawn.values()
    ]
    # How the paper coded chess is not known, so it differs only if it does either way.
    open_verdict: Verdict = "cannot be known"
    hidden = all(
        chess["disjoint"][name].found[effect]["pooled"][-1]
        > rates.found[effect]["pooled"][-1]
        for name, rates in drawn.items()
    )
    told = "; ".join(
        f"{draw}: "
        + ", ".join(
            f"{cell(r, effect, 'pooled', -1)} ({name})" for name, r in each.items()
        )
        for draw, each in reversed(chess.items())
    )
    return Claim(
        where="1998, §5.2 and Figure 6",
        claim=f"In case {case} the randomized ANOVA reports no {effect} effect, "
        "for there is none",
        published="none reported",
        ours=f"pooled, as in the papers, finds one at f = {_last(measured)}; {told}",
        verdict=open_verdict if len(set(alarms)) > 1 else judged(not any(alarms)),
        note="The paper draws overlapping sets and does not say how it coded chess squares. "
        f"Differs if overlapping draws are above {LEVEL} with both codings, agrees if with "
        "neither, and is left open if with one."
        + (
            " Disjoint draws show more of it: curves that meet themselves hide a part."
            if hidden
            else ""
        ),
    )


def _last(measured: Measured) -> str:
    return f"{next(iter(measured.papers.values())).sizes[-1]:g}"


def _figure_6_split(measured: Measured) -> Claim:
    n_rates = len(measured.papers) + sum(
        draw == "disjoint" for *_, draw in measured.papers
    )
    attained = DESIGNS[RUNS_DESIGN]._replace(n_shuffles=PAPERS_SHUFFLES).attained
    holds = True
    shares: dict[str, list[float]] = {draw: [] for draw in DRAWS}
    for (_, case, draw), rates in measured.papers.items():
        counts = rates.found[FALSE[case]]["split"]
        holds &= not above(max(counts), rates.n_sets, n_rates)
        if draw == "disjoint":
            holds &= not below(min(counts), rates.n_sets, n_rates, attained)
        shares[draw] += rates.share(FALSE[case], "split").tolist()
    return Claim(
        where="1998, §5.2 and Figure 6",
        claim="With the split error term there are no false alarms in cases a and b beyond "
        f"{LEVEL}",
        own=True,
        published=OURS,
        ours="split, all f, all curves: "
        + ", ".join(f"{span(each)} in {draw} draws" for draw, each in shares.items()),
        verdict=judged(holds),
        note=f"Agrees if no rate is above {LEVEL}, and in disjoint draws none is below it.",
    )


def _pooled_cries_wolf(measured: Measured, kind: str) -> Claim:
    effect = FALSE[kind]
    holds, told = True, []
    for name in DESIGNS:
        rates = measured.autoregressive[name, kind]
        place = rates.sizes.index(SHIFT)
        none, some, most = (rates.found[effect]["pooled"][i] for i in (0, place, -1))
        holds &= none < some < most and above(most, rates.n_sets, len(DESIGNS))
        cells = [
            f"{cell(rates, effect, 'pooled', i)} at {rates.sizes[i]:g} SD"
            for i in (0, place, -1)
        ]
        told.append(f"{name}: {', '.join(cells)}")
    return Claim(
        where="this study, AR(1) curves",
        claim=f"With the pooled term a {ADDED[kind]} is taken for an {effect} effect, "
        "the more often the larger it is",
        own=True,
        published=f"{OURS} follows from the algebra",
        ours="; ".join(told),
        verdict=judged(holds),
        note="Agrees if in both designs the rate rises from each of these sizes to the next "
        f"and is above {LEVEL} at the last.",
    )


def _split_keeps_alpha(measured: Measured) -> Claim:
    n_rates = 2 * len(measured.autoregressive)
    holds = True
    for (name, kind), rates in measured.autoregressive.items():
        counts = rates.found[FALSE[kind]]["split"]
        holds &= not above(max(counts), rates.n_sets, n_rates)
        holds &= not below(min(counts), rates.n_sets, n_rates, DESIGNS[name].attained)
    return Claim(
        where="this study, AR(1) curves",
        claim=f"With the split term false alarms stay at {LEVEL}, whatever the size of the "
        "other effect",
        own=True,
        published=f"{OURS} follows from the algebra",
        ours="; ".join(
            f"{name}, {kind}: {cell(rates, FALSE[kind], 'split', -1)}"
            for (name, kind), rates in measured.autoregressive.items()
        ),
        verdict=judged(holds),
        note=f"At the largest size. {_rule_of_level()}",
    )


def _rule_of_level() -> str:
    exact = [
        f"{number(design.attained)} ({name})"
        for name, design in DESIGNS.items()
        if not design.n_shuffles
    ]
    return (
        f"Agrees if no rate is above {LEVEL} and none below the level that can be attained: "
        f"{LEVEL}, or {', '.join(exact)} with all relabellings."
    )


def _split_does_not_move(measured: Measured) -> Claim:
    every = measured.every()
    moved = {
        error: sum(rates.moved[FALSE[curves[1]]][error] for curves, rates in every)
        for error in ERRORS
    }
    n_sets = sum(rates.n_sets for _, rates in every)
    return Claim(
        where="this study, all curves",
        claim="The split p of one effect does not change by any digit as the other grows",
        own=True,
        published=f"{OURS} follows from the algebra",
        ours=f"p changed in {moved['split']:,} of {n_sets:,} data sets; "
        f"pooled: in {moved['pooled']:,}",
        verdict=judged(moved["split"] == 0),
        note="Agrees if it changed in none.",
    )


def _pooled_keeps_alpha_without_effects(measured: Measured) -> Claim:
    n_rates = 2 * len(EFFECTS) * len(measured.autoregressive)
    holds, shares = True, []
    for (name, _), rates in measured.autoregressive.items():
        for effect in EFFECTS:
            count = rates.found[effect]["pooled"][0]
            holds &= not above(count, rates.n_sets, n_rates)
            holds &= not below(count, rates.n_sets, n_rates, DESIGNS[name].attained)
            shares.append(count / rates.n_sets)
    return Claim(
        where="1998, Figures 4 and 5",
        claim="Where neither effect is there, the pooled shuffle test keeps its level",
        published="about 50 in 1000",
        ours=f"{span(shares)}, AR(1) curves, both effects",
        verdict=judged(holds),
        note=f"{_rule_of_level()} The figures count false alarms where no effect is left "
        "after shuffling, so what one effect does to the test of the other cannot show.",
    )


def _runs_do_not_help(measured: Measured) -> Claim:
    every = measured.more_runs
    alarms = [
        above(rates.found["interaction"]["pooled"][-1], rates.n_sets, len(every))
        for rates in every.values()
    ]
    most = max(every)
    low, high = every[most].interval("interaction", "pooled", 0.998)[-1]
    return Claim(
        where="this study, AR(1) curves",
        claim="More runs do not help: false alarms of the pooled term go to a limit "
        f"above {LEVEL}",
        own=True,
        published=f"{OURS} expected: {number(measured.limit)} at a shift of {SHIFT:g} SD, "
        f"{DESIGNS[RUNS_DESIGN].n_steps} steps, very many runs",
        ours="; ".join(
            f"{runs} + {runs} runs: {cell(rates, 'interaction', 'pooled', -1)}"
            for runs, rates in every.items()
        ),
        verdict=judged(all(alarms) and low <= measured.limit <= high),
        note=f"Agrees if every rate is above {LEVEL}, and the limit is in the 99.8 per cent "
        f"interval with {most} + {most} runs, {number(low)} to {number(high)}.",
    )


def _no_power_lost(measured: Measured) -> Claim:
    gains = measured.gains()

    def told(gain: Gain) -> str:
        words = ", ".join(DOMAINS.get(word, word) for word in gain.curves)
        return f"{difference(gain.share, gain.interval)} ({words}, size {gain.size:g})"

    # With few data sets the intervals are wide whatever the truth is: nothing is known.
    open_verdict: Verdict = "cannot be known"
    kept = all(gain.interval.low > -MARGIN for gain in gains)
    lost = any(gain.interval.high < -MARGIN for gain in gains)
    mean = sum(gain.share for gain in gains) / len(gains)
    margin = short(MARGIN)
    n_always = sum(gain.always for gain in gains)
    return Claim(
        where="this study, all curves",
        claim=f"Split loses no power: never {margin} or more against pooled for the effect "
        "that is there, if it is alone",
        own=True,
        published=OURS,
        ours=f"split minus pooled, least favourable of {len(gains)} points "
        f"{told(gains[0])}; most {told(gains[-1])}; mean {mean:+.4f}; at {n_always} of "
        "the points both find it in every data set, and no loss could show",
        verdict=judged(kept) if kept or lost else open_verdict,
        note=f"Agrees if every 95 per cent interval is above −{margin}, differs if one is below "
        "it, and is left open otherwise, for then the data sets are too few to tell. "
        "All points must pass, so none needs a correction for their number.",
    )
