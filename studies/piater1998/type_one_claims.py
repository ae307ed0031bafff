"""Claims on errors: Figures 3, 4 and 5, and why the conventional test makes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from studies.piater1998.cells import BAND, NOMINAL, span, told
from studies.piater1998.counting import (
    ALGORITHM,
    CONVENTIONAL,
    EFFECTS,
    INTERACTION,
    SHUFFLE,
)
from studies.piater1998.pools import SOURCES
from studies.report import Claim, judged
from studies.sources.modifications import CASES

if TYPE_CHECKING:
    from studies.piater1998.counting import Found

__all__ = ["claims_on_errors"]

Floats = npt.NDArray[np.float64]


def claims_on_errors(found: Found) -> tuple[Claim, ...]:
    """Return the claims, and what was found."""
    return (
        *_one_learner_conventional(found),
        _one_learner_shuffled(found),
        *_modified(found),
        *_explained(found),
    )


def _one_learner_conventional(found: Found) -> tuple[Claim, ...]:
    algorithm = _means(found, CONVENTIONAL, ALGORITHM)
    interaction = _means(found, CONVENTIONAL, INTERACTION)
    apart = max(
        max(algorithm[name], algorithm["tictactoe"])
        / min(algorithm[name], algorithm["tictactoe"])
        for name in ("chess_numeric", "chess_nominal")
    )
    counted = [name for name in SOURCES if name != "rl" or len(found.pools["rl"]) > 1]
    return (
        Claim(
            "Figure 3",
            "The conventional test finds an algorithm effect where there is none, far more "
            "often than in 50 of 1000.",
            "much more than 50, all data sets",
            _each(algorithm),
            judged(min(algorithm.values()) > 1.5 * NOMINAL),
            "Agrees if every mean count is above 75.",
        ),
        Claim(
            "Figure 3, section 3",
            "The conventional test finds an interaction less often than in 50 of 1000.",
            "fewer than 50",
            _each(interaction),
            judged(max(interaction[name] for name in counted) < NOMINAL),
            f"Agrees if the mean counts of {', '.join(SOURCES[name] for name in counted)} are "
            "below 50. Single sets of ten RL curves may well exceed it, so RL is judged only "
            "if there are several.",
        ),
        Claim(
            "Section 3",
            "How often depends on the data: chess and tic-tac-toe, made in the same way, "
            "differ dramatically.",
            "a dramatic difference of mean rejection rates",
            f"{_each(algorithm)}; chess and tic-tac-toe differ by a factor of {apart:.2f}",
            judged(apart >= 1.5),
            "Agrees if some way of coding chess differs from tic-tac-toe by half or more, with "
            "twenty training sizes; the paper does not state its sizes. That the rate depends "
            "on the data is plain from RL.",
        ),
    )


def _one_learner_shuffled(found: Found) -> Claim:
    counts = np.array([each[:, SHUFFLE].mean(axis=0) for each in found.counts.values()])
    return Claim(
        "Figure 4",
        "The shuffle test rejects in about 50 of 1000, for both effects.",
        "around 50",
        f"algorithm {span(counts[:, ALGORITHM])}, interaction {span(counts[:, INTERACTION])}",
        judged(np.abs(counts - NOMINAL).max() <= 15),
        "Agrees if every mean count is within 15 of 50.",
    )


def _modified(found: Found) -> tuple[Claim, ...]:
    points = found.mean_shuffled
    conventional = points[:, :, CONVENTIONAL]
    raised = [place for place, case in enumerate(CASES) if case != "b"]
    turned = conventional[list(CASES).index("b")]
    low = conventional[:, :, INTERACTION] < NOMINAL
    n_runs = found.shuffled.shape[2]
    allowed = 9 if n_runs >= 10 else 28
    slack = 15  # two standard errors of a count of 50, and rounding
    return (
        Claim(
            "Figure 5",
            "The shuffle test keeps to the level under every modification.",
            "near 50 throughout",
            f"algorithm {span(points[:, :, SHUFFLE, ALGORITHM])}, "
            f"interaction {span(points[:, :, SHUFFLE, INTERACTION])}",
            judged(np.abs(points[:, :, SHUFFLE] - NOMINAL).max() <= allowed),
            f"Means over {told(n_runs, 'run')} of 1000; agrees if all are within {allowed} of 50.",
        ),
        Claim(
            "Figure 5",
            "The conventional test asserts an algorithm effect too often, up to ten times "
            "as often as it should.",
            "too often; a factor of up to ten",
            f"cases a, c, d: {span(conventional[raised, :, ALGORITHM])} of 1000; the largest "
            f"factor is {conventional[:, :, ALGORITHM].max() / NOMINAL:.1f}",
            judged(
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
            f"a, c, d: {span(conventional[raised, :, INTERACTION])}",
            judged(low.mean() > 0.5),
            "Agrees if more than half of the points are below 50.",
        ),
        Claim(
            "Figure 5, case b",
            "The more b turns the curves, the less often the conventional test asserts an "
            "algorithm effect, and the more often an interaction.",
            "falling and rising with f",
            f"f = 0 to {found.factors[-1]}: algorithm "
            f"{', '.join(f'{v:.0f}' for v in turned[:, ALGORITHM])}; interaction "
            f"{', '.join(f'{v:.0f}' for v in turned[:, INTERACTION])}",
            judged(
                (np.diff(turned[:, ALGORITHM]) <= slack).all()
                and (np.diff(turned[:, INTERACTION]) >= -slack).all()
                and turned[0, ALGORITHM] > 1.5 * NOMINAL > turned[-1, ALGORITHM]
                and turned[0, INTERACTION] < NOMINAL < turned[-1, INTERACTION]
            ),
            "Agrees if both run across 50 without turning back by more than 15.",
        ),
    )


def _explained(found: Found) -> tuple[Claim, ...]:
    conventional = found.mean_shuffled[:, :, CONVENTIONAL]
    closed = np.abs(found.closed - conventional)
    by_kind = np.abs(found.by_kind - conventional)
    pairs = {
        name: (each[:, CONVENTIONAL].mean(axis=0), found.expected(name))
        for name, each in found.counts.items()
    }
    known = {name: _is_predicted(*pair) for name, pair in pairs.items()}
    cross_validated = [known[name] for name in known if name != "rl"]
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
            judged(not all(cross_validated)),
            "Differs, that is, an explanation is known, if for chess and tic-tac-toe the closed "
            f"form above is within {BAND} of the counts and on their side of 50. Of RL it is "
            f"{'too' if known['rl'] else 'not; ten curves are few for it'}. Interactions are "
            "rarer because the error term also holds the variance of the heights, which is most "
            "of it, and frequent again where a modification puts the variance into the shapes.",
        ),
        Claim(
            "Figure 5, section 5.1",
            "Why the counts depend on the modification as they do is not known.",
            "no explanation",
            f"the closed form: {(closed <= BAND).sum()} of {closed.size} points within {BAND} "
            f"of 1000, all within {closed.max():.0f}; given how many modified curves are in "
            f"a half: all within {by_kind.max():.0f}",
            judged(by_kind.max() > BAND),
            _note_on_deviation(found, closed),
        ),
    )


def _note_on_deviation(found: Found, closed: Floats) -> str:
    place = np.unravel_index(closed.argmax(), closed.shape)
    case, factor = list(CASES)[place[0]], found.factors[place[1]]
    missed = "misses" if closed.max() > BAND else "keeps to"
    return (
        "Judged by the second form: differs, that is, an explanation is known, if it is "
        f"within {BAND} of every count. The first {missed} that band, which was set "
        f"beforehand; it is furthest off for the {EFFECTS[place[2]]} in case {case} at "
        f"f = {factor}. Where old and modified curves have grown very different, a half is "
        "told by how many modified curves it has, a whole number, and the closed form takes "
        "it for continuous. The second form averages over that number; nothing in it is "
        "fitted, but it was derived after the first had been seen to miss."
    )


def _is_predicted(counted: Floats, expected: Floats) -> bool:
    """Tell whether a form is near enough, and errs from 50 in the right direction."""
    near = np.abs(counted - expected) <= BAND
    same_side = (counted > NOMINAL) == (expected > NOMINAL)
    return bool((near & same_side).all())


def _means(found: Found, test: int, effect: int) -> dict[str, float]:
    return {
        name: float(each[:, test, effect].mean()) for name, each in found.counts.items()
    }


def _each(values: dict[str, float], form: str = ".0f") -> str:
    return ", ".join(f"{SOURCES[name]} {value:{form}}" for name, value in values.items())
