"""What every result provides, shown on the smallest one there could be."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from matplotlib.figure import Figure

import curvewise as cw
from curvewise.inference.caveats import SingleRun, TooFewShuffles
from curvewise.inference.result import Result
from curvewise.rendering.tables import Table
from curvewise.text import naming_flags

if TYPE_CHECKING:
    from curvewise import Curves
    from curvewise.inference.caveats import Caveat


@dataclass(frozen=True)
class Answer(Result):
    caveats: tuple[Caveat, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"question": "answer", **self.shared_dict()}

    def tables(self) -> list[Table]:
        return [Table(("a", "b"), (("1", "2"),)), Table(("c",), (("3",),))]


class Worded(Answer):
    """The same with words of its own."""

    def describe(self) -> str:
        return "A <beats> B. Method: none."


FEW = TooFewShuffles(5, 0.05)


def test_warnings_are_the_sentences_of_the_caveats() -> None:
    found = Answer((FEW, SingleRun("A")))
    assert found.warnings == (FEW.sentence(), SingleRun("A").sentence())
    assert found.to_dict() == {
        "question": "answer",
        "preparation": None,
        "warnings": list(found.warnings),
        "caveats": [FEW.to_dict(), SingleRun("A").to_dict()],
    }
    with naming_flags():
        assert "--shuffles 19" in found.warnings[0]
        assert "--shuffles 19" in found.to_dict()["warnings"][0]


def test_a_result_prints_its_tables_and_warnings() -> None:
    shown = str(Answer((FEW,)))
    assert [part.split()[0] for part in shown.split("\n\n")] == ["a", "c", "Warning:"]
    assert shown.endswith(f"Warning: {FEW.sentence()}")
    assert "Warning" not in str(Answer())


def test_a_notebook_shows_what_was_found_before_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curvewise.inference.result.beside", lambda *_: None)
    found = Worded((FEW,))
    html = found._repr_html_()
    assert html.startswith("<p><strong>A &lt;beats&gt; B.</strong></p>")
    assert html.index("Method: none.") < html.index(FEW.sentence()) < html.index("<table>")
    assert html.count("<table>") == 2
    assert "<details>" not in html
    markdown = found._repr_markdown_()
    assert markdown.startswith("A \\<beats\\> B. Method: none.\n\n**Warning:**")
    assert markdown.endswith("| 3 |")
    monkeypatch.setattr(Answer, "tables", lambda _: [Table(("a",), (("1",),) * 30)])
    assert "<details><summary>30 rows: a, …</summary><table>" in found._repr_html_()


def test_names_in_warnings_steer_neither_terminal_nor_browser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("curvewise.inference.result.beside", lambda *_: None)
    odd = Worded((SingleRun("\x1b[31m<b>"),))
    assert "Warning: \\x1b[31m<b> has a single run" in str(odd)
    assert "\\x1b[31m&lt;b&gt; has a single run" in odd._repr_html_()


def test_words_and_pictures_are_those_of_the_folder_of_the_class(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Elsewhere(Answer):
        pass

    Elsewhere.__module__ = "some.folder.result"
    tell = ModuleType("tell")
    tell.describe = lambda result: f"words of {type(result).__name__}"  # type: ignore[attr-defined]
    figure = Figure()
    drawn: list[object] = []

    def draw(*given: object) -> Figure:
        drawn.extend(given)
        return figure

    tell.figure = draw  # type: ignore[attr-defined]
    for name, module in (
        ("some", ModuleType("some")),
        ("some.folder", ModuleType("folder")),
        ("some.folder.tell", tell),
    ):
        monkeypatch.setitem(sys.modules, name, module)
    found = Elsewhere()
    assert found.describe() == "words of Elsewhere"
    curves: Curves | None = None
    assert found.figure(curves) is figure
    assert drawn == [found, None]


def test_a_result_must_provide_tables() -> None:
    class Half(Result):
        pass

    with pytest.raises(TypeError, match="tables"):
        Half()  # type: ignore[abstract]


def test_the_truth_of_a_result_is_refused() -> None:
    with pytest.raises(TypeError, match=r"truth of a Answer is ambiguous.*\.to_dict\(\)"):
        bool(Answer())
    curves = cw.load_example("tictactoe")
    comparison = cw.compare(curves, n_shuffles=99, rng=0)
    pairs = cw.compare_pairs(curves, n_shuffles=99, rng=0)
    assert isinstance(comparison.overall.significant, bool)
    assert isinstance(pairs.significant(), tuple)
    for ask, found in {".overall.significant": comparison, ".significant()": pairs}.items():
        with pytest.raises(TypeError, match=re.escape(f"Ask for {ask} instead.")):
            bool(found)
