"""
Every window of training
========================

May I look at the curves first and then choose the steps to compare? Yes, if p allows for it. A
point of the map is a window: its first step across, its last step up. The p in it is adjusted
for all windows, so any of them may be chosen by looking.
"""

import curvewise as cw

curves = cw.load_example("atari-8")["pong"].select("DQN", "Rainbow")
where = cw.locate(curves, windows=True, rng=0)
window = where.window(9, 49)
print(f"differ somewhere in it:     p = {window.somewhere.pvalue_adjusted:.3f}")
print(f"differ on average over it:  p = {window.height.pvalue_adjusted:.3f}")
print(f"the gap changes within it:  p = {window.shape.pvalue_adjusted:.3f}")

# %%

figure = cw.plot_window_maps(where)
