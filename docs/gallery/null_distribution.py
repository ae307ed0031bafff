"""
What chance would do
====================

The grey bars are the F of height in all ways to divide twenty runs in two groups of ten: that is how
large F gets if the algorithm does not matter. The line is the F that was observed.
"""

from matplotlib.figure import Figure

import curvewise as cw

found = cw.compare(cw.load_example("tictactoe").select("A1", "A2"))
print(f"F = {found.algorithm.statistic:.2f}, exact p = {found.algorithm.pvalue:.3f}")

# %%

figure = Figure(figsize=(7, 3.6), layout="constrained")
cw.plot_null_distribution(found.algorithm, ax=figure.subplots())
