"""A summary in Markdown and a report in JUnit's XML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from curvewise import Curves, OptionError, gate, gate_many
from curvewise.cli.gate_files import (
    check_junit,
    junit_text,
    summary_place,
    summary_text,
    write_files,
)

if TYPE_CHECKING:
    from pathlib import Path

NASTY = "<b>&\"' | `x` \x00\x1b[31m\ufffe"
RNG = np.random.default_rng(0)


def curves(moved: float, name: str = NASTY, n: int = 6) -> Curves:
    values = RNG.normal(size=(2 * n, 1))
    values[:n] += moved
    return Curves(values, [name] * n + ["old"] * n)


def asked(moved: float, margin: float = 1.0, n: int = 6) -> Any:
    return gate(curves(moved, n=n), candidate=NASTY, baseline="old", margin=margin)


def test_a_report_is_valid_whatever_the_names() -> None:
    for moved, tag in ((9.0, None), (-9.0, "failure"), (-1.0, "skipped")):
        found = asked(moved)
        root = ET.fromstring(junit_text(found))  # noqa: S314 (our own)
        (case,) = root.iter("testcase")
        tags = {child.tag for child in case} - {"system-out"}
        assert tags == ({tag} if tag else set())
        assert case.attrib["classname"].startswith("<b>&\"' | `x` \\x00")
        if tag:
            assert "(margin 1" in case.find(tag).attrib["message"]  # type: ignore[union-attr]
        assert root.attrib["tests"] == "1"


def test_a_family_has_a_case_for_each() -> None:
    members = {"good": curves(9.0), NASTY: curves(-9.0), "later": curves(0.0)}
    found = gate_many(
        members, candidate=NASTY, baseline="old", margin=1, order=["good", NASTY, "later"]
    )
    root = ET.fromstring(junit_text(found))  # noqa: S314 (our own)
    assert {key: root.attrib[key] for key in ("tests", "failures", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "skipped": "1",
    }
    (skipped,) = root.iter("skipped")
    assert skipped.attrib["message"] == (
        "Not examined: an earlier gate did not pass (margin 1)."
    )


def test_a_summary_has_verdict_table_warnings_and_next_step() -> None:
    text = summary_text(asked(0.0, n=2))
    assert text.startswith(
        "### Gate: undecided\n\nUndecided: with 2 + 2 runs no result could"
    )
    assert "| margin |" in text
    assert "**Warning:** With 2 + 2 runs" in text
    assert "**Next:** Make at least 3 + 3 runs." in text
    assert text.endswith("\n\n")
    assert "\x1b" not in text
    assert "<b>" not in text.replace("\\<b\\>", "")


def test_files_are_written_where_they_are_asked_for(tmp_path: Path) -> None:
    found = asked(0.0)
    write_files(found, tmp_path / "s.md", tmp_path / "j.xml")
    write_files(found, tmp_path / "s.md", None)
    assert (tmp_path / "s.md").read_text(encoding="utf-8").count("### Gate") == 2
    assert (tmp_path / "j.xml").exists()


def test_places_are_checked_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    with pytest.raises(OptionError, match="that is not set: GitHub Actions sets it"):
        summary_place("auto")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    assert summary_place("auto") == tmp_path / "step.md"
    assert summary_place(None) is None
    with pytest.raises(OptionError, match="Nothing can be added"):
        summary_place(str(tmp_path))
    with pytest.raises(OptionError, match="no folder"):
        summary_place(str(tmp_path / "no" / "s.md"))
    check_junit(None)
    with pytest.raises(OptionError, match="is a directory"):
        check_junit(tmp_path)
