"""All studies in their quick form, on one page."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from studies import __main__ as runner

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_one_study_runs_alone_and_writes_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "OUT", tmp_path)
    monkeypatch.setattr("studies.store.OUT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["studies", "--quick", "--only", "gorski2009"])
    runner.main()
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "verdict" in text
    assert text.count("<svg") >= 3
    assert list(tmp_path.glob("gorski2009-*.pdf"))


def test_every_study_can_be_found() -> None:
    from importlib import import_module

    for name in runner.STUDIES:
        assert callable(import_module(f"studies.{name}.study").study)
