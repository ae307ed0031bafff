"""A report: curves and what was found about them in one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from curvewise.data.checks import check_flags, check_kind, check_names
from curvewise.files import check_place, write_text
from curvewise.reports.composing import compose

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Result


FRAME_HEIGHT = 640  # pixels


@dataclass(frozen=True)
class Report:
    """A report as one HTML file, which opens offline in any browser.

    Attributes
    ----------
    title : str
    html : str
        The whole file.
    """

    title: str
    html: str = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the file whole or not at all, and return where it is.

        Raises `OptionError` if it cannot be written there.
        """
        place = Path(path)
        check_place(place, "report")
        write_text(place, self.html, "report")
        return place

    def _repr_html_(self) -> str:
        """Return a frame that shows the report in a notebook, apart from the notebook."""
        return (
            '<iframe sandbox="allow-scripts allow-downloads" allow="clipboard-write *" '
            f'title="{escape(self.title)}" style="width:100%;height:{FRAME_HEIGHT}px;border:0" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )


def report(
    curves: Curves | Mapping[str, Curves],
    *results: Result | Mapping[str, Result | Sequence[Result]],
    title: str | None = None,
    step_name: str | None = None,
    score_name: str | None = None,
    runs: bool = True,
    made: Mapping[str, str] | None = None,
) -> Report:
    """Put curves and what was found about them into one HTML file.

    The first result gives the headline and the verdict. With what `locate` found, the regions
    are drawn, and every window of training can be looked up, with the p that Python counted.
    Any other result gets a section with its words, tables and figure.

    Parameters
    ----------
    curves : Curves, or mapping from task to Curves
    *results : Result
        Such as `compare`, `locate`, `best` and `compare_pairs` return. With several tasks a
        result is about all of them; results about each are given as a mapping from task to
        a result or to several.
    title : str, optional
        By default the algorithms.
    step_name : str, optional
        What to call steps. By default as the table does.
    score_name : str, optional
        What to call scores. By default as the table does.
    runs : bool
        Whether every run is drawn, or only means and bands.
    made : mapping from str to str, optional
        More lines about how the report was made, such as the command.

    Returns
    -------
    Report
        ``save(path)`` writes it, ``html`` is its text, and a notebook shows it.

    Raises
    ------
    OptionError
        If something is no result, or about other curves.

    Examples
    --------
    >>> import curvewise as cw
    >>> curves = cw.load_example("atari")
    >>> made = cw.report(curves, cw.compare(curves), cw.locate(curves, n_resamples=0, rng=0))
    >>> made.html.startswith("<!doctype html>"), made.title
    (True, 'Learning curves of DQN and Rainbow')
    """
    check_names(title=title, step_name=step_name, score_name=score_name)
    check_flags(runs=runs)
    check_kind("made", made, Mapping, "a mapping from text to text")
    document = compose(curves, results, title, step_name, score_name, made, runs=runs)
    return Report(document.title, document.html())
