"""
Which may be the best?
======================

An algorithm that is not ruled out may be the best, whatever the means look like.
"""

import curvewise as cw

curves = cw.load_example("atari-8")["seaquest"]
best = cw.best(curves, rng=0)
print(best.describe())

# %%

figure = best.figure()
