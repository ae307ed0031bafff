"""One error term for two effects: why parallel curves are found to differ in shape.

A finding about the papers: with their pooled error term each effect makes the shuffle test
of the other cry wolf. The words, tables and pictures; `rates` has the experiments.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from studies.anovas import f_ratios
from studies.error_terms.rates import (
    ALPHA,
    EFFECTS,
    ERRORS,
    Design,
    Rates,
    autoregressive,
    limits,
    p_values,
    profile,
    rates_of_autoregressive,
    rates_of_modified,
    shuffled_halves,
)
from studies.report import Claim, Picture, Sheet, Study
from studies.sources.cross_validation import stored_curves
from studies.sources.td_tictactoe import LEARNING_RATES, STEPS, learning_curves
from studies.store import kept

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from studies.error_terms.rates import Floats
    from studies.report import Verdict

__all__ = ["study"]

NAME = "error_terms"
REVISION = 1  # of the experiments: what was kept by another one is not used
MARGIN = 0.02  # a loss of power below this is none worth naming
RARE = 1e-4  # the chance that a claim about a level fails though it is true
DESIGNS = {
    "2 × 10 runs, 8 steps": Design(10, 8, 999),
    "5 + 5 runs, 20 steps": Design(5, 20, 0),
}
DOMAINS = {
    "chess_numeric": "chess, numbers",
    "chess_nominal": "chess, names",
    "td": "TD(0), A1",
}
DRAWS = {"disjoint": False, "overlapping": True}
# What is there, and with it what is not: the effect that would be a false alarm.
FALSE = {
    "parallel": "interaction",
    "crossing": "algorithm",
    "a": "interaction",
    "b": "algorithm",
}
TRUE = {kind: EFFECTS[effect == "algorithm"] for kind, effect in FALSE.items()}
COLOURS = {"pooled": "#D55E00", "split": "#0072B2"}
MARKERS = {"pooled": "o", "split": "s"}


class Scale(NamedTuple):
    """How much is computed."""

    n_sets: int
    sizes: tuple[float, ...]
    factors: tuple[int, ...]
    n_runs: tuple[int, ...]
    n_td_runs: int
    td_steps: tuple[int, ...]


FULL = Scale(
    n_sets=2_000,
    sizes=(0, 0.25, 0.5, 1, 1.5, 2, 3, 4),
    factors=tuple(range(11)),
    n_runs=(5, 10, 20, 40, 80),
    n_td_runs=100,
    td_steps=STEPS,
)
QUICK = Scale(
    n_sets=100,
    sizes=(0, 0.5, 1, 2, 4),
    factors=(0, 2, 5, 10),
    n_runs=(5, 40),
    n_td_runs=40,
    td_steps=STEPS[:4],
)


class Measured(NamedTuple):
    """All rates: keyed by (design, kind), by (domain, case, draw), and by runs."""

    autoregressive: dict[tuple[str, str], Rates]
    papers: dict[tuple[str, str, str], Rates]
    more_runs: dict[int, Rates]


def study(*, seed: int = 2003, quick: bool = False) -> Study:
    """Measure both error terms, and say what follows."""
    started = time.perf_counter()
    scale = QUICK if quick else FULL
    suffix = "-quick" if quick else ""

    def keep(name: str, compute: Callable[[], Any], **key: object) -> Any:
        key = {"seed": seed, "revision": REVISION, **key}
        return kept(f"{NAME}-{name}{suffix}", key, compute)

    def td_curves() -> Floats:
        rates = [LEARNING_RATES["A1"]] * scale.n_td_runs
        rng = np.random.default_rng([seed, 0])
        return learning_curves(rates, rng, steps=scale.td_steps)

    pools = {name: stored_curves(name) for name in DOMAINS if name != "td"}
    pools["td"] = np.array(
        keep("td", td_curves, n_runs=scale.n_td_runs, steps=scale.td_steps)
    )
    measured = Measured(
        _unpack(keep("ar", lambda: _autoregressive(scale, seed), scale=scale)),
        _unpack(keep("papers", lambda: _papers(scale, seed, pools), scale=scale)),
        {
            int(runs): Rates(**rates)
            for runs, rates in keep(
                "runs", lambda: _more_runs(scale, seed), scale=scale
            ).items()
        },
    )
    return Study(
        name=NAME,
        title="One error term for two effects makes each cry wolf for the other",
        paragraphs=_paragraphs(measured, pools),
        claims=_claims(measured, seed),
        sheets=_sheets(measured, seed),
        pictures=_pictures(measured, seed),
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )


# The experiments ---------------------------------------------------------------------


def _autoregressive(scale: Scale, seed: int) -> dict[str, Any]:
    return {
        f"{name}|{kind}": rates_of_autoregressive(
            design, kind, scale.sizes, scale.n_sets, [seed, 1, place, number]
        ).plain()
        for place, (name, design) in enumerate(DESIGNS.items())
        for number, kind in enumerate(("parallel", "crossing"))
    }


def _papers(scale: Scale, seed: int, pools: Mapping[str, Floats]) -> dict[str, Any]:
    return {
        f"{name}|{case}|{draw}": rates_of_modified(
            pools[name],
            case,
            scale.factors,
            scale.n_sets,
            [seed, 2, place, number, int(overlapping)],
            overlapping=overlapping,
            n_shuffles=499,
        ).plain()
        for place, name in enumerate(DOMAINS)
        for number, case in enumerate("ab")
        for draw, overlapping in DRAWS.items()
    }


def _more_runs(scale: Scale, seed: int) -> dict[str, Any]:
    return {
        str(runs): rates_of_autoregressive(
            Design(runs, 8, 499), "parallel", (0, 2), scale.n_sets, [seed, 3, runs]
        ).plain()
        for runs in scale.n_runs
    }


def _unpack(plain: Mapping[str, Mapping[str, Any]]) -> dict[Any, Rates]:
    return {tuple(name.split("|")): Rates(**rates) for name, rates in plain.items()}


# The words ---------------------------------------------------------------------------


def _paragraphs(measured: Measured, pools: Mapping[str, Floats]) -> tuple[str, ...]:
    n_sets = measured.autoregressive["2 × 10 runs, 8 steps", "parallel"].n_sets
    lifts = []
    for name, label in DOMAINS.items():
        pool = pools[name]
        spread = np.sqrt(pool.var(axis=0, ddof=1).mean())
        lifts.append(f"{np.mean(pool[:, -1] - pool[:, 0]) / 8 / spread:.1f} ({label})")
    return (
        (
            "Claim. The papers divide both effects, algorithm (height) and interaction (shape), "
            "by one pooled mean square of error, and take the null distribution of both from "
            "the same shuffles of whole curves. That tests one null hypothesis, that the "
            "algorithm does not matter at all, and for it the level is right. It does not tell "
            "which effect is there: a real difference in height makes the test of shape cry "
            "wolf, a real difference in shape the test of height, the more the larger it is, "
            "and more runs do not help. An error term for each effect, as in a split-plot "
            "analysis, does away with it and costs no power."
        ),
        (
            "Why. Take the mean curve of all n runs off, and split each run j into its height "
            "h_j, the mean over k steps, and its shape, what is left. Their sums of squares over "
            "all runs, T_h = k Σ h_j² and T_s, stay the same however whole curves are shuffled, "
            "and each labelling only divides them: SS_alg + SS_curves = T_h and "
            "SS_int + SS_residual = T_s. The pooled error is SS_error = (T_h − SS_alg) + "
            "(T_s − SS_int). Lift one of two equal groups by δ at every step. That adds "
            "k n δ²/4 to T_h (in the mean), all of it to SS_alg as observed and none to the "
            "observed error. In a shuffled table the lifted runs are on both sides: SS_alg* "
            "takes 1/(n − 1) of T_h in the mean, the error all the rest. With σ² the mean "
            "variance of a score, MS_error* / MS_error ≈ 1 + n δ² / (4 (n − 1) σ²). So every "
            "F*_int is too small by this factor, the observed F_int is not, and p is too small. "
            "A crossing with c_h at step h, Σ c_h = 0, adds n Σ c_h²/4 to T_s and does the same "
            "to F_alg, with the mean of c_h² for δ²."
        ),
        (
            "How far it goes. As δ grows, F*_int of every labelling that mixes the groups goes to "
            "zero, so p goes to the smallest there is and the false alarms to 1. As n grows with "
            "δ fixed, the factor goes to 1 + δ²/(4σ²), not to 1, and the false alarms to "
            "P(Q > q / (1 + δ²/(4σ²))): Q = Σ λ_i χ²_1, q its 1 − α quantile, λ_i the eigenvalues "
            "of the covariance of the shapes (for F_alg a single one, so Q is χ²_1). These are "
            "the dotted lines below."
        ),
        (
            "Why the split term is safe. F_alg = MS_alg / MS_curves rises with SS_alg / T_h and "
            "F_int = MS_int / MS_residual with SS_int / T_s. The first is a function of heights "
            "alone, the second of shapes alone. Whatever is done to the heights leaves the p of "
            "the interaction as it is, digit by digit, and the other way round; so each test is "
            "exact whenever its own part of the curves can be exchanged. The general reason is "
            "known: Anderson & ter Braak (2003, J. Statist. Comput. Simul. 73, 85–113) build "
            "permutation tests of single terms in an analysis of variance, and there the units "
            "that may be exchanged under the null hypothesis of a term are those of the mean "
            "square in the denominator of its F. For the algorithm these are the curves; for the "
            "interaction what is left of them without their heights. A pooled denominator mixes "
            "two strata, and it is not unchanged by the effect that is not being tested."
        ),
        (
            f"Experiment. {n_sets:,} data sets for each point, α = .05. (1) AR(1) curves, "
            "correlation .9, variance 1; one algorithm is lifted, or crossed by a straight line "
            "of mean zero; sizes are root mean squares in SDs of a score. 2 × 10 runs of 8 steps "
            "with 999 shuffles, and 5 + 5 runs of 20 steps with all 252 relabellings. (2) The "
            "papers' kinds of curves (C4.5 on chess endgames, TD(0) learning tic-tac-toe), ten "
            "against ten modified by M_a (lifted) or M_b (turned; the mean stays) with factor f "
            "= 0 to 10 and 499 shuffles; the two tens are drawn from one set twice, as in the "
            "papers (overlapping), or once (disjoint). At f = 10, M_a lifts by "
            f"{', '.join(lifts)} SDs of a score. p = (1 + count)/(1 + z); a data set meets all "
            "sizes with the same noise and the same shuffles. Intervals are Clopper–Pearson, 95 "
            "per cent; those of differences are paired."
        ),
        (
            "Limits. Two algorithms with equally many runs and equal spread; the algebra holds "
            "for more, the numbers do not. Exact for its own question means: heights (or shapes) "
            "are exchangeable, so runs of unequal spread are a matter of their own. The points of "
            "one line share their data sets, so the split line is flat by algebra, and only its "
            "level is evidence. In disjoint draws all splits of the same twenty curves are "
            "equally likely, so there even the level of split is certain beforehand; overlapping "
            "draws make both tests too shy at f = 0, since some curves meet themselves. M_a and "
            "M_b act in proportion to what a curve learns, so they change the spread a little "
            "too. The papers' own curves are lost; ours are re-made."
        ),
    )


def _number(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


def _cell(rates: Rates, effect: str, error: str, place: int) -> str:
    low, high = rates.interval(effect, error)[place]
    share = rates.share(effect, error)[place]
    return f"{_number(share)} [{_number(low)}, {_number(high)}]"


def _verdict(*, holds: bool) -> Verdict:
    return "agrees" if holds else "differs"


def _exceeds(rates: Rates, effect: str, place: int = -1) -> bool:
    """Is the pooled rate certainly above alpha, among some forty rates?"""
    return rates.interval(effect, "pooled", level=0.998)[place].low > ALPHA


def _within(rates: Rates, effect: str, n_rates: int, attained: float) -> bool:
    """Is the split rate where that of a test at alpha is, but for one chance in 10,000?"""
    counts = rates.found[effect]["split"]
    return _not_above(max(counts), rates.n_sets, n_rates) and (
        not attained or _not_below(min(counts), rates.n_sets, n_rates, attained)
    )


def _not_above(count: int, n_sets: int, n_rates: int) -> bool:
    from scipy.special import bdtrc

    return bool(bdtrc(count - 1, n_sets, ALPHA) >= RARE / n_rates)


def _not_below(count: int, n_sets: int, n_rates: int, attained: float) -> bool:
    from scipy.special import bdtr

    return bool(bdtr(count, n_sets, attained) >= RARE / n_rates)


def _claims(measured: Measured, seed: int) -> tuple[Claim, ...]:
    return (
        _figure_6(measured, "a"),
        _figure_6(measured, "b"),
        _figure_6_split(measured),
        _pooled_cries_wolf(measured, "parallel"),
        _pooled_cries_wolf(measured, "crossing"),
        _split_keeps_alpha(measured),
        _split_does_not_move(measured),
        _pooled_keeps_alpha_without_effects(measured),
        _runs_do_not_help(measured, seed),
        _no_power_lost(measured),
    )


def _figure_6(measured: Measured, case: str) -> Claim:
    effect = FALSE[case]
    chess = {
        (DOMAINS[name], draw): rates
        for (name, each, draw), rates in measured.papers.items()
        if each == case and name != "td"
    }
    alarms = {key: _exceeds(rates, effect) for key, rates in chess.items()}
    return Claim(
        where="1998, §5.2 and Figure 6",
        claim=f"In case {case} the randomized ANOVA reports no {effect} effect, "
        "for there is none",
        published="none reported",
        ours=f"pooled, as in the papers, finds an {effect} effect at f = 10 in "
        + "; ".join(
            f"{_cell(rates, effect, 'pooled', -1)} ({', '.join(key)})"
            for key, rates in chess.items()
        ),
        verdict=_verdict(holds=not any(alarms.values())),
        note="Figure 6 draws overlapping sets, which hides part of it. "
        "The paper does not say how chess squares were coded: both ways are shown.",
    )


def _figure_6_split(measured: Measured) -> Claim:
    n_rates = len(measured.papers)
    holds = all(
        _within(rates, FALSE[case], n_rates, 0.0)
        for (_, case, _), rates in measured.papers.items()
    )

    def told(draw: str) -> str:
        shares = [
            share
            for (_, case, each), rates in measured.papers.items()
            if each == draw
            for share in rates.share(FALSE[case], "split")
        ]
        return f"{_number(min(shares))} to {_number(max(shares))}"

    return Claim(
        where="1998, §5.2 and Figure 6",
        claim="What the paper says of cases a and b is true of the split error term",
        published="(not considered)",
        ours=f"false alarms of split, all f, all curves: {told('disjoint')} in disjoint "
        f"draws, {told('overlapping')} in overlapping draws",
        verdict=_verdict(holds=holds),
        note="Verdict: no rate is above what a test at .05 may reach.",
    )


def _pooled_cries_wolf(measured: Measured, kind: str) -> Claim:
    effect = FALSE[kind]
    rates = {d: measured.autoregressive[d, kind] for d in DESIGNS}
    rises = all(
        _exceeds(each, effect) and (np.diff(each.found[effect]["pooled"]) >= 0).all()
        for each in rates.values()
    )
    size = next(iter(rates.values())).sizes.index(2.0)
    told = "; ".join(
        f"{name}: {_cell(each, effect, 'pooled', size)} at 2 SD, "
        f"{_cell(each, effect, 'pooled', -1)} at {each.sizes[-1]:g} SD"
        for name, each in rates.items()
    )
    there = "parallel shift" if kind == "parallel" else "crossing of mean zero"
    return Claim(
        where="this study, AR(1) curves",
        claim=f"With the pooled term a {there} is taken for an {effect} effect, "
        "the more often the larger it is",
        published="follows from the algebra",
        ours=told,
        verdict=_verdict(holds=rises),
    )


def _split_keeps_alpha(measured: Measured) -> Claim:
    n_rates = len(measured.autoregressive)
    holds = all(
        _within(rates, FALSE[kind], n_rates, DESIGNS[design].attained)
        for (design, kind), rates in measured.autoregressive.items()
    )
    return Claim(
        where="this study, AR(1) curves",
        claim="With the split term false alarms stay within Monte Carlo bounds of .05, "
        "whatever the size of the other effect",
        published="follows from the algebra",
        ours="; ".join(
            f"{design}, {kind}: {_cell(rates, FALSE[kind], 'split', -1)}"
            for (design, kind), rates in measured.autoregressive.items()
        ),
        verdict=_verdict(holds=holds),
        note="Bounds: what a test at .05 passes once in 10,000 such studies; 252 "
        f"relabellings attain {_number(DESIGNS['5 + 5 runs, 20 steps'].attained)}.",
    )


def _every(measured: Measured) -> list[tuple[tuple[str, ...], Rates]]:
    return [*measured.autoregressive.items(), *measured.papers.items()]


def _split_does_not_move(measured: Measured) -> Claim:
    every = _every(measured)
    moved = {
        error: sum(rates.moved[FALSE[key[1]]][error] for key, rates in every)
        for error in ERRORS
    }
    n_sets = sum(rates.n_sets for _, rates in every)
    return Claim(
        where="this study, all curves",
        claim="The split p of one effect does not change by any digit as the other grows",
        published="follows from the algebra",
        ours=f"p changed in {moved['split']:,} of {n_sets:,} data sets; "
        f"pooled: in {moved['pooled']:,}",
        verdict=_verdict(holds=moved["split"] == 0),
    )


def _pooled_keeps_alpha_without_effects(measured: Measured) -> Claim:
    every = measured.autoregressive.values()
    counts = [r.found[effect]["pooled"][0] for r in every for effect in EFFECTS]
    n_sets = next(iter(every)).n_sets
    return Claim(
        where="1998, Figures 4 and 5",
        claim="Where neither effect is there, the pooled shuffle test keeps its level",
        published="about 50 in 1000",
        ours=f"{_number(min(counts) / n_sets)} to {_number(max(counts) / n_sets)}, "
        "AR(1) curves, both effects",
        verdict=_verdict(holds=_not_above(max(counts), n_sets, len(counts))),
        note="The papers measured false alarms only after all effects had been shuffled "
        "away, so this could not show.",
    )


def _limit(seed: int, sizes: Sequence[float], kind: str, n_steps: int) -> Floats:
    return limits(kind, n_steps, sizes, np.random.default_rng([seed, 4]))


def _runs_do_not_help(measured: Measured, seed: int) -> Claim:
    limit = float(_limit(seed, [2.0], "parallel", 8)[0])
    most = max(measured.more_runs)
    low, high = measured.more_runs[most].interval("interaction", "pooled", 0.998)[-1]
    return Claim(
        where="this study, AR(1) curves",
        claim="More runs do not help: false alarms of the pooled term go to a limit "
        "above .05",
        published=f"expected: {_number(limit)} at a shift of 2 SD, 8 steps, very many runs",
        ours="; ".join(
            f"{runs} runs each: {_cell(rates, 'interaction', 'pooled', -1)}"
            for runs, rates in measured.more_runs.items()
        ),
        verdict=_verdict(holds=low > ALPHA and low - 0.02 <= limit <= high + 0.02),
        note=f"Verdict: {most} runs each stay above .05 and within .02 of the limit.",
    )


def _no_power_lost(measured: Measured) -> Claim:
    every = _every(measured)
    gains = [
        (gain, interval, key, size)
        for key, rates in every
        for (gain, interval), size in zip(
            rates.gain(TRUE[key[1]]), rates.sizes, strict=True
        )
        if size > 0
    ]
    worst, best = min(gains), max(gains)

    def told(gain: float, ends: tuple[float, float], key: Any, size: float) -> str:
        return (
            f"{gain:+.3f} [{ends[0]:+.3f}, {ends[1]:+.3f}] "
            f"({', '.join(DOMAINS.get(word, word) for word in key)}, size {size:g})"
        )

    # With n small the interval is wide whatever the truth is: then nothing is known.
    wide = max(ends[1] - ends[0] for _, ends, _, _ in gains) > 2 * MARGIN
    verdict = _verdict(holds=all(ends[0] > -MARGIN for _, ends, _, _ in gains))
    return Claim(
        where="this study, all curves",
        claim=f"Split loses no power: never {MARGIN:.2f} or more against pooled for the "
        "effect that is there",
        published="expected: none",
        ours=f"least favourable of {len(gains)} points {told(*worst)}; most {told(*best)}; "
        f"mean {np.mean([gain for gain, *_ in gains]):+.4f}",
        verdict="cannot be known" if wide else verdict,
        note="Paired differences, split minus pooled. Verdict: no interval reaches "
        f"−{MARGIN:.2f}; it is left open where data sets are too few to tell.",
    )


# The tables --------------------------------------------------------------------------


def _sheets(measured: Measured, seed: int) -> tuple[Sheet, ...]:
    return (
        *(_sheet_autoregressive(measured, kind) for kind in ("parallel", "crossing")),
        *(_sheet_papers(measured, case) for case in "ab"),
        _sheet_runs(measured, seed),
        *(_sheet_power(measured, kind) for kind in ("parallel", "crossing")),
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
                    _cell(each, FALSE[kind], error, place)
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
            cells = [_cell(r, effect, error, place) for r in drawn for error in ERRORS]
            rows.append((label, f"{factor:g}", *cells))
    return Sheet(
        f"The papers' kinds of curves, M_{case}: how often an {effect} effect is found "
        "that is not there",
        ("curves", "f", *(f"{error}, {draw}" for draw in DRAWS for error in ERRORS)),
        tuple(rows),
    )


def _sheet_runs(measured: Measured, seed: int) -> Sheet:
    rows = [
        (str(runs), *(_cell(rates, "interaction", error, -1) for error in ERRORS))
        for runs, rates in measured.more_runs.items()
    ]
    limit = float(_limit(seed, [2.0], "parallel", 8)[0])
    rows.append(("very many, by the formula", _number(limit), _number(ALPHA)))
    return Sheet(
        "More runs: interaction found in parallel AR(1) curves, shift 2 SD, 8 steps",
        ("runs of each algorithm", *ERRORS),
        tuple(rows),
    )


def _gain(rates: Rates, effect: str, place: int) -> str:
    gain, (low, high) = rates.gain(effect)[place]
    return f"{gain:+.3f} [{low:+.3f}, {high:+.3f}]"


def _sheet_power(measured: Measured, kind: str) -> Sheet:
    effect = TRUE[kind]
    rows = []
    for name in DESIGNS:
        rates = measured.autoregressive[name, kind]
        for place, size in enumerate(rates.sizes):
            cells = [_cell(rates, effect, error, place) for error in ERRORS]
            rows.append((name, f"{size:g}", *cells, _gain(rates, effect, place)))
    return Sheet(
        f"Power, AR(1) curves, {kind}: how often the {effect} effect is found that is there",
        ("runs", "size, SD", *ERRORS, "split − pooled, paired"),
        tuple(rows),
    )


def _sheet_power_papers(measured: Measured, case: str) -> Sheet:
    effect = TRUE[case]
    rows = []
    for name, label in DOMAINS.items():
        for draw in DRAWS:
            rates = measured.papers[name, case, draw]
            for place, factor in enumerate(rates.sizes):
                # Where both always find it, more rows say nothing more.
                if place and min(rates.found[effect][e][place - 1] for e in ERRORS) == (
                    rates.n_sets
                ):
                    break
                cells = [_cell(rates, effect, error, place) for error in ERRORS]
                rows.append(
                    (label, draw, f"{factor:g}", *cells, _gain(rates, effect, place))
                )
    return Sheet(
        f"Power, the papers' kinds of curves, M_{case}: how often the {effect} effect is "
        "found that is there",
        ("curves", "draws", "f", *ERRORS, "split − pooled, paired"),
        tuple(rows),
        "Up to the first f at which both error terms always find it.",
    )


# The pictures ------------------------------------------------------------------------


def _pictures(measured: Measured, seed: int) -> tuple[Picture, ...]:
    return (
        Picture(
            "mechanism",
            "One data set, 2 × 10 AR(1) curves of 8 steps without any effect at size 0 "
            "(the first drawn in which every p is between .1 and .4). "
            "Solid: the observed F of the effect that is not there. Dashed: its critical "
            "value, from 4,999 shuffles. What is added to one algorithm leaves the observed "
            "F as it is; with the pooled term it lowers the critical value.",
            _draw_mechanism(seed),
        ),
        Picture(
            "ar1",
            "AR(1) curves: how often an effect is found that is not there, against the size "
            "of the one that is. Dotted: the pooled term with very many runs, by the "
            "formula. Dashes: α. Bars: 95 per cent.",
            _draw_autoregressive(measured, seed),
        ),
        Picture(
            "papers",
            "Figure 6 of the 1998 paper, the two cases without one of the effects: how often "
            "it is found all the same. Filled: disjoint draws; open: overlapping draws, as "
            "in the paper. Dashes: α. Bars: 95 per cent.",
            _draw_papers(measured),
        ),
        Picture(
            "power",
            "Power for the effect that is there, AR(1) curves: both error terms (top), and "
            "how much more often split finds it (bottom; paired, bars 95 per cent).",
            _draw_power(measured),
        ),
    )


def _axes(
    n_rows: int,
    n_columns: int,
    height: float,
    *,
    sharey: Literal["all", "row", "none"] = "all",
) -> tuple[Figure, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, height), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, sharey=sharey, squeeze=False)
    for each in axes.flat:
        each.spines[["top", "right"]].set_visible(False)
        each.tick_params(labelsize=8)
    return figure, axes


def _draw_rates(axes: Axes, rates: Rates, effect: str, error: str, **style: Any) -> None:
    share = rates.share(effect, error)
    ends = np.array(rates.interval(effect, error)).T
    axes.errorbar(
        rates.sizes,
        share,
        # Rounding may put an end of an interval past 0 or 1 by a bit.
        yerr=np.maximum(np.abs(ends - share), 0),
        color=COLOURS[error],
        marker=MARKERS[error],
        linewidth=1.4,
        elinewidth=0.9,
        **{"markersize": 4, **style},
    )


def _draw_mechanism(seed: int) -> Figure:
    rng = np.random.default_rng([seed, 5])
    design = Design(10, 8, 4_999)
    halves = shuffled_halves(design, rng)
    curves = autoregressive(rng, 20, 8)
    while not all(0.1 < p < 0.4 for p in p_values(curves, halves)):
        curves = autoregressive(rng, 20, 8)
    sizes = np.linspace(0, 4, 17)
    figure, axes = _axes(1, 2, 3.3, sharey="none")
    for place, kind in enumerate(("parallel", "crossing")):
        panel = axes[0, place]
        lifted = halves[0][:, None] * profile(kind, 8)
        every = [f_ratios(curves + size * lifted, halves)._asdict() for size in sizes]
        for error in ERRORS:
            f = np.array([each[f"{FALSE[kind]}_{error}"] for each in every])
            critical = np.sort(f[:, 1:], axis=1)[:, int(np.ceil((1 - ALPHA) * 4_999)) - 1]
            panel.plot(sizes, f[:, 0], color=COLOURS[error], label=f"{error}: F observed")
            panel.plot(
                sizes, critical, "--", color=COLOURS[error], label=f"{error}: critical"
            )
        panel.set_ylim(bottom=0)
        panel.set_xlabel(f"{_there(kind)}, SD of a score", fontsize=9)
        panel.set_ylabel(f"F of the {FALSE[kind]}", fontsize=9)
    axes[0, 0].legend(fontsize=8, frameon=False)
    return figure


def _there(kind: str) -> str:
    return "parallel shift" if kind == "parallel" else "crossing (mean zero)"


def _draw_autoregressive(measured: Measured, seed: int) -> Figure:
    figure, axes = _axes(2, 2, 5.8)
    sizes = np.linspace(0, 4, 41)
    for column, (name, design) in enumerate(DESIGNS.items()):
        axes[0, column].set_title(name, fontsize=10)
        for row, kind in enumerate(("parallel", "crossing")):
            panel = axes[row, column]
            rates = measured.autoregressive[name, kind]
            for error in ERRORS:
                _draw_rates(panel, rates, FALSE[kind], error, label=error)
            limit = limits(kind, design.n_steps, sizes, np.random.default_rng([seed, 4]))
            panel.plot(
                sizes, limit, ":", color=COLOURS["pooled"], label="pooled, very many runs"
            )
            _finish(panel, f"{_there(kind)}, SD of a score")
        for row, kind in enumerate(("parallel", "crossing")):
            axes[row, 0].set_ylabel(f"{FALSE[kind]} found", fontsize=9)
    axes[0, 0].legend(fontsize=8, frameon=False)
    return figure


def _finish(panel: Axes, label: str) -> None:
    panel.axhline(ALPHA, color="#555555", linestyle="--", linewidth=0.8, zorder=0)
    panel.set_ylim(-0.02, 1.02)
    panel.set_xlabel(label, fontsize=9)


def _draw_papers(measured: Measured) -> Figure:
    figure, axes = _axes(2, 3, 5.4)
    for column, (name, label) in enumerate(DOMAINS.items()):
        axes[0, column].set_title(label, fontsize=10)
        for row, case in enumerate("ab"):
            panel = axes[row, column]
            for draw, overlapping in DRAWS.items():
                style = {"markerfacecolor": "white", "alpha": 0.8} if overlapping else {}
                for error in ERRORS:
                    rates = measured.papers[name, case, draw]
                    named = f"{error}, {draw}"
                    _draw_rates(panel, rates, FALSE[case], error, label=named, **style)
            what = "lifted" if case == "a" else "turned"
            _finish(panel, f"f of M_{case} ({what})")
    axes[0, 0].set_ylabel("interaction found", fontsize=9)
    axes[1, 0].set_ylabel("algorithm effect found", fontsize=9)
    axes[0, 2].legend(fontsize=8, frameon=False, loc="upper left")
    return figure


def _draw_power(measured: Measured) -> Figure:
    figure, axes = _axes(2, 4, 4.8, sharey="row")
    for column, ((name, kind), rates) in enumerate(measured.autoregressive.items()):
        top, bottom = axes[:, column]
        effect = TRUE[kind]
        for error in ERRORS:
            # Open circles around squares: where the two agree, both are seen.
            style = {"markerfacecolor": "none", "markersize": 8, "zorder": 4}
            style = style if error == "pooled" else {}
            _draw_rates(top, rates, effect, error, label=error, **style)
        _finish(top, "")
        top.set_title(f"{name}\n{effect}", fontsize=9)
        gains = rates.gain(effect)
        middle = np.array([gain for gain, _ in gains])
        ends = np.array([interval for _, interval in gains]).T
        bottom.errorbar(
            rates.sizes,
            middle,
            yerr=np.abs(ends - middle),
            color="#333333",
            fmt="o",
            ms=4,
        )
        bottom.axhline(0, color="#555555", linewidth=0.8, zorder=0)
        bottom.set_xlabel(f"{_there(kind)}, SD", fontsize=9)
    axes[0, 0].set_ylabel("effect found", fontsize=9)
    axes[1, 0].set_ylabel("split − pooled", fontsize=9)
    axes[0, 0].legend(fontsize=8, frameon=False, loc="lower right")
    return figure
