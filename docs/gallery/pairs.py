"""
Pairs of algorithms
===================

Which of six agents differ on Qbert? A row for each pair, with the difference of their means over
training, its interval, and p adjusted for all fifteen pairs.
"""

import curvewise as cw

curves = cw.load_example("atari-8")["qbert"]
pairs = cw.compare_pairs(curves, rng=0)
print(pairs.describe())

# %%

figure = pairs.figure()
