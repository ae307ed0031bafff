"""
A column of a paper
===================

3.3 inches wide with type of 8 and 7 points, as it will be printed. Saved as PDF, it has no Type 3
fonts, which many publishers refuse.
"""

import curvewise as cw

curves = cw.load_example("atari-8")["asterix"].select("DQN", "C51", "Rainbow", "IQN")
found = cw.compare(curves, rng=0)
figure = found.figure(curves, width=3.3, style="paper", runs=False)
# figure.savefig("figure.pdf")
