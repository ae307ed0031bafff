"""
How often common tests cry wolf
===============================

Split the ten runs of one algorithm in two at random, as if they were two algorithms, and test.
There is nothing to find. A test that keeps its promise finds something in 5% of the splits.
"""

import curvewise as cw

found = cw.calibrate(cw.load_example("tictactoe"), algorithm="A1", rng=0)
print(found.describe())

# %%

figure = found.figure()
