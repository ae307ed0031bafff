"""``curvewise serve``: a page on this computer to drop results on."""

from __future__ import annotations

import threading
import webbrowser
from pathlib import Path  # noqa: TC003 (typer reads the annotations)
from typing import Annotated

import typer

from curvewise.cli.printing import note
from curvewise.cli.streams import ignore_closed_pipes

__all__ = ["serve"]

MEGABYTE = 1_000_000


def _open(address: str) -> None:
    if not webbrowser.open(address):
        note("No browser could be opened here; open the address yourself.")


def serve(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            help="Files or folders to show at once; they are read in place.",
            show_default=False,
        ),
    ] = None,
    *,
    port: Annotated[
        int, typer.Option(help="Where to listen; 0 is any port that is free.")
    ] = 0,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Who can reach the page: only this computer by default.",
        ),
    ] = "127.0.0.1",
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address only.")
    ] = False,
    max_size: Annotated[
        int, typer.Option(metavar="MB", min=1, help="How much can be dropped in all.")
    ] = 200,
    max_files: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many files can be dropped.")
    ] = 2_000,
    max_memory: Annotated[
        int, typer.Option(metavar="GB", min=1, help="What a comparison may use.")
    ] = 4,
) -> None:
    """Open a page in the browser to drop results on.

    It shows what they are, and makes the report. The page is on this computer, and nothing
    leaves it. Files that are dropped are deleted when the page ends, with Ctrl-C or after
    eight hours without use. Needs the extra curvewise[serve].

    Examples: curvewise serve; curvewise serve runs/ --port 8000 --no-browser
    """
    from curvewise.serve.files import Limits
    from curvewise.serve.guard import is_loopback
    from curvewise.serve.jobs import GIGABYTE
    from curvewise.serve.serving import serve as serve_page

    ignore_closed_pipes()  # a browser may leave while it is answered
    if not is_loopback(host):
        note(
            f"Warning: with --host {host} others on the network can reach this page, and what "
            "it sends is not encrypted. Whoever has the address can read the files."
        )

    def ready(address: str, once: str) -> None:
        typer.echo(f"The page is at {address}")
        note("It is for you alone: the address holds a key. Ctrl-C ends it.")
        if not no_browser:
            # Some browsers keep whoever opens them waiting.
            threading.Thread(target=_open, args=[once], daemon=True).start()

    why = serve_page(
        paths or [],
        host=host,
        port=port,
        limits=Limits(max_size * MEGABYTE, max_files),
        memory=max_memory * GIGABYTE,
        ready=ready,
    )
    idle = "Nobody asked for eight hours. " if why == "idle" else ""
    note(f"{idle}The page has ended; the files that were dropped on it are deleted.")
