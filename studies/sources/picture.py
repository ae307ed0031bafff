"""Draw docs/pictures/six-agents.png: ``python -m studies.sources.picture``.

The picture of the README and of the documentation's first page: six agents learning Seaquest,
and where they differ.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image

import curvewise as cw

__all__ = ["GAME", "PICTURE", "draw"]

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "six-agents.png"
GAME = "seaquest"
WIDTH, HEIGHT = 8.0, 5.2  # inches
DOTS_PER_INCH = 160
N_COLOURS = 128  # few enough for a small file, enough for bands that overlap


def draw(path: Path = PICTURE) -> None:
    """Locate the differences between the agents, and save the figure as ``path``."""
    curves = cw.load_example("atari-8")[GAME]
    where = cw.locate(curves, rng=0)
    figure = cw.plot_location(curves, where, panels=("curves", "regions"), details=False)
    figure.set_size_inches(WIDTH, HEIGHT)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=DOTS_PER_INCH)
    Image.open(drawn).convert("RGB").quantize(N_COLOURS).save(path, optimize=True)


if __name__ == "__main__":
    draw()
