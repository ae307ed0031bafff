"""The experiments of Piater, Cohen, Zhang & Atighetchi (1998), run again."""

from __future__ import annotations

import time
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from studies.piater1998 import power as power_figure
from studies.piater1998 import type_one
from studies.piater1998.type_one import ALPHA, EFFECTS, N_SPLITS
from studies.report import Claim, Picture, Sheet, Study
from studies.sources.cross_validation import stored_curves
from studies.sources.modifications import CASES, modified
from studies.store import kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from studies.report import Verdict

__all__ = ["study"]

Floats = npt.NDArray[np.float64]

SOURCES = {
    "chess_numeric": "chess, squares as numbers",
    "chess_nominal": "chess, squares as names",
    "tictactoe": "tic-tac-toe",
    "rl": "RL",
}
NOMINAL = ALPHA * N_SPLITS
BAND = 60  # within which a closed form is said to predict a count
CONVENTIONAL, SHUFFLE, SPLIT = range(3)
ALGORITHM, INTERACTION = range(2)
COLOURS = ("#d55e00", "#0072b2", "#009e73")
FULL_FACTORS = tuple(range(11))
QUICK_FACTORS = (0, 1, 2, 4, 10)


@dataclass(frozen=True, eq=False)
class Found:
    """All that was counted."""

    factors: tuple[int, ...]
    chess: Floats = field(repr=False)  # the stored curves, (20, 20)
    pools: dict[str, Floats] = field(repr=False)  # (pools, runs, steps)
    counts: dict[str, Floats] = field(repr=False)  # (repetitions, tests, effects)
    predicted: dict[str, Floats] = field(repr=False)  # (pools, 5): `Prediction`
    shuffled: Floats = field(repr=False)  # (cases, factors, repetitions, tests, effects)
    closed: Floats = field(repr=False)  # (cases, factors, effects)
    by_kind: Floats = field(repr=False)  # (cases, factors, effects)
    power: Floats = field(repr=False)  # (cases, factors, tests, effects)
    disjoint: Floats = field(repr=False)  # (cases, f = 0 and the last, tests, effects)
    one_distribution: Floats = field(repr=False)  # (cases, effects), the last f
    elsewhere: dict[str, Floats] = field(repr=False)  # (pools, cases, tests, effects)

    @property
    def mean_shuffled(self) -> Floats:
        """The points of Figure 5; (cases, factors, tests, effects)."""
        return np.asarray(self.shuffled.mean(axis=2))


def study(*, seed: int = 1998, quick: bool = False) -> Study:
    """Run all of it; the full form takes minutes, and keeps what took long."""
    started = time.perf_counter()
    found = _find(seed, quick=quick)
    sheets = (_sheet_one_learner(found), _sheet_modified(found), _sheet_power(found))
    pictures = (
        _picture_one_learner(found, CONVENTIONAL),
        _picture_one_learner(found, SHUFFLE),
        _picture_modified(found),
        _picture_predictions(found),
        _picture_power(found),
    )
    return Study(
        name="piater1998",
        title="Piater, Cohen, Zhang & Atighetchi (1998): errors and power of two tests",
        paragraphs=_paragraphs(found),
        claims=(*_claims_type_one(found), *_claims_power(found)),
        sheets=sheets,
        pictures=pictures,
        seed=seed,
        quick=quick,
        seconds=time.perf_counter() - started,
    )


# Counting ------------------------------------------------------------------------------


def _find(seed: int, *, quick: bool) -> Found:
    """Count everything, each part by a stream of random numbers of its own.

    No stream is number 0: NumPy takes the seed [1998, 0] for 1998, by which the stored
    curves were made, and a cross validation with fresh folds would be the stored one.
    """
    factors = QUICK_FACTORS if quick else FULL_FACTORS
    n_repetitions = 10 if quick else 100
    chess = stored_curves("chess_numeric")

    def part(number: int, name: str, compute: Callable[..., Any], **sizes: int) -> Floats:
        def made() -> Any:
            return compute(np.random.default_rng([seed, number]), **sizes)

        if quick:
            return np.asarray(made())
        stored = [
            zlib.crc32(stored_curves(each).tobytes()) for each in _cross_validated()
        ]
        key = {"seed": [seed, number], "factors": factors, "stored": stored, **sizes}
        return np.asarray(kept(f"piater1998-{name}", key, made))

    def curves_of(name: str) -> Callable[..., Floats]:
        return lambda rng, n_pools: type_one.fresh_pools(name, rng, n_pools)

    n_chess, n_tictactoe = (1, 1) if quick else (4, 100)
    pools = {
        "chess_numeric": part(
            3, "chess_numeric", curves_of("chess_numeric"), n_pools=n_chess
        ),
        "chess_nominal": part(
            1, "chess_nominal", curves_of("chess_nominal"), n_pools=n_chess
        ),
        "tictactoe": part(2, "tictactoe", curves_of("tictactoe"), n_pools=n_tictactoe),
        "rl": type_one.stored_rl_curves()[None]
        if quick
        else part(10, "rl", type_one.rl_pools, n_pools=100),
    }
    rng = np.random.default_rng([seed, 4])
    counts = {
        name: np.asarray(
            type_one.one_learner(
                [each[i % len(each)] for i in range(n_repetitions)], rng
            ),
            dtype=np.float64,
        )
        for name, each in pools.items()
    }
    modified_pools = type_one.modified_pools(chess, factors)
    shuffled = part(
        5,
        "shuffled",
        lambda rng, n_repetitions: type_one.shuffled_pools(
            modified_pools, rng, n_repetitions=n_repetitions
        ),
        n_repetitions=1 if quick else 10,
    )
    n_draws = 100 if quick else 800
    found_power = part(
        6,
        "power",
        lambda rng, n_draws: power_figure.power(chess, factors, rng, n_draws=n_draws),
        n_draws=n_draws,
    )
    last = factors[-1]
    disjoint = power_figure.power(
        chess,
        (0, last),
        np.random.default_rng([seed, 7]),
        n_draws=n_draws,
        disjoint=True,
    )
    rng = np.random.default_rng([seed, 8])
    one_distribution = [
        power_figure.one_distribution(chess, case, last, rng, n_runs=n_draws // 100)
        for case in CASES
    ]
    rng = np.random.default_rng([seed, 9])
    elsewhere = {
        name: np.array(
            [
                power_figure.power(curves, (last,), rng, n_draws=n_draws // 4)[:, 0]
                for curves in pools[name][:4]
            ]
        )
        for name in _cross_validated()
    }
    return Found(
        factors=factors,
        chess=chess,
        pools=pools,
        counts=counts,
        predicted={
            name: np.array([type_one.predicted(pool) for pool in each])
            for name, each in pools.items()
        },
        shuffled=shuffled,
        closed=np.array(
            [[type_one.predicted(pool)[3:] for pool in row] for row in modified_pools]
        ),
        by_kind=np.array(
            [
                [type_one.predicted_by_kind(*np.split(pool, 2)) for pool in row]
                for row in modified_pools
            ]
        ),
        power=found_power,
        disjoint=disjoint,
        one_distribution=np.array(one_distribution),
        elsewhere=elsewhere,
    )


def _cross_validated() -> tuple[str, ...]:
    return tuple(name for name in SOURCES if name != "rl")


# Words ---------------------------------------------------------------------------------


def _paragraphs(found: Found) -> tuple[str, ...]:
    n_pools = {name: len(each) for name, each in found.pools.items()}
    n_repetitions = len(found.counts["rl"])
    _, _, n_runs, _, _ = found.shuffled.shape
    split = found.power[:, -1, SPLIT]
    return (
        (
            "The paper counts how often the conventional F test and the shuffle test reject when "
            "there is nothing to find, and how often when there is. Both effects are tested here "
            "by the papers' pooled error term. The paper's text gives no counts, only figures, so "
            "its claims are held against the re-run by direction and size."
        ),
        (
            f"Figures 3 and 4: {n_repetitions} repetitions of {N_SPLITS} random halvings of the "
            "curves of one learner. The paper makes new curves for every repetition. Here the "
            f"repetitions of a source go round {n_pools['chess_numeric']} (chess, squares as "
            f"numbers), {n_pools['chess_nominal']} (chess, squares as names) and "
            f"{n_pools['tictactoe']} (tic-tac-toe) cross validations, the first of them the stored "
            f"one and the others with fresh folds, and {n_pools['rl']} sets of ten RL curves"
            f"{' (the embedded one)' if n_pools['rl'] == 1 else ', all freshly learned'}. "
            "Where cross validations are fewer than repetitions, a repetition is only a new set "
            "of halvings, and the spread of the counts is too small. Step 1 of the paper's listing "
            "would make new curves for every halving; its text and its histograms say otherwise. "
            "Which learning rate made the RL curves is not stated; here it is .001."
        ),
        (
            f"Figure 5: {n_runs} run(s) of {N_SPLITS} halvings of twenty chess curves and the same "
            "curves modified, 400 shuffles for each halving. Each halving has shuffles of its own; "
            "cases and factors share them, so that they differ by the modification alone. "
            "In Figure 4 the halvings of one repetition share 500 shuffles: shuffling a pool gives "
            "one distribution, however it was halved."
        ),
        (
            "Why the conventional test fails: it takes the steps of a curve for independent. Let S "
            "be the covariance of the pool over k steps, mse = tr S / k and H = I - 11'/k. Then "
            "the mean square of the algorithm is inflated by d_alg = (1'S1 / k) / mse, that of the "
            "interaction deflated by d_int = (tr HSH / (k - 1)) / mse, and the latter has "
            "nu = (tr HSH)^2 / tr((HSH)^2) degrees of freedom; the rejections should be "
            "P(chi2_1 > F_crit / d_alg) and P(chi2_nu > nu F_crit / d_int)."
        ),
        (
            "The contradiction: according to the paper the shuffle test finds no algorithm effect "
            "in case b, where only the shape differs, and no interaction in case a, where only the "
            "height differs. By the pooled error term it finds both, since shuffling puts the real "
            "difference of one kind into the error against which the other is measured. By the "
            "split error term it finds them in "
            f"{split[1, ALGORITHM]:.2f} and {split[0, INTERACTION]:.2f} of the draws at the "
            f"largest factor. The study error_terms is about this."
        ),
    )


def _verdict(holds: object) -> Verdict:
    return "agrees" if holds else "differs"


def _span(values: Floats, form: str = ".0f") -> str:
    low, high = format(values.min(), form), format(values.max(), form)
    return low if low == high else f"{low} to {high}"


def _each(values: dict[str, float], form: str = ".0f") -> str:
    return ", ".join(f"{SOURCES[name]} {value:{form}}" for name, value in values.items())


def _means(found: Found, test: int, effect: int) -> dict[str, float]:
    return {
        name: float(each[:, test, effect].mean()) for name, each in found.counts.items()
    }


def _deviation_one_learner(found: Found) -> float:
    """Return the largest distance of a mean count from the mean prediction, Figure 3."""
    return max(
        float(np.abs(each[:, CONVENTIONAL].mean(axis=0) - _expected(found, name)).max())
        for name, each in found.counts.items()
    )


def _expected(found: Found, name: str) -> Floats:
    return np.asarray(found.predicted[name][:, 3:].mean(axis=0))


def _claims_type_one(found: Found) -> tuple[Claim, ...]:
    algorithm = _means(found, CONVENTIONAL, ALGORITHM)
    interaction = _means(found, CONVENTIONAL, INTERACTION)
    shuffle = np.array([each[:, SHUFFLE].mean(axis=0) for each in found.counts.values()])
    chess = [algorithm["chess_numeric"], algorithm["chess_nominal"]]
    apart = max(
        max(each, algorithm["tictactoe"]) / min(each, algorithm["tictactoe"])
        for each in chess
    )
    points = found.mean_shuffled
    raised = [place for place, case in enumerate(CASES) if case != "b"]
    turned = points[list(CASES).index("b"), :, CONVENTIONAL]
    n_runs = found.shuffled.shape[2]
    allowed = 9 if n_runs >= 10 else 28
    conventional = points[:, :, CONVENTIONAL]
    low = conventional[:, :, INTERACTION] < NOMINAL
    closed = np.abs(found.closed - conventional)
    by_kind = np.abs(found.by_kind - conventional)
    first = _deviation_one_learner(found)
    judged = [name for name in SOURCES if name != "rl" or len(found.pools["rl"]) > 1]
    slack = 15  # two standard errors of a count of 50, and rounding
    return (
        Claim(
            "Figure 3",
            "The conventional test finds an algorithm effect where there is none, far more "
            "often than in 50 of 1000.",
            "much more than 50, all data sets",
            _each(algorithm),
            _verdict(min(algorithm.values()) > 1.5 * NOMINAL),
            "Agrees if every mean count is above 75.",
        ),
        Claim(
            "Figure 3, section 3",
            "The conventional test finds an interaction less often than in 50 of 1000.",
            "fewer than 50",
            _each(interaction),
            _verdict(max(interaction[name] for name in judged) < NOMINAL),
            f"Agrees if the mean counts of {', '.join(SOURCES[name] for name in judged)} are "
            "below 50. Single sets of ten RL curves may well exceed it, so RL is judged only "
            "if there are several.",
        ),
        Claim(
            "Section 3",
            "How often depends on the data: chess and tic-tac-toe, made in the same way, "
            "differ dramatically.",
            "a dramatic difference of mean rejection rates",
            f"{_each(algorithm)}; chess and tic-tac-toe differ by a factor of {apart:.2f}",
            _verdict(apart >= 1.5),
            "Agrees if some way of coding chess differs from tic-tac-toe by half or more. With "
            "twenty training sizes it does not show; the paper does not state its sizes. That "
            "the rate depends on the data is plain from RL.",
        ),
        Claim(
            "Figure 4",
            "The shuffle test rejects in about 50 of 1000, for both effects.",
            "around 50",
            f"algorithm {_span(shuffle[:, ALGORITHM])}, "
            f"interaction {_span(shuffle[:, INTERACTION])}",
            _verdict(np.abs(shuffle - NOMINAL).max() <= 15),
            "Agrees if every mean count is within 15 of 50. Ten RL curves have only 126 "
            "different halvings, many of them tied, so RL falls short of 50.",
        ),
        Claim(
            "Figure 5",
            "The shuffle test keeps to the level under every modification.",
            "near 50 throughout",
            f"algorithm {_span(points[:, :, SHUFFLE, ALGORITHM])}, "
            f"interaction {_span(points[:, :, SHUFFLE, INTERACTION])}",
            _verdict(np.abs(points[:, :, SHUFFLE] - NOMINAL).max() <= allowed),
            f"Means of {n_runs} run(s) of 1000; agrees if all are within {allowed} of 50.",
        ),
        Claim(
            "Figure 5",
            "The conventional test asserts an algorithm effect too often, up to ten times "
            "as often as it should.",
            "too often; a factor of up to ten",
            f"cases a, c, d: {_span(conventional[raised, :, ALGORITHM])} of 1000; the largest "
            f"factor is {conventional[:, :, ALGORITHM].max() / NOMINAL:.1f}",
            _verdict(
                conventional[raised, :, ALGORITHM].min() > 1.5 * NOMINAL
                and 5 <= conventional[:, :, ALGORITHM].max() / NOMINAL <= 20
            ),
            "Agrees if a, c and d are always above 75, and the largest factor is between 5 "
            "and 20.",
        ),
        Claim(
            "Figure 5",
            "It mostly asserts an interaction less often than it should.",
            "mostly fewer than 50",
            f"{low.sum()} of {low.size} points are below 50; "
            f"a, c, d: {_span(conventional[raised, :, INTERACTION])}",
            _verdict(low.mean() > 0.5),
        ),
        Claim(
            "Figure 5, case b",
            "The more b turns the curves, the less often the conventional test asserts an "
            "algorithm effect, and the more often an interaction.",
            "falling and rising with f",
            f"f = 0 to {found.factors[-1]}: algorithm "
            f"{', '.join(f'{v:.0f}' for v in turned[:, ALGORITHM])}; interaction "
            f"{', '.join(f'{v:.0f}' for v in turned[:, INTERACTION])}",
            _verdict(
                (np.diff(turned[:, ALGORITHM]) <= slack).all()
                and (np.diff(turned[:, INTERACTION]) >= -slack).all()
                and turned[0, ALGORITHM] > 1.5 * NOMINAL > turned[-1, ALGORITHM]
                and turned[0, INTERACTION] < NOMINAL < turned[-1, INTERACTION]
            ),
            "Agrees if both run across 50 without turning back by more than 15.",
        ),
        Claim(
            "Figure 3, section 5.1",
            "Why the conventional test finds too few interactions is not known.",
            "no explanation",
            f"a closed form gives the mean counts of both effects within {first:.0f} of 1000",
            "differs" if first <= BAND else "agrees",
            f"Differs, that is, an explanation is known, if no count is further than {BAND} "
            "from the closed form above. Interactions are rarer because the error term also "
            "holds the variance of the heights, which is most of it, and frequent again where "
            "a modification puts the variance into the shapes.",
        ),
        Claim(
            "Figure 5, section 5.1",
            "Why the counts depend on the modification as they do is not known.",
            "no explanation",
            f"the closed form: within {closed.max():.0f} of 1000, "
            f"{(closed <= BAND).sum()} of {closed.size} points within {BAND}; with the numbers "
            f"of modified curves in each half: within {by_kind.max():.0f}",
            "differs" if min(closed.max(), by_kind.max()) <= BAND else "agrees",
            _note_on_deviation(found, closed),
        ),
    )


def _note_on_deviation(found: Found, closed: Floats) -> str:
    place = np.unravel_index(closed.argmax(), closed.shape)
    case, factor = list(CASES)[place[0]], found.factors[place[1]]
    missed = (
        f"The closed form misses the band of {BAND} that was set beforehand"
        if closed.max() > BAND
        else f"The closed form keeps to the band of {BAND} that was set beforehand"
    )
    return (
        f"{missed}; it is furthest off for the {EFFECTS[place[2]]} in case {case} at "
        f"f = {factor}. There, old and modified curves have grown so different that a half "
        "is told by how many modified curves it has, a whole number, and the closed form "
        "takes it for continuous. The second form averages over that number; nothing in it is "
        "fitted, but it was derived after the first had been seen to miss."
    )


def _claims_power(found: Found) -> tuple[Claim, ...]:
    cases, last = list(CASES), found.factors[-1]
    shuffle, conventional = found.power[:, :, SHUFFLE], found.power[:, :, CONVENTIONAL]
    a, b = cases.index("a"), cases.index("b")
    bent = [cases.index("c"), cases.index("d")]
    shown = [found.factors.index(f) for f in (0, 1, 2, 4)]
    told = ", ".join(f"{shuffle[a, place, ALGORITHM]:.2f}" for place in shown)
    illusory = conventional[:, :, ALGORITHM] - shuffle[:, :, ALGORITHM]
    none_a, none_b = shuffle[a, -1, INTERACTION], shuffle[b, -1, ALGORITHM]
    split_a = found.power[a, -1, SPLIT, INTERACTION]
    split_b = found.power[b, -1, SPLIT, ALGORITHM]
    zero, disjoint_zero = shuffle[0, 0], found.disjoint[0, 0, SHUFFLE]
    falls = [
        found.factors[place]
        for place in range(len(found.factors))
        if illusory[b, place] < 0
    ]
    return (
        Claim(
            "Figure 6, cases a, c, d",
            "Where there is an algorithm effect, the shuffle test finds it.",
            "found handily",
            f"a at f = 0, 1, 2, 4: {told}; c and d from f = 1: "
            f"{_span(shuffle[bent, 1:, ALGORITHM], '.2f')}",
            _verdict(
                shuffle[a, shown[-1], ALGORITHM] >= 0.9
                and shuffle[bent, 1:, ALGORITHM].min() >= 0.9
            ),
            "Agrees if .9 is reached at f = 4 in case a and from f = 1 in c and d.",
        ),
        Claim(
            "Figure 6, cases b, c, d",
            "Where there is an interaction, the shuffle test finds it.",
            "quite powerful",
            f"from f = 1: {_span(shuffle[[b, *bent], 1:, INTERACTION], '.2f')}",
            _verdict(shuffle[[b, *bent], 1:, INTERACTION].min() >= 0.9),
            "Agrees if .9 is reached from f = 1.",
        ),
        Claim(
            "Figure 6, case b",
            "The shuffle test reports no algorithm effect, for there is none.",
            "none reported",
            f"f = {last}: {none_b:.2f} by the pooled error term, {split_b:.2f} by the split one",
            _verdict(none_b <= 0.1),
            "Agrees if at most .1 is found by the papers' pooled error term at the largest "
            "factor. See the study error_terms.",
        ),
        Claim(
            "Figure 6, case a",
            "The shuffle test detects no interaction, for there is none.",
            "none detected",
            f"f = {last}: {none_a:.2f} by the pooled error term, {split_a:.2f} by the split one",
            _verdict(none_a <= 0.1),
            "Agrees if at most .1 is found by the papers' pooled error term at the largest "
            "factor. See the study error_terms.",
        ),
        Claim(
            "Section 5.2",
            "In this experiment the shuffle test errs in about 5 of 100 draws.",
            "approximately .05",
            f"f = 0: {zero[ALGORITHM]:.3f} and {zero[INTERACTION]:.3f}; with disjoint draws "
            f"{disjoint_zero[ALGORITHM]:.3f} and {disjoint_zero[INTERACTION]:.3f}",
            _verdict(np.abs(zero - ALPHA).max() <= 0.02),
            "Agrees if both are within .02 of .05. The two draws of ten have about five runs in "
            "common, which makes them more alike than chance would.",
        ),
        Claim(
            "Figure 6",
            "The conventional test usually seems more powerful for the algorithm effect, "
            "as it asserts one without cause.",
            "usually above the shuffle test",
            f"above it or equal at {(illusory >= 0).sum()} of {illusory.size} points; f = 0: "
            f"{conventional[0, 0, ALGORITHM]:.2f}",
            _verdict((illusory >= 0).mean() > 0.5),
            ""
            if not falls
            else "In case b it is the shuffle test that asserts more, at f = "
            f"{', '.join(map(str, falls))}.",
        ),
    )


# Tables --------------------------------------------------------------------------------


def _sheet_one_learner(found: Found) -> Sheet:
    rows = []
    for name, each in found.counts.items():
        form = found.predicted[name].mean(axis=0)
        for effect, label in enumerate(EFFECTS):
            counted = each[:, CONVENTIONAL, effect]
            shuffle = each[:, SHUFFLE, effect]
            d = f"{form[effect]:.2f}" + (
                "" if effect == ALGORITHM else f", ν = {form[2]:.1f}"
            )
            rows.append(
                (
                    SOURCES[name],
                    label,
                    f"{counted.mean():.0f} ± {counted.std(ddof=1):.0f}",
                    f"{form[3 + effect]:.0f}",
                    d,
                    f"{shuffle.mean():.0f} ± {shuffle.std(ddof=1):.0f}",
                    str(len(found.pools[name])),
                )
            )
    return Sheet(
        "Figures 3 and 4: rejections of a true hypothesis, of 1000",
        (
            "curves of",
            "effect",
            "conventional",
            "closed form",
            "d",
            "shuffle test",
            "sets of curves",
        ),
        tuple(rows),
        f"Mean ± standard deviation of {len(found.counts['rl'])} repetitions, which share the "
        "sets of curves where these are fewer. The closed form, d and ν are means over sets.",
    )


def _sheet_modified(found: Found) -> Sheet:
    points = found.mean_shuffled
    rows = [
        (
            case,
            label,
            test,
            *(f"{value:.0f}" for value in values),
        )
        for i, case in enumerate(CASES)
        for effect, label in enumerate(EFFECTS)
        for test, values in (
            ("conventional", points[i, :, CONVENTIONAL, effect]),
            ("closed form", found.closed[i, :, effect]),
            ("by kind", found.by_kind[i, :, effect]),
            ("shuffle test", points[i, :, SHUFFLE, effect]),
        )
    ]
    return Sheet(
        "Figure 5: rejections of a true hypothesis, of 1000",
        ("case", "effect", "test", *(f"f = {factor}" for factor in found.factors)),
        tuple(rows),
        "By kind: the closed form given how many modified curves are in a half, averaged over "
        "that number. Both forms predict the conventional test.",
    )


def _sheet_power(found: Found) -> Sheet:
    last = found.factors[-1]

    def cells(values: Floats) -> tuple[str, ...]:
        """Both effects of the four cases."""
        return tuple(f"{value:.2f}" for value in values.ravel())

    rows = [
        (name, SOURCES["chess_numeric"], *cells(found.power[:, -1, test]))
        for test, name in enumerate(power_figure.TESTS)
    ]
    rows += [
        (f"{name}, disjoint draws", SOURCES["chess_numeric"], *cells(values))
        for name, values in (
            ("shuffle", found.disjoint[:, -1, SHUFFLE]),
            ("shuffle, split error", found.disjoint[:, -1, SPLIT]),
        )
    ]
    rows.append(
        (
            "shuffle, one distribution for all draws",
            SOURCES["chess_numeric"],
            *cells(found.one_distribution),
        )
    )
    rows += [
        (
            f"{power_figure.TESTS[test]}, {len(each)} cross validation(s)",
            SOURCES[name],
            *(
                _span(each[:, case, test, effect], ".2f")
                for case in range(len(CASES))
                for effect in range(2)
            ),
        )
        for name, each in found.elsewhere.items()
        for test in (SHUFFLE, SPLIT)
    ]
    return Sheet(
        f"Figure 6 at f = {last}: share of draws in which an effect is asserted",
        (
            "test",
            "curves of",
            *(f"{case}: {effect}" for case in CASES for effect in EFFECTS),
        ),
        tuple(rows),
        "Case a has no interaction and case b no algorithm effect. One distribution: random "
        "tens of all forty curves are shuffled once for a hundred draws, which is the other "
        "reading of the procedure. Cross validations: lowest to highest.",
    )


# Pictures ------------------------------------------------------------------------------


def _picture_one_learner(found: Found, test: int) -> Picture:
    figure = Figure(figsize=(9, 8), layout="constrained")
    axes = figure.subplots(len(SOURCES), 2, sharex="col")
    for row, (name, each) in enumerate(found.counts.items()):
        for effect, label in enumerate(EFFECTS):
            axis: Axes = axes[row, effect]
            values = each[:, test, effect]
            high = max(float(v[:, test, effect].max()) for v in found.counts.values())
            bins = np.linspace(0, max(high, 100) + 1, 41)
            axis.hist(values, bins=list(bins), color=COLOURS[test])
            axis.axvline(NOMINAL, color="black", linestyle=":", label="50, the level")
            if test == CONVENTIONAL:
                axis.axvline(
                    _expected(found, name)[effect],
                    color="black",
                    label="closed form, mean",
                )
            axis.set_title(
                f"{SOURCES[name]}: {label}, mean {values.mean():.0f}", fontsize=10
            )
            axis.spines[["top", "right"]].set_visible(False)
    axes[0, 1].legend(frameon=False, fontsize=9)
    figure.supxlabel("rejections of 1000")
    figure.supylabel("repetitions")
    if test == CONVENTIONAL:
        return Picture(
            "figure-3",
            "Figure 3: how often the conventional F test rejects when one learner's curves "
            "are halved at random, with what the closed form predicts.",
            figure,
        )
    return Picture(
        "figure-4", "Figure 4: the same, tested by shuffling whole curves.", figure
    )


def _picture_modified(found: Found) -> Picture:
    figure = Figure(figsize=(10, 11), layout="constrained")
    axes = figure.subplots(len(CASES), 3, sharex="col")
    points = found.mean_shuffled
    for row, case in enumerate(CASES):
        axis: Axes = axes[row, 0]
        percent = np.arange(1, found.chess.shape[1] + 1) * 5
        for factor in (0, 1, 2, 5, 10):
            mean = modified(found.chess, case, factor).mean(axis=0)
            shade = str(0.75 - 0.075 * factor)
            axis.plot(percent, mean, color=shade, label=f"f = {factor}")
        axis.set_ylabel(f"case {case}\naccuracy, per cent")
        for effect, label in enumerate(EFFECTS):
            axis = axes[row, 1 + effect]
            for test, name in ((CONVENTIONAL, "conventional"), (SHUFFLE, "shuffle test")):
                axis.plot(
                    found.factors,
                    points[row, :, test, effect],
                    "os"[test],
                    color=COLOURS[test],
                    label=name,
                )
            axis.plot(
                found.factors,
                found.closed[row, :, effect],
                "--",
                color="black",
                linewidth=1,
                label="closed form",
            )
            axis.plot(
                found.factors,
                found.by_kind[row, :, effect],
                "-",
                color=COLOURS[CONVENTIONAL],
                linewidth=1,
                label="closed form, by kind",
            )
            axis.axhline(NOMINAL, color="black", linestyle=":", linewidth=1)
            axis.set_ylim(-15, (780, 300)[effect])
            if row == 0:
                axis.set_title(f"{label}: rejections of 1000", fontsize=10)
    axes[0, 0].set_title("mean curve", fontsize=10)
    axes[0, 0].legend(frameon=False, fontsize=8)
    axes[0, 2].legend(frameon=False, fontsize=8, loc="upper right")
    axes[-1, 0].set_xlabel("training, per cent")
    for axis in axes[-1, 1:]:
        axis.set_xlabel("f")
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
    return Picture(
        "figure-5",
        "Figure 5: chess curves and the same curves modified, pooled and halved at random. "
        "Dotted: 50, the level. The modifications take no notice of 100 per cent.",
        figure,
    )


def _picture_predictions(found: Found) -> Picture:
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    conventional = found.mean_shuffled[:, :, CONVENTIONAL]
    for place, label in enumerate(EFFECTS):
        axis = figure.add_subplot(1, 2, place + 1)
        axis.scatter(
            found.closed[:, :, place],
            conventional[:, :, place],
            color=COLOURS[CONVENTIONAL],
            marker="o",
            label="Figure 5, closed form",
        )
        axis.scatter(
            found.by_kind[:, :, place],
            conventional[:, :, place],
            color=COLOURS[SPLIT],
            marker="x",
            label="Figure 5, by kind",
        )
        axis.scatter(
            [_expected(found, name)[place] for name in SOURCES],
            [found.counts[name][:, CONVENTIONAL, place].mean() for name in SOURCES],
            color=COLOURS[SHUFFLE],
            marker="D",
            label="Figure 3, closed form",
        )
        ends = np.array([0.0, float(conventional[:, :, place].max()) * 1.05])
        axis.plot(ends, ends, color="black", linewidth=1)
        axis.fill_between(
            ends, ends - BAND, ends + BAND, color="black", alpha=0.08, linewidth=0
        )
        axis.set_title(label, fontsize=10)
        axis.set_xlabel("predicted, of 1000")
        axis.set_ylabel("counted, of 1000")
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_ylim(-BAND / 4, ends[1] + BAND)
        if place == 0:
            axis.legend(frameon=False, fontsize=9, loc="lower right")
    return Picture(
        "predictions",
        "Rejections by the conventional test: predicted from the covariance of the curves, "
        f"and counted. Shaded: within {BAND}.",
        figure,
    )


def _picture_power(found: Found) -> Picture:
    figure = Figure(figsize=(9, 10), layout="constrained")
    axes = figure.subplots(len(CASES), 2, sharex=True, sharey=True)
    for row, case in enumerate(CASES):
        for effect, label in enumerate(EFFECTS):
            axis: Axes = axes[row, effect]
            for test, name in enumerate(power_figure.TESTS):
                axis.plot(
                    found.factors,
                    found.power[row, :, test, effect],
                    color=COLOURS[test],
                    marker="os^"[test],
                    markersize=(9, 6, 3)[test],
                    linestyle=("-", "-", "--")[test],
                    label=name,
                )
            axis.axhline(ALPHA, color="black", linestyle=":", linewidth=1)
            axis.set_title(f"case {case}: {label}", fontsize=10)
            axis.spines[["top", "right"]].set_visible(False)
    axes[0, 1].legend(frameon=False, fontsize=9)
    figure.supxlabel("f")
    figure.supylabel("share of draws in which an effect is asserted")
    return Picture(
        "figure-6",
        "Figure 6: ten of twenty chess curves against ten of the same curves modified. Case a "
        "has no interaction and case b no algorithm effect: what the shuffle test asserts "
        "there comes of the pooled error term. Dotted: the level of .05.",
        figure,
    )
