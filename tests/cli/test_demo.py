"""curvewise demo: the embedded curves, compared."""

from __future__ import annotations

import webbrowser
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import curvewise
from curvewise.cli import app
from curvewise.cli import commands as demo
from curvewise.text import naming_flags
from tests.cli.running import invoke, json_of, one_line

if TYPE_CHECKING:
    from pathlib import Path


def test_the_demo_prints_a_verdict_and_saves_a_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = invoke("demo")
    assert result.exit_code == 0, result.output
    with naming_flags():
        verdict = curvewise.compare(curvewise.load_example(), rng=0).describe()
    assert one_line(result.stdout).startswith(one_line(verdict))
    assert "Figure saved as curvewise-demo.png" in result.stderr
    assert "curvewise compare PATH" in result.stderr
    assert (tmp_path / "curvewise-demo.png").read_bytes().startswith(b"\x89PNG")


def test_the_demo_takes_a_seed_a_place_and_a_style(tmp_path: Path) -> None:
    figure = tmp_path / "figure.svg"
    record = json_of("demo", "--plot", figure, "--seed", 7)
    assert record["seed"] == 7
    assert record["best"]["leader"] == "A1"
    assert figure.exists()


def test_the_demo_writes_a_report_and_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: asked.append(url) or True)  # type: ignore[func-returns-value]
    result = invoke("demo", "--report")
    assert result.exit_code == 0, result.output
    place = tmp_path / "curvewise-demo.html"
    assert asked == [place.resolve().as_uri()]
    assert "Three learning rates of TD(0)" in place.read_text(encoding="utf-8")


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib_the_demo_still_gives_its_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = invoke("demo")
    assert result.exit_code == 0, result.output
    assert "differ" in result.stdout
    assert 'pip install "matplotlib"' in result.stderr
    assert "saved" not in result.stderr
    assert list(tmp_path.iterdir()) == []


class Terminal:
    def isatty(self) -> bool:
        return True


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = SimpleNamespace(stdin=Terminal(), stdout=Terminal(), stderr=Terminal())
    monkeypatch.setattr(demo, "sys", streams)


@pytest.mark.usefixtures("at_a_terminal")
@pytest.mark.parametrize(
    ("browser", "can"),
    [
        (webbrowser.BackgroundBrowser("shows"), True),
        (webbrowser.GenericBrowser("in-the-terminal"), False),
        (None, False),
    ],
)
def test_a_report_can_be_shown_where_there_is_a_browser(
    monkeypatch: pytest.MonkeyPatch, browser: webbrowser.BaseBrowser | None, can: bool
) -> None:
    def get() -> webbrowser.BaseBrowser:
        if browser is None:
            msg = "could not locate runnable browser"
            raise webbrowser.Error(msg)
        return browser

    monkeypatch.setattr(webbrowser, "get", get)
    assert demo._can_show() == can


@pytest.mark.usefixtures("at_a_terminal")
def test_the_demo_offers_a_report_to_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[object] = []
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.BackgroundBrowser("shows"))
    monkeypatch.setattr(demo, "_write_report", lambda *asked: written.append(asked))
    monkeypatch.setattr(demo.DemoOutput, "save", lambda *_: None)
    result = CliRunner().invoke(app, ["demo"], input="y\n")
    assert result.exit_code == 0, result.output
    # Whether the answer is shown behind it depends on the version of click.
    *_, asked = result.stderr.splitlines()
    assert "as a report in the browser? [Y/n]:" in asked
    assert len(written) == 1
