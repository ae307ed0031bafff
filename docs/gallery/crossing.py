"""
Where two curves differ, and where they cross
=============================================

Rainbow is ahead on Breakout at first, DQN soon after. The strip marks the steps at which they differ;
the bottom panel has the difference with a band for all steps at once, and where it crosses zero.
"""

import curvewise as cw

curves = cw.load_example("atari-8")["breakout"].select("DQN", "Rainbow")
where = cw.locate(curves, rng=0)
print(where.describe())

# %%

figure = where.figure(curves, panels=("curves", "regions", "difference"))
