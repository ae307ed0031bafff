"""The parts of the documentation site that need no Sphinx; ``make docs`` builds and checks the whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import curvewise as cw
from curvewise.cli import COMMANDS
from curvewise.readers.table_formats import FORMATS
from curvewise.readers.tables import USUAL_NAMES
from docs.building import commands, links, names
from studies.sources import picture
from tests.cli.running import invoke

DOCS = Path(__file__).parents[1] / "docs"
MAX_PICTURE = 150_000  # bytes: it opens the README


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the pages that are generated."""
    docs = tmp_path_factory.mktemp("docs")
    (docs / "compare.md").touch()
    names.write_pages(docs)
    commands.write_pages(docs)
    return docs / "generated"


def test_every_public_name_has_a_page_and_is_listed(generated: Path) -> None:
    public = {name for name in dir(cw) if not name.startswith("_")}
    assert set(names.public_names()) == public
    pages = {path.stem for path in (generated / "python").glob("*.rst")} - {"index"}
    assert pages == public
    index = (generated / "python" / "index.rst").read_text(encoding="utf-8")
    assert set(re.findall(r":py:obj:`~curvewise\.(\w+)`", index)) == public
    for name in public:
        page = (generated / "python" / f"{name}.rst").read_text(encoding="utf-8")
        kind = "autoclass" if isinstance(getattr(cw, name), type) else "autofunction"
        assert f".. {kind}:: {name}\n" in page


def test_every_command_has_a_page_with_its_options_and_defaults(generated: Path) -> None:
    pages = {path.stem for path in (generated / "commands").glob("*.md")} - {"index"}
    assert pages == set(COMMANDS)
    page = (generated / "commands" / "compare.md").read_text(encoding="utf-8")
    assert re.search(r"^\| `--alpha [^`]*` \| .*default: 0\.05", page, re.MULTILINE)
    assert "[compare](../../compare.md)" in page
    assert "\n## Arguments\n" in page
    for name in COMMANDS:
        page = (generated / "commands" / f"{name}.md").read_text(encoding="utf-8")
        printed = invoke(name, "--help", columns=200).output
        shown = re.findall(r"^\| `((?:-[a-z], )?--[a-z-]+)", page, re.MULTILINE)
        options = re.findall(r"^  ((?:-[a-z], )?--[a-z-]+)", printed, re.MULTILINE)
        assert set(shown) == set(options)
        assert len(shown) == len(set(shown))


def test_pages_are_written_only_where_they_change(generated: Path) -> None:
    page = generated / "commands" / "compare.md"
    before = page.stat().st_mtime_ns
    commands.write_pages(generated.parent)
    assert page.stat().st_mtime_ns == before


def test_every_page_is_in_a_table_of_contents() -> None:
    listed = set()
    pages = [
        path
        for path in DOCS.rglob("*.md")
        if path.relative_to(DOCS).parts[0] not in {"_build", "generated"}
    ]
    for page in pages:
        for block in re.findall(
            r"^```\{toctree\}\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
        ):
            listed |= {
                (page.parent / f"{entry}.md").resolve()
                for entry in block.split()
                if not entry.startswith(":")
            }
    assert {page.resolve() for page in pages} - listed == {DOCS.resolve() / "index.md"}


def test_the_page_on_file_formats_lists_what_is_read() -> None:
    page = (DOCS / "reference" / "file-formats.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w ]+) \| (`.*?`) (?:\| `--\w+` )?\|$", page, re.MULTILINE)
    told = {name: tuple(re.findall(r"`(.*?)`", cells)) for name, cells in rows}
    assert told == {**{table.name: table.endings for table in FORMATS}, **USUAL_NAMES}


def test_the_first_page_says_where_the_agents_of_its_picture_differ() -> None:
    curves = cw.load_example("atari-8")[picture.GAME]
    unmarked = [
        step
        for step, p in zip(curves.steps, cw.locate(curves, rng=0).pvalue_adjusted, strict=True)
        if p > 0.05
    ]
    page = " ".join((DOCS / "index.md").read_text(encoding="utf-8").split())
    assert f"not between steps {unmarked[0]:g} and {unmarked[-1]:g}," in page
    assert unmarked == [step for step in curves.steps if unmarked[0] <= step <= unmarked[-1]]


@pytest.mark.slow
def test_the_picture_is_small_and_can_be_drawn_again(tmp_path: Path) -> None:
    picture.draw(tmp_path / "again.png")
    for path in (picture.PICTURE, tmp_path / "again.png"):
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size < MAX_PICTURE


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('<a href="other.html#there">', None),
        ('<a href="#here"><p id="here">', None),
        ('<a href="https://elsewhere.org/paper.pdf">', None),
        ('<img src="data:image/png;base64,AA">', None),
        ('<a href="missing.html">', "missing.html, which is not there"),
        ('<a href="other.html#nowhere">', "#nowhere, which has no such place"),
        ('<a href="#nowhere">', "#nowhere, which has no such place"),
        ('<script src="https://elsewhere.org/a.js">', "loads https://elsewhere.org/a.js"),
        ('<img src="//elsewhere.org/a.png">', "loads //elsewhere.org/a.png"),
        ('<img srcset="a.png 2x, https://elsewhere.org/a.png 3x">', "loads https:"),
        ('<link rel="stylesheet" href="https://elsewhere.org/a.css">', "loads https:"),
        ('<link rel="next" href="missing.html">', "missing.html, which is not there"),
        ('<iframe src="missing.html">', "missing.html, which is not there"),
        ("<style>@import 'https://elsewhere.org/a.css';</style>", "loads https:"),
        ('<p style="background: url(//elsewhere.org/a.png)">', "loads //elsewhere.org"),
    ],
)
def test_dead_links_and_other_hosts_are_found(body: str, found: str | None, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(body, encoding="utf-8")
    (tmp_path / "other.html").write_text('<p id="there">', encoding="utf-8")
    (tmp_path / "a.png").write_bytes(b"")
    links.page_at.cache_clear()
    problems = links.problems(tmp_path)
    assert len(problems) == (found is not None)
    assert found is None or found in problems[0]


def test_style_sheets_that_load_from_other_hosts_are_found(tmp_path: Path) -> None:
    style = tmp_path / "a.css"
    style.write_text('@import "b.css"; p { background: url(a.png) }', encoding="utf-8")
    assert links.problems(tmp_path) == []
    style.write_text("@font-face { src: url('https://elsewhere.org/f') }", "utf-8")
    assert links.problems(tmp_path) == ["a.css loads https://elsewhere.org/f"]
