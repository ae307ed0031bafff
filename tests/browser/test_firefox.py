"""A report works in Firefox too: unpacked, drawn, and answering with the same p."""

from __future__ import annotations

import asyncio
import json
import shutil
from typing import TYPE_CHECKING

import pytest

from curvewise.questions.locate.tell import window_line
from curvewise.text import capitalised
from tests.browser.opening import report_of

if TYPE_CHECKING:
    from pathlib import Path

FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")
CODE = """new Promise((done) => {
    const look = () => {
        const ready = document.documentElement.dataset.ready;
        if (!ready) { setTimeout(look, 50); return; }
        const text = (name) => document.querySelector(name).textContent;
        done(JSON.stringify({
            ready, sentence: text(".sentence"), lines: document.querySelectorAll(".picture path").length,
        }));
    };
    look();
})"""


@pytest.mark.slow
@pytest.mark.skipif(FIREFOX is None, reason="needs Firefox: apt-get install firefox-esr")
def test_firefox_opens_a_report_and_answers(tmp_path: Path) -> None:
    pytest.importorskip("tornado", reason="needs tornado, which comes with dask")
    from tests.browser.bidi import evaluated

    assert FIREFOX is not None
    report, where = report_of()
    place = report.save(tmp_path / "report.html")
    profile = tmp_path / "profile"
    profile.mkdir()
    url = f"{place.as_uri()}#window=50,120"
    value, logged = asyncio.run(evaluated(FIREFOX, url, CODE, profile))
    found = json.loads(value)
    assert found["ready"] == "yes"
    assert found["lines"] >= 6
    assert found["sentence"].startswith(
        capitalised(window_line(where.window(50, 120), where.sampling))
    )
    assert logged == []
