"""One case: files in a folder, and a command line or a call on them; a number makes it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from fuzzing.frames import frame_call
from fuzzing.logs import write_logs
from fuzzing.options import COMMANDS, WITHOUT_TABLE, command_line
from fuzzing.saved_work import damage_checkpoint, damage_plan
from fuzzing.slow_reading import slow_reading
from fuzzing.tables import write_plain, write_table
from fuzzing.traps import TRAPS
from fuzzing.truths import some_truth

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fuzzing.judging import Outcome
    from fuzzing.truths import Truth

__all__ = ["KINDS", "Case", "make_case"]

# How often a kind is drawn.
KINDS = {
    "table": 8,
    "options": 8,
    "logs": 4,
    "frame": 5,
    "checkpoint": 2,
    "plan": 1,
    "gaps": 3,
    "direction": 2,
    "orientation": 2,
    "units": 1,
    "names": 3,
    "bomb": 2,
}


@dataclass
class Case:
    """What is done, and what must come of it.

    Attributes
    ----------
    kind : str
        Of which kind it is.
    line : list of str
        The command line, if it is one.
    call : callable, optional
        The call, if it is one.
    truth : Truth, optional
        What the table or frame says beyond doubt.
    first : list of str, optional
        The command line that is run before, without being judged.
    damage : callable, optional
        What is then done to its files.
    check : callable, optional
        What is wrong with the value or the refusal of the call, beyond what is wrong with any.
    """

    kind: str
    line: list[str]
    call: Callable[[], Any] | None = None
    truth: Truth | None = None
    first: list[str] | None = None
    damage: Callable[[], object] | None = None
    check: Callable[[Outcome], list[str]] | None = None


def make_case(seed: int, number: int, folder: Path) -> Case:
    """Return a case, the same for the same seed and number, with its files in a folder."""
    rng = Random(f"{seed} {number}")
    kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
    if kind in TRAPS:
        call, check = TRAPS[kind](rng, folder)
        return Case(kind, [], call=call, check=check)
    return {
        "table": _table,
        "options": _options,
        "logs": _logs,
        "frame": _frame,
        "checkpoint": _checkpoint,
        "plan": _plan,
    }[kind](rng, folder)


def _table(rng: Random, folder: Path) -> Case:
    """Mutate a table, for a command without further options."""
    path = write_table(rng, folder, some_truth(rng))
    truth = slow_reading(path)
    command = rng.choice([name for name in COMMANDS if name not in {"monitor", "tasks"}])
    if rng.random() < 0.5:
        command = "compare"
    names = ["algo A", "algo B"] if truth is None else truth.algorithms
    line = command_line(rng, command, path, names, hostile=False)
    if command == "compare":
        line.append("--json")
    return Case("table", line, truth=truth)


def _options(rng: Random, folder: Path) -> Case:
    """Write a sound table, for options that may be anything."""
    truth = some_truth(rng, hostile=rng.random() < 0.3)
    command = rng.choice([*COMMANDS, *WITHOUT_TABLE])
    path = folder / "runs.csv"
    if command == "monitor":
        rows = _with_batches(truth)
        path.write_text(rows, encoding="utf-8", errors="replace")
    elif command == "tasks":
        _write_tasks(rng, path)
        truth = some_truth(rng, hostile=False)
    else:
        write_plain(path, truth.rows)
    return Case("options", command_line(rng, command, path, truth.algorithms, hostile=True))


def _with_batches(truth: Truth) -> str:
    lines = ["agent,seed,step,score,week"]
    lines += [
        f"{truth.algorithms.index(name)},{run},{step},{score},{int(float(run.split()[-1])) // 2}"
        for name, run, step, score in truth.rows
    ]
    return "\n".join(lines)


def _write_tasks(rng: Random, path: Path) -> None:
    lines = ["agent,seed,step,score,game"]
    for game in range(rng.choice([1, 2, 3, 6])):
        truth = some_truth(rng, hostile=False)
        lines += [
            f"{name},{run},{step},{score},game {game}" for name, run, step, score in truth.rows
        ]
    path.write_text("\n".join(lines), encoding="utf-8")


def _logs(rng: Random, folder: Path) -> Case:
    path = write_logs(rng, folder)
    command = rng.choice(["inspect", "compare", "compare", "pairs", "report"])
    line = command_line(rng, command, path, ["a", "b"], hostile=rng.random() < 0.3)
    return Case("logs", line)


def _frame(rng: Random, _folder: Path) -> Case:
    call, truth, kind = frame_call(rng, some_truth(rng))
    return Case(f"frame ({kind})", [], call=call, truth=truth)


def _checkpoint(rng: Random, folder: Path) -> Case:
    """Let a command go on with its checkpoint after something happened to that."""
    truth = some_truth(rng, hostile=False)
    path = write_plain(folder / "runs.csv", truth.rows)
    command = rng.choice(["compare", "locate", "pairs", "contrast", "transfer", "gate"])
    checkpoint = folder / "work.npz"
    line = command_line(rng, command, path, truth.algorithms, hostile=False)
    line += ["--sampled", "--checkpoint", str(checkpoint)]
    return Case("checkpoint", line, first=line, damage=lambda: damage_checkpoint(rng, checkpoint))


def _plan(rng: Random, folder: Path) -> Case:
    truth = some_truth(rng, hostile=False)
    path = folder / "runs.csv"
    path.write_text(_with_batches(truth), encoding="utf-8")
    plan = folder / "plan.json"
    line = [*command_line(rng, "monitor", path, [], hostile=False), "--plan-file", str(plan)]
    return Case("plan", line, first=line, damage=lambda: damage_plan(rng, plan))
