"""
The difference and its band
===========================

How far apart are two agents, step by step? The band holds the whole difference curve with 95%
confidence, not each step by itself.
"""

from matplotlib.figure import Figure

import curvewise as cw

curves = cw.load_example("atari-8")["spaceinvaders"].select("DQN", "IQN")
where = cw.locate(curves, rng=0)
figure = Figure(figsize=(8, 4), layout="constrained")
cw.plot_difference(where, ax=figure.subplots())
