"""
Six agents over eight games
===========================

The mean of normalised scores over games at every step, with a band for each agent.
"""

import curvewise as cw

found = cw.aggregate(cw.load_example("atari-8"), on="every step", rng=0)
figure = found.figure()
