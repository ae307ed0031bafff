"""The page of the studies: whole, offline, escaped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from studies.page import write_page, write_pictures
from studies.report import Claim, Picture, Study, Table

if TYPE_CHECKING:
    from pathlib import Path


def some_study() -> Study:
    figure = Figure(layout="constrained")
    figure.add_subplot().plot([1, 2])
    return Study(
        name="some",
        title="Some <study>",
        paragraphs=("Why & how.",),
        claims=(Claim("Table 1", "a < b", "1.0", "1.1", "agrees", "a note"),),
        tables=(Table("A table", ("x", "y"), (("1", "<2>"),)),),
        pictures=(Picture("lines", "Two lines", figure),),
        seed=1,
        quick=True,
        seconds=0.1,
    )


def test_the_page_is_whole_and_needs_no_network(tmp_path: Path) -> None:
    path = tmp_path / "index.html"
    write_page([some_study()], path, "Made today.")
    text = path.read_text(encoding="utf-8")
    assert "Some &lt;study&gt;" in text
    assert "a &lt; b" in text
    assert "&lt;2&gt;" in text
    assert "✓ agrees" in text
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'="#([^"]+)"', text)) <= {*ids}
    assert text.count("<svg") == 1
    assert not re.findall(r"(?:src|href)=.https?:", text.replace("xlink:href", ""))
    assert list(tmp_path.iterdir()) == [path]


def test_pictures_are_written_as_pdf(tmp_path: Path) -> None:
    write_pictures([some_study()], tmp_path)
    assert (tmp_path / "some-lines.pdf").read_bytes().startswith(b"%PDF")
