from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from curvewise.rendering.tables import Mark, Table
from curvewise.text import latex_text

NASTY = "<script>a|b</script> \x1b[31m & 50%_$x$ {y} \\cmd `c` \u202e"


def table() -> Table:
    return Table(("name", "n"), ((NASTY, "1"), ("日本", "22")), title="T", notes=("note",))


def test_text_is_aligned_and_keeps_control_characters_out() -> None:
    lines = table().text().splitlines()
    assert "\x1b" not in table().text()
    assert "\u202e" not in table().text()
    assert "\\x1b[31m" in table().text()
    assert lines[-1] == "note"
    assert lines[3].endswith(" 1")
    assert lines[4].endswith("22")


def test_markdown_has_one_cell_per_column_whatever_the_names() -> None:
    lines = table().markdown().splitlines()
    assert lines[0] == "**T**"
    for line in lines[2:6]:
        assert line.replace("\\|", "").count("|") == 3
    assert "<script>" not in table().markdown().replace("\\<", "")


def test_latex_escapes_what_it_would_act_on() -> None:
    text = table().latex()
    assert text.startswith("\\begin{tabular}{lr}\n  \\toprule")
    assert text.endswith("\\bottomrule\n\\end{tabular}")
    assert latex_text(NASTY) in text


def test_html_shows_names_and_runs_none() -> None:
    tags: list[str] = []

    class Collector(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            tags.append(tag)

    Collector().feed(table().html())
    assert "script" not in tags
    assert tags.count("tr") == 3


PLAIN = Table(
    ("algorithm", "letters", "p"), (("A", "a", "1234"), ("longer", "ab", "567")), n_text_columns=2
)


def test_without_title_and_notes_there_are_only_rows() -> None:
    assert PLAIN.text().splitlines() == [
        "algorithm  letters     p",
        "────────────────────────",
        "A          a        1234",
        "longer     ab        567",
    ]
    assert PLAIN.markdown() == (
        "| algorithm | letters | p |\n| :-- | :-- | --: |\n| A | a | 1234 |\n| longer | ab | 567 |"
    )
    assert PLAIN.latex() == (
        "\\begin{tabular}{llr}\n"
        "  \\toprule\n"
        "  algorithm & letters & p \\\\\n"
        "  \\midrule\n"
        "  A & a & 1234 \\\\\n"
        "  longer & ab & 567 \\\\\n"
        "  \\bottomrule\n"
        "\\end{tabular}"
    )
    assert PLAIN.html().startswith(
        '<table><thead><tr><th scope="col" style="text-align:left">algorithm</th>'
        '<th scope="col" style="text-align:left">letters</th>'
        '<th scope="col" style="text-align:right">p</th></tr>'
    )
    assert PLAIN.html().endswith('<td style="text-align:right">567</td></tr></tbody></table>')


def test_title_and_notes_stand_above_and_beneath() -> None:
    assert table().text().splitlines()[0] == "T"
    assert table().text().splitlines()[-1] == "note"
    assert table().markdown().splitlines()[:2] == ["**T**", ""]
    assert table().markdown().splitlines()[-2:] == ["", "note"]
    assert table().html().startswith("<table><caption>T</caption>")
    assert table().html().endswith("</table><p>note</p>")


def test_long_names_are_folded_and_long_numbers_are_not_cut() -> None:
    wide = Table(("name", "number"), (("x" * 100, "9" * 300),))
    lines = wide.text().splitlines()
    (first, number), (second,) = lines[2].split(), lines[3].split()
    assert first + second == "x" * 100
    assert len(first) in {60, 61}  # versions of Rich count the space beside differently
    assert number == "9" * 300


BEST = Mark("*", "bold", "best")
LEVEL = Mark("†", "underlined", "level with the best")
MARKED = Table(
    ("task", "a_b & c%", r"\input{x}"),
    (("pong", "1.5", "12.5"), ("<b>x</b>", "7.0", "6.5")),
    marks={(0, 1): LEVEL, (0, 2): BEST, (1, 1): BEST},
)


def test_marks_on_a_terminal_can_be_copied_and_keep_digits_aligned() -> None:
    lines = MARKED.text().splitlines()
    assert lines[2].split() == ["pong", "1.5†", "12.5*"]
    assert lines[3].split() == ["<b>x</b>", "7.0*", "6.5"]
    assert lines[2].index("2.5*") == lines[3].index("6.5")
    assert lines[-1] == "* best; † level with the best."
    cells: list[Any] = list(MARKED.rich().columns[1].cells)
    assert [[span.style for span in cell.spans] for cell in cells] == [[], ["bold"]]


def test_marks_in_markdown() -> None:
    lines = MARKED.markdown().splitlines()
    assert lines[2] == "| pong | 1.5 † | **12.5** |"
    assert lines[3] == r"| \<b\>x\</b\> | **7.0** | 6.5 |"
    assert lines[-1] == "**bold** best; † level with the best."


def test_marks_in_latex_with_every_name_escaped() -> None:
    assert MARKED.latex().splitlines() == [
        "% bold: best; underlined: level with the best",
        r"\begin{tabular}{lrr}",
        r"  \toprule",
        r"  task & a\_b \& c\% & \textbackslash{}input\{x\} \\",
        r"  \midrule",
        r"  pong & \underline{1.5} & \textbf{12.5} \\",
        r"  \textless{}b\textgreater{}x\textless{}/b\textgreater{} & \textbf{7.0} & 6.5 \\",
        r"  \bottomrule",
        r"\end{tabular}",
    ]


def test_marks_in_html() -> None:
    text = MARKED.html()
    assert "<u>1.5</u>" in text
    assert "<strong>12.5</strong>" in text
    assert "<b>" not in text
    assert text.endswith(
        "<p><strong>bold</strong>: best; <u>underlined</u>: level with the best.</p>"
    )


def test_a_marked_cell_is_escaped_before_it_is_marked() -> None:
    nasty = Table(("x", "n"), (("y", NASTY),), marks={(0, 1): BEST})
    assert rf"\textbf{{{latex_text(NASTY)}}}" in nasty.latex()
    assert "<script>" not in nasty.html()
    assert "\x1b" not in nasty.text()


def wide(n_columns: int, name: str = "DQN (Adam + MSE in JAX)") -> Table:
    header = ("task", *(f"{name} {i}" for i in range(n_columns)))
    rows = tuple(
        (f"game {row}", *(f"{100 * row + i}.5" for i in range(n_columns))) for row in range(57)
    )
    marks = {(row, 1 + row % n_columns): BEST for row in range(57)}
    return Table(header, rows, title="T", notes=("note",), marks=marks, wide=True)


def widest(table: Table) -> int:
    lines = table.text().splitlines()
    return max(map(len, lines[: -len(table.terminal_notes())] if table.notes else lines))


def test_names_of_a_wide_table_are_folded() -> None:
    lines = wide(6).text().splitlines()
    assert widest(wide(6)) <= 80
    assert "DQN (Adam" in lines[1]
    assert wide(6).portions(80) == [wide(6)]
    assert "DQN (Adam + MSE in JAX) 0 & " in wide(6).latex()


def test_a_wide_table_is_cut_into_portions_that_fit() -> None:
    whole = wide(20)
    parts = whole.portions(80)
    assert len(parts) > 1
    assert all(widest(part) <= 80 for part in parts)
    assert [name for part in parts for name in part.header[1:]] == list(whole.header[1:])
    assert all(part.header[0] == "task" for part in parts)
    for row, cells in enumerate(whole.rows):
        assert [c for part in parts for c in part.rows[row][1:]] == list(cells[1:])
    n_marks = sum(len(part.marks) for part in parts)
    assert n_marks == len(whole.marks)
    for part in parts:
        for (row, column), mark in part.marks.items():
            name = whole.header.index(part.header[column])
            assert whole.marks[row, name] == mark
    assert [part.title for part in parts] == ["T"] + [""] * (len(parts) - 1)
    assert [part.notes for part in parts] == [()] * (len(parts) - 1) + [("note",)]


def test_a_portion_has_at_least_one_column_however_narrow_the_terminal() -> None:
    parts = wide(3).portions(5)
    assert [len(part.header) for part in parts] == [2, 2, 2]


def test_tables_are_folded_before_they_are_cut() -> None:
    names = Table(("name", "b", "number"), (("x" * 50, "y" * 50, "1"),), "", (), 2)
    assert names.portions(200) == [names]
    (folded,) = names.portions(80)
    assert folded.text_width < 50
    headers = Table(("name", *["a long name of a column"] * 4), (("x",) * 5,))
    (folded,) = headers.portions(60)
    assert folded.wide
    parts = Table(("name", *["123456789"] * 20), (("x",) * 21,)).portions(40)
    assert len(parts) > 1
    assert all(max(map(len, part.text().splitlines())) <= 40 for part in parts)


def test_a_column_is_a_title_and_what_it_says_of_an_item() -> None:
    table = Table.of(
        [1, 2],
        ("number", str),
        ("square of the even", lambda n: None if n % 2 else str(n * n)),
        ("nothing", lambda _: None),
        notes=("Small.",),
    )
    assert table == Table(
        ("number", "square of the even"), (("1", ""), ("2", "4")), notes=("Small.",)
    )
    assert Table.of([], ("number", str)) == Table(("number",), ())
