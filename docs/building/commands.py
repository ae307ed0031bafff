"""A page for each command, made of what its ``--help`` says."""

from __future__ import annotations

import inspect
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click import Context

from curvewise.cli import COMMANDS, app
from curvewise.cli.terminal import EPILOG
from docs.building.writing import write_if_changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sphinx.application import Sphinx

__all__ = ["Sections", "command_page", "setup", "write_pages"]

WIDE = 10_000  # columns: tables wrap by themselves
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for pages."""
    app.connect("config-inited", lambda app, _: write_pages(Path(app.srcdir)))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(docs: Path) -> None:
    """Write generated/commands: a page for each command, and one that lists them."""
    folder = docs / "generated" / "commands"
    commands: dict[str, Any] = {name: app.get_command(Context(app), name) for name in COMMANDS}
    lines = [f"| [{name}]({name}.md) | {_first_line(commands[name])} |" for name in commands]
    toctree = ["```{toctree}", ":hidden:", "", *commands, "```"]
    write_if_changed(
        folder / "index.md",
        [
            "# Commands",
            "",
            "Every option of every command, as `curvewise COMMAND --help` prints it.",
            "",
            *("| command | what it answers or does |", "|:--|:--|", *lines),
            "",
            EPILOG,
            "",
            *toctree,
        ],
    )
    for name, command in commands.items():
        page = docs / f"{name}.md"
        write_if_changed(folder / f"{name}.md", command_page(command, how_to=page.exists()))


def command_page(command: Any, *, how_to: bool) -> list[str]:
    """Return the lines of the page of a command."""
    context = command.make_context(
        command.name,
        [],
        parent=app.make_context("curvewise", [], resilient_parsing=True),
        resilient_parsing=True,
    )
    context.max_content_width = context.terminal_width = WIDE
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f"# curvewise {command.name}",
        "",
        "```text",
        f"curvewise {command.name} {usage}",
        "```",
        "",
        *(_plain(line) for line in inspect.cleandoc(command.help).splitlines()),
        "",
    ]
    if how_to:
        lines += [f"How to use it, with examples: [{command.name}](../../{command.name}.md).", ""]
    sections = Sections()
    command.format_options(context, sections)
    for heading, records in sections.records.items():
        lines += [f"## {heading}", "", "| name | meaning |", "|:--|:--|"]
        lines += [f"| `{_cell(names)}` | {_cell(_plain(text))} |" for names, text in records]
        lines += [""]
    return lines


class Sections:
    """Takes the place of a formatter of help: keeps what is written under each heading."""

    def __init__(self) -> None:
        self.records: dict[str, list[tuple[str, str]]] = {}
        self._heading = ""

    @contextmanager
    def section(self, heading: str) -> Iterator[None]:
        """Write under a heading."""
        self._heading = heading
        yield

    def write_dl(self, records: Iterable[tuple[str, str]], **_: Any) -> None:
        """Keep names and what they mean."""
        self.records.setdefault(self._heading, []).extend(records)


def _first_line(command: Any) -> str:
    paragraph = inspect.cleandoc(command.help).partition("\n\n")[0]
    return _cell(_plain(" ".join(paragraph.split())))


def _plain(text: str) -> str:
    """Keep signs that Markdown would take for its own; show options as code."""
    for sign in "\\*_`<[{":
        text = text.replace(sign, f"\\{sign}")
    return OPTION.sub(r"`\g<0>`", text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
