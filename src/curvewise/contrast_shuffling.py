"""A contrast among shuffles: of the curves of two algorithms, or of residuals of more."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.errors import OptionError
from curvewise.kernels.adjustments import (
    TIE,
    upper_quantile,
)
from curvewise.kernels.anova import centred
from curvewise.kernels.contrasts import (
    Fit,
    count_extreme,
    count_two_groups,
    is_mirrored,
    least_extreme,
    least_ratio,
    shuffled_t,
    student_t,
    two_group_sums,
)
from curvewise.kernels.enumeration import Enumeration, n_relabellings
from curvewise.kernels.extremes import EPSILON
from curvewise.kernels.halves import MOST_RUNS, count_above, count_heights
from curvewise.kernels.shifts import lowest_shift, shift_interval
from curvewise.kernels.shuffles import Shuffles
from curvewise.kernels.streams import BATCH
from curvewise.shuffling import CHEAP, MOST_IN_NUMPY, MOST_KEPT, visits_all

if TYPE_CHECKING:
    from curvewise.kernels import Floats
    from curvewise.layout import Layout

__all__ = ["Answer", "Question", "contrast_of_many", "contrast_of_two", "weighted_fit"]

KEPT = MOST_KEPT * BATCH


@dataclass(frozen=True, eq=False)
class Question:
    """One number a run, and a contrast that is asked to be large, or far from zero."""

    layout: Layout
    fit: Fit
    coefficients: Floats
    noise: float
    two_sided: bool
    alpha: float
    n_shuffles: int
    seed: int

    @property
    def shuffles(self) -> Shuffles:
        """The shuffles that `compare` would draw with this seed."""
        layout = self.layout
        return Shuffles(layout.labels, layout.blocks, self.n_shuffles, self.seed)

    def observed(self) -> tuple[float, float, float]:
        """Return the contrast in units of its length, that length, and t."""
        length = float(self.fit.directions(self.coefficients[None, :])[1][0])
        u = float(self.coefficients @ self.fit.estimates[:, 0]) / length
        u = u if abs(u) > self.noise else 0.0
        t = student_t(np.array([u]), self.fit.errors[:1], self.fit.df)
        return u, length, float(t[0])


@dataclass(frozen=True, eq=False)
class Answer:
    """What the shuffles gave, in the units of the question."""

    value: float
    ends: tuple[float, float]
    t: float
    n_extreme: int
    n_visited: int
    n_relabellings: int
    exact: bool
    sampled: bool  # whether p, the interval or the null distribution is
    null: Floats


def contrast_of_two(question: Question, asked: bool | None) -> Answer:  # noqa: FBT001
    """Shuffle the curves of two algorithms."""
    fit, two_sided, shuffles = question.fit, question.two_sided, question.shuffles
    labels, blocks = shuffles.labels, shuffles.blocks
    member = (labels == 0).astype(np.float64)[:, None]
    likeness = centred(member, blocks)[:, 0]
    overlap = float(likeness[labels == 0].sum())
    # Their sums over the first group are u, and how alike two labellings are.
    towards = math.copysign(fit.factor[0, 0], question.coefficients[0])
    columns = np.stack([towards * fit.values[:, 0], likeness / overlap], axis=1)

    count, mirrored = n_relabellings(labels, blocks), is_mirrored(labels, blocks)
    halved = blocks.min() == blocks.max() and len(labels) <= MOST_RUNS
    possible = halved or count <= MOST_IN_NUMPY
    exact = visits_all(asked, count, question.n_shuffles, possible=possible)
    exact = exact or (asked is None and halved)
    keeps_all = exact and count <= CHEAP
    visited = Enumeration(labels, blocks) if exact else shuffles
    kept = visited if keeps_all else replace(shuffles, count=min(shuffles.count, KEPT))
    sums = two_group_sums(kept, columns)
    if keeps_all and mirrored and not two_sided:
        # An enumeration visits one of two mirror images.
        sums = np.concatenate([sums, -sums])

    u, length, t = question.observed()
    least = least_extreme(u, question.noise, two_sided=two_sided)
    n_distinct = count * 2 if mirrored and not two_sided else count
    n_visited = n_distinct if exact else shuffles.count
    if len(sums) == n_visited:
        n_extreme = count_extreme(sums[:, 0], least, two_sided=two_sided)
    elif exact and halved:
        n_first = int(member.sum())
        n_extreme = (
            count_heights(columns[:, 0], n_first, least**2) // (2 if mirrored else 1)
            if two_sided
            else count_above(columns[:, 0], n_first, least)
        )
    else:
        n_extreme = count_two_groups(
            visited,
            columns[:, :1],
            least,
            two_sided=two_sided,
            mirrored=exact and mirrored,
        )
    root = math.sqrt(overlap)
    options: dict[str, Any] = {"alpha": question.alpha, "exact": keeps_all}
    if two_sided:
        ends = shift_interval(u / root, sums[:, 0] / root, sums[:, 1], **options)
    else:
        lowest = lowest_shift(u / root, sums[:, 0] / root, sums[:, 1], **options)
        ends = lowest, math.inf
    # Zero is the one value that readers look for: an end a rounding error away is at it.
    slack = 2 * question.noise / root
    low, high = (0.0 if abs(end) <= slack else end * length * root for end in ends)
    null = _null(sums[:, 0], float(np.sum(fit.values**2)), fit.df, t)
    return Answer(
        u * length,
        (low, high),
        t,
        n_extreme,
        n_visited,
        n_distinct,
        exact=exact,
        sampled=not keeps_all,
        null=null,
    )


def _null(lengths: Floats, total: float, df: int, observed: float) -> Floats:
    errors = np.maximum(total - lengths**2, 0.0)
    null = student_t(lengths, errors, df, 64 * EPSILON * total)
    # Where a tie is only rounded apart, the null distribution says that it is a tie.
    null[np.isclose(null, observed, rtol=TIE, atol=0)] = observed
    return null


def contrast_of_many(question: Question, asked: bool | None) -> Answer:  # noqa: FBT001
    """Shuffle the residuals of more than two algorithms."""
    if asked:
        msg = (
            "A contrast of more than two algorithms has no exact test: their residuals are "
            "shuffled at random. Leave exact out, or contrast two algorithms."
        )
        raise OptionError(msg)
    u, length, t = question.observed()
    portions = shuffled_t(question.fit, question.shuffles, question.coefficients[None, :])
    null = np.concatenate([portion[:, 0] for portion in portions])
    null[np.isclose(null, t, rtol=TIE, atol=0)] = t
    error = math.sqrt(float(question.fit.errors[0]))
    least = least_ratio(u, error, question.noise, two_sided=question.two_sided)
    least *= math.sqrt(question.fit.df)
    sizes = np.abs(null) if question.two_sided else null
    reach = upper_quantile(sizes, question.alpha)
    # Without error there is nothing to be unsure of.
    margin = reach * length * error / math.sqrt(question.fit.df) if error else 0.0
    value = u * length
    return Answer(
        value,
        (value - margin, value + margin if question.two_sided else math.inf),
        t,
        int(np.sum(sizes >= least)),
        len(null),
        n_relabellings(question.layout.labels, question.layout.blocks),
        exact=False,
        sampled=True,
        null=null[:KEPT],
    )


def weighted_fit(layout: Layout, profile: Floats) -> Fit:
    """Fit the algorithms to the weighted sums of scores."""
    noise = layout.noise * float(np.linalg.norm(profile))
    numbers = (layout.scores @ profile)[:, None]
    return Fit.of(numbers, layout.labels, layout.blocks, noise)
