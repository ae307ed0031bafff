"""The claims of the paper and of this study, judged by the measured rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.error_terms.bounds import MIN_LOSS, is_above, is_below
from studies.error_terms.designs import (
    ABSENT_EFFECT,
    ADDED,
    DESIGNS,
    DOMAINS,
    DRAWS,
    KINDS,
    N_SHUFFLES_PAPERS,
    RUNS_DESIGN,
    SHIFT,
)
from studies.error_terms.formatting import cell, difference, number, short, span
from studies.error_terms.shuffles import ALPHA, EFFECTS, ERRORS
from studies.report import Claim, judge

if TYPE_CHECKING:
    from studies.error_terms.measuring import Gain, Measured
    from studies.report import Verdict

__all__ = ["claims"]

OURS = "(not in the papers)"
LEVEL = short(ALPHA)


def claims(measured: Measured) -> tuple[Claim, ...]:
    """Judge the paper's claims, then those of this study."""
    return (
        *(_figure_6(measured, case) for case in "ab"),
        _figure_6_split(measured),
        *(_pooled_raises_false_alarms(measured, kind) for kind in KINDS),
        _split_keeps_alpha(measured),
        _split_does_not_move(measured),
        _pooled_keeps_alpha_without_effects(measured),
        _runs_do_not_help(measured),
        _no_power_lost(measured),
    )


def _figure_6(measured: Measured, case: str) -> Claim:
    effect = ABSENT_EFFECT[case]
    chess = {
        draw: {DOMAINS[name]: measured.papers[name, case, draw] for name in DOMAINS if name != "td"}
        for draw in DRAWS
    }
    drawn = chess["overlapping"]
    alarms = [
        is_above(rates.found[effect]["pooled"][-1], rates.n_sets, len(drawn))
        for rates in drawn.values()
    ]
    # The paper's coding of chess is unknown, so its claim is refuted only if both codings do.
    open_verdict: Verdict = "cannot be known"
    hidden = all(
        chess["disjoint"][name].found[effect]["pooled"][-1] > rates.found[effect]["pooled"][-1]
        for name, rates in drawn.items()
    )
    found_text = "; ".join(
        f"{draw}: "
        + ", ".join(f"{cell(r, effect, 'pooled', -1)} ({name})" for name, r in each.items())
        for draw, each in reversed(chess.items())
    )
    return Claim(
        where="1998, §5.2 and Figure 6",
        claim=f"In case {case} the randomized ANOVA reports no {effect} effect, for there is none",
        published="none reported",
        ours=f"pooled, as in the papers, finds one at f = {_last(measured)}; {found_text}",
        verdict=open_verdict if len(set(alarms)) > 1 else judge(not any(alarms)),
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
    n_rates = len(measured.papers) + sum(draw == "disjoint" for *_, draw in measured.papers)
    attained = DESIGNS[RUNS_DESIGN]._replace(n_shuffles=N_SHUFFLES_PAPERS).attained
    holds = True
    shares: dict[str, list[float]] = {draw: [] for draw in DRAWS}
    for (_, case, draw), rates in measured.papers.items():
        counts = rates.found[ABSENT_EFFECT[case]]["split"]
        holds &= not is_above(max(counts), rates.n_sets, n_rates)
        if draw == "disjoint":
            holds &= not is_below(min(counts), rates.n_sets, n_rates, attained)
        shares[draw] += rates.share(ABSENT_EFFECT[case], "split").tolist()
    return Claim(
        where="1998, §5.2 and Figure 6",
        claim="With the split error term there are no false alarms in cases a and b beyond "
        f"{LEVEL}",
        own=True,
        published=OURS,
        ours="split, all f, all curves: "
        + ", ".join(f"{span(each)} in {draw} draws" for draw, each in shares.items()),
        verdict=judge(holds),
        note=f"Agrees if no rate is above {LEVEL}, and in disjoint draws none is below it.",
    )


def _pooled_raises_false_alarms(measured: Measured, kind: str) -> Claim:
    effect = ABSENT_EFFECT[kind]
    holds, texts = True, []
    for name in DESIGNS:
        rates = measured.autoregressive[name, kind]
        index = rates.sizes.index(SHIFT)
        at_zero, at_shift, at_largest = (rates.found[effect]["pooled"][i] for i in (0, index, -1))
        holds &= at_zero < at_shift < at_largest and is_above(
            at_largest, rates.n_sets, len(DESIGNS)
        )
        cells = [
            f"{cell(rates, effect, 'pooled', i)} at {rates.sizes[i]:g} SD" for i in (0, index, -1)
        ]
        texts.append(f"{name}: {', '.join(cells)}")
    return Claim(
        where="this study, AR(1) curves",
        claim=f"With the pooled term a {ADDED[kind]} is taken for an {effect} effect, "
        "the more often the larger it is",
        own=True,
        published=f"{OURS} follows from the algebra",
        ours="; ".join(texts),
        verdict=judge(holds),
        note="Agrees if in both designs the rate rises from each of these sizes to the next "
        f"and is above {LEVEL} at the last.",
    )


def _split_keeps_alpha(measured: Measured) -> Claim:
    n_rates = 2 * len(measured.autoregressive)
    holds = True
    for (name, kind), rates in measured.autoregressive.items():
        counts = rates.found[ABSENT_EFFECT[kind]]["split"]
        holds &= not is_above(max(counts), rates.n_sets, n_rates)
        holds &= not is_below(min(counts), rates.n_sets, n_rates, DESIGNS[name].attained)
    return Claim(
        where="this study, AR(1) curves",
        claim=f"With the split term false alarms stay at {LEVEL}, whatever the size of the "
        "other effect",
        own=True,
        published=f"{OURS} follows from the algebra",
        ours="; ".join(
            f"{name}, {kind}: {cell(rates, ABSENT_EFFECT[kind], 'split', -1)}"
            for (name, kind), rates in measured.autoregressive.items()
        ),
        verdict=judge(holds),
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
    every = measured.all_rates()
    moved = {
        error: sum(rates.moved[ABSENT_EFFECT[curves[1]]][error] for curves, rates in every)
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
        verdict=judge(moved["split"] == 0),
        note="Agrees if it changed in none.",
    )


def _pooled_keeps_alpha_without_effects(measured: Measured) -> Claim:
    n_rates = 2 * len(EFFECTS) * len(measured.autoregressive)
    holds, shares = True, []
    for (name, _), rates in measured.autoregressive.items():
        for effect in EFFECTS:
            count = rates.found[effect]["pooled"][0]
            holds &= not is_above(count, rates.n_sets, n_rates)
            holds &= not is_below(count, rates.n_sets, n_rates, DESIGNS[name].attained)
            shares.append(count / rates.n_sets)
    return Claim(
        where="1998, Figures 4 and 5",
        claim="Where neither effect is there, the pooled shuffle test keeps its level",
        published="about 50 in 1000",
        ours=f"{span(shares)}, AR(1) curves, both effects",
        verdict=judge(holds),
        note=f"{_rule_of_level()} The figures count false alarms where no effect is left "
        "after shuffling, so what one effect does to the test of the other cannot show.",
    )


def _runs_do_not_help(measured: Measured) -> Claim:
    by_runs = measured.more_runs
    alarms = [
        is_above(rates.found["interaction"]["pooled"][-1], rates.n_sets, len(by_runs))
        for rates in by_runs.values()
    ]
    n_runs = max(by_runs)
    low, high = by_runs[n_runs].interval("interaction", "pooled", 0.998)[-1]
    return Claim(
        where="this study, AR(1) curves",
        claim=f"More runs do not help: false alarms of the pooled term go to a limit above {LEVEL}",
        own=True,
        published=f"{OURS} expected: {number(measured.limit)} at a shift of {SHIFT:g} SD, "
        f"{DESIGNS[RUNS_DESIGN].n_steps} steps, very many runs",
        ours="; ".join(
            f"{runs} + {runs} runs: {cell(rates, 'interaction', 'pooled', -1)}"
            for runs, rates in by_runs.items()
        ),
        verdict=judge(all(alarms) and low <= measured.limit <= high),
        note=f"Agrees if every rate is above {LEVEL}, and the limit is in the 99.8 per cent "
        f"interval with {n_runs} + {n_runs} runs, {number(low)} to {number(high)}.",
    )


def _no_power_lost(measured: Measured) -> Claim:
    gains = measured.gains()

    def gain_text(gain: Gain) -> str:
        words = ", ".join(DOMAINS.get(word, word) for word in gain.curves)
        return f"{difference(gain.share, gain.interval)} ({words}, size {gain.size:g})"

    # With few data sets the intervals are too wide for a verdict.
    open_verdict: Verdict = "cannot be known"
    no_loss = all(gain.interval.low > -MIN_LOSS for gain in gains)
    loss = any(gain.interval.high < -MIN_LOSS for gain in gains)
    mean = sum(gain.share for gain in gains) / len(gains)
    margin = short(MIN_LOSS)
    n_always = sum(gain.always for gain in gains)
    return Claim(
        where="this study, all curves",
        claim=f"Split loses no power: never {margin} or more against pooled for the effect "
        "that is there, if it is alone",
        own=True,
        published=OURS,
        ours=f"split minus pooled, least favourable of {len(gains)} points "
        f"{gain_text(gains[0])}; most {gain_text(gains[-1])}; mean {mean:+.4f}; at {n_always} of "
        "the points both find it in every data set, and no loss could show",
        verdict=judge(no_loss) if no_loss or loss else open_verdict,
        note=f"Agrees if every 95 per cent interval is above −{margin}, differs if one is below "
        "it, and is left open otherwise, for then the data sets are too few to tell. "
        "All points must pass, so none needs a correction for their number.",
    )
