r"""The page: sections and data in, one HTML file out.

Everything from data is escaped by ``html_text``, or stands in the JSON, in which every ``<`` is
written ``\\u003c``. The policy in the page allows its own script and style, by their hashes,
and nothing from anywhere else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from curvewise.text import html_text, plural

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from curvewise.rendering.looks import Look
    from curvewise.rendering.tables import Table

__all__ = ["Document", "Section", "Task", "script", "table_html"]

PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="curvewise $version">
<title>$title</title>
<style>$style</style>
</head>
<body>
<a class="skip" href="#verdict">Skip to the verdict</a>
<header><h1>$title</h1><button type="button" class="theme needs-script" hidden>Light / dark</button></header>
<main>
$body
</main>
<template id="chart">$chart</template>
<script type="application/json" id="curvewise-data">$data</script>
<script>$script</script>
</body>
</html>
""")
COPIES = {
    "verdict": "Copy the verdict",
    "latex": "Copy tables as LaTeX",
    "markdown": "Copy as Markdown",
    "bibtex": "Cite (BibTeX)",
}
UNABLE = (
    "This browser cannot unpack the curves (it lacks DecompressionStream), so they cannot be "
    "explored here. All that is said, the tables and a still picture are."
)
MAX_NOTES = 3  # that are shown at once


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own.

    ``html`` is what stands after the words: pictures, already escaped. ``table`` is the number
    of the table whose curves the section shows, if it shows any.
    """

    heading: str
    headline: str = ""
    words: tuple[str, ...] = ()
    html: str = ""
    tables: tuple[Table, ...] = ()
    table: int | None = None


@dataclass(frozen=True)
class Task:
    """One of several tables: its name, its headline, a thumbnail, and its sections."""

    name: str
    headline: str
    thumbnail: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Document:
    """All of a report.

    ``about_tasks`` says what holds of every task; ``made`` says how the report was made: what each line is about, and the line.
    """

    title: str
    headline: str
    words: tuple[str, ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]
    tasks: tuple[Task, ...]
    about_tasks: str
    made: tuple[tuple[str, str], ...]
    looks: Mapping[str, Look]
    data: Mapping[str, Any]
    version: str

    def html(self) -> str:
        """Return the page."""
        code, style = script(), _style(self.looks.values())
        return PAGE.substitute(
            policy=_policy(code, style),
            version=html_text(self.version),
            title=html_text(self.title),
            style=style,
            body="\n".join(self._body()),
            chart=_lines("chart.html"),
            data=json_text(self.data),
            script=code,
        )

    def _body(self) -> Iterable[str]:
        yield f'<p class="headline" id="verdict">{html_text(self.headline)}</p>'
        yield from (f"<p>{html_text(words)}</p>" for words in self.words)
        buttons = "".join(
            f'<button type="button" data-copy="{key}">{words}</button>'
            for key, words in COPIES.items()
        )
        yield f'<p class="buttons needs-script" hidden>{buttons}</p>'
        yield from _notes_html(self.warnings)
        yield f'<p class="note unable" hidden>{UNABLE}</p>'
        yield from (_section_html(section, 2) for section in self.sections)
        if self.tasks:
            yield f"<section><h2>Task by task</h2><p>{html_text(self.about_tasks)}</p>"
            yield from map(_task_html, self.tasks)
            yield "</section>"
        yield '<section><h2>How this was made</h2><dl class="made">'
        yield from (
            f"<dt>{html_text(what)}</dt><dd>{html_text(text)}</dd>"
            for what, text in self.made
        )
        yield "</dl></section>"


def _notes_html(warnings: Sequence[str]) -> Iterable[str]:
    """Yield the warnings, the gravest first; of many, the others fold out."""
    notes = [
        f'<p class="note"><strong>Note.</strong> {html_text(warning)}</p>'
        for warning in warnings
    ]
    yield from notes[:MAX_NOTES]
    if notes[MAX_NOTES:]:
        more = plural(len(notes) - MAX_NOTES, "more note")
        inside = "\n".join(notes[MAX_NOTES:])
        yield f'<details class="notes"><summary>{more}</summary>{inside}</details>'


def _section_html(section: Section, level: int) -> str:
    parts = [f"<section><h{level}>{html_text(section.heading)}</h{level}>"]
    if section.headline:
        parts.append(f'<p class="headline">{html_text(section.headline)}</p>')
    parts += [f"<p>{html_text(words)}</p>" for words in section.words]
    parts.append(section.html)
    if section.table is not None:
        parts.append(f'<div class="live" data-table="{section.table}" hidden></div>')
    parts += map(table_html, section.tables)
    return "\n".join([*parts, "</section>"])


def _task_html(task: Task) -> str:
    inside = "\n".join(_section_html(section, 3) for section in task.sections)
    return (
        f'<details class="task"><summary><span class="mini">{task.thumbnail}</span>'
        f'<span class="words"><span class="name">{html_text(task.name)}</span>'
        f"{html_text(task.headline)}</span></summary>\n{inside}\n</details>"
    )


def table_html(table: Table) -> str:
    """Return a table that scrolls in a box of its own, with its title and notes."""
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="Table">'
        f"{table.html(styled=False)}</div>"
    )


def json_text(data: Mapping[str, Any]) -> str:
    """Return data as JSON that cannot end the script element it stands in."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


@cache
def _asset(name: str) -> str:
    return (files("curvewise.reports") / "assets" / name).read_text(encoding="utf-8")


def _lines(name: str) -> str:
    """Return an asset without its indentation."""
    return "\n".join(line.strip() for line in _asset(name).splitlines())


@cache
def script() -> str:
    """Return the script: all files in the order of their names, without comments, in a closure."""
    folder = files("curvewise.reports") / "assets"
    names = sorted(own.name for own in folder.iterdir() if own.name.endswith(".js"))
    lines = [line.strip() for name in names for line in _asset(name).splitlines()]
    code = "\n".join(line for line in lines if line and not line.startswith("//"))
    return f'(() => {{\n"use strict";\n{code}\n}})();'


def _style(looks: Collection[Look]) -> str:
    """Return the style, with the colours of the algorithms on light and on dark ground."""
    numbered = list(enumerate(looks))
    light = "".join(f".look{number}{{--own:{own.colour}}}" for number, own in numbered)
    dark = {
        theme: "".join(
            f"{theme} .look{number}{{--own:{own.dark}}}" for number, own in numbered
        )
        for theme in (':root[data-theme="dark"]', ':root:not([data-theme="light"])')
    }
    chosen, preferred = dark.values()
    rules = _compact(_lines("style.css"))
    media = "@media screen and (prefers-color-scheme: dark)"
    return f"{rules}\n{light}{chosen}{media}{{{preferred}}}"


def _compact(rules: str) -> str:
    """Return a style sheet without the space that only people need.

    >>> _compact("a, b { color: red; margin: 0 1px; }")
    'a,b{color:red;margin:0 1px}'
    """
    close = re.sub(r"\s*([{};,])\s*|: ", lambda own: own[1] or ":", rules)
    return close.replace(";}", "}")


def _policy(code: str, style: str) -> str:
    def hashed(text: str) -> str:
        digest = hashlib.sha256(text.encode("utf-8")).digest()
        return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

    rules = {
        "default-src": "'none'",
        "script-src": hashed(code),
        "style-src": hashed(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())
