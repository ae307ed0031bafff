"""What every command shares: how it fails, and how it prints a result."""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import typer

from curvewise.errors import CurvewiseError, OptionError
from curvewise.present.plots import check_figure_path, save_figure
from curvewise.tables import markdown_text, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from curvewise.present.words import Result
    from curvewise.tables import Table

__all__ = [
    "Style",
    "answering",
    "check_plot",
    "note",
    "prepare_streams",
    "save_plot",
    "show",
]

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
    "n_resamples": "--resamples",
    "cluster_threshold": "--cluster-threshold",
    "confidence": "--confidence",
    "optimum": "--optimum",
    "threshold": "--threshold",
    "until_asymptote": "--until-asymptote",
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


def show(
    results: Sequence[Result],
    style: Style,
    *,
    lines: Mapping[str, str] | None = None,
    record: Mapping[str, Any] | None = None,
) -> None:
    """Print results on standard output: verdicts, further lines, tables, warnings.

    As JSON the first result is the record itself; ``record`` is added to it.
    """
    from curvewise.present import describe

    verdicts = [describe(result) for result in results]
    warnings = list(dict.fromkeys(w for result in results for w in result.warnings))
    told = [*verdicts, *(f"{word}: {text}" for word, text in (lines or {}).items())]
    tables = [table for result in results for table in result.tables()]
    if style is Style.JSON:
        whole = {"verdict": verdicts[0], **results[0].to_dict(), **(record or {})}
        typer.echo(json.dumps(whole, indent=2, allow_nan=False))
    elif style is Style.MARKDOWN:
        parts = [*map(markdown_text, told), *(table.markdown() for table in tables)]
        parts += [f"**Warning:** {markdown_text(w)}" for w in warnings]
        typer.echo("\n\n".join(parts))
    elif style is Style.LATEX:
        comments = [*told, *(f"Warning: {warning}" for warning in warnings)]
        shown = [f"% {printable(comment)}" for comment in comments]
        body = "\n\n".join(table.latex() for table in tables)
        typer.echo("\n".join(["% needs \\usepackage{booktabs}", *shown, body]))
    else:
        _show_on_terminal(verdicts, lines or {}, tables, warnings)


def _show_on_terminal(
    verdicts: Sequence[str],
    lines: Mapping[str, str],
    tables: Sequence[Table],
    warnings: Sequence[str],
) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.width = min(max(console.width, 40), 90)
    for place, verdict in enumerate(verdicts):
        if place:
            console.print()
        console.print(Text(verdict, style="bold"))
    for word, line in lines.items():
        console.print()
        console.print(Text.assemble((f"{word}: ", "bold"), line))
    # A narrow window wraps long lines by itself; numbers must never be cut.
    unbounded = Console(highlight=False, width=1_000)
    for table in tables:
        console.print()
        unbounded.print(table.rich())
        for line in table.notes:
            console.print(Text(printable(line), style="dim"))
    for warning in warnings:
        console.print()
        console.print(Text(f"Warning: {printable(warning)}", style="yellow"))


def check_plot(path: Path | None) -> None:
    """Refuse a figure that could not be saved, before any work is done."""
    if path is not None:
        check_figure_path(path)


def save_plot(draw: Callable[[], Any], path: Path) -> None:
    """Draw and save a figure."""
    with warnings.catch_warnings():
        # A name in a script the font lacks is drawn as boxes, and a very long one crowds
        # the figure; neither is a reason to warn.
        for message in ("Glyph .* missing from", "constrained_layout not applied"):
            warnings.filterwarnings("ignore", message=message, category=UserWarning)
        save_figure(draw(), path)
