r"""The page of a report: its still pictures, its sections, and the one HTML file.

Everything from data is escaped by ``html_text``, or stands in the JSON, in which every ``<`` is
written ``\\u003c``. The policy in the page allows its own script and style, by their hashes,
and nothing from anywhere else.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import math
import re
import warnings
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise import __version__
from curvewise.data.curves import Display, scores_by_algorithm
from curvewise.inference.result import names_text, warnings_of
from curvewise.questions.best.result import Bests
from curvewise.questions.compare.result import Comparison
from curvewise.questions.locate.result import Location
from curvewise.questions.overview.result import Overview
from curvewise.rendering.curves import evenly_spread, mean_lines
from curvewise.rendering.figures import drawn_alike, looks_of, needed_to_draw
from curvewise.rendering.tables import Table
from curvewise.reports.ask import BIBTEX, Given, made_of
from curvewise.reports.payload import SCHEMA, packed_json, result_record, table_record
from curvewise.text import (
    capitalised,
    column_texts,
    html_text,
    markdown_text,
    number_text,
    plural,
    printable,
    shortened,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Result
    from curvewise.rendering.figures import Look


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
        for value, y in ((low, bottom), ((low + high) / 2, (top + bottom) / 2), (high, top))
    ]
    steps = curves.steps
    parts += [
        f'<text x="{x}" y="{bottom + 18}" text-anchor="{anchor}">{step_text(step)}</text>'
        for step, x, anchor in ((steps[0], left, "start"), (steps[-1], right, "end"))[: len(steps)]
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
    names = list(looks)
    drawn = "".join(
        f'<g class="look{names.index(name)}">{_drawn(path, "")}</g>'
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
    with needed_to_draw(), warnings.catch_warnings(), drawn_alike() as metadata:
        # Names in a script the font lacks, or longer than the figure, are no reason to warn.
        warnings.simplefilter("ignore", UserWarning)
        figure = result.figure(curves)
        drawn = io.BytesIO()
        figure.savefig(drawn, format="svg", metadata=metadata["svg"])
        kind = "svg+xml"
        if drawn.tell() > MAX_SVG:
            drawn, kind = io.BytesIO(), "png"
            figure.savefig(drawn, format="png", dpi=DPI)
        width = math.ceil(96 * figure.get_figwidth())
    text = base64.b64encode(drawn.getvalue()).decode("ascii")
    alt = html_text(f"Figure: {result.headline()}")
    return f'<img width="{width}" alt="{alt}" src="data:image/{kind};base64,{text}">'


MAX_STEPS_LISTED = 25
WITHOUT_OVERALL = (
    "The overall test found no difference, so nothing about where is claimed with it. What "
    "follows is a test of its own, with its own chance of a false alarm."
)
ALONE = (
    "What is said of a task here is about this task alone: its p are not adjusted for the "
    "number of tasks."
)
BESTS = "Only who may be the best is judged at a level that allows for all tasks."


class Shown(NamedTuple):
    """Whose looks are wanted, and who is in the tables."""

    algorithms: tuple[str, ...]
    display: Display


@dataclass(frozen=True)
class OneTable:
    """One table of curves with its results, as the page tells of it."""

    number: int
    curves: Curves
    results: tuple[Result, ...]
    looks: Mapping[str, Look]
    display: Display  # what steps and scores are called
    runs: bool  # whether every run is drawn

    @property
    def main(self) -> Result | None:
        """The result that gives the headline and the verdict: the first one."""
        return self.results[0] if self.results else None

    @property
    def parts(self) -> list[Result]:
        """All results, with what an overview holds in its place."""
        return [
            part
            for own in self.results
            for part in ((own, own.location, own.best) if isinstance(own, Overview) else (own,))
            if part is not None
        ]

    @property
    def location(self) -> Location | None:
        """Where the curves differ: what knows of windows before what does not."""
        found = [part for part in self.parts if isinstance(part, Location)]
        return max(found, key=lambda own: own.windows is not None, default=None)

    @property
    def headline(self) -> str:
        """The line to begin with."""
        if self.main is not None:
            return self.main.headline()
        own = self.curves
        names = capitalised(names_text(own.algorithms))
        return f"{names}: {plural(own.n_runs, 'run')}, {plural(own.n_steps, 'step')}."

    @property
    def words(self) -> tuple[str, ...]:
        """The paragraph to quote."""
        return () if self.main is None else (self.main.describe(),)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know, once each."""
        return warnings_of(self.results)

    def record(self, name: str) -> dict[str, Any]:
        """Return the data of the page about this table."""
        return {
            "name": printable(name),
            **table_record(self.curves, self.location, self.looks, self.display, runs=self.runs),
            "results": packed_json([result_record(result) for result in self.results]),
        }

    def sections(self) -> list[Section]:
        """Return where the curves differ, what else was asked, and the tables."""
        # What the main result and the location say stands elsewhere on the page.
        told = (self.location, *([self.main] if self._is_compared else []))
        others = [
            result_section(part, self.curves, is_main=part is self.main)
            for part in self.parts
            if not any(part is own for own in told)
        ]
        tables = Section("Tables", tables=tuple(self._tables()))
        return [self._curves(), *others, tables]

    @property
    def _is_compared(self) -> bool:
        return isinstance(self.main, Comparison | Overview)

    def _curves(self) -> Section:
        location = self.location
        still = mean_curves(self.curves, self.looks, self.display)
        words = []
        if location is not None:
            if isinstance(self.main, Comparison) and not self.main.overall.significant:
                words.append(WITHOUT_OVERALL)
            words.append(location.describe())
        return Section(
            "The curves" if location is None else "Where do they differ?",
            words=tuple(words),
            html=f'<figure class="still">{still}</figure>',
            table=self.number,
        )

    def _tables(self) -> Iterable[Table]:
        if self.main is not None and self._is_compared:
            yield from self.main.tables()
        if self.location is not None:
            yield from self.location.tables()
        yield _means_table(self.curves, self.display.step_name)


def result_section(result: Result, curves: Curves | None, *, is_main: bool) -> Section:
    """Return the section of any result: its question, headline, words, figure and tables."""
    package = type(result).__module__.rpartition(".")[0]
    question = (import_module(package).__doc__ or "").strip()
    # What comparisons and locations draw are the curves, which are on the page.
    drawn = isinstance(result, Comparison | Overview | Location)
    image = "" if drawn else f'<figure class="figure">{figure_image(result, curves)}</figure>'
    return Section(
        question.split("\n")[0],
        headline="" if is_main else result.headline(),
        words=() if is_main else (result.describe(),),
        html=image,
        tables=tuple(result.tables()),
    )


def _means_table(curves: Curves, step_name: str) -> Table:
    """Return the mean scores at all steps, or at some that are evenly spread."""
    listed = evenly_spread(curves.n_steps, MAX_STEPS_LISTED)
    columns = [[step_text(step) for step in curves.steps[listed].tolist()]]
    means = (scores.mean(axis=0) for scores in scores_by_algorithm(curves))
    columns += [column_texts(own[listed].tolist()) for own in means]
    note = f"{plural(len(listed), 'step')} of {curves.n_steps:,} are listed."
    return Table(
        (step_name, *curves.algorithms),
        tuple(zip(*columns, strict=True)),
        title="Mean scores",
        notes=(note,) if len(listed) < curves.n_steps else (),
    )


def compose(
    curves: Curves | Mapping[str, Curves],
    results: Sequence[Result | Mapping[str, Any]],
    title: str | None = None,
    step_name: str | None = None,
    score_name: str | None = None,
    made: Mapping[str, str] | None = None,
    *,
    runs: bool = True,
) -> Document:
    """Return the page of one table of curves, or of several tasks, with what was found.

    The options are those of `report`. Raises `OptionError` if something else is given, or a result about other curves.
    """
    given = Given.of(curves, results)
    tables, whole, several = given.tables, given.whole, given.several
    looks = looks_of(_everyone(tables.values()))
    ones = {
        name: OneTable(
            *(number, own, given.about(name), looks),
            replace(
                own.display,
                step_name=step_name or own.display.step_name,
                score_name=score_name or own.display.score_name,
            ),
            runs,
        )
        for number, (name, own) in enumerate(tables.items())
    }
    if several:
        title = title or f"Learning curves on {plural(len(tables), 'task')}"
        headline = whole[0].headline() if whole else f"{plural(len(tables), 'task')}."
        words: tuple[str, ...] = (whole[0].describe(),) if whole else ()
        warnings = warnings_of(whole)
        sections = [result_section(own, None, is_main=own is whole[0]) for own in whole]
        tasks = tuple(_task(name, one) for name, one in ones.items())
    else:
        (one,) = ones.values()
        title = title or f"Learning curves of {names_text(one.curves.algorithms)}"
        headline, words, warnings = one.headline, one.words, one.warnings
        sections, tasks = one.sections(), ()
    shown = [table for own in sections for table in own.tables]
    return Document(
        title=title,
        headline=headline,
        words=words,
        warnings=warnings,
        sections=tuple(sections),
        tasks=tasks,
        about_tasks=f"{ALONE} {BESTS}" if any(isinstance(own, Bests) for own in whole) else ALONE,
        made=tuple(made_of(tables, given.everything, made or {})),
        looks=looks,
        data={
            "schema": SCHEMA,
            "curvewise": __version__,
            "title": printable(title),
            "tables": [one.record(name) for name, one in ones.items()],
            "results": packed_json([result_record(own) for own in whole]),
            "copies": packed_json(_copies(headline, words, shown)),
        },
    )


def _everyone(tables: Iterable[Curves]) -> Shown:
    """Return the algorithms of all tables, so that a name has one look in the whole report."""
    display, names = Display(), dict[str, None]()
    for own in tables:
        display = display.of(own.display.everyone)
        names |= dict.fromkeys(own.algorithms)
    return Shown(tuple(names), display)


def _task(name: str, one: OneTable) -> Task:
    notes = [Section("Notes", words=one.warnings)] if one.warnings else []
    verdict = [Section("Verdict", words=one.words)] if one.words else []
    return Task(
        name, one.headline, small_curves(one.curves, one.looks), (*verdict, *notes, *one.sections())
    )


def _copies(headline: str, words: tuple[str, ...], tables: list[Table]) -> dict[str, str]:
    """Return the texts that can be copied."""
    told = [f"## {markdown_text(headline)}", *map(markdown_text, words)]
    latex = ["% needs \\usepackage{booktabs}", *(table.latex() for table in tables)]
    return {
        "verdict": " ".join(words) or headline,
        "latex": "\n\n".join(latex),
        "markdown": "\n\n".join([*told, *(table.markdown() for table in tables)]) + "\n",
        "bibtex": BIBTEX,
    }


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

    def html(self) -> str:
        """Return the page."""
        code, style = script(), _style(self.looks.values())
        return PAGE.substitute(
            policy=_policy(code, style),
            version=__version__,
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
            f"<dt>{html_text(what)}</dt><dd>{html_text(text)}</dd>" for what, text in self.made
        )
        yield "</dl></section>"


def _notes_html(warnings: Sequence[str]) -> Iterable[str]:
    """Yield the warnings, the gravest first; of many, the others fold out."""
    notes = [
        f'<p class="note"><strong>Note.</strong> {html_text(warning)}</p>' for warning in warnings
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
    chosen, preferred = (
        "".join(f"{theme} .look{number}{{--own:{own.dark}}}" for number, own in numbered)
        for theme in (':root[data-theme="dark"]', ':root:not([data-theme="light"])')
    )
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


def hashed(text: str) -> str:
    """Return how a policy names a script or a style that it allows."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _policy(code: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src {hashed(code)}; style-src {hashed(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
