"""Which algorithms are compared, and on which tasks: chosen, checked, or refused."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from curvewise.data.choices import check_choice
from curvewise.data.tasks import Tasks
from curvewise.errors import CurvesError, OptionError
from curvewise.inference.diagnostics import MIN_VALUES_TO_REPEAT
from curvewise.inference.requirements import check_tasks_vary
from curvewise.text import did_you_mean, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from curvewise.data.curves import Curves

__all__ = ["MissingTask", "check_runs", "chosen_pairs", "chosen_tasks"]

MissingTask = Literal["refuse", "drop"]
MAX_NAMED = 6  # tasks that a message lists


def chosen_tasks(
    tasks: Mapping[str, Curves], a: str | None, b: str | None, missing: MissingTask
) -> Tasks:
    """Return the tasks with the algorithms that are compared: ``a`` and ``b``, or all."""
    check_choice("missing", missing, ("refuse", "drop"))
    given = Tasks(tasks, missing="keep")
    everyone = tuple(
        dict.fromkeys(name for own in given.values() for name in own.algorithms)
    )
    for option, name in (("a", a), ("b", b)):
        if name is not None and name not in everyone:
            msg = f"No algorithm is called {name!r}; {did_you_mean(str(name), everyone)}"
            raise OptionError(msg, option=option)
    if a is not None and a == b:
        msg = f"a and b are both {a!r}. Name two algorithms."
        raise OptionError(msg, option="b")
    if len(everyone) < 2:
        msg = (
            f"Comparing needs two algorithms, and there is only {everyone[0]!r}. Name the "
            "files or the folder of all algorithms, and check what tells them apart."
        )
        raise CurvesError(msg)
    _check_shared(given, a, b)
    wanted = everyone if a is None or b is None else (a, b)
    chosen = Tasks(given, algorithms=wanted, missing=missing)
    check_runs(chosen)
    check_tasks_vary(chosen)
    return chosen


def chosen_pairs(tasks: Tasks, a: str | None, b: str | None) -> list[tuple[str, str]]:
    """Return the pairs that are compared: one, those of one algorithm, or all."""
    if a is not None and b is not None:
        return [(a, b)]
    if a is not None:
        return [(a, other) for other in tasks.algorithms if other != a]
    if b is not None:
        return [(other, b) for other in tasks.algorithms if other != b]
    return list(combinations(tasks.algorithms, 2))


def _check_shared(tasks: Tasks, a: str | None, b: str | None) -> None:
    """Raise if no task has two of the algorithms that are to be compared."""
    asked = {name for name in (a, b) if name is not None}
    held = {task: set(own.algorithms) for task, own in tasks.items()}
    if any(len(own) > 1 and asked <= own for own in held.values()):
        return
    who = "; ".join(
        f"{task!r} has {listed(sorted(own), MAX_NAMED)}"
        for task, own in list(held.items())[:MAX_NAMED]
    )
    more = f"; and {len(held) - MAX_NAMED} more" if len(held) > MAX_NAMED else ""
    together = f"both {a!r} and {b!r}" if len(asked) == 2 else "two algorithms to compare"
    msg = f"No task has {together}: {who}{more}. Name algorithms that share tasks."
    raise CurvesError(msg)


def check_runs(tasks: Tasks) -> None:
    """Raise where nothing could be shuffled, or a run is counted in two tasks."""
    single = [task for task, own in tasks.items() if max(own.sizes) == 1]
    if single:
        where = "every task" if len(single) == len(tasks) else listed(single, MAX_NAMED)
        msg = (
            f"Each algorithm has a single run on {where}, so that nothing tells a difference "
            "between algorithms from one between runs. Repeat the training with other seeds, "
            "or leave such tasks out."
        )
        raise CurvesError(msg)
    first: dict[bytes, tuple[str, str, str]] = {}
    for task, own in tasks.items():
        for label, run, scores in zip(own.labels, own.runs, own.scores, strict=True):
            if len(np.unique(scores)) < MIN_VALUES_TO_REPEAT:
                continue
            known = first.setdefault(scores.tobytes(), (task, label, run))
            if known[0] != task:
                msg = (
                    f"Run {run!r} of {label!r} on {task!r} has the scores of run "
                    f"{known[2]!r} of {known[1]!r} on {known[0]!r} at every step: a run that "
                    "counts twice makes differences look surer than they are. Leave one of "
                    "the two tasks out, or give each its own runs."
                )
                raise CurvesError(msg)
