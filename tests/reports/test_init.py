"""report(): one file, whole or not at all, as small as promised."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import curvewise as cw
from tests.simulation import some_curves

if TYPE_CHECKING:
    from pathlib import Path

NASTY = [
    "</script><img src=x onerror=alert(1)>",
    "<!-- <script>",
    "\"quotes' & \\",
    "\u202ertl \u05d0\u05d1",
    "n" * 300,
    "",
]


def report_of(curves: cw.Curves, **options: object) -> cw.Report:
    results: list[cw.Comparison | cw.Location] = [cw.compare(curves, n_shuffles=99, rng=0)]
    results.append(cw.locate(curves, n_shuffles=99, n_resamples=0, rng=0))
    return cw.report(curves, *results, **options)  # type: ignore[arg-type]


def test_a_report_is_saved_whole(tmp_path: Path) -> None:
    found = report_of(some_curves(0, (3, 3)), title="T & T")
    place = found.save(tmp_path / "report.html")
    assert place.read_text(encoding="utf-8") == found.html
    assert found.html.startswith("<!doctype html>")
    assert found.html.rstrip().endswith("</html>")
    assert "<title>T &amp; T</title>" in found.html
    assert repr(found) == "Report(title='T & T')"


@pytest.mark.parametrize("place", ["no/such/folder.html", "."])
def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, place: str) -> None:
    found = report_of(some_curves(0, (3, 3)))
    with pytest.raises(cw.OptionError, match="report"):
        found.save(tmp_path / place)
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_shows_it_in_a_frame_of_its_own() -> None:
    found = report_of(some_curves(0, (3, 3)))
    frame = found._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts allow-downloads" ')
    assert "height:640px" in frame
    source = re.findall(r'srcdoc="([^"]*)"', frame)[0]
    assert html.unescape(source) == found.html


@pytest.mark.parametrize(
    "curves",
    [
        cw.Curves([[1.0], [2.0], [4.0], [3.0]], list("AABB")),
        cw.Curves([[1.0, 2.0], [2.0, 3.0], [4.0, 6.0]], list("AAB")),
        cw.Curves(np.repeat(np.arange(6.0), 3).reshape(6, 3), list("AAABBB")),
        cw.Curves(np.random.default_rng(0).normal(size=(40, 4)), np.repeat(np.arange(20), 2)),
        cw.Curves(np.random.default_rng(0).normal(size=(12, 4)), [n for n in NASTY for _ in "12"]),
    ],
    ids=["1 step", "1 run", "constant runs", "20 algorithms", "nasty names"],
)
def test_any_curves_make_a_report(curves: cw.Curves) -> None:
    text = report_of(curves).html
    assert text.count("<script") == text.count("</script>") == 2
    assert "<img src=x" not in text
    assert re.findall(r'<p class="headline" id="verdict">(.{1,400})</p>', text)


def test_a_small_report_is_small() -> None:
    rng = np.random.default_rng(0)
    walks = rng.normal(size=(10, 200)).cumsum(axis=1)
    curves = cw.Curves(walks + 9 * np.repeat([0, 1], 5)[:, None], list("A" * 5 + "B" * 5))
    found = cw.report(curves, cw.compare(curves), cw.locate(curves, rng=0))
    assert len(found.html.encode()) <= 120_000


def test_the_file_of_real_curves_is_small(atari: Path) -> None:
    curves = cw.read(atari / "breakout.csv", only=["DQN", "Rainbow"])
    found = cw.report(curves, cw.compare(curves), cw.locate(curves, rng=0, n_resamples=99))
    assert len(found.html.encode()) <= 120_000


@pytest.mark.slow
def test_a_large_report_stays_below_its_limit() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(180, 2_000)).cumsum(axis=1) / 10 + rng.normal(size=(180, 2_000))
    curves = cw.Curves(scores + np.repeat(np.arange(6), 30)[:, None], np.repeat(list("ABCDEF"), 30))
    found = cw.report(
        curves,
        cw.compare(curves, n_shuffles=99, rng=0),
        cw.locate(curves, n_resamples=0, n_shuffles=999, rng=0),
        cw.best(curves, n_shuffles=99, rng=0),
        cw.compare_pairs(curves, n_shuffles=99, rng=0),
    )
    assert len(found.html.encode()) <= 1_200_000
