"""All studies in their quick form, on one page."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from studies import __main__ as runner

if TYPE_CHECKING:
    from pathlib import Path


class Addresses(HTMLParser):
    """What a page would load or lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in {"script", "link", "iframe", "img"}
        names = {"src", "href", "xlink:href"}
        self.found += [value or "" for name, value in attrs if name in names]


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> str:
    monkeypatch.setattr(runner, "OUT", folder)
    monkeypatch.setattr("studies.store.OUT", folder)
    monkeypatch.setattr(sys, "argv", ["studies", "--quick", "--jobs", "1", *options])
    runner.main()
    return (folder / "index.html").read_text(encoding="utf-8")


def test_the_quick_form_writes_every_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = run(tmp_path, monkeypatch)
    told = capsys.readouterr().out
    for name in runner.STUDIES:
        assert f'<section id="{name}">' in text
        assert f"{name}, " in told
        assert list(tmp_path.glob(f"{name}-*.pdf"))
    assert text.count(", quick form, ") == len(runner.STUDIES)
    for paper, places in {
        "piater1997": ("Table 1", "Table 2", "Table 3", "Table 4", *_figures(3, 7)),
        "piater1998": _figures(3, 6),
        "gorski2009": ("Table 1", "Table 2", *_figures(1, 4)),
    }.items():
        section = text[text.index(f'id="{paper}"') :].split("</section>")[0]
        for place in places:
            assert place in section, (paper, place)
    assert all(
        address.startswith(("#", "piater", "gorski", "error_terms"))
        for address in Addresses(text).found
    )
    assert set(re.findall(r'<td class="(\w+)">. ', text)) <= {
        "agrees",
        "differs",
        "unknown",
    }


def test_one_study_runs_alone_and_with_another_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = run(tmp_path, monkeypatch, "--only", "gorski2009", "--seed", "7")
    assert text.count("<section") == 1
    assert "Seed 7, quick form" in text


@pytest.mark.parametrize("options", [("--seed", "-1"), ("--jobs", "0"), ("--seed", "x")])
def test_numbers_that_cannot_be_used_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, str],
) -> None:
    with pytest.raises(SystemExit) as refused:
        run(tmp_path, monkeypatch, *options)
    assert refused.value.code == 2
    assert f"whole number from {options[0] == '--jobs':d} on" in capsys.readouterr().err


def _figures(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"Figure {number}" for number in range(first, last + 1))
