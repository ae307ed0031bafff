"""
May I stop?
===========

Five runs of each algorithm a week, four weeks at most, and a look after each. The sequential p
allows for the looks; the experiment may stop where the path reaches alpha.
"""

import curvewise as cw

curves = cw.load_example("tictactoe").select("A1", "A2")
week = [1 + int(run) // 5 for run in curves.runs]
found = cw.monitor(curves, batch=week, n_batches=4, batch_size=5, seed=1)
print(found.describe())

# %%

figure = found.figure()
