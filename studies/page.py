"""The HTML page of all studies: self-contained, with inline figures."""

from __future__ import annotations

import html
import io
import re
from importlib.resources import files
from typing import TYPE_CHECKING, get_args

import curvewise as cw
from studies.report import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from studies.report import Claim, Picture, Study, Table

__all__ = ["file_name", "tally", "write_page", "write_pictures"]

# What the style sheet of reports lacks.
STYLE = """
.wide { overflow-x: auto; }
.agrees { color: var(--agrees); font-weight: 600; white-space: nowrap; }
.differs { color: var(--differs); font-weight: 600; white-space: nowrap; }
.unknown { color: var(--muted); font-weight: 600; white-space: nowrap; }
:root { --agrees: #00664a; --differs: #a33c00; }
@media screen and (prefers-color-scheme: dark) { :root { --agrees: #5fd0ab; --differs: #ffa06a; } }
.claims td { text-align: left; white-space: normal; vertical-align: top; }
.provenance, figcaption { color: var(--muted); font-size: .88rem; }
figure { overflow-x: auto; }
figure svg { max-width: 100%; height: auto; background: #fff; }
@media (max-width: 45rem) {
  .claims thead { display: none; }
  .claims tr, .claims td { display: block; }
  .claims td { border: 0; padding: .15rem 0; }
  .claims tr { border-bottom: 1px solid var(--rule); padding: .6rem 0; }
  .claims td:nth-child(3)::before { content: "published: "; color: var(--muted); }
  .claims td:nth-child(4)::before { content: "re-run: "; color: var(--muted); }
}
"""
MAX_OPEN_ROWS = 20  # longer tables are collapsed
MARKS = {
    "agrees": ("agrees", "✓ agrees"),
    "differs": ("differs", "✗ differs"),
    "cannot be known": ("unknown", "? cannot be known"),
}


def write_page(studies: Sequence[Study], path: Path, provenance: str) -> None:
    """Write the page; ``provenance`` says when and with which versions it was made."""
    parts = [*_head(studies, provenance), *(line for each in studies for line in _study(each))]
    body = "\n".join(parts)
    text = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>The papers, run again</title><style>{_style()}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )
    # Written under another name first: an interrupted run leaves no broken page.
    temporary = path.with_suffix(".part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def write_pictures(studies: Sequence[Study], folder: Path) -> None:
    """Write each figure as a PDF file in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for study in studies:
        for picture in study.pictures:
            picture.figure.savefig(folder / file_name(study, picture))


def tally(study: Study) -> str:
    """Return the number of claims with each verdict, the papers' and the study's own apart."""
    papers = [claim.verdict for claim in study.claims if not claim.own]
    own = [claim.verdict for claim in study.claims if claim.own]
    text = _tally(papers, {"agrees": "agree", "differs": "differ"})
    if own:
        text += f"; of our own, {_tally(own, {'agrees': 'hold', 'differs': 'do not'})}"
    return text


def _tally(verdicts: Sequence[Verdict], words: dict[str, str]) -> str:
    counts = {words.get(verdict, verdict): verdicts.count(verdict) for verdict in get_args(Verdict)}
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def file_name(study: Study, picture: Picture) -> str:
    """Return the file name of a figure."""
    return f"{study.name}-{picture.name}.pdf"


def _head(studies: Sequence[Study], provenance: str) -> Iterator[str]:
    yield "<h1>The papers, run again</h1>"
    yield (
        "<p>Every table and figure of the three papers behind curvewise, the published claim "
        "beside what a re-run gives. Apart from what was published, nothing is typed in: each "
        "number was computed, and each verdict follows from it.</p>"
    )
    yield (
        "<p>A claim agrees or differs, by the rule in its note, or it cannot be known: the paper "
        "does not say enough, or one draw of runs shows it and another does not, or a reduced "
        "form is too small to tell. To run it again: <code>make studies</code>, or <code>python "
        "-m studies --only piater1998 --seed 7</code> for one study with another seed. What "
        "took long is kept beside this page and used again.</p>"
    )
    yield f'<p class="provenance">{html.escape(provenance)}</p>'
    yield "<nav><ul>"
    for study in studies:
        title = html.escape(study.title)
        yield f'<li><a href="#{study.name}">{title}</a>: {tally(study)}</li>'
    yield "</ul></nav>"


def _study(study: Study) -> Iterator[str]:
    yield f'<section id="{study.name}"><h2>{html.escape(study.title)}</h2>'
    for paragraph in study.paragraphs:
        yield f"<p>{html.escape(paragraph)}</p>"
    if study.claims:
        yield _claims(study.claims)
    for picture in study.pictures:
        yield _picture(study, picture)
    for table in study.tables:
        yield _table(table)
    size = "quick form" if study.quick else "full size"
    before = f", and {study.seconds_before:.0f} s before" if study.seconds_before else ""
    yield (
        f'<p class="provenance">Seed {study.seed}, {size}, {study.seconds:.0f} s{before}.</p>'
        "</section>"
    )


def _claims(claims: Sequence[Claim]) -> str:
    rows = []
    for claim in claims:
        kind, mark = MARKS[claim.verdict]
        note = f'<div class="provenance">{html.escape(claim.note)}</div>' if claim.note else ""
        rows.append(
            f"<tr><td>{html.escape(claim.where)}</td><td>{html.escape(claim.claim)}{note}</td>"
            f"<td>{html.escape(claim.published)}</td><td>{html.escape(claim.ours)}</td>"
            f'<td class="{kind}">{mark}</td></tr>'
        )
    head = "".join(
        f"<th>{word}</th>" for word in ("where", "claim", "published", "re-run", "verdict")
    )
    return (
        f'<table class="claims"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _table(table: Table) -> str:
    """Return a table as reports show it, folded if it is long."""
    notes = (table.note,) if table.note else ()
    shown = cw.Table(table.header, table.rows, "", notes, len(table.header))
    text = f'<div class="wide">{shown.html(styled=False)}</div>'
    title = html.escape(table.title)
    if len(table.rows) > MAX_OPEN_ROWS:
        return f"<details><summary>{title}</summary>{text}</details>"
    return f"<h3>{title}</h3>{text}"


def _style() -> str:
    """Return the style sheet of reports, and what this page has besides."""
    own = files("curvewise.reports") / "assets" / "style.css"
    return own.read_text(encoding="utf-8") + STYLE


def _picture(study: Study, picture: Picture) -> str:
    title = html.escape(f"{study.name}: {picture.caption}")
    return (
        f'<figure><div role="img" aria-label="{title}">'
        f"{_svg(picture.figure, study, picture)}</div>"
        f"<figcaption>{html.escape(picture.caption)} "
        f'<a href="{file_name(study, picture)}">PDF</a></figcaption></figure>'
    )


def _svg(figure: Figure, study: Study, picture: Picture) -> str:
    """Return a figure as SVG with ids that are unique on the page."""
    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context({"svg.hashsalt": f"{study.name}-{picture.name}", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    prefix = f"{study.name}-{picture.name}-"
    text = re.sub(r'\bid="', f'id="{prefix}', text[text.index("<svg") :])
    return re.sub(r'(="#|url\(#)', rf"\g<1>{prefix}", text)
