"""Mean curves as a small picture in SVG, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.rendering.looks import looks_of
from curvewise.text import html_text, plural, shortened, step_text

if TYPE_CHECKING:
    from curvewise.data.curves import Curves
    from curvewise.kernels import Floats

__all__ = ["curves_html", "mean_lines"]

WIDTH, HEIGHT = 320, 120  # pixels
MAX_POINTS = 240  # of a line; more would not be seen
MAX_NAMED = 12  # algorithms that are listed


def curves_html(curves: Curves) -> str:
    """Return what curves are, who is in them, and their mean curves, as HTML without scripts."""
    sizes = dict(zip(curves.algorithms, curves.sizes, strict=True))
    looks = looks_of(curves)
    named = "".join(
        f'<li><span style="color:{looks[name].colour}">\u2501</span> '
        f"{html_text(shortened(name))}: {plural(sizes[name], 'run')}</li>"
        for name in curves.algorithms[:MAX_NAMED]
    )
    more = len(curves.algorithms) - MAX_NAMED
    if more > 0:
        named += f"<li>and {more} more</li>"
    first, last = step_text(curves.steps[0]), step_text(curves.steps[-1])
    steps = f"{plural(curves.n_steps, 'step')}, {first} to {last}"
    direction = "" if curves.higher_is_better else "; lower is better"
    return (
        f"<p><strong>Curves</strong>: {plural(len(curves.algorithms), 'algorithm')}, "
        f"{plural(curves.n_runs, 'run')}, {steps} "
        f"({html_text(curves.display.step_name)}), score "
        f"{html_text(curves.display.score_name)}{direction}</p>"
        f"{_picture(curves)}<ul>{named}</ul>"
    )


def mean_lines(
    curves: Curves, xs: tuple[float, float], ys: tuple[float, float]
) -> tuple[float, float, list[list[tuple[float, float]]]]:
    """Return lowest and highest mean, and the points of each algorithm's mean curve.

    Steps reach from the first of ``xs`` to the second, scores from the first of ``ys``, which is
    where the lowest is drawn, to the second.
    """
    means: Floats = np.array(
        [
            curves.scores[curves.codes == code].mean(axis=0)
            for code in range(len(curves.algorithms))
        ]
    )
    every = np.unique(
        np.linspace(0, curves.n_steps - 1, min(curves.n_steps, MAX_POINTS)).astype(int)
    )
    steps = curves.steps[every].astype(np.float64)
    low, high = float(means.min()), float(means.max())
    if low == high:
        low, high = low - 1, high + 1
    span = steps[-1] - steps[0]
    share = (steps - steps[0]) / span if span > 0 else np.full(len(steps), 0.5)
    x = xs[0] + share * (xs[1] - xs[0])
    y = ys[0] + (means[:, every] - low) / (high - low) * (ys[1] - ys[0])
    return low, high, [list(zip(x.tolist(), row.tolist(), strict=True)) for row in y]


def _picture(curves: Curves) -> str:
    """Return the mean curve of each algorithm as a line."""
    looks = looks_of(curves)
    _, _, points = mean_lines(curves, (2, WIDTH - 2), (HEIGHT - 2, 2))
    lines = []
    for name, own in zip(curves.algorithms, points, strict=True):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in own)
        dash = ",".join(f"{2 * part:g}" for part in looks[name].dash)
        # A line of a single point has round ends, and so is a dot.
        lines.append(
            f'<polyline fill="none" stroke="{looks[name].colour}" stroke-width="1.5" '
            f'stroke-linecap="round" stroke-dasharray="{dash}" '
            f'points="{path}{f" {path}" if len(own) == 1 else ""}"/>'
        )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="Mean curves" style="background:#fff">{"".join(lines)}</svg>'
    )
