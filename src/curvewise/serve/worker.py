"""The process that reads and compares for the page: one task in, lines of JSON out.

A process of its own can be stopped at any moment, and its memory can be bounded. It ends when
the server does, however that ends: the server holds the other end of its input.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import threading
import traceback
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from curvewise.errors import CurvewiseError
from curvewise.text import argument, naming_flags

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Say = Callable[[Mapping[str, Any]], None]

__all__ = ["command_of", "main", "work"]

MIN_STEP = 0.005  # of progress that is worth a line
NO_MEMORY = (
    "There is not enough memory for these data. Keep fewer steps or runs, or give the page "
    "more with --max-memory."
)
WORDS = {
    "tasks": "which is better as a whole?",
    "aggregate": "how good is each over all tasks?",
    "compare": "do they differ?",
    "locate": "where do they differ?",
    "best": "which may be the best?",
    "pairs": "which of them differ?",
}


def main() -> None:
    """Do the task that stands in the first line of the input."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    sys.stdout = sys.stderr  # nothing else may stand between the lines
    task = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_server, args=[sys.stdin], daemon=True).start()
    _bound_memory(task["memory"])

    def say(record: Mapping[str, Any]) -> None:
        out.write(json.dumps(record, allow_nan=False) + "\n")
        out.flush()

    try:
        with naming_flags():
            work(task, say)
    except CurvewiseError as error:
        say({"refused": str(error)})
    except MemoryError:
        say({"refused": NO_MEMORY})
    except Exception as error:  # noqa: BLE001 (told on the page; the traceback in the terminal)
        traceback.print_exc()
        say({"failed": f"{type(error).__name__}: {error}"})


def _end_with_the_server(lifeline: IO[str]) -> None:
    lifeline.read()
    os._exit(1)


def _bound_memory(size: int) -> None:
    """Bound the address space, where the system can."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        size = min(size, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (size, hard))
    except (OSError, ValueError):  # macOS has the limit, and refuses to set it
        return


def work(task: Mapping[str, Any], say: Say) -> None:
    """Do a task, and say what is going on.

    Parameters
    ----------
    task : mapping
        ``paths`` are read from ``folder`` (or from here, if it is None) with ``options``. With
        ``output`` a report is written there; otherwise what was recognised is said. ``shuffling``
        are options of the questions, ``size`` the most that sent files may hold.
    say : function
        Is given ``progress`` (0 to 1) with ``step``, and in the end ``done``.
    """
    if task["folder"] is not None:
        os.chdir(task["folder"])
    from curvewise.serve.recognising import check_size, recognise

    paths, options = task["paths"], task["options"]
    sent = [path for path in paths if not os.path.isabs(path)]  # noqa: PTH117
    if task["folder"] is not None:
        check_size(sent, task["size"])
    if task["output"] is None:
        say({"done": recognise(paths, options)})
        return
    say({"done": _report(task, say)})


def _report(task: Mapping[str, Any], say: Say) -> dict[str, str]:
    import curvewise
    from curvewise.readers import read_all
    from curvewise.reports.asking import ask, title_of
    from curvewise.reports.provenance import file_hashes
    from curvewise.shuffling.parallel import reporting_progress

    paths, options = task["paths"], task["options"]
    state: dict[str, Any] = {"progress": 0.0, "step": "reading"}

    def tell(progress: float, step: str | None = None) -> None:
        step = step or state["step"]
        # Never backwards: a question may count more than once.
        progress = max(progress, state["progress"])
        if step != state["step"] or progress >= min(state["progress"] + MIN_STEP, 1):
            state.update(progress=progress, step=step)
            say(state)

    say(state)
    tables = read_all(paths, **options)
    windows = list(tables) if len(tables) == 1 else []

    def begin(what: str) -> None:
        name, _, table = what.partition(", ")
        words = WORDS.get(name, name)
        tell(state["progress"], f"{table}: {words}" if table else words)

    with reporting_progress(lambda done, total: tell(done / total)):
        results = ask(tables, task["shuffling"], windows=windows, begin=begin)
    tell(1.0, "writing the report")
    made = {"Command": command_of(paths, options), **file_hashes(map(Path, paths))}
    whole = tables if len(tables) > 1 else next(iter(tables.values()))
    title = title_of(Path(paths[0]).stem, tables)
    report = curvewise.report(whole, *results, title=title, made=made)
    report.save(task["output"])
    return {"title": report.title, "headline": results[0].headline()}


def command_of(paths: Sequence[str], options: Mapping[str, Any]) -> str:
    """Return the command that makes the same report.

    >>> with naming_flags():
    ...     command_of(["my runs.csv"], {"score": "return", "higher_is_better": False})
    "curvewise report 'my runs.csv' --score return --lower-is-better"
    """
    words = ["curvewise", "report", *paths]
    for name, value in options.items():
        if isinstance(value, bool):
            words.append(argument(name, value))
        elif isinstance(value, list):
            words += [word for own in value for word in (argument(name), str(own))]
        elif isinstance(value, dict):
            pairs = [f"{column}={own}" for column, own in value.items()]
            words += [word for pair in pairs for word in (argument(name), pair)]
        elif value is not None:
            words += [argument(name), str(value)]
    return shlex.join(words)


if __name__ == "__main__":
    main()
