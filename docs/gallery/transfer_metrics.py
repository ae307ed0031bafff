"""
How much was gained?
====================

A small learning rate (A1) against a large one (A2): the gain at the start, at the end, in area and
in training time, each with its interval. One metric is marked as the one to quote.
"""

import curvewise as cw

curves = cw.load_example("tictactoe")
found = cw.transfer(curves, control="A2", experimental="A1", optimum=100, rng=0)
print(found.describe())

# %%

figure = found.figure()
