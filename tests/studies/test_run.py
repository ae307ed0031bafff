"""The studies run and are written on one page; the whole quick form is a slow test."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from studies import __main__ as runner
from studies.report import Claim, Study
from studies.running import STUDIES, run, run_all
from studies.store import load_or_compute

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


def written(folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> str:
    monkeypatch.setattr(runner, "OUT", folder)
    monkeypatch.setattr("studies.store.OUT", folder)
    monkeypatch.setattr(sys, "argv", ["studies", "--quick", "--jobs", "1", *options])
    runner.main()
    (page,) = (folder / "quick").glob("*.html")
    return page.read_text(encoding="utf-8")


@pytest.fixture
def small_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the studies by small ones, which store a number like the real ones do."""

    def imported(path: str) -> SimpleNamespace:
        name = path.split(".")[1]

        def study(*, seed: int = 1, quick: bool) -> Study:
            number = load_or_compute(f"{name}-number", {"seed": seed}, lambda: 2 * seed)
            claim = Claim("Table 1", "twice the seed", "2", str(number), "agrees")
            return Study(name, name, ("Text.",), (claim,), (), (), seed, quick, 0.0)

        return SimpleNamespace(study=study)

    monkeypatch.setattr("studies.running.import_module", imported)


@pytest.mark.usefixtures("small_studies")
def test_the_page_has_a_section_for_each_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = written(tmp_path, monkeypatch)
    printed = capsys.readouterr().out
    for name in STUDIES:
        assert f'<section id="{name}">' in text
        assert f"{name}, 0 s: 1 agree" in printed
    assert text.count("Seed 1, quick form, ") == len(STUDIES)


@pytest.mark.usefixtures("small_studies")
def test_one_study_runs_alone_with_another_seed_and_uses_what_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--only", "gorski2009", "--seed", "7")
    text = written(tmp_path, monkeypatch, *options)
    assert text.count("<section") == 1
    assert "Seed 7, quick form" in text
    assert "<td>14</td>" in text
    (stored,) = (tmp_path / "store").iterdir()
    stored.write_text(stored.read_text().replace("14", "15"))
    assert "<td>15</td>" in written(tmp_path, monkeypatch, *options)
    assert "<td>14</td>" in written(tmp_path, monkeypatch, *options, "--fresh")


@pytest.mark.slow
def test_the_quick_form_writes_every_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = written(tmp_path, monkeypatch)
    printed = capsys.readouterr().out
    for name in STUDIES:
        assert f'<section id="{name}">' in text
        assert f"{name}, " in printed
        assert list((tmp_path / "quick").glob(f"{name}-*.pdf"))
    assert text.count(", quick form, ") == len(STUDIES)
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
    assert set(re.findall(r'<td class="(\w+)">. ', text)) <= {"agrees", "differs", "unknown"}


@pytest.mark.slow
def test_a_real_study_runs_alone_and_with_another_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--only", "gorski2009", "--seed", "7")
    text = written(tmp_path, monkeypatch, *options, *options)
    assert text.count("<section") == 1
    assert "Seed 7, quick form" in text
    assert " s before." not in text
    assert (tmp_path / "quick" / "gorski2009.html").exists()
    assert " s before." in written(tmp_path, monkeypatch, *options)


@pytest.mark.usefixtures("small_studies")
def test_time_spent_before_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studies.store.OUT", tmp_path)
    (study,) = run_all(["gorski2009"], 1, quick=True, seed=8)
    assert study.seconds_before == 0
    assert run("gorski2009", quick=True, seed=8).seconds_before > 0
    # Defined in ``__main__``, it would not share its list of times with other processes.
    assert run.__module__ == "studies.running"


def test_stopping_says_that_work_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run_all", stopped)
    with pytest.raises(SystemExit, match="Finished parts are stored"):
        written(tmp_path, monkeypatch)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [("--seed", "-1"), ("--jobs", "0"), ("--seed", "x")])
def test_numbers_that_cannot_be_used_are_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, str],
) -> None:
    with pytest.raises(SystemExit) as refused:
        written(tmp_path, monkeypatch, *options)
    assert refused.value.code == 2
    assert f"integer of at least {options[0] == '--jobs':d}" in capsys.readouterr().err


def _figures(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"Figure {number}" for number in range(first, last + 1))
