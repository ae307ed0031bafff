"""Options of every command, with values that fit and values that do not.

The options are those the commands have: a new one is fuzzed without being named here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import click

from curvewise.cli import app
from fuzzing.truths import HOSTILE_NAMES, HOSTILE_NUMBERS

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

__all__ = ["COMMANDS", "WITHOUT_TABLE", "command_line"]

# Each command with what it cannot do without; {a} and {b} are algorithms of the table.
COMMANDS: dict[str, list[str]] = {
    "inspect": [],
    "compare": ["--shuffles", "99"],
    "locate": ["--shuffles", "99", "--resamples", "19"],
    "pairs": ["--shuffles", "99"],
    "contrast": ["--shuffles", "99", "-c", "{a}=1", "-c", "{b}=-1"],
    "transfer": [
        *("--shuffles", "99", "--resamples", "19"),
        *("--control", "{a}", "--experimental", "{b}"),
    ],
    "power": ["--effect", "lift", "--size", "1", "--runs", "3,4", "--experiments", "50"],
    "plan": ["--effect", "lift", "--size", "3", "--max-runs", "6", "--experiments", "50"],
    "calibrate": ["--splits", "19"],
    "gate": ["--shuffles", "99", "--baseline", "{a}", "--candidate", "{b}", "--margin", "1"],
    "monitor": ["--batch", "week", "--n-batches", "3", "--batch-size", "2"],
    "tasks": ["--shuffles", "99", "--task", "game"],
    "report": ["--shuffles", "99", "-o", "{folder}/report.html"],
}
# Those that read no table.
WITHOUT_TABLE: dict[str, list[str]] = {
    "criteria": [],
    "demo": ["--plot", "{folder}/demo.png"],
    "schema": ["compare"],
}
# Options whose every value is worth an hour, or a browser: of these only some values.
BOUNDED: dict[str, tuple[str, ...]] = {
    "n_shuffles": ("1", "99", "1e2", "0", "-1", "auto", "nan", "1e400", "0.5", "many", "", "1_0"),
    "n_experiments": ("1", "50", "0", "-1", "1.5", "x"),
    "n_splits": ("1", "19", "0", "-1", "x"),
    "n_resamples": ("1", "19", "0", "-1", "x"),
    "max_runs": ("2", "5", "0", "-1", "x"),
    "n_runs": ("2", "3,4", "0", "-1", "3,,4", "x", "", "2,2", "1e3"),
    "cluster": ("nowhere", "", "tcp://", "ray://", "http://x"),
    "n_algorithms": ("2", "3", "0", "-1", "1"),
    "batch_size": ("2", "1", "0", "-1", "100"),
    "n_batches": ("1", "3", "0", "-1"),
}
LEFT_OUT = {"open_it", "report"}  # they start a browser
WHOLE = ("0", "1", "2", "3", "-1", "7", "2147483648", "-9223372036854775809", "1e3", "x", "")
BROKEN = (
    *("0", "1", "0.05", "0.5", "-1", "2", "nan", "inf", "-inf", "1e308", "1e-320", "-1e308"),
    *("1e15", "x", "", "1,5", "100", "3.3"),
)
PATHS = ("{folder}/new.{ending}", "{folder}", "{folder}/no/new.png", "/dev/null", "{table}", "")
ENDINGS = ("png", "pdf", "svg", "xyz", "json", "csv", "PNG", "eps", "npz")


@cache
def _options(command: str) -> list[click.Option]:
    """Return the options of a command."""
    built = app.get_command(click.Context(app), command)
    assert built is not None
    options = [each for each in built.params if isinstance(each, click.Option)]
    return [option for option in options if option.name not in LEFT_OUT]


def command_line(
    rng: Random, command: str, table: Path, names: list[str], *, hostile: bool
) -> list[str]:
    """Return a command line, on a table if it takes one, and up to five options more."""
    a, b = [*names, "A", "B"][:2]
    words = {"a": a, "b": b, "folder": str(table.parent)}
    line = [command] if command in WITHOUT_TABLE else [command, str(table)]
    needed = (COMMANDS | WITHOUT_TABLE)[command]
    line += [_filled(word, words) for word in needed]
    if not hostile:
        return line
    options = _options(command)
    for option in rng.sample(options, min(len(options), rng.choice([0, 1, 1, 2, 3, 5]))):
        if option.name == "plot" and rng.random() < 0.6:
            continue  # figures take longer than anything else
        line += _given(rng, option, names, words | {"table": str(table)})
    return line


def _filled(word: str, words: dict[str, str]) -> str:
    """Fill in names; they may have braces of their own."""
    for key, value in words.items():
        if f"{{{key}}}" in word:
            return word.replace(f"{{{key}}}", value)
    return word


def _given(rng: Random, option: click.Option, names: list[str], words: dict[str, str]) -> list[str]:
    """Return an option with values for it."""
    flag = rng.choice([*option.opts, *option.secondary_opts])
    n_values = 0 if option.is_flag else option.nargs
    return [flag, *(_value(rng, option, names, words) for _ in range(n_values))]


def _value(rng: Random, option: click.Option, names: list[str], words: dict[str, str]) -> str:
    if option.name in BOUNDED:
        return rng.choice(BOUNDED[option.name])
    kind: Any = option.type
    if isinstance(kind, click.Choice) and rng.random() < 0.9:
        return str(rng.choice(list(kind.choices)))
    if kind.name.startswith("integer"):
        return rng.choice(WHOLE)
    if kind.name == "float":
        return rng.choice(BROKEN)
    if kind.name == "path":
        path = rng.choice(PATHS).replace("{ending}", rng.choice(ENDINGS))
        return _filled(path, words)
    name = rng.choice([*names, *rng.sample(HOSTILE_NAMES, 3), *rng.sample(HOSTILE_NUMBERS, 2)])
    return rng.choice(
        [
            *(name, name, f"{name}=1", f"{name}=#0072B2", f"{name}={name}", "score"),
            *("mean", "final", "1:2", "0.5", "lift", "agent", "game", "seed"),
            *("step,score", "{task}/{x}"),
        ]
    ).replace("\x00", "")
