"""Tables of text: rows in; terminal, Markdown, LaTeX and HTML out."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from curvewise.text import html_text, latex_text, markdown_text, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import rich.table

__all__ = ["Table"]

MAX_TEXT_WIDTH = 60  # characters of a text column on a terminal; longer text is folded
UNLIMITED_WIDTH = 1_000  # characters; wide enough that no line is cut


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
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    n_text_columns: int = 1

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
        for place, name in enumerate(self.header):
            is_text = place < self.n_text_columns
            table.add_column(
                Text(printable(name)),
                justify="left" if is_text else "right",
                no_wrap=not is_text,
                overflow="fold",
                max_width=MAX_TEXT_WIDTH if is_text else None,
            )
        for row in self.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        return table

    def text(self) -> str:
        """Return the table as plain text, as wide as it needs to be."""
        from rich.console import Console

        out = StringIO()
        console = Console(
            file=out, width=UNLIMITED_WIDTH, color_system=None, legacy_windows=False
        )
        console.print(self.rich())
        lines = [line.rstrip() for line in out.getvalue().splitlines()]
        return "\n".join([*lines, *(printable(note) for note in self.notes)])

    def markdown(self) -> str:
        """Return the table in Markdown, with its title and notes."""
        ruler = [
            ":--" if place < self.n_text_columns else "--:"
            for place in range(len(self.header))
        ]
        cells = [self.header, *self.rows]
        lines = ["| " + " | ".join(map(markdown_text, row)) + " |" for row in cells]
        lines.insert(1, "| " + " | ".join(ruler) + " |")
        title = [f"**{markdown_text(self.title)}**", ""] if self.title else []
        notes = ["", *map(markdown_text, self.notes)] if self.notes else []
        return "\n".join([*title, *lines, *notes])

    def latex(self) -> str:
        """Return the table in LaTeX, for the booktabs package."""
        n_numbers = len(self.header) - self.n_text_columns
        columns = "l" * self.n_text_columns + "r" * n_numbers

        def line(row: Sequence[str]) -> str:
            return "  " + " & ".join(map(latex_text, row)) + r" \\"

        lines = [rf"\begin{{tabular}}{{{columns}}}", r"  \toprule", line(self.header)]
        lines += [
            r"  \midrule",
            *map(line, self.rows),
            r"  \bottomrule",
            r"\end{tabular}",
        ]
        return "\n".join(lines)

    def html(self) -> str:
        """Return the table in HTML, with its title as caption and notes as paragraphs."""

        def row(cells: Iterable[str], tag: str) -> str:
            shown = "".join(
                f'<{tag} style="text-align:{"left" if i < self.n_text_columns else "right"}">'
                f"{html_text(cell)}</{tag}>"
                for i, cell in enumerate(cells)
            )
            return f"<tr>{shown}</tr>"

        caption = f"<caption>{html_text(self.title)}</caption>" if self.title else ""
        body = "".join(row(cells, "td") for cells in self.rows)
        notes = "".join(f"<p>{html_text(note)}</p>" for note in self.notes)
        head = row(self.header, "th")
        return (
            f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{notes}"
        )
