"""
How many runs are needed?
=========================

Ten runs of one algorithm show how much runs vary. From that: how likely an experiment is to find
that another one is better by six points. The range says how little ten runs know about the spread.
"""

import curvewise as cw

pilots = cw.load_example("tictactoe").select("A1")
found = cw.estimate_power(
    pilots, effect=cw.scenario("lift", 6), n_runs=(4, 6, 8, 12, 16, 24), rng=0
)
print(found.describe())

# %%

figure = found.figure()
