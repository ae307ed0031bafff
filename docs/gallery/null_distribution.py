"""
What chance would do
====================

Montezuma's Revenge, DQN and Rainbow. The grey bars are the F of all ways to divide the ten runs in
two groups of five: that is how large F gets if the agent does not matter. The line is the F that was
observed. The usual F test calls it highly significant.
"""

from matplotlib.figure import Figure

import curvewise as cw

found = cw.compare(cw.load_example("atari"))
usual = found.effects["pooled"]["algorithm"].pvalue_parametric
print(f"usual F test: p = {usual:.1g}; exact p = {found.algorithm.pvalue:.2f}")

# %%

figure = Figure(figsize=(7, 3.6), layout="constrained")
cw.plot_null_distribution(found.algorithm, ax=figure.subplots())
