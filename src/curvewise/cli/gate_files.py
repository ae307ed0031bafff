"""What a gate leaves for teams: a summary in Markdown, and a report in JUnit's XML."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from curvewise.errors import OptionError
from curvewise.files import append_text, check_place, write_text
from curvewise.text import markdown_text, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.questions.gate.result import Gate, Gates

__all__ = ["check_junit", "junit_text", "summary_place", "summary_text", "write_files"]

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
# Characters that XML cannot hold, not even escaped.
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def summary_place(asked: str | None) -> Path | None:
    """Return the file that a summary is added to; "auto" is that of GitHub's job summary.

    Raises `OptionError` if it cannot be written, before any work is done.
    """
    if asked is None:
        return None
    path = Path(asked)
    if asked == "auto":
        given = os.environ.get(STEP_SUMMARY, "")
        if not given:
            msg = (
                f"--summary auto adds to the file that ${STEP_SUMMARY} names, and that is not "
                "set: GitHub Actions sets it. Name a file instead."
            )
            raise OptionError(msg, option="summary")
        path = Path(given)
    if not os.path.exists(path):  # noqa: PTH110 (unlike Path.exists it never raises)
        check_place(path, "summary")
    elif path.is_dir() or path.is_fifo() or not os.access(path, os.W_OK):
        msg = f"Nothing can be added to {str(path)!r}; name another file for the summary."
        raise OptionError(msg, option="summary")
    return path


def check_junit(path: Path | None) -> None:
    """Raise if a report could not be written there, before any work is done."""
    if path is not None:
        check_place(path, "report")


def write_files(result: Gate | Gates, summary: Path | None, junit: Path | None) -> None:
    """Write what was asked for."""
    if summary is not None:
        append_text(summary, summary_text(result), "summary")
    if junit is not None:
        write_text(junit, junit_text(result), "report")


def summary_text(result: Gate | Gates) -> str:
    """Return the verdict, a small table, warnings and the next step, in Markdown."""
    from curvewise.questions.gate.words import advice

    parts = [
        f"### Gate: {result.answer}",
        markdown_text(result.describe()),
        result.tables()[-1].markdown(),
        *(f"**Warning:** {markdown_text(warning)}" for warning in result.warnings),
        f"**Next:** {markdown_text(advice(result))}",
    ]
    return "\n\n".join(parts) + "\n\n"


def junit_text(result: Gate | Gates) -> str:
    """Return a test case for each gate: a fail is a failure, what is undecided is skipped."""
    from xml.etree import ElementTree as ET

    from curvewise.questions.gate.result import Gates
    from curvewise.questions.gate.words import verdict

    if isinstance(result, Gates):
        gates: Mapping[str, Gate] = result
        answers = result.answers
    else:
        gates, answers = {result.measure: result}, {result.measure: result.answer}
    given = list(answers.values())
    n_failed = given.count("fail")
    n_skipped = len(given) - n_failed - given.count("pass")
    counts = {
        "tests": str(len(given)),
        "failures": str(n_failed),
        "errors": "0",
        "skipped": str(n_skipped),
    }
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": "curvewise gate", **counts})
    for name, gate in gates.items():
        label = f"{gate.candidate} against {gate.baseline}"
        case = ET.SubElement(
            suite, "testcase", {"name": _xml(name), "classname": _xml(label)}
        )
        told = _xml(gate.describe())
        message = _xml(verdict(gate))
        if answers[name] == "fail":
            failure = ET.SubElement(case, "failure", {"message": message, "type": "fail"})
            failure.text = told
            continue
        if answers[name] != "pass":
            if answers[name] == "not examined":
                message = (
                    f"Not examined: an earlier gate did not pass ({gate.margin_text})."
                )
                message = message.replace("(", "(margin ")
            ET.SubElement(case, "skipped", {"message": message})
        ET.SubElement(case, "system-out").text = told
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """Spell out characters that XML cannot hold; others are escaped where they are written."""
    return NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(text))
