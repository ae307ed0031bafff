"""What is wrong with what came of a case."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import curvewise as cw
from curvewise.errors import CurvewiseError

if TYPE_CHECKING:
    from fuzzing.cases import Case
    from fuzzing.truths import Truth

__all__ = ["Outcome", "complaints"]

CODES = {0, 2, 3}
CODES_OF_GATE = CODES | {1, 4}
MIN_SENTENCE = 25  # characters that say what is wrong, where, and what to do
# What Python, NumPy and Rust print of themselves.
BUGS = re.compile(
    r"Traceback|\w+Warning\b|panicked at|^Exception ignored|object at 0x", re.MULTILINE
)
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
# What files are called until they are whole.
PARTIAL = re.compile(r"(?:^|/)(?:curvewise-|tmp)\w+")


@dataclass
class Outcome:
    """What came of a case: an exit code or a value, what was printed, what is in the folder."""

    code: int | None = None
    value: Any = None
    error: BaseException | None = None
    traceback: str = ""
    stdout: str = ""
    stderr: str = ""
    warnings: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def complaints(case: Case, outcome: Outcome) -> list[str]:
    """Return what is wrong, in a line each."""
    found = [f"warning: {text}" for text in outcome.warnings]
    found += [f"left behind: {name}" for name in outcome.made if PARTIAL.search(name)]
    found += [f"changed: {name}" for name in outcome.changed]
    if case.call is not None:
        found += _of_a_call(outcome)
    else:
        found += _of_a_command(case, outcome)
    if case.check is not None:
        found += case.check(outcome)
    if case.truth is not None:
        found += _against(case, outcome, case.truth)
    return found


def _of_a_call(outcome: Outcome) -> list[str]:
    error = outcome.error
    if error is None:
        return []
    if not isinstance(error, CurvewiseError):
        return [f"raised {type(error).__name__}: {str(error)[:200]}\n{outcome.traceback}"]
    return _of_a_message(str(error))


def _of_a_command(case: Case, outcome: Outcome) -> list[str]:
    command = case.line[0]
    if outcome.error is not None:
        return [f"traceback: {outcome.traceback}"]
    found = []
    if outcome.code not in (CODES_OF_GATE if command == "gate" else CODES):
        found.append(f"exit code {outcome.code}")
    for stream, text in (("stdout", outcome.stdout), ("stderr", outcome.stderr)):
        match = BUGS.search(text)
        if match:
            found.append(f"{stream} has {match[0]!r}: {text[match.start() - 200 :][:600]}")
        if UNSAFE.search(text):
            found.append(f"{stream} has control characters")
    if outcome.code == 3:
        text = outcome.stderr.partition("Error: ")[2].rstrip("\n")
        if "--json" in case.line:
            text, _, record = text.rpartition("\n")
            found += _of_json(record)
        found += _of_a_message(text)
        if outcome.made and not case.first:
            found.append(f"refused, yet wrote {outcome.made}")
        if outcome.stdout:
            found.append(f"refused, yet printed {outcome.stdout[:80]!r}")
    if "--json" in case.line and outcome.code in {0, 1, 4}:
        found += _of_json(outcome.stdout)
    return found


def _of_a_message(text: str) -> list[str]:
    """Tell whether a message has whole sentences, long enough to say what to do."""
    ending = re.sub(r"\n +and [\d,]+ more$", "", text.rstrip())
    if len(text) < MIN_SENTENCE or not ending.endswith((".", "?", ")", ']"')):
        return [f"no sentence: {text!r}"]
    if UNSAFE.search(text):
        return [f"control characters in a message: {text!r}"]
    return []


def _of_json(text: str) -> list[str]:
    def refuse(name: str) -> Any:
        raise ValueError(name)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as error:
        return [f"not JSON: {error}"]
    return []


def _against(case: Case, outcome: Outcome, truth: Truth) -> list[str]:
    """Hold what was read, and the digits that were printed, against the slow reading."""
    curves = outcome.value
    if case.call is None:
        try:
            curves = cw.read(case.line[1])
        except CurvewiseError as error:
            return [f"a clear table is refused: {error}"]
        except Exception:  # noqa: BLE001 (the command failed alike, and said so)
            return []
    elif curves is None:
        return [f"clear data are refused: {outcome.error}"]
    steps = tuple(float(step) for step in curves.steps)
    if steps != truth.steps:
        return [f"steps are {steps[:9]}, not {truth.steps[:9]}"]
    # Arrays have no names of runs.
    source = case.line[1] if case.call is None else case.kind
    is_named = not source.endswith((".npz", "(dict)"))
    read = _sorted(curves.labels, curves.runs if is_named else None, curves.scores)
    labels, runs = zip(*truth.curves, strict=True)
    told = _sorted(labels, runs if is_named else None, truth.curves.values())
    if read != told:
        wrong = [(was, now) for was, now in zip(told, read, strict=False) if was != now]
        return [f"read otherwise: {wrong[:2]} ({len(told)} runs, read {len(read)})"]
    if case.line[:1] == ["compare"] and "--json" in case.line and outcome.code == 0:
        return _digits(json.loads(outcome.stdout), truth)
    return []


def _sorted(labels: Any, runs: Any, scores: Any) -> list[tuple[str, str, tuple[float, ...]]]:
    names = [""] * len(labels) if runs is None else map(str, runs)
    curves = (tuple(map(float, own)) for own in scores)
    return sorted(zip(map(str, labels), names, curves, strict=True))


def _digits(printed: dict[str, Any], truth: Truth) -> list[str]:
    """Compare what was printed with the answer to the same question about the slow reading."""
    labels = [algorithm for algorithm, _ in truth.curves]
    curves = cw.Curves(np.array(list(truth.curves.values())), labels, truth.steps)
    with np.errstate(all="ignore"):
        expected = cw.compare(curves, n_shuffles=99, rng=0).to_dict()
    found = []
    for effect in ("overall", "algorithm", "interaction"):
        if effect not in expected:
            continue  # a single step has no shape
        now, was = printed[effect]["pvalue"], expected[effect]["pvalue"]
        if now != was and not (now is not None and was is not None and abs(now - was) < 1e-12):
            found.append(f"p of {effect} is {now}, and of the slow reading {was}")
    return found
