"""What every command shares: how it fails, and how it prints a result."""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

from curvewise.errors import CurvewiseError, OptionError
from curvewise.present import describe, plot_comparison
from curvewise.present.plots import check_figure_path, save_figure
from curvewise.tables import markdown_text, printable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from curvewise.curves import Curves
    from curvewise.results import Comparison

__all__ = ["Style", "answering", "check_plot", "note", "plot", "prepare_streams", "show"]

UNUSABLE = 3
INTERRUPTED = 130


class Style(StrEnum):
    """How a result is printed."""

    TERMINAL = "terminal"
    JSON = "json"
    MARKDOWN = "markdown"
    LATEX = "latex"

    @classmethod
    def chosen(cls, *, json: bool, markdown: bool, latex: bool) -> Style:
        """Return the one style asked for; refuse several."""
        asked = [
            style
            for style, wanted in (
                (cls.JSON, json),
                (cls.MARKDOWN, markdown),
                (cls.LATEX, latex),
            )
            if wanted
        ]
        if len(asked) > 1:
            names = " and ".join(f"--{style}" for style in asked)
            msg = f"{names} exclude each other; choose one."
            raise typer.BadParameter(msg)
        return asked[0] if asked else cls.TERMINAL


# What an argument is called in Python, and on the command line.
FLAGS = {
    "n_shuffles": "--shuffles",
    "n_jobs": "--jobs",
    "rng": "--seed",
    "alpha": "--alpha",
}


@contextmanager
def answering() -> Iterator[None]:
    """Turn what curvewise refuses into a sentence and an exit code."""
    try:
        yield
    except CurvewiseError as error:
        text = str(error)
        if isinstance(error, OptionError):
            text = re.sub(r"^\w+", lambda word: FLAGS.get(word[0], word[0]), text)
        note(f"Error: {text}")
        raise typer.Exit(UNUSABLE) from None
    except MemoryError:
        note(
            "Error: There is not enough memory for these data. Keep fewer steps or runs."
        )
        raise typer.Exit(UNUSABLE) from None
    except KeyboardInterrupt:
        note("Interrupted; nothing was written.")
        raise typer.Exit(INTERRUPTED) from None


def note(text: str) -> None:
    """Say something beside the result, on standard error."""
    typer.echo(printable(text), err=True)


def prepare_streams() -> None:
    """Let names be shown, if need be spelt out, on a terminal that lacks their letters."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def show(comparison: Comparison, style: Style) -> None:
    """Print a result on standard output."""
    verdict = describe(comparison)
    if style is Style.JSON:
        record = {"verdict": verdict, **comparison.to_dict()}
        typer.echo(json.dumps(record, indent=2, allow_nan=False))
    elif style is Style.MARKDOWN:
        parts = [markdown_text(verdict), *(t.markdown() for t in comparison.tables())]
        parts += [f"**Warning:** {markdown_text(w)}" for w in comparison.warnings]
        typer.echo("\n\n".join(parts))
    elif style is Style.LATEX:
        comments = [verdict, *(f"Warning: {warning}" for warning in comparison.warnings)]
        lines = [f"% {printable(comment)}" for comment in comments]
        tables = "\n\n".join(table.latex() for table in comparison.tables())
        typer.echo("\n".join(["% needs \\usepackage{booktabs}", *lines, tables]))
    else:
        _show_on_terminal(comparison, verdict)


def _show_on_terminal(comparison: Comparison, verdict: str) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.width = min(max(console.width, 40), 90)
    console.print(Text(verdict, style="bold"))
    # A narrow window wraps long lines by itself; numbers must never be cut.
    unbounded = Console(highlight=False, width=1_000)
    for table in comparison.tables():
        console.print()
        unbounded.print(table.rich())
        for line in table.notes:
            console.print(Text(printable(line), style="dim"))
    for warning in comparison.warnings:
        console.print()
        console.print(Text(f"Warning: {printable(warning)}", style="yellow"))


def check_plot(path: Path | None) -> None:
    """Refuse a figure that could not be saved, before any work is done."""
    if path is not None:
        check_figure_path(path)


def plot(curves: Curves, comparison: Comparison, path: Path) -> None:
    """Draw and save the figure."""
    with warnings.catch_warnings():
        # A name in a script the font lacks is drawn as boxes, and a very long one crowds
        # the figure; neither is a reason to warn.
        for message in ("Glyph .* missing from", "constrained_layout not applied"):
            warnings.filterwarnings("ignore", message=message, category=UserWarning)
        save_figure(plot_comparison(curves, comparison), path)
