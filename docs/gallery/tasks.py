"""
Two agents on eight games
=========================

Is Rainbow better than DQN, on the whole and on each game? Differences are in standard deviations of
runs, so that games with different scores can stand side by side.
"""

import curvewise as cw

found = cw.compare_tasks(cw.load_example("atari-8"), a="Rainbow", b="DQN", rng=0)
print(found.describe())

# %%

figure = found.figure()
