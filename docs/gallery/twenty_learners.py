"""
Twenty learners
===============

With more than eight algorithms, the pairs become a matrix, the best mean first: a row is better
than the blue columns and worse than the orange ones. These learners are simulated.
"""

import numpy as np

import curvewise as cw

rng = np.random.default_rng(0)
steps = np.arange(1, 31)
runs = {
    f"learner {number}": (60 + 1.5 * number) * (1 - np.exp(-steps / 8))
    + rng.normal(0, 4, (8, 1))
    + rng.normal(0, 3, (8, steps.size))
    for number in range(1, 21)
}
curves = cw.Curves.from_dict(runs, steps=steps)
pairs = cw.compare_pairs(curves, rng=0)
figure = pairs.figure()
