"""What a script of the gallery made: its figures, and reports in a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

from curvewise import Report

__all__ = ["LIVE", "scrape"]

# Reports, as they are: copied to the top of the site.
LIVE = Path(__file__).parents[1] / "generated" / "live"
DOTS_PER_INCH = 150
FRAME = """
.. raw:: html

   <iframe class="live-report" src="../../{name}" title="{title}"></iframe>
   <p><a href="../../{name}">Open the report in a window of its own</a></p>

"""


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Return the RST of the figures and reports that a block of a script has made.

    They are the values of names that the block assigns: figures are saved as pictures, reports as
    files of the site.
    """
    shown = block_vars.setdefault("curvewise_shown", [])
    names = block_vars["example_globals"]
    title = names["__doc__"].strip().partition("\n")[0]
    pictures, frames = [], []
    for value in list(names.values()):
        if any(value is other for other in shown):
            continue
        if isinstance(value, Figure):
            path = next(block_vars["image_path_iterator"])
            value.savefig(path, dpi=DOTS_PER_INCH)
            pictures.append(path)
        elif isinstance(value, Report):
            name = Path(block_vars["src_file"]).with_suffix(".html").name
            value.save(LIVE / name)
            frames.append(FRAME.format(name=name, title=value.title))
        else:
            continue
        shown.append(value)
    return figure_rst(pictures, gallery_conf["src_dir"], title) + "".join(frames)
