"""Rows in; terminal, Markdown, LaTeX and HTML out. Numbers are rounded here and only here.

Names come from data and may hold anything, so each way out escapes what it must.
"""

from __future__ import annotations

import html
import math
import re
import unicodedata
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import rich.table

__all__ = [
    "Table",
    "column_texts",
    "html_text",
    "latex_text",
    "markdown_text",
    "number_text",
    "p_text",
    "printable",
]


@dataclass(frozen=True)
class Table:
    """A small table of text: a header, rows, and notes beneath."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    n_text_columns: int = field(default=1)  # these stand left, numbers stand right

    def rich(self) -> rich.table.Table:
        """Return the table for a rich console."""
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
                max_width=60 if is_text else None,
            )
        for row in self.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        return table

    def text(self) -> str:
        """Return the table as plain text."""
        from rich.console import Console

        out = StringIO()
        # Wide enough that nothing is cut: text that is printed elsewhere has no width.
        console = Console(file=out, width=1_000, color_system=None, legacy_windows=False)
        console.print(self.rich())
        lines = [line.rstrip() for line in out.getvalue().splitlines()]
        return "\n".join([*lines, *(printable(note) for note in self.notes)])

    def markdown(self) -> str:
        """Return the table in Markdown."""
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
        """Return the table in HTML."""

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


def printable(text: str) -> str:
    r"""Spell out control characters, so that a name cannot steer a terminal.

    >>> print(printable("red \x1b[31m"))
    red \x1b[31m
    """
    return "".join(
        character
        if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        else character.encode("unicode_escape").decode()
        for character in text
    )


def markdown_text(text: str) -> str:
    """Escape what Markdown, or HTML inside it, would act on."""
    escaped = re.sub(r"([\\`*_{}\[\]<>|#~$])", r"\\\1", printable(text))
    # A name such as "1. base" or "- x" must not begin a list.
    escaped = re.sub(r"^(\d*)([-+.)])", r"\1\\\2", escaped)
    return escaped.replace("&", "&amp;")


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "×": r"$\times$",
    "✓": r"$\surd$",
    "–": "--",
    "≤": r"$\leq$",
    "²": r"$^2$",
    "ω": r"$\omega$",
    "α": r"$\alpha$",
}


def latex_text(text: str) -> str:
    r"""Escape what LaTeX would act on.

    >>> print(latex_text("A_1 & 50 %"))
    A\_1 \& 50 \%
    """
    escaped = "".join(_LATEX.get(character, character) for character in printable(text))
    # After a row's end, a bracket or star would be taken for an argument of it.
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def html_text(text: str) -> str:
    """Escape what a browser would act on."""
    return html.escape(printable(text))


def p_text(pvalue: float) -> str:
    """Write a p-value with the digits that matter.

    >>> [p_text(p) for p in (0.69841, 0.05, 0.00794, 0.000012, 1.0)]
    ['0.698', '0.0500', '0.00794', '1.2e-05', '1.000']
    """
    if pvalue >= 0.0995:
        return f"{pvalue:.3f}"
    if pvalue >= 1e-4:
        return f"{pvalue:#.3g}"
    return f"{pvalue:.1e}" if pvalue > 0 else "< 1e-300"


def number_text(value: float) -> str:
    """Write a number with four significant digits, or a digit per power of ten.

    >>> [number_text(x) for x in (1234567.8, 42.4242, -0.012345, 0.0, float("inf"))]
    ['1234568', '42.42', '-0.01235', '0', 'inf']
    """
    if math.isinf(value) or value == 0:
        return f"{value:.0f}"
    size = math.floor(math.log10(abs(value)))
    return f"{value:.3e}" if size > 9 or size < -5 else f"{value:.{max(0, 3 - size)}f}"


def column_texts(values: Sequence[float | None]) -> list[str]:
    """Write a column of numbers with the same decimals throughout.

    >>> column_texts([490.6, None, 148848.4])
    ['490.60', '', '148848.40']
    """
    known = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max(known, default=0.0)
    size = math.floor(math.log10(largest)) if largest > 0 else 0
    style = ".4e" if size > 8 or size < -5 else f".{2 if size >= 1 else 3 - size}f"

    def text(value: float | None) -> str:
        if value is None:
            return ""
        if math.isinf(value):
            return number_text(value)
        return f"{value:{style}}"

    return [text(value) for value in values]
