"""
The best on each of eight games
===============================

A filled dot leads, an open one may be the best as well; without a dot an agent is ruled out.
"""

import curvewise as cw

bests = cw.best_many(cw.load_example("atari-8"), rng=0)
print(bests.describe())

# %%

figure = bests.figure()
