"""Claims about error rates (Figures 3 to 5), and their explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studies.piater1998.counting import ALGORITHM, CONVENTIONAL, EFFECTS, INTERACTION, SHUFFLE
from studies.piater1998.curve_pools import SOURCES
from studies.piater1998.formatting import NOMINAL, TOLERANCE, plural, span
from studies.report import Claim, judge
from studies.sources.modifications import CASES

if TYPE_CHECKING:
    from studies.piater1998.counting import Counts

__all__ = ["claims_on_errors"]

Floats = npt.NDArray[np.float64]


def claims_on_errors(counts: Counts) -> tuple[Claim, ...]:
    """Judge the paper's claims about Figures 3, 4 and 5."""
    return (
        *_one_learner_conventional(counts),
        _one_learner_shuffled(counts),
        *_modified(counts),
        *_explained(counts),
    )


def _one_learner_conventional(counts: Counts) -> tuple[Claim, ...]:
    algorithm = _means(counts, CONVENTIONAL, ALGORITHM)
    interaction = _means(counts, CONVENTIONAL, INTERACTION)
    ratio = max(
        max(algorithm[name], algorithm["tictactoe"]) / min(algorithm[name], algorithm["tictactoe"])
        for name in ("chess_numeric", "chess_nominal")
    )
    counted = [name for name in SOURCES if name != "rl" or len(counts.pools["rl"]) > 1]
    return (
        Claim(
            "Figure 3",
            "The conventional test finds an algorithm effect where there is none, far more "
            "often than in 50 of 1000.",
            "much more than 50, all data sets",
            _by_source(algorithm),
            judge(min(algorithm.values()) > 1.5 * NOMINAL),
            "Agrees if every mean count is above 75.",
        ),
        Claim(
            "Figure 3, section 3",
            "The conventional test finds an interaction less often than in 50 of 1000.",
            "fewer than 50",
            _by_source(interaction),
            judge(max(interaction[name] for name in counted) < NOMINAL),
            f"Agrees if the mean counts of {', '.join(SOURCES[name] for name in counted)} are "
            "below 50. Single sets of ten RL curves may well exceed it, so RL is judged only "
            "if there are several.",
        ),
        Claim(
            "Section 3",
            "How often depends on the data: chess and tic-tac-toe, made in the same way, "
            "differ dramatically.",
            "a dramatic difference of mean rejection rates",
            f"{_by_source(algorithm)}; chess and tic-tac-toe differ by a factor of {ratio:.2f}",
            judge(ratio >= 1.5),
            "Agrees if some way of coding chess differs from tic-tac-toe by half or more, with "
            "twenty training sizes; the paper does not state its sizes. That the rate depends "
            "on the data is plain from RL.",
        ),
    )


def _one_learner_shuffled(counts: Counts) -> Claim:
    means = np.array([each[:, SHUFFLE].mean(axis=0) for each in counts.one_learner.values()])
    return Claim(
        "Figure 4",
        "The shuffle test rejects in about 50 of 1000, for both effects.",
        "around 50",
        f"algorithm {span(means[:, ALGORITHM])}, interaction {span(means[:, INTERACTION])}",
        judge(np.abs(means - NOMINAL).max() <= 15),
        "Agrees if every mean count is within 15 of 50.",
    )


def _modified(counts: Counts) -> tuple[Claim, ...]:
    points = counts.modified_means
    conventional = points[:, :, CONVENTIONAL]
    not_b = [index for index, case in enumerate(CASES) if case != "b"]
    case_b = conventional[list(CASES).index("b")]
    is_low = conventional[:, :, INTERACTION] < NOMINAL
    n_runs = counts.modified.shape[2]
    allowed = 9 if n_runs >= 10 else 28
    tolerance = 15  # two standard errors of a count of 50, and rounding
    return (
        Claim(
            "Figure 5",
            "The shuffle test keeps to the level under every modification.",
            "near 50 throughout",
            f"algorithm {span(points[:, :, SHUFFLE, ALGORITHM])}, "
            f"interaction {span(points[:, :, SHUFFLE, INTERACTION])}",
            judge(np.abs(points[:, :, SHUFFLE] - NOMINAL).max() <= allowed),
            f"Means over {plural(n_runs, 'run')} of 1000; agrees if all are within {allowed} "
            "of 50.",
        ),
        Claim(
            "Figure 5",
            "The conventional test asserts an algorithm effect too often, up to ten times "
            "as often as it should.",
            "too often; a factor of up to ten",
            f"cases a, c, d: {span(conventional[not_b, :, ALGORITHM])} of 1000; the largest "
            f"factor is {conventional[:, :, ALGORITHM].max() / NOMINAL:.1f}",
            judge(
                conventional[not_b, :, ALGORITHM].min() > 1.5 * NOMINAL
                and 5 <= conventional[:, :, ALGORITHM].max() / NOMINAL <= 20
            ),
            "Agrees if a, c and d are always above 75, and the largest factor is between 5 and 20.",
        ),
        Claim(
            "Figure 5",
            "It mostly asserts an interaction less often than it should.",
            "mostly fewer than 50",
            f"{is_low.sum()} of {is_low.size} points are below 50; "
            f"a, c, d: {span(conventional[not_b, :, INTERACTION])}",
            judge(is_low.mean() > 0.5),
            "Agrees if more than half of the points are below 50.",
        ),
        Claim(
            "Figure 5, case b",
            "The more b turns the curves, the less often the conventional test asserts an "
            "algorithm effect, and the more often an interaction.",
            "falling and rising with f",
            f"f = 0 to {counts.factors[-1]}: algorithm "
            f"{', '.join(f'{v:.0f}' for v in case_b[:, ALGORITHM])}; interaction "
            f"{', '.join(f'{v:.0f}' for v in case_b[:, INTERACTION])}",
            judge(
                (np.diff(case_b[:, ALGORITHM]) <= tolerance).all()
                and (np.diff(case_b[:, INTERACTION]) >= -tolerance).all()
                and case_b[0, ALGORITHM] > 1.5 * NOMINAL > case_b[-1, ALGORITHM]
                and case_b[0, INTERACTION] < NOMINAL < case_b[-1, INTERACTION]
            ),
            "Agrees if both run across 50 without turning back by more than 15.",
        ),
    )


def _explained(counts: Counts) -> tuple[Claim, ...]:
    conventional = counts.modified_means[:, :, CONVENTIONAL]
    closed = np.abs(counts.closed_form - conventional)
    by_kind = np.abs(counts.by_kind - conventional)
    pairs = {
        name: (each[:, CONVENTIONAL].mean(axis=0), counts.predicted_rejections(name))
        for name, each in counts.one_learner.items()
    }
    is_predicted = {name: _agrees_with_prediction(*pair) for name, pair in pairs.items()}
    cross_validated = [is_predicted[name] for name in is_predicted if name != "rl"]
    return (
        Claim(
            "Figure 3, section 5.1",
            "Why the conventional test finds too few interactions is not known.",
            "no explanation",
            "closed form and mean count, of 1000: "
            + "; ".join(
                f"{SOURCES[name]} algorithm {form[0]:.0f} and {count[0]:.0f}, interaction "
                f"{form[1]:.0f} and {count[1]:.0f}"
                for name, (count, form) in pairs.items()
            ),
            judge(not all(cross_validated)),
            "Differs, that is, an explanation is known, if for chess and tic-tac-toe the closed "
            f"form above is within {TOLERANCE} of the counts and on their side of 50. Of RL it is "
            f"{'too' if is_predicted['rl'] else 'not; ten curves are few for it'}. "
            "Interactions are rarer because the error term also holds the variance of the heights, which is most "
            "of it, and frequent again where a modification puts the variance into the shapes.",
        ),
        Claim(
            "Figure 5, section 5.1",
            "Why the counts depend on the modification as they do is not known.",
            "no explanation",
            f"the closed form: {(closed <= TOLERANCE).sum()} of {closed.size} points within "
            f"{TOLERANCE} of 1000, all within {closed.max():.0f}; given how many modified curves are in "
            f"a half: all within {by_kind.max():.0f}",
            judge(by_kind.max() > TOLERANCE),
            _note_on_deviation(counts, closed),
        ),
    )


def _note_on_deviation(counts: Counts, closed: Floats) -> str:
    index = np.unravel_index(closed.argmax(), closed.shape)
    case, factor = list(CASES)[index[0]], counts.factors[index[1]]
    missed = "misses" if closed.max() > TOLERANCE else "keeps to"
    return (
        "Judged by the second form: differs, that is, an explanation is known, if it is "
        f"within {TOLERANCE} of every count. The first {missed} that band, which was set "
        f"beforehand; it is furthest off for the {EFFECTS[index[2]]} in case {case} at "
        f"f = {factor}. Where old and modified curves have grown very different, a half is "
        "told by how many modified curves it has, a whole number, and the closed form takes "
        "it for continuous. The second form averages over that number; nothing in it is "
        "fitted, but it was derived after the first had been seen to miss."
    )


def _agrees_with_prediction(counted: Floats, expected: Floats) -> bool:
    """Return whether a prediction is close to the counts and on the same side of 50."""
    near = np.abs(counted - expected) <= TOLERANCE
    same_side = (counted > NOMINAL) == (expected > NOMINAL)
    return bool((near & same_side).all())


def _means(counts: Counts, test: int, effect: int) -> dict[str, float]:
    return {name: float(each[:, test, effect].mean()) for name, each in counts.one_learner.items()}


def _by_source(values: dict[str, float], form: str = ".0f") -> str:
    return ", ".join(f"{SOURCES[name]} {value:{form}}" for name, value in values.items())
