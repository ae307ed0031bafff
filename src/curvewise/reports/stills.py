"""Pictures that need no script: mean curves as SVG, and what a result draws of itself."""

from __future__ import annotations

import base64
import io
import math
import re
import warnings
from typing import TYPE_CHECKING

import numpy as np

from curvewise.rendering.figures import needed_to_draw
from curvewise.rendering.thumbnail import mean_lines
from curvewise.text import html_text, number_text, shortened, step_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.data.display import Display
    from curvewise.inference.result import Result
    from curvewise.rendering.looks import Look

__all__ = ["figure_image", "mean_curves", "small_curves"]

MAX_SVG = 60_000  # characters; a picture that takes more is embedded as pixels
DPI = 110


def mean_curves(curves: Curves, looks: Mapping[str, Look], display: Display) -> str:
    """Return the mean curves with axes and names as SVG that takes the page's colours.

    The class "look3" is that of the fourth of ``looks``.
    """
    numbers = {name: number for number, name in enumerate(looks)}
    width, height, left, right, top, bottom = 720, 300, 70, 560, 12, 250
    low, high, lines = mean_lines(curves, (left, right), (bottom, top))
    parts = [
        f'<line class="grid" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>'
        f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{number_text(value)}</text>'
        for value, y in (
            (low, bottom),
            ((low + high) / 2, (top + bottom) / 2),
            (high, top),
        )
    ]
    steps = curves.steps
    parts += [
        f'<text x="{x}" y="{bottom + 18}" text-anchor="{anchor}">{step_text(step)}</text>'
        for step, x, anchor in ((steps[0], left, "start"), (steps[-1], right, "end"))[
            : len(steps)
        ]
    ]
    middle = (left + right) / 2
    parts.append(
        f'<text x="{middle}" y="{bottom + 36}" text-anchor="middle">'
        f"{html_text(shortened(display.step_name))}</text>"
        f'<text x="{left}" y="{height - 2}" text-anchor="start">'
        f"{html_text(f'mean {shortened(display.score_name)}')}</text>"
    )
    for row, (name, path) in enumerate(zip(curves.algorithms, lines, strict=True)):
        look, y = looks[name], top + 10 + 16 * row
        lengths = " ".join(f"{2 * length:g}" for length in look.dash)
        dash = f' stroke-dasharray="{lengths}"' if lengths else ""
        parts.append(f'<g class="look{numbers[name]}">{_drawn(path, dash)}')
        if y < height:
            parts.append(
                f'<path class="mean"{dash} d="M{right + 12} {y - 4}h28"/>'
                f'<text x="{right + 46}" y="{y}">{html_text(shortened(name, 18))}</text>'
            )
        parts.append("</g>")
    names = html_text(", ".join(shortened(name) for name in curves.algorithms[:8]))
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="Mean curves of {names}">{"".join(parts)}</svg>'
    )


def small_curves(curves: Curves, looks: Mapping[str, Look]) -> str:
    """Return the mean curves alone, as a thumbnail."""
    _, _, lines = mean_lines(curves, (2, 148), (57, 3))
    numbers = {name: number for number, name in enumerate(looks)}
    drawn = "".join(
        f'<g class="look{numbers[name]}">{_drawn(path, "")}</g>'
        for name, path in zip(curves.algorithms, lines, strict=True)
    )
    return f'<svg viewBox="0 0 150 60" aria-hidden="true">{drawn}</svg>'


def _drawn(points: list[tuple[float, float]], dash: str) -> str:
    if len(points) == 1:
        return f'<circle r="4" cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}"/>'
    return f'<path class="mean"{dash} d="{_path(points)}"/>'


def _path(points: list[tuple[float, float]]) -> str:
    """Return a line through points in as few characters as tenths of a pixel take.

    Each point is where it stands from the one before as it was drawn, so that rounding does
    not add up.

    >>> _path([(70.0, 152.71), (72.46, 154.6), (74.93, 154.1)])
    'M70 152.7l2.5 1.9l2.4-.5'
    """
    tenths = np.rint(10 * np.array(points)).astype(int)
    pairs = [
        " ".join(re.sub(r"^(-?)0\.", r"\1.", f"{own / 10:g}") for own in moved)
        for moved in np.diff(tenths, axis=0, prepend=0).tolist()
    ]
    return f"M{'l'.join(pairs)}".replace(" -", "-")


def figure_image(result: Result, curves: Curves | None) -> str:
    """Return the figure of a result as an image that is embedded, with its headline as text.

    As SVG where that is small, else as pixels. An image cannot run scripts or fetch anything.
    """
    with needed_to_draw():
        import matplotlib as mpl

    with warnings.catch_warnings(), mpl.rc_context({"svg.fonttype": "none"}):
        # Names in a script the font lacks, or longer than the figure, are no reason to warn.
        warnings.simplefilter("ignore", UserWarning)
        figure = result.figure(curves)
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
        kind = "svg+xml"
        if drawn.tell() > MAX_SVG:
            drawn, kind = io.BytesIO(), "png"
            figure.savefig(drawn, format="png", dpi=DPI)
        width = math.ceil(96 * figure.get_figwidth())
    text = base64.b64encode(drawn.getvalue()).decode("ascii")
    alt = html_text(f"Figure: {result.headline()}")
    return f'<img width="{width}" alt="{alt}" src="data:image/{kind};base64,{text}">'
