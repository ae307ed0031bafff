from __future__ import annotations

from html.parser import HTMLParser

from curvewise.rendering.tables import Table
from curvewise.text import latex_text

NASTY = "<script>a|b</script> \x1b[31m & 50%_$x$ {y} \\cmd `c` \u202e"


def table() -> Table:
    return Table(
        ("name", "n"), ((NASTY, "1"), ("日本", "22")), title="T", notes=("note",)
    )


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
    ("algorithm", "letters", "p"),
    (("A", "a", "1234"), ("longer", "ab", "567")),
    n_text_columns=2,
)


def test_without_title_and_notes_there_are_only_rows() -> None:
    assert PLAIN.text().splitlines() == [
        "algorithm  letters     p",
        "────────────────────────",
        "A          a        1234",
        "longer     ab        567",
    ]
    assert PLAIN.markdown() == (
        "| algorithm | letters | p |\n"
        "| :-- | :-- | --: |\n"
        "| A | a | 1234 |\n"
        "| longer | ab | 567 |"
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
        '<table><thead><tr><th style="text-align:left">algorithm</th>'
        '<th style="text-align:left">letters</th><th style="text-align:right">p</th></tr>'
    )
    assert PLAIN.html().endswith(
        '<td style="text-align:right">567</td></tr></tbody></table>'
    )


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
    assert lines[2].split() == ["x" * 60, "9" * 300]
    assert lines[3].split() == ["x" * 40]
