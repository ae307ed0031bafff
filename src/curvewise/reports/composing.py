"""Curves and results in, the parts of a page out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise import __version__
from curvewise.data.display import Display
from curvewise.inference.phrases import names_text
from curvewise.inference.shown_together import warnings_of
from curvewise.questions.best.bests import Bests
from curvewise.questions.compare.result import Comparison
from curvewise.questions.locate.result import Location
from curvewise.questions.overview.result import Overview
from curvewise.rendering.looks import looks_of
from curvewise.rendering.tables import Table
from curvewise.reports.document import Document, Section, Task
from curvewise.reports.given import Given
from curvewise.reports.packing import packed_json
from curvewise.reports.payload import SCHEMA, result_record, table_record
from curvewise.reports.provenance import bibtex, made_of
from curvewise.reports.stills import figure_image, mean_curves, small_curves
from curvewise.text import (
    capitalised,
    column_texts,
    markdown_text,
    plural,
    printable,
    step_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from curvewise.data.curves import Curves
    from curvewise.inference.result import Result
    from curvewise.rendering.looks import Look

__all__ = ["Options", "compose"]

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


@dataclass(frozen=True)
class Options:
    """What the caller of a report can choose, and what only the caller knows of how it was made."""

    title: str | None = None
    step_name: str | None = None
    score_name: str | None = None
    runs: bool = True
    made: Mapping[str, str] = field(default_factory=dict)


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
    options: Options

    @property
    def main(self) -> Result | None:
        """The result that gives the headline and the verdict: the first one."""
        return self.results[0] if self.results else None

    @property
    def parts(self) -> list[Result]:
        """All results, with what an overview holds in its place."""
        found: list[Result] = []
        for result in self.results:
            found.append(result)
            if isinstance(result, Overview):
                own = (result.location, result.best)
                found += [part for part in own if part is not None]
        return found

    @property
    def location(self) -> Location | None:
        """Where the curves differ: what knows of windows before what does not."""
        found = [part for part in self.parts if isinstance(part, Location)]
        return max(found, key=lambda own: own.windows is not None, default=None)

    @property
    def display(self) -> Display:
        """What steps and scores are called: as the caller says, or as the table does."""
        own = self.curves.display
        return replace(
            own,
            step_name=self.options.step_name or own.step_name,
            score_name=self.options.score_name or own.score_name,
        )

    @property
    def headline(self) -> str:
        """The line to begin with."""
        if self.main is not None:
            return self.main.headline()
        names = capitalised(names_text(self.curves.algorithms))
        return f"{names}: {plural(self.curves.n_runs, 'run')}, {plural(self.curves.n_steps, 'step')}."

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
        drawn = table_record(
            self.curves,
            self.location,
            self.looks,
            self.display,
            runs=self.options.runs,
        )
        return {
            "name": printable(name),
            **drawn,
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
    image = (
        "" if drawn else f'<figure class="figure">{figure_image(result, curves)}</figure>'
    )
    return Section(
        question.split("\n")[0],
        headline="" if is_main else result.headline(),
        words=() if is_main else (result.describe(),),
        html=image,
        tables=tuple(result.tables()),
    )


def _means_table(curves: Curves, step_name: str) -> Table:
    """Return the mean scores at all steps, or at some that are evenly spread."""
    n_listed = min(curves.n_steps, MAX_STEPS_LISTED)
    listed = np.unique(np.linspace(0, curves.n_steps - 1, n_listed).astype(int))
    columns = [[step_text(step) for step in curves.steps[listed].tolist()]]
    for code in range(len(curves.algorithms)):
        means = curves.scores[curves.codes == code].mean(axis=0)
        columns.append(column_texts(means[listed].tolist()))
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
    options: Options,
) -> Document:
    """Return the page of one table of curves, or of several tasks, with what was found.

    Raises `OptionError` if something else is given, or a result about other curves.
    """
    given = Given.of(curves, results)
    tables, whole, several = given.tables, given.whole, given.several
    looks = looks_of(_everyone(tables.values()))
    ones = {
        name: OneTable(number, own, given.about(name), looks, options)
        for number, (name, own) in enumerate(tables.items())
    }
    title = options.title or _title(tables, several=several)
    if several:
        headline = whole[0].headline() if whole else f"{plural(len(tables), 'task')}."
        words: tuple[str, ...] = (whole[0].describe(),) if whole else ()
        warnings = warnings_of(whole)
        sections = [result_section(own, None, is_main=own is whole[0]) for own in whole]
        tasks = tuple(_task(name, one) for name, one in ones.items())
    else:
        (one,) = ones.values()
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
        about_tasks=_about_tasks(whole),
        made=tuple(made_of(tables, given.everything, options.made)),
        looks=looks,
        data={
            "schema": SCHEMA,
            "curvewise": __version__,
            "title": printable(title),
            "tables": [one.record(name) for name, one in ones.items()],
            "results": packed_json([result_record(own) for own in whole]),
            "copies": packed_json(_copies(headline, words, shown)),
        },
        version=__version__,
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
        name,
        one.headline,
        small_curves(one.curves, one.looks),
        (*verdict, *notes, *one.sections()),
    )


def _about_tasks(whole: Iterable[Result]) -> str:
    """Say which p of single tasks allow for how many there are."""
    judged = any(isinstance(own, Bests) for own in whole)
    return f"{ALONE} {BESTS}" if judged else ALONE


def _copies(headline: str, words: tuple[str, ...], tables: list[Table]) -> dict[str, str]:
    """Return the texts that can be copied."""
    parts = [
        f"## {markdown_text(headline)}",
        *map(markdown_text, words),
        *(table.markdown() for table in tables),
    ]
    return {
        "verdict": " ".join(words) or headline,
        "latex": "\n\n".join(
            ["% needs \\usepackage{booktabs}", *(table.latex() for table in tables)]
        ),
        "markdown": "\n\n".join(parts) + "\n",
        "bibtex": bibtex(),
    }


def _title(tables: Mapping[str, Curves], *, several: bool) -> str:
    if several:
        return f"Learning curves on {plural(len(tables), 'task')}"
    (own,) = tables.values()
    return f"Learning curves of {names_text(own.algorithms)}"
