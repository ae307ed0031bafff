"""
Six agents
==========

Six agents learn Seaquest, five runs each. The strips beneath the curves mark the steps at which
they differ, and those at which the gap between them is unusual. Where single runs of C51 rise
far above the others the means say little, and no step is marked.
"""

import curvewise as cw

curves = cw.load_example("atari-8")["seaquest"]
where = cw.locate(curves, rng=0)
print(where.describe())

# %%

figure = where.figure(curves, panels=("curves", "regions"), details=False)
