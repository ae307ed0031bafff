"""
May it ship?
============

A candidate may replace the baseline if it is not worse by more than a margin. The interval decides:
right of the margin it passes, left of it it fails, across it nothing is decided yet.
"""

import curvewise as cw

games = cw.load_example("atari-8").keep("asterix", "breakout", "pong", "qbert", "seaquest")
found = cw.gate_many(games, candidate="Rainbow", baseline="DQN", margin=0.1, unit="relative")
print(found.describe())

# %%

figure = found.figure()
