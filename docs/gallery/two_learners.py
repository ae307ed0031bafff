"""
Two learners
============

Do DQN and Rainbow differ on Breakout? Every run, the means, and a band from the lowest to the
highest run. Beneath: where the observed statistic falls among those of all relabellings of the runs.
"""

import curvewise as cw

curves = cw.load_example("atari-8")["breakout"].select("DQN", "Rainbow")
found = cw.compare(curves)
print(found.describe())

# %%

figure = found.figure(curves)
