"""``curvewise gate``: is a candidate not worse than a baseline by more than a margin?"""

from __future__ import annotations

import os
import re
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

import curvewise
from curvewise.cli.command import (
    Output,
    Reading,
    Shuffling,
    asks,
    check_not_read,
    measure_of,
    named_numbers,
    note_reading,
)
from curvewise.cli.terminal import FAILED, SUCCESS, UNDECIDED, begin_writing, progress
from curvewise.data.tasks import BASELINE, CANDIDATE
from curvewise.errors import refuse
from curvewise.files import append_text, check_place, replacing
from curvewise.text import listed, markdown_text, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.curves import Curves
    from curvewise.questions.gate.result import Gate, Gates


EXIT_CODES = {"pass": SUCCESS, "fail": FAILED, "undecided": UNDECIDED}
MEASURES = {"mean": "mean", "final": "final", "every-step": "every step"}
MAX_NAMED = 6  # algorithms that a message lists
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
# Characters that XML cannot hold, not even escaped.
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, kw_only=True)
class GateReading(Reading):
    """What is read: one place with both algorithms, or that of the baseline and the candidate's.

    Parameters
    ----------
    paths
        Where both algorithms are (with --candidate and --baseline); or two paths, first that of
        the baseline, then that of the candidate. Tables, or training logs.
    metric
        The metric of the gate; repeat for several, which must all pass.
    """

    metric: tuple[str, ...] = ()

    @property
    def metrics(self) -> list[str | None]:
        """The metrics to read; None is the one that stands out."""
        return list(self.metric) or [None]

    def members(self, names: dict[str, str | None]) -> dict[str, Curves]:
        """Read the curves of each metric and task, and say what was read."""
        found: dict[str, Curves] = {}
        for metric in self.metrics:
            with progress("reading"):
                tasks = self._tasks(metric, names)
            for task, curves in tasks.items():
                of_many = (metric, self.metrics), (task, tasks)
                name = ", ".join(part for part, every in of_many if part and len(every) > 1)
                found[name or metric or task or ""] = curves
        note_reading(found, "metric" if len(found) == len(self.metrics) > 1 else "task")
        return found

    def _tasks(
        self, metric: str | None, names: dict[str, str | None]
    ) -> Mapping[str | None, Curves]:
        selection: dict[str, Any] = {**self.selection, "metric": metric}
        if len(self.paths) == 2:
            from curvewise.readers import read_sides

            return read_sides(*self.paths, names=names, **selection)
        if not selection["only"] and all(names.values()):
            # The runs of others shall not decide at which steps these two are compared.
            selection["only"] = list(names.values())
        if selection["task"] is not None:
            return dict(curvewise.read_tasks(self.paths, **selection).items())
        return {None: curvewise.read(self.paths, **selection)}

    def reference(self, path: Path | None, baseline: str | None) -> Curves | None:
        """Read the runs whose standard deviation is the unit of the margin.

        Of several algorithms those of the baseline.
        """
        if path is None:
            return None
        if len(self.metrics) > 1:
            refuse("--sd-from goes with one metric; ask for each by itself.", "sd_from")
        found = curvewise.read([path], **{**self.selection, "metric": self.metrics[0]})
        return found.select(baseline) if baseline in found.algorithms else found


@asks("gate_many")
def gate(
    reading: GateReading,
    shuffling: Shuffling,
    output: Output,
    *,
    margin: Annotated[tuple[str, ...], "SIZE"],
    on: Annotated[str, "WHAT"] = "mean",
    candidate: str | None = None,
    baseline: str | None = None,
    sd_from: Annotated[Path | None, "PATH"] = None,
    summary: Annotated[str | None, "FILE"] = None,
    junit: Path | None = None,
    order: tuple[str, ...] = (),
    **asked: Any,
) -> None:
    """May the candidate replace the baseline?

    It may if it is not worse by more than a margin. Ends with 0 if the gate passes, with 1 if
    it fails, and with 4 if it is undecided.

    Examples: curvewise gate baseline.csv candidate.csv --margin 2

    curvewise gate runs.csv --baseline old --candidate new --margin 0.05 --unit relative

    Parameters
    ----------
    margin
        How much worse the candidate may be; chosen before looking. 0 asks whether it is better.
        With several metrics or tasks also NAME=SIZE, repeated.
    on
        What is taken of each run: mean, final (the last tenth of the steps), FROM:TO (in steps),
        every-step (not worse at any), reach:SCORE (the time to it; the margin is then a factor,
        1.2 for 20% longer).
    order
        Examine metrics or tasks in this order, up to the first that does not pass; repeat for
        each.
    summary
        Add the verdict to this file, in Markdown; auto: to the job summary of GitHub.
    junit
        Write a report in JUnit's XML.
    """
    place = summary_place(summary)
    if junit is not None:
        check_place(junit, "report")  # before any work is done
    check_not_read(place, reading.paths, "summary", "summary")
    check_not_read(junit, reading.paths, "junit", "report")
    names = {BASELINE: baseline, CANDIDATE: candidate}
    margins = _margins(margin)
    measure = measure_of(on, MEASURES, reach=True)
    members = reading.members(names)
    roles = _roles(members, names, n_paths=len(reading.paths))
    options: dict[str, Any] = {**roles, "on": measure, **asked, **shuffling.options}
    reference = reading.reference(sd_from, baseline)
    found: Gate | Gates
    with shuffling.working():
        if len(members) == 1:
            (curves,) = members.values()
            if order:
                refuse(
                    "--order is for several metrics or tasks, and there is a single gate.", "order"
                )
            single = _only(margins, members)
            found = curvewise.gate(curves, margin=single, sd_from=reference, **options)
        else:
            references = None if reference is None else dict.fromkeys(members, reference)
            found = curvewise.gate_many(
                members, margin=margins, order=order or None, sd_from=references, **options
            )
    output.save(found)
    begin_writing()
    write_files(found, place, junit)
    output.show(found)
    raise click.exceptions.Exit(EXIT_CODES[found.answer])


def _margins(given: tuple[str, ...]) -> float | dict[str, float]:
    """Read one margin for all, or one for each metric or task."""
    margins = named_numbers(given)
    if margins is None or (isinstance(margins, dict) and len(margins) < len(given)):
        msg = "give a number, or NAME=NUMBER once for each metric or task."
        if any(text.endswith("%") for text in given):
            msg += " A share of the baseline's mean is --margin 0.02 --unit relative for 2%."
        raise click.BadParameter(msg, param_hint="'--margin'")
    return margins


def _only(margins: float | dict[str, float], members: dict[str, Curves]) -> float:
    """Return the margin of a single gate."""
    if not isinstance(margins, dict):
        return margins
    (name,) = members
    if list(margins) != [name] or not name:
        refuse(
            f"--margin names {listed(list(margins), MAX_NAMED)}, but there is a single gate. Give "
            "its margin as a number.",
            "margin",
        )
    return margins[name]


def _roles(
    members: dict[str, Curves], names: dict[str, str | None], *, n_paths: int
) -> dict[str, str]:
    """Return who is the candidate, and who the baseline."""
    if n_paths == 2:
        return {BASELINE: BASELINE, CANDIDATE: CANDIDATE}
    missing = [role for role, name in names.items() if name is None]
    if missing:
        there = next(iter(members.values())).algorithms
        wanted = " and ".join(f"--{role} NAME" for role in missing)
        refuse(
            f"The algorithms are {listed(there, MAX_NAMED)}; say which is which with {wanted}. Or "
            "give two paths: that of the baseline, then that of the candidate."
        )
    return {role: str(name) for role, name in names.items()}


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
            refuse(
                f"--summary auto adds to the file that ${STEP_SUMMARY} names, and that is not "
                "set: GitHub Actions sets it. Name a file instead.",
                "summary",
            )
        path = Path(given)
    if not os.path.exists(path):  # noqa: PTH110 (unlike Path.exists it never raises)
        check_place(path, "summary")
    elif path.is_dir() or path.is_fifo() or not os.access(path, os.W_OK):
        refuse(
            f"Nothing can be added to {str(path)!r}; name another file for the summary.", "summary"
        )
    return path


def write_files(result: Gate | Gates, summary: Path | None, junit: Path | None) -> None:
    """Write what was asked for, all of it or nothing."""
    with nullcontext() if junit is None else replacing(junit, "report") as partial:
        if partial is not None:
            partial.write_text(junit_text(result), encoding="utf-8", newline="\n")
        if summary is not None:
            append_text(summary, summary_text(result), "summary")


def summary_text(result: Gate | Gates) -> str:
    """Return the verdict, a small table, warnings and the next step, in Markdown."""
    from curvewise.questions.gate.tell import advice

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
    from curvewise.questions.gate.tell import verdict

    gates: Mapping[str, Gate] = result if isinstance(result, Gates) else {result.measure: result}
    answers = result.answers if isinstance(result, Gates) else {result.measure: result.answer}
    given = list(answers.values())
    failed, passed = given.count("fail"), given.count("pass")
    numbers = {"tests": len(given), "failures": failed, "errors": 0}
    numbers["skipped"] = len(given) - failed - passed
    counts = {name: str(number) for name, number in numbers.items()}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": "curvewise gate", **counts})
    for name, gate in gates.items():
        label = f"{gate.candidate} against {gate.baseline}"
        case = ET.SubElement(suite, "testcase", {"name": _xml(name), "classname": _xml(label)})
        told, message, answer = _xml(gate.describe()), _xml(verdict(gate)), answers[name]
        if answer == "fail":
            ET.SubElement(case, "failure", {"message": message, "type": "fail"}).text = told
            continue
        if answer == "not examined":
            message = f"Not examined: an earlier gate did not pass (margin {gate.margin_text})."
        if answer != "pass":
            ET.SubElement(case, "skipped", {"message": message})
        ET.SubElement(case, "system-out").text = told
    ET.indent(suites)
    return ET.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """Spell out characters that XML cannot hold; others are escaped where they are written."""
    return NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(text))
