"""
A live report
=============

This is a report as ``curvewise report`` writes it: one file that needs no network. Drag over the
curves to ask about a window of training.
"""

import curvewise as cw

curves = cw.load_example("atari-8")["breakout"].select("DQN", "Rainbow")
found = cw.compare(curves)
where = cw.locate(curves, windows=True, rng=0)
report = cw.report(curves, found, where, title="Breakout: DQN and Rainbow")
# report.save("report.html")

# %%
# Without scripts, and in previews of mail, a still picture stands in its place.

figure = where.figure(curves, panels=("curves", "regions"))
