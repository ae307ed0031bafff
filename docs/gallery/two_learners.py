"""
Two learners
============

Do DQN and Rainbow differ on Breakout? Every run, the means, and the band from the lowest to the
highest run; beneath, where the observed F falls among all relabellings of the runs.
"""

import curvewise as cw

curves = cw.load_example("atari-8")["breakout"].select("DQN", "Rainbow")
found = cw.compare(curves, rng=0)
print(found.describe())

# %%

figure = found.figure(curves)
