"""The paragraphs at the top of this study: claim, findings, reasons, experiment, limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from studies.error_terms.autoregression import CORRELATION
from studies.error_terms.bounds import MAX_FALSE_VERDICT
from studies.error_terms.designs import ABSENT_EFFECT, DESIGNS, DOMAINS, N_SHUFFLES_PAPERS, SHIFT
from studies.error_terms.formatting import number, short, signed, span
from studies.error_terms.rates import N_DRAWN
from studies.error_terms.shuffles import ALPHA, EFFECTS, ERRORS, all_halves
from studies.sources.modifications import modified

if TYPE_CHECKING:
    from studies.error_terms.measuring import Measured

__all__ = ["paragraphs"]

CLAIM = (
    "Claim. The papers (Piater & Cohen 1997; Piater, Cohen, Zhang & Atighetchi 1998) divide "
    "both effects, algorithm (height) and interaction (shape), by one pooled mean square of "
    "error, and take the null distributions of both from the same shuffles of whole curves. "
    "That tests one null hypothesis, that the algorithm does not matter at all, and for "
    "that one the test is exact. It cannot tell which effect is there: a real difference "
    "in height "
    "makes the test of shape cry wolf, a real difference in shape the test of height, the "
    "more the larger it is, and more runs do not cure it. An error term for each effect, as "
    "in a split-plot analysis, with the same shuffles, does."
)
WHY = (
    "Why. Take the mean curve of all n runs off, and split each run j into its height h_j, "
    "the mean over k steps, and its shape, what is left. Their sums of squares over all "
    "runs, T_h = k Σ h_j² and T_s, stay the same however whole curves are shuffled, and each "
    "labelling only divides them: SS_alg + SS_curves = T_h and SS_int + SS_residual = T_s. "
    "The pooled error is SS_error = (T_h − SS_alg) + (T_s − SS_int). Lift one of two equal "
    "groups by δ at every step. That adds k n δ²/4 to T_h (in the mean), all of it to SS_alg "
    "as observed and none to the observed error. In a shuffled table the lifted runs are on "
    "both sides: over all labellings SS_alg* takes 1/(n − 1) of T_h in the mean, SS_int* as "
    "much of T_s, and the error all the rest, so that the mean of MS_error* is "
    "(T_h + T_s) / (k (n − 1)). With σ² the mean variance of a score, MS_error* / MS_error ≈ "
    "1 + n δ² / (4 (n − 1) σ²) in the mean. So the F*_int are too small by about this "
    "factor, the observed F_int is not, and "
    "p is too small. A crossing with c_h at step h, Σ c_h = 0, adds n Σ c_h²/4 to T_s and "
    "does the same to F_alg, with the mean of c_h² for δ²."
)
HOW_FAR = (
    "How far it goes. As δ grows, F*_int of every labelling that mixes the groups goes to "
    "zero, so p goes to the smallest that the shuffles allow, and the false alarms to 1 if "
    "that is at most α. As n grows with δ fixed, the factor goes to 1 + δ²/(4σ²), not to 1, "
    "and the false alarms to P(Q > q / (1 + δ²/(4σ²))): Q = Σ λ_i χ²_1, q its 1 − α "
    "quantile, "
    "λ_i the eigenvalues of the covariance of the shapes (for F_alg a single one, so Q is a "
    "multiple of χ²_1). The dotted lines below are this."
)
SPLIT = (
    "Why the split term is safe. F_alg = MS_alg / MS_curves rises with SS_alg / T_h and "
    "F_int = MS_int / MS_residual with SS_int / T_s. The first is a function of heights "
    "alone, the second of shapes alone. Whatever is done to the heights leaves the p of the "
    "interaction as it is, and the other way round; so each test is exact whenever its own "
    "part of the curves can be exchanged. The general matter is known. Anderson & ter Braak "
    "(2003, J. Statist. Comput. Simul. 73, 85–113) treat permutation tests of single terms "
    "in analyses of variance with several factors; in our paraphrase: shuffling the "
    "observations as they are gives approximate tests there, no longer exact once another "
    "effect exists, and an exact test, where there is one, needs restricted permutations, "
    "of the units that can be exchanged under the null hypothesis of the term, and these go "
    "with the denominator of its F. What follows for curves is our own reading: for the "
    "algorithm "
    "these units are the heights, for the interaction the shapes, each run having one of "
    "either; a pooled denominator mixes both, and changes with the effect that is not being "
    "tested."
)


def paragraphs(measured: Measured) -> tuple[str, ...]:
    """Return the paragraphs; all numbers in them are computed."""
    return (
        CLAIM,
        _found(measured),
        WHY,
        HOW_FAR,
        SPLIT,
        _experiment(measured),
        _verdicts(),
        _limits(measured),
    )


def _found(measured: Measured) -> str:
    def alarms(kind: str) -> str:
        every = [measured.autoregressive[name, kind] for name in DESIGNS]
        return span(
            each.share(ABSENT_EFFECT[kind], "pooled")[each.sizes.index(SHIFT)] for each in every
        )

    def overlapping(case: str) -> str:
        every = [
            rates
            for (name, each, draw), rates in measured.papers.items()
            if each == case and draw == "overlapping" and name != "td"
        ]
        return span(each.share(ABSENT_EFFECT[case], "pooled")[-1] for each in every)

    split = [
        share
        for curves, rates in measured.all_rates()
        if "overlapping" not in curves
        for share in rates.share(ABSENT_EFFECT[curves[1]], "split")
    ]
    n_most = max(measured.more_runs)
    many = measured.more_runs[n_most].share("interaction", "pooled")[-1]
    gains = measured.gains()
    return (
        f"Found. With the pooled term, AR(1) curves that are parallel and {SHIFT:g} SD apart "
        f"are found to differ in shape in a share of {alarms('parallel')} of the data sets, "
        f"and curves of equal height that cross, by {SHIFT:g} SD, to differ in height in "
        f"{alarms('crossing')}; with {n_most} + {n_most} runs the former is {number(many)}. In "
        "the 1998 paper's experiment, its chess curves made again, at the largest factor it "
        f"finds an interaction that is not there in {overlapping('a')} (case a), and an "
        f"algorithm effect in {overlapping('b')} (case b), depending on how chess is coded. "
        f"With the split term false alarms are {span(split)}, AR(1) curves and disjoint "
        "draws, "
        "whatever the size of the other effect. Where one effect is there alone, split finds "
        "it in a share of data sets that differs from that of pooled by "
        f"{signed(gains[0].share)} "
        f"to {signed(gains[-1].share)}, at {len(gains)} points; the claims below say "
        "what that "
        "is worth."
    )


def _experiment(measured: Measured) -> str:
    rates = next(iter(measured.papers.values()))
    designs = []
    for name, design in DESIGNS.items():
        n_all = len(all_halves(design.n_runs)) if not design.n_shuffles else 0
        how = f"all {n_all} relabellings" if n_all else f"{design.n_shuffles} shuffles"
        designs.append(f"{name}, with {how}")
    pools = [
        f"{label}: {len(measured.pools[name])} curves of {measured.pools[name].shape[1]} steps"
        for name, label in DOMAINS.items()
    ]
    last = rates.sizes[-1]
    return (
        f"Experiment. {rates.n_sets:,} data sets for each point, α = {short(ALPHA)}. "
        f"(1) AR(1) curves, correlation {short(CORRELATION)}, variance 1; one algorithm "
        "is lifted, "
        "or crossed by a straight line of mean zero; sizes are root mean squares in SDs of a "
        f"score. {'; '.join(designs)}. (2) The papers' kinds of curves (C4.5 on chess "
        "endgames, its squares coded as numbers or as names; TD(0) learning tic-tac-toe; "
        f"{'; '.join(pools)}): {N_DRAWN} against {N_DRAWN} modified by M_a (lifted) or M_b "
        f"(turned; the mean stays), with factors f from {rates.sizes[0]:g} to {last:g} and "
        f"{N_SHUFFLES_PAPERS} shuffles; the two sets are drawn independently from the same "
        "curves, as in the 1998 paper (overlapping), or without common curves (disjoint). At "
        f"f = {last:g} the mean curve is changed, in root mean squares and SDs of a "
        "score, by "
        f"{_sizes(measured, 'a', last)} with M_a and {_sizes(measured, 'b', last)} with M_b. "
        "With z shuffles p = (1 + count)/(1 + z); with all relabellings it is the share that "
        "reaches the observed F. A data set meets all sizes with the same noise and the same "
        "shuffles. Intervals are 95 per cent: Clopper–Pearson for rates; for differences "
        "paired and normal, half a data set added to either side."
    )


def _sizes(measured: Measured, case: str, factor: float) -> str:
    """Return how much a modification changes the mean curve of each pool, as text."""
    texts = []
    for name, label in DOMAINS.items():
        pool = measured.pools[name]
        change = (modified(pool, case, factor) - pool).mean(axis=0)
        spread = np.sqrt(pool.var(axis=0, ddof=1).mean())
        texts.append(f"{np.sqrt(np.mean(change**2)) / spread:.1f} ({label})")
    return ", ".join(texts)


def _verdicts() -> str:
    return (
        f"Verdicts. A rate counts as above {short(ALPHA)} if a test that errs so often would "
        f"reach its count with a probability below 1 in {1 / MAX_FALSE_VERDICT:,.0f}, divided by the "
        "number of rates "
        "the claim looks at; as below its level in the same way. Every claim says the rest "
        "of its rule. Where the data sets are too few to tell, it is left open."
    )


def _limits(measured: Measured) -> str:
    at_zero = {
        label: span(
            measured.papers[name, case, "overlapping"].share(effect, error)[0]
            for case in "ab"
            for effect in EFFECTS
            for error in ERRORS
        )
        for name, label in DOMAINS.items()
    }
    return (
        "Limits. Two algorithms with equally many runs of equal spread; how the sums of "
        "squares divide, and that split keeps the effects apart, holds for more algorithms "
        "and unequal numbers too, the factor and the rates do not carry over. The tests are "
        "exact if heights (or shapes) are exchangeable; runs of unequal spread are a matter "
        "of their own. The points of one line share their data sets, so the split line is "
        "flat by algebra, and only its level is evidence. In disjoint draws all halvings of "
        "the curves drawn are equally likely, so there even the level of split is certain "
        "beforehand, and what its rates differ from it is chance. In overlapping draws "
        "some curves meet themselves, which makes the "
        f"groups more alike than chance would: at f = 0 the rates are "
        f"{', '.join(f'{each} ({label})' for label, each in at_zero.items())}. Power is compared "
        "where one effect is there alone; where both are, which is not measured here, pooled "
        "should find each more easily for the same reason for which it finds what is not "
        "there, "
        "and that is no gain in power. Each data set "
        "has shuffles of its own; by its listing the 1998 paper made one null "
        "distribution for all "
        "draws of a factor, of which curves it does not say. M_a and M_b act in "
        "proportion to what a curve learns, so they change the "
        "spread a little too. AR(1) curves are normal, with one correlation. The papers' own "
        "curves are not published; ours are made again. Those of chess are one cross "
        "validation "
        "for each coding, the stored one, whatever the seed; intervals are of the draws "
        "from it. "
        "How far others differ is in the study piater1998, in its table for Figure 6, "
        "and so is "
        "tic-tac-toe by C4.5, which M_a and M_b change so little against its spread that "
        "hardly "
        "any false alarm shows."
    )
