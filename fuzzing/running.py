"""Runs cases in this process, within limits; started as a process of its own by `__main__`.

Numbers of cases come in on standard input, a line each, and what is wrong with each goes out as a
line of JSON. A case that takes too much time ends the process, with the lines it was at on
standard error; one that takes too much memory gets a MemoryError, as on a small machine.
"""

from __future__ import annotations

import contextlib
import faulthandler
import hashlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzzing.cases import Case
    from fuzzing.judging import Outcome

__all__ = ["judged", "main"]

MAX_CPU, MAX_SECONDS = 30.0, 240.0  # of a case, on a machine that others use too
MAX_MEMORY = 6 * 2**30  # addresses, of which most are never touched
MAX_RESIDENT = 1_500_000  # kB


def judged(seed: int, number: int, folder: Path) -> dict[str, Any]:
    """Run a case in a folder, and return what it was and what is wrong."""
    from fuzzing.cases import make_case
    from fuzzing.judging import complaints

    case = make_case(seed, number, folder)
    with _inside(folder):
        if case.first is not None:
            _run(case.first)
        if case.damage is not None:
            case.damage()
        before = _files(folder)
        started = time.process_time()
        outcome = _outcome(case)
        seconds = time.process_time() - started
        after = _files(folder)
        outcome.made = tuple(sorted(after.keys() - before.keys()))
        written = {word for word in case.line if word.startswith(str(folder))}
        outcome.changed = tuple(
            name
            for name, content in before.items()
            if after.get(name) != content
            and str(folder / name) not in written - set(case.line[1:2])
        )
        wrong = complaints(case, outcome)
    return {
        "number": number,
        "kind": case.kind,
        "line": case.line,
        "code": outcome.code,
        "clear": case.truth is not None or case.check is not None,
        "seconds": round(seconds, 3),
        "wrong": wrong,
        "stderr": outcome.stderr[-600:] if wrong else "",
    }


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Work in a folder: what is written without a path goes there."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


def _files(folder: Path) -> dict[str, str]:
    """Return every file below a folder with a hash of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def _outcome(case: Case) -> Outcome:
    from fuzzing.judging import Outcome

    if case.call is None:
        return _run(case.line)
    outcome = Outcome()
    with _watched(outcome):
        outcome.value = case.call()
    return outcome


def _run(line: list[str]) -> Outcome:
    """Run a command in this process; what it prints is taken from the streams themselves."""
    from curvewise.cli import app
    from fuzzing.judging import Outcome

    outcome = Outcome()
    os.environ["COLUMNS"] = "100"
    with _printed(outcome), _watched(outcome):
        app(line, prog_name="curvewise")
    return outcome


@contextlib.contextmanager
def _watched(outcome: Outcome) -> Iterator[None]:
    """Note warnings, exits and errors."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except SystemExit as ended:
            outcome.code = 0 if ended.code is None else int(ended.code)
        except BaseException as error:  # noqa: BLE001 (a panic is one too)
            outcome.error = error
            outcome.traceback = "".join(traceback.format_exception(error)[-14:])[-2_500:]
    outcome.warnings = tuple(
        f"{each.category.__name__}: {each.message} ({each.filename}:{each.lineno})"
        for each in caught
        if not issubclass(each.category, ResourceWarning)
    )


@contextlib.contextmanager
def _printed(outcome: Outcome) -> Iterator[None]:
    """Note what is printed on the streams of the process, by Python or by anything else."""
    kept = [os.dup(1), os.dup(2)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        try:
            yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            for number, old in enumerate(kept, start=1):
                os.dup2(old, number)
                os.close(old)
            out.seek(0)
            err.seek(0)
            outcome.stdout = out.read().decode("utf-8", "backslashreplace")
            outcome.stderr = err.read().decode("utf-8", "backslashreplace")


def _limit() -> None:
    """Bound the memory of this process, and prepare to say where a case hangs."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
        faulthandler.register(number, chain=True)


def _start_clocks(cpu: float, seconds: float) -> None:
    signal.setitimer(signal.ITIMER_PROF, cpu)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def main() -> None:
    """Judge the cases that are named on standard input."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing else goes where the answers go
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    seed = int(sys.argv[1])
    _limit()
    for line in sys.stdin:
        folder = Path(tempfile.mkdtemp(prefix="curvewise-fuzz-")).resolve()
        _start_clocks(MAX_CPU, MAX_SECONDS)
        answer = judged(seed, int(line), folder)
        _start_clocks(0, 0)
        shutil.rmtree(folder, ignore_errors=True)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MAX_RESIDENT:
            answer["wrong"].append("takes much memory")
            answer["is_last"] = True  # the next case gets a fresh process
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if answer.get("is_last"):
            return


if __name__ == "__main__":
    main()
