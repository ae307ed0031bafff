"""Tables of text, some cells marked: rows in; terminal, Markdown, LaTeX and HTML out."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, replace
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from curvewise.text import html_text, latex_text, markdown_text, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    import rich.table


MAX_TEXT_WIDTH = 60  # characters of a text column on a terminal; longer text is folded
FOLDED_TEXT_WIDTHS = (40, 30, 24, 18, 14)  # tried in turn where a table does not fit
UNLIMITED_WIDTH = 1_000  # characters; wide enough that no line is cut
# Of a number column's name in a wide table, where words allow.
FOLDED_HEADER_WIDTH = 9  # characters
T = TypeVar("T")


@dataclass(frozen=True)
class Mark:
    """How a cell is marked, and what that means.

    Attributes
    ----------
    sign : str
        One character after the text of the cell, where text has no looks: on a terminal, which
        can be copied from, and in Markdown, which underlines nothing.
    look : "bold" or "underlined"
    meaning : str
        In the words of a legend.
    """

    sign: str
    look: Literal["bold", "underlined"]
    meaning: str

    def markdown(self, escaped: str) -> str:
        """Mark a cell of Markdown."""
        if self.look == "bold":
            return f"**{escaped}**"
        return f"{escaped} {markdown_text(self.sign)}"

    def latex(self, escaped: str) -> str:
        """Mark a cell of LaTeX."""
        command = "textbf" if self.look == "bold" else "underline"
        return rf"\{command}{{{escaped}}}"

    def html(self, escaped: str) -> str:
        """Mark a cell of HTML."""
        tag = "strong" if self.look == "bold" else "u"
        return f"<{tag}>{escaped}</{tag}>"


@dataclass(frozen=True)
class Table:
    """A small table of text: a header, rows, and notes beneath.

    Cells are plain text; every format escapes what it would act on.

    Attributes
    ----------
    header : tuple of str
    rows : tuple of tuple of str
        As many cells each as the header has.
    title : str
        Above the table; none if it is empty.
    notes : tuple of str
        A sentence each, beneath the table. LaTeX leaves title and notes to the author.
    n_text_columns : int
        So many columns, the first ones, are aligned to the left; numbers to the right.
    marks : mapping from (row, column) to Mark
        Cells that stand out, each counted from 0; a legend follows the notes. In LaTeX it is a
        comment.
    wide : bool
        Whether the names of columns are folded on a terminal, as where there is one for each of
        many things.
    text_width : int
        Characters of a text column on a terminal; longer text is folded.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    n_text_columns: int = 1
    marks: Mapping[tuple[int, int], Mark] = field(default_factory=dict)
    wide: bool = False
    text_width: int = MAX_TEXT_WIDTH

    @classmethod
    def of(
        cls, items: Collection[T], *columns: tuple[str, Callable[[T], str | None]], **looks: Any
    ) -> Table:
        """Return a table with a row for each item.

        A column is a title and what it says of an item. One that says None of every item is left
        out; elsewhere None is an empty cell. ``looks`` are the other attributes.
        """
        told = [(title, [says(item) for item in items]) for title, says in columns]
        kept = [(title, own) for title, own in told if not items or any(c is not None for c in own)]
        rows = zip(*([cell or "" for cell in own] for _, own in kept), strict=True)
        return cls(tuple(title for title, _ in kept), tuple(rows), **looks)

    def rich(self) -> rich.table.Table:
        """Return the table for a rich console, without its notes."""
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(
            title=Text(printable(self.title)) if self.title else None,
            box=box.SIMPLE_HEAD,
            title_justify="left",
            title_style="bold",
            pad_edge=False,
            show_edge=False,
            collapse_padding=True,
        )
        columns = []
        for place in range(len(self.header)):
            is_text = place < self.n_text_columns
            name, cells = self._column(place)
            table.add_column(
                Text(name),
                # Numbers with signs are in line already; rich would cut blanks off their ends.
                justify="left" if is_text or self.marks else "right",
                no_wrap=not is_text,
                overflow="fold",
                max_width=self.text_width if is_text else None,
            )
            columns.append([Text(cell) for cell in cells])
        for (row, column), mark in self.marks.items():
            if mark.look == "bold":
                columns[column][row].stylize("bold")
        for cells_of_row in zip(*columns, strict=True):
            table.add_row(*cells_of_row)
        return table

    def _column(self, column: int) -> tuple[str, list[str]]:
        """Return the name of a column and its cells for a terminal.

        In a wide table the name is folded between words. Where cells are marked, all numbers have
        room for a sign, so that their digits stay in line.
        """
        name = printable(self.header[column])
        cells = [printable(row[column]) for row in self.rows]
        if column < self.n_text_columns:
            return name, [cell + self._sign(row, column) for row, cell in enumerate(cells)]
        lines = [name]
        if self.wide:
            width = max(map(len, cells), default=0)
            width = max(width, FOLDED_HEADER_WIDTH)
            lines = textwrap.wrap(name, width, break_long_words=False) or lines
        if self.marks:
            signed = [cell + (self._sign(row, column) or " ") for row, cell in enumerate(cells)]
            lines, cells = _in_line([f"{line} " for line in lines], signed)
        return "\n".join(lines), cells

    def _sign(self, row: int, column: int) -> str:
        mark = self.marks.get((row, column))
        return mark.sign if mark else ""

    def portions(self, width: int) -> list[Table]:
        """Return the table in a form that fits a terminal of this width.

        One that does not fit gets the names of its columns folded, then its texts; if that is
        not enough, it is cut into tables of some of its columns. Each has the text columns, and
        at least one other. Title and notes stay with the first and the last.
        """
        from rich.console import Console
        from rich.measure import Measurement

        console = Console(width=UNLIMITED_WIDTH, color_system=None)

        def fits(table: Table) -> bool:
            needed = Measurement.get(console, console.options, table.rich())
            return needed.maximum <= width

        for table in (
            self,
            replace(self, wide=True),
            *(replace(self, wide=True, text_width=most) for most in FOLDED_TEXT_WIDTHS),
        ):
            if fits(table):
                return [table]
        parts: list[list[int]] = [[]]
        for column in range(self.n_text_columns, len(self.header)):
            if parts[-1] and not fits(table._of([*parts[-1], column])):
                parts.append([])
            parts[-1].append(column)
        last = len(parts) - 1
        return [
            replace(
                table._of(columns),
                title="" if place else self.title,
                notes=self.notes if place == last else (),
            )
            for place, columns in enumerate(parts)
        ]

    def _of(self, columns: Sequence[int]) -> Table:
        """Return the table of the text columns and these others."""
        kept = [*range(self.n_text_columns), *columns]
        return replace(
            self,
            header=tuple(self.header[column] for column in kept),
            rows=tuple(tuple(row[column] for column in kept) for row in self.rows),
            marks={
                (row, kept.index(column)): mark
                for (row, column), mark in self.marks.items()
                if column in kept
            },
        )

    def _legend(self) -> list[Mark]:
        """Return each mark once, those in bold first."""
        return sorted(set(self.marks.values()), key=lambda mark: (mark.look, mark.sign))

    def terminal_notes(self) -> list[str]:
        """Return the legend of the signs, and the notes, as lines of text."""
        legend = "; ".join(f"{mark.sign} {mark.meaning}" for mark in self._legend())
        return [*([f"{legend}."] if legend else []), *map(printable, self.notes)]

    def text(self) -> str:
        """Return the table as plain text, as wide as it needs to be."""
        from rich.console import Console

        out = StringIO()
        console = Console(file=out, width=UNLIMITED_WIDTH, color_system=None, legacy_windows=False)
        console.print(self.rich())
        lines = [line.rstrip() for line in out.getvalue().splitlines()]
        return "\n".join([*lines, *self.terminal_notes()])

    def markdown(self) -> str:
        """Return the table in Markdown, with its title and notes."""
        ruler = [
            ":--" if place < self.n_text_columns else "--:" for place in range(len(self.header))
        ]
        cells = [[*map(markdown_text, self.header)], *self._cells(markdown_text, Mark.markdown)]
        lines = ["| " + " | ".join(row) + " |" for row in cells]
        lines.insert(1, "| " + " | ".join(ruler) + " |")
        title = [f"**{markdown_text(self.title)}**", ""] if self.title else []
        legend = "; ".join(
            f"{'**bold**' if mark.look == 'bold' else markdown_text(mark.sign)} "
            f"{markdown_text(mark.meaning)}"
            for mark in self._legend()
        )
        notes = [*([f"{legend}."] if legend else []), *map(markdown_text, self.notes)]
        return "\n".join([*title, *lines, *([""] if notes else []), *notes])

    def latex(self) -> str:
        """Return the table in LaTeX, for the booktabs package."""
        n_numbers = len(self.header) - self.n_text_columns
        columns = "l" * self.n_text_columns + "r" * n_numbers

        def line(cells: Iterable[str]) -> str:
            return "  " + " & ".join(cells) + r" \\"

        legend = "; ".join(f"{mark.look}: {mark.meaning}" for mark in self._legend())
        lines = [f"% {printable(legend)}"] if legend else []
        lines += [
            rf"\begin{{tabular}}{{{columns}}}",
            r"  \toprule",
            line(map(latex_text, self.header)),
            r"  \midrule",
            *map(line, self._cells(latex_text, Mark.latex)),
            r"  \bottomrule",
            r"\end{tabular}",
        ]
        return "\n".join(lines)

    def html(self, *, styled: bool = True) -> str:
        """Return the table in HTML, with its title as caption and notes as paragraphs.

        Where it is not ``styled``, its page has a style for tables and for their class, which is
        "text" and the number of text columns.
        """

        def cell(text: str, place: int, tag: str) -> str:
            side = "left" if place < self.n_text_columns else "right"
            style = f' style="text-align:{side}"' if styled else ""
            return f"<{tag}{style}>{text}</{tag.split(maxsplit=1)[0]}>"

        head = "".join(
            # A header without words is no header.
            cell(html_text(name), place, 'th scope="col"' if name else "td")
            for place, name in enumerate(self.header)
        )
        body = "".join(
            "<tr>"
            + "".join(
                cell(text, place, "td" if place else 'th scope="row"')
                for place, text in enumerate(cells)
            )
            + "</tr>"
            for cells in self._cells(html_text, Mark.html)
        )
        caption = f"<caption>{html_text(self.title)}</caption>" if self.title else ""
        legend = "; ".join(
            f"{mark.html(html_text(mark.look))}: {html_text(mark.meaning)}"
            for mark in self._legend()
        )
        paragraph = "<p>" if styled else '<p class="table-note">'
        notes = f"{paragraph}{legend}.</p>" if legend else ""
        notes += "".join(f"{paragraph}{html_text(note)}</p>" for note in self.notes)
        table = "<table>" if styled else f'<table class="text{self.n_text_columns}">'
        return f"{table}{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"

    def _cells(
        self, escape: Callable[[str], str], marked: Callable[[Mark, str], str]
    ) -> list[list[str]]:
        """Return the cells of all rows, escaped and then marked."""
        return [
            [
                marked(self.marks[row, column], escape(cell))
                if (row, column) in self.marks
                else escape(cell)
                for column, cell in enumerate(cells)
            ]
            for row, cells in enumerate(self.rows)
        ]


def _in_line(*parts: list[str]) -> Iterator[list[str]]:
    """Give every text of all parts the same width, with blanks before it."""
    from rich.cells import cell_len

    width = max(cell_len(text) for part in parts for text in part)
    for part in parts:
        yield [" " * (width - cell_len(text)) + text for text in part]
