"""
Runs that never get there
=========================

How much training until a run scores 70? One run of A2 never does. Its time is not
known, but that it is longer than the experiment is: the Kaplan-Meier estimate uses both.
"""

from matplotlib.figure import Figure

import curvewise as cw

curves = cw.load_example("tictactoe")
found = cw.transfer(curves, control="A2", experimental="A1", threshold=70, rng=0)
print(found.survival_table().text())

# %%

figure = Figure(figsize=(8, 4.5), layout="constrained")
cw.plot_survival(found, ax=figure.subplots())
