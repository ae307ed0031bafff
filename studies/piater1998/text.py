"""The paragraphs at the top of this study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.piater1998.closed_form import N_SPLITS
from studies.piater1998.counting import ALGORITHM, INTERACTION, SPLIT
from studies.piater1998.curve_pools import SOURCES
from studies.piater1998.formatting import plural
from studies.piater1998.type_one import N_SHUFFLES_MODIFIED, N_SHUFFLES_ONE

if TYPE_CHECKING:
    from studies.piater1998.counting import Counts

__all__ = ["paragraphs"]


def paragraphs(counts: Counts) -> tuple[str, ...]:
    """Return what was done, why the conventional test fails, and what contradicts the paper."""
    _, _, n_runs, _, _ = counts.modified.shape
    split = counts.power[:, -1, SPLIT]
    return (
        (
            "The paper counts how often the conventional F test and the shuffle test "
            "reject when "
            "there is nothing to find, and how often when there is. Both effects are "
            "tested here "
            "by the papers' pooled error term. The paper's text gives no counts, only "
            "figures, so "
            "its claims are held against the re-run by direction and size. Its Figures 1 "
            "and 2, kinds "
            "of differences between curves and the layout of a table, show no results."
        ),
        (
            f"Figures 3 and 4: repetitions of {N_SPLITS} random halvings of "
            f"the curves of one learner. {_whose_curves(counts)} Step 1 of the paper's "
            "listing "
            "would make new curves for every halving; its text and its histograms say "
            "otherwise. Which learning rate made the RL curves is not stated; here it is "
            ".001. Nor is how the "
            "squares of chess were coded; here files and ranks are once numbers, once names."
        ),
        (
            f"Figure 5: {plural(n_runs, 'run')} of {N_SPLITS} halvings of twenty chess curves "
            f"(numbers, {_which_chess(counts)}) and the same curves modified, "
            f"{N_SHUFFLES_MODIFIED} shuffles for each halving. Each halving has shuffles "
            "of its own; "
            "cases and factors share them, so that they differ by the modification alone. "
            f"In Figure 4 the halvings of one repetition share {N_SHUFFLES_ONE} "
            "shuffles: shuffling a pool gives "
            "one distribution, however it was halved."
        ),
        (
            "Why the conventional test fails: it takes the steps of a curve for "
            "independent. Let S "
            "be the covariance of the pool over k steps, mse = tr S / k and H = I − "
            "11ᵀ/k. Then "
            "the mean square of the algorithm is inflated by d_alg = (1ᵀS1 / k) / mse, "
            "that of the "
            "interaction deflated by d_int = (tr HSH / (k − 1)) / mse, and the latter has "
            "ν = (tr HSH)² / tr((HSH)²) degrees of freedom; the rejections should be "
            "P(χ²₁ > F_crit / d_alg) and P(χ²_ν > ν F_crit / d_int)."
        ),
        (
            "The contradiction: according to the paper the shuffle test finds no "
            "algorithm effect "
            "in case b, where only the shape differs, and no interaction in case a, "
            "where only the "
            "height differs. By the pooled error term it finds both on chess, since "
            "shuffling puts the real "
            "difference of one kind into the error against which the other is measured. "
            "By the "
            "split error term it finds them in "
            f"{split[1, ALGORITHM]:.2f} and {split[0, INTERACTION]:.2f} of the draws at the "
            "largest factor. The study error_terms is about this. (Tic-tac-toe changes "
            "so little "
            "against its spread that hardly anything shows: see the table for Figure 6.)"
        ),
    )


def _whose_curves(counts: Counts) -> str:
    counted = {SOURCES[name]: len(each) for name, each in counts.one_learner.items()}
    if all(len(counts.pools[name]) == len(each) for name, each in counts.one_learner.items()):
        return (
            "As in the paper, every repetition has new curves: a cross validation with folds "
            "of its own, or ten learners trained afresh. Repetitions: "
            f"{', '.join(f'{name} {count}' for name, count in counted.items())}."
        )
    return (
        "The paper makes new curves for every repetition; here the repetitions of a source "
        "share one stored set, so that a repetition is only a new set of halvings, and the "
        "spread of the counts is too small. Repetitions: "
        f"{', '.join(f'{name} {count}' for name, count in counted.items())}."
    )


def _which_chess(counts: Counts) -> str:
    n_pools = len(counts.pools["chess_numeric"])
    return "the stored ones" if n_pools == 1 else "the first cross validation of the seed"
