"""The same work by curvewise and by its peers: shuffle whole curves, give an F each time.

A contestant takes scores, labels and a number of shuffles, does the work, and returns the
observed F, the p-value, and how many shuffles it says it did, so that a peer that returned
early is found out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CONTESTANTS", "Outcome", "curvewise", "light_baseline"]


class Outcome(NamedTuple):
    """What a contestant reports: the overall F, or None if it computes another one."""

    overall: float | None
    pvalue: float
    n_shuffles: int


def curvewise(scores: Any, labels: Any, n_shuffles: int) -> Outcome:
    """Both effects, both error terms, and the overall F, which is the peers', in one pass."""
    import curvewise as cw

    curves = cw.Curves(scores, labels)
    found = cw.compare(curves, exact=False, n_shuffles=n_shuffles, rng=0, overall="F")
    return Outcome(found.overall.statistic, found.overall.pvalue, found.n_shuffles)


def baseline(scores: Any, labels: Any, n_shuffles: int) -> Outcome:
    """NumPy: indicator matrix @ rotated curves; both effects, the papers' error term."""
    rng = np.random.default_rng(0)
    n_runs, n_steps = scores.shape
    sizes = np.bincount(labels)
    n_groups = len(sizes)
    deviations = scores - scores.mean(axis=0)
    heights = deviations.mean(axis=1, keepdims=True)
    shapes = np.asarray(np.linalg.qr((deviations - heights).T, mode="r")).T
    coordinates = np.hstack([heights * np.sqrt(n_steps), shapes])
    total = np.sum(coordinates**2)

    def ratios(relabelled: Any) -> tuple[Any, Any, Any]:
        squares = 0.0
        rest = 0.0
        for group in range(n_groups - 1):
            sums = (relabelled == group).astype(np.float64) @ coordinates
            squares = squares + sums**2 / sizes[group]
            rest = rest - sums
        squares = squares + rest**2 / sizes[-1]
        algorithm, interaction = squares[:, 0], squares[:, 1:].sum(axis=1)
        error = total - algorithm - interaction
        return (algorithm + interaction) / error, algorithm / error, interaction / error

    observed = [value[0] for value in ratios(labels[None, :])]
    counts, done, batch = np.zeros(3), 0, 4_096
    small = labels.astype(np.int8)
    while done < n_shuffles:
        size = min(batch, n_shuffles - done)
        shuffled = rng.permuted(np.tile(small, (size, 1)), axis=1)
        counts += [np.sum(f >= o) for f, o in zip(ratios(shuffled), observed, strict=True)]
        done += size
    overall = observed[0] * (n_runs - n_groups) / (n_groups - 1)
    return Outcome(float(overall), float((1 + counts[0]) / (1 + done)), done)


def light_baseline(scores: Any, labels: Any, n_shuffles: int) -> Outcome:
    """NumPy, as little as can be: the sums of squares of all groups but one, nothing counted."""
    rng = np.random.default_rng(0)
    sizes = np.bincount(labels)
    deviations = scores - scores.mean(axis=0)
    heights = deviations.mean(axis=1, keepdims=True)
    shapes = np.asarray(np.linalg.qr((deviations - heights).T, mode="r")).T
    coordinates = np.hstack([heights * np.sqrt(scores.shape[1]), shapes])
    small = labels.astype(np.int8)
    done, batch = 0, 4_096
    while done < n_shuffles:
        size = min(batch, n_shuffles - done)
        shuffled = rng.permuted(np.tile(small, (size, 1)), axis=1)
        squares = np.zeros((size, coordinates.shape[1]))
        for group in range(len(sizes) - 1):
            sums = (shuffled == group).astype(np.float64) @ coordinates
            squares += sums**2 / sizes[group]
        assert np.all(squares[:, 1:].sum(axis=1) >= 0)
        done += size
    return Outcome(None, 1.0, done)


def _skbio(engine: str) -> Callable[[Any, Any, int], Outcome]:
    def contestant(scores: Any, labels: Any, n_shuffles: int) -> Outcome:
        from scipy.spatial.distance import pdist, squareform
        from skbio import DistanceMatrix
        from skbio.stats.distance import permanova

        distances = DistanceMatrix(squareform(pdist(scores)))
        found = permanova(
            distances, labels.tolist(), permutations=n_shuffles, seed=0, engine=engine
        )
        return Outcome(
            float(found["test statistic"]),
            float(found["p-value"]),
            int(found["number of permutations"]),
        )

    return contestant


def scipy(scores: Any, labels: Any, n_shuffles: int) -> Outcome:
    """One F, of the curve means; whole curves cannot be shuffled."""
    from scipy import stats

    means = scores.mean(axis=1)
    groups = [means[labels == group] for group in np.unique(labels)]
    n_runs, n_groups = len(means), len(groups)
    sum_of_squares = np.sum((means - means.mean()) ** 2)

    def f_ratio(*samples: Any, axis: int = -1) -> Any:
        between = sum(s.shape[axis] * (s.mean(axis=axis) - means.mean()) ** 2 for s in samples)
        error = sum_of_squares - between
        return (between / (n_groups - 1)) / (error / (n_runs - n_groups))

    found = stats.permutation_test(
        groups, f_ratio, permutation_type="independent", n_resamples=n_shuffles,
        alternative="greater", vectorized=True, batch=4_096, rng=0,
    )  # fmt: skip
    return Outcome(None, float(found.pvalue), len(found.null_distribution))


def mne(scores: Any, labels: Any, n_shuffles: int) -> Outcome:
    """Give an F at each step, and clusters of them."""
    from mne.stats import permutation_cluster_test

    groups = [scores[labels == group] for group in np.unique(labels)]
    _, _, pvalues, null = permutation_cluster_test(
        groups, n_permutations=n_shuffles + 1, rng=0, verbose="ERROR", out_type="mask",
        threshold=0.01,  # low, or it finds no cluster and shuffles nothing
    )  # fmt: skip
    # The observed table is one of its permutations.
    return Outcome(None, float(min(pvalues, default=1.0)), len(null) - 1)


def pingouin(scores: Any, labels: Any, n_shuffles: int) -> Outcome:
    """Run a mixed ANOVA on each shuffled table."""
    import pandas as pd
    import pingouin as pg

    rng = np.random.default_rng(0)
    n_runs, n_steps = scores.shape
    frame = pd.DataFrame(
        {
            "score": scores.ravel(),
            "run": np.repeat(np.arange(n_runs), n_steps),
            "step": np.tile(np.arange(n_steps), n_runs),
        }
    )
    values = []
    for shuffle in range(n_shuffles + 1):
        relabelled = rng.permutation(labels) if shuffle else labels
        frame["algorithm"] = np.repeat(relabelled, n_steps)
        table = pg.mixed_anova(
            frame, dv="score", within="step", between="algorithm", subject="run",
            correction=False,
        )  # fmt: skip
        values.append(float(table["F"].iloc[0]))
    pvalue = float(np.mean(np.array(values) >= values[0]))
    return Outcome(None, pvalue, len(values) - 1)


# Each with the shuffles per round that take it about a second on each of `DESIGNS`.
CONTESTANTS: dict[str, tuple[Callable[[Any, Any, int], Outcome], tuple[int, ...]]] = {
    "curvewise": (
        curvewise,
        (200_000_000, 60_000_000, 4_000_000, 200_000_000, 300_000, 5_000_000, 200_000),
    ),
    "NumPy, light": (
        light_baseline,
        (1_000_000, 500_000, 150_000, 1_000_000, 12_288, 300_000, 12_288),
    ),
    "NumPy, the same answer": (
        baseline,
        (1_000_000, 500_000, 150_000, 1_000_000, 12_288, 300_000, 12_288),
    ),
    "scikit-bio (numba)": (
        _skbio("numba"),
        (200_000, 150_000, 150_000, 200_000, 40_000, 150_000, 40_000),
    ),
    "scikit-bio (cython)": (
        _skbio("cython"),
        (40_000, 30_000, 20_000, 40_000, 5_000, 30_000, 5_000),
    ),
    "scipy permutation_test": (scipy, (150_000, 150_000, 80_000, 150_000, 30_000, 80_000, 30_000)),
    "mne cluster test": (mne, (2_000, 2_000, 2_000, 100, 500, 1_000, 500)),
    "pingouin in a loop": (pingouin, (20, 20, 10, 0, 2, 3, 0)),
}
