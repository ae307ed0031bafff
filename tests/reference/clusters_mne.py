"""Cluster masses and p by MNE-Python, for tests/questions/locate/test_step_effects.py.

    python tests/reference/clusters_mne.py 2026-11-15 > tests/reference/clusters_mne.json

Scores come from a formula, so that the test can make the very same ones. MNE's p come from
its own 20,000 random permutations.
"""

from __future__ import annotations

import json
import sys

import numpy as np

DESIGNS = [[5, 5], [6, 9], [5, 6, 7]]
THRESHOLDS = [2.0, 4.0]
N_STEPS = 30


def scores(sizes: list[int]) -> np.ndarray:
    """Curves that differ in the middle of training."""
    run = np.arange(sum(sizes))[:, None]
    step = np.arange(N_STEPS)[None, :]
    labels = np.repeat(np.arange(len(sizes)), sizes)[:, None]
    noise = np.sin(7.0 * run + 0.4 * step + 3 * run**2) + np.cos(11 * run - 0.15 * step)
    bump = 1.1 * labels * np.exp(-(((step - 14) / 4.0) ** 2))
    return np.asarray(noise + bump + 0.1 * step)


def main() -> None:
    """Print the reference values."""
    import mne

    cases = []
    for sizes in DESIGNS:
        groups = np.split(scores(sizes), np.cumsum(sizes)[:-1])
        for threshold in THRESHOLDS:
            statistic, clusters, pvalues, _ = mne.stats.permutation_cluster_test(
                groups,
                threshold=threshold,
                n_permutations=20_000,
                tail=1,
                stat_fun=mne.stats.f_oneway,
                out_type="indices",
                rng=1,
                verbose="error",
            )
            found = [
                {
                    "first": int(cluster[0].min()),
                    "last": int(cluster[0].max()),
                    "mass": float(statistic[cluster[0]].sum()),
                    "pvalue": float(pvalue),
                }
                for cluster, pvalue in zip(clusters, pvalues, strict=True)
            ]
            cases.append(
                {
                    "sizes": sizes,
                    "threshold": threshold,
                    "statistic": statistic.tolist(),
                    "clusters": sorted(found, key=lambda each: each["first"]),
                }
            )
    record = {
        "made_by": "clusters_mne.py",
        "with": f"MNE-Python {mne.__version__}, NumPy {np.__version__}",
        "on": sys.argv[1],
        "cases": cases,
    }
    print(json.dumps(record, indent=1))  # noqa: T201 (this is its output)


if __name__ == "__main__":
    main()
