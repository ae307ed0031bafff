"""A summary in Markdown and a report in JUnit's XML."""

from __future__ import annotations

import errno
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curvewise import Curves, CurvewiseError, Gates, OptionError, gate, gate_many
from curvewise.cli.gate import EXIT_CODES, junit_text, summary_place, summary_text, write_files
from curvewise.questions.gate.result import amount_text, limits_text
from curvewise.text import p_text
from tests.cli.running import invoke, one_line

if TYPE_CHECKING:
    from curvewise import Gate

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
    assert skipped.attrib["message"] == ("Not examined: an earlier gate did not pass (margin 1).")


def test_a_summary_has_verdict_table_warnings_and_next_step() -> None:
    text = summary_text(asked(0.0, n=2))
    assert text.startswith("### Gate: undecided\n\nUndecided: with 2 + 2 runs no result could")
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


def test_files_are_written_all_of_them_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OptionError, match=r"j\.xml.*No space left on device"):
        write_files(asked(0.0), tmp_path / "s.md", tmp_path / "j.xml")
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()
    with pytest.raises(OptionError, match="cannot be added"):
        write_files(asked(0.0), tmp_path / "none" / "s.md", tmp_path / "j.xml")
    assert not list(tmp_path.iterdir())


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
    done = invoke("gate", tmp_path / "runs.csv", "--margin", 1, "--junit", tmp_path)
    assert done.exit_code == 3
    assert "is a directory" in one_line(done.stderr)


# --- all outputs of a gate say the same ------------------------------------------------

ASKED: list[dict[str, Any]] = [
    {"margin": 0.8},
    {"margin": 0},
    {"margin": 0.1, "unit": "relative"},
    {"margin": 1.5, "unit": "sd"},
    {"margin": 1.0, "two_sided": True},
    {"margin": 0.2, "unit": "relative", "two_sided": True},
    {"margin": 0.8, "spread": "unequal"},
    {"margin": 0.8, "center": "ranks"},
    {"margin": 1.5, "on": "every step"},
    {"margin": 1.3, "on": ("reach", 9.5)},
    {"margin": 1, "on": ("reach", 9.5)},
    {"margin": 0.8, "on": "final"},
]


def is_beyond(found: Gate) -> tuple[bool, bool]:
    """Whether the limits say pass, and whether they say fail."""
    low, high = found.limits
    if found.unit == "factor":
        return high < found.margin, found.limits_fail.low > found.margin
    passes, fails = low > -found.margin, found.limits_fail.high < -found.margin
    if found.two_sided:
        return passes and high < found.margin, fails or (found.limits_fail.low > found.margin)
    return passes, fails


def check_one(found: Gate, shown: str, row: tuple[str, ...], case: Any) -> None:
    """Hold all that is shown of one gate against its numbers."""
    adjusted = found.pvalue_fail_adjusted
    p_fail = found.pvalue_fail if adjusted is None else adjusted
    passes, fails = is_beyond(found)
    assert passes == (found.pvalue_pass <= found.alpha)
    assert (fails and not passes) == (p_fail <= found.alpha and not passes)
    assert found.answer == ("pass" if passes else "fail" if fails else "undecided")
    assert found.limits.low <= found.difference <= found.limits.high
    assert found.limits_fail.low <= found.limits.low + 1e-9 or not found.two_sided
    told = found.describe()
    assert told.startswith(f"{found.answer.capitalize()}: ")
    assert row[-1] == shown
    assert row[1] == amount_text(found.difference, found.unit)
    assert row[2] == limits_text(found.limits, found.unit)
    assert p_text(found.pvalue_pass) in row
    assert p_text(p_fail) in row
    if found.answer == "undecided" and "may be up to" in told:
        limits = found.limits_fail if found.two_sided else found.limits
        worst = -limits.low if limits.low < 0 else limits.high
        assert f"up to {amount_text(worst, found.unit)} " in told
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["answer"] == found.answer
    assert data["pvalue_pass"] == found.pvalue_pass
    assert [own is None for own in data["limits"]] == list(map(math.isinf, found.limits))
    tags = {child.tag for child in case}
    expected = {"pass": "system-out", "fail": "failure"}.get(shown, "skipped")
    assert expected in tags
    assert ("failure" in tags, "skipped" in tags) == (shown == "fail", expected == "skipped")


def check_coherent(
    seed: int, sizes: tuple[int, int], moved: float, options: dict[str, Any], n: int
) -> None:
    rng = np.random.default_rng(seed)
    alpha = float(rng.choice([0.05, 0.1, 0.2]))
    members = {}
    for name in ("one", "two <b>|", "three")[:n]:
        steps = np.linspace(8, 10, 5)
        scores = steps + rng.normal(size=(sum(sizes), 1)) + rng.normal(size=5) / 4
        scores[: sizes[0]] += moved
        scores = scores.round() if seed % 3 == 0 else scores
        labels = ["new"] * sizes[0] + ["old"] * sizes[1]
        members[name] = Curves(scores, labels, steps=np.arange(1, 6))
    asked_of: dict[str, Any] = {"candidate": "new", "baseline": "old", "rng": 0, "alpha": alpha}
    found: Gate | Gates
    try:
        if n == 1:
            found = gate(members["one"], **asked_of, n_shuffles=199, **options)
        else:
            found = gate_many(members, **asked_of, n_shuffles=199, **options)
    except CurvewiseError:
        return  # runs that none, or all, are at the score from the start
    gates = dict(found) if isinstance(found, Gates) else {"": found}
    answers = found.answers if isinstance(found, Gates) else {"": found.answer}
    cases = ET.fromstring(junit_text(found)).findall(".//testcase")  # noqa: S314 (our own)
    rows = found.tables()[-1].rows
    for (name, own), row, case in zip(gates.items(), rows, cases, strict=True):
        check_one(own, answers[name], row, case)
    words = set(answers.values())
    together = "pass" if words == {"pass"} else "fail" if "fail" in words else "undecided"
    assert found.answer == together
    assert EXIT_CODES[found.answer] == {"pass": 0, "fail": 1, "undecided": 4}[together]
    summary = summary_text(found)
    assert summary.startswith(f"### Gate: {together}\n")
    assert summary.count(f"| {together} |") >= (together != "undecided" or n == 1)
    figure = found.figure()
    drawn = {text.get_text() for text in figure.axes[0].texts}
    assert words <= drawn
    figure.clear()


DESIGNS: dict[str, Any] = {
    "seed": st.integers(0, 10**6),
    "sizes": st.tuples(st.integers(2, 6), st.integers(2, 6)),
    "moved": st.sampled_from([-4.0, -1.0, 0.0, 4.0]),
    "options": st.sampled_from(ASKED),
    "n": st.sampled_from([1, 1, 2, 3]),
}


@given(**DESIGNS)
@settings(max_examples=12, deadline=None)
def test_no_two_outputs_contradict_each_other(**design: Any) -> None:
    check_coherent(**design)


@pytest.mark.slow
@given(**DESIGNS)
@settings(max_examples=200, deadline=None)
def test_no_two_outputs_contradict_each_other_in_many_designs(**design: Any) -> None:
    check_coherent(**design)
