"""What callers say algorithm, run and task are: settings, parts of the path, patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curvewise.errors import OptionError
from curvewise.readers.naming.grouping import joined_names
from curvewise.readers.naming.traits import Trait
from curvewise.text import argument, did_you_mean, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.readers.naming.telling import Names
    from curvewise.readers.naming.traits import Clues

__all__ = ["Choice", "Choices", "chosen"]

_PARTS = {
    "algorithm": "algorithm",
    "algo": "algorithm",
    "run": "run",
    "seed": "run",
    "task": "task",
    "env": "task",
}
# What a part of a pattern matches: as much as it can, or as little.
LONGEST, SHORTEST = "[^/]+)", "[^/]+?)"
_PART = re.compile(r"(?:path|folder)\s*(\d+)", re.IGNORECASE)
_OPTIONS = {"algorithm": "group_by", "run": "run_by", "task": "task"}


@dataclass(frozen=True)
class Choice:
    """What one part of the identity is: a value for each run, and where it comes from."""

    values: Names
    traits: Sequence[Trait] = ()
    source: str = ""


@dataclass(frozen=True)
class Choices:
    """What the caller chose; None for what is to be inferred."""

    algorithm: Choice | None = None
    run: Choice | None = None
    task: Choice | None = None


def chosen(
    clues: Sequence[Clues],
    traits: Sequence[Trait],
    *,
    group_by: str | None = None,
    run_by: str | None = None,
    task_by: str | None = None,
) -> Choices:
    """Look up what the caller said; a pattern can say several things at once.

    Raises OptionError if there is no such setting or part of the path, if a pattern is not
    one, or if a run does not match it.
    """
    found: dict[str, Choice] = {}
    asked = {"algorithm": group_by, "run": run_by, "task": task_by}
    for part, text in asked.items():
        if text is None:
            continue
        option = _OPTIONS[part]
        if "{" not in text:
            choice = _by_value(traits, text) if part == "task" else None
            found[part] = choice or _by_names(clues, traits, text, option)
            continue
        matched = _by_pattern(clues, text, option)
        if part not in matched:
            msg = (
                f"The pattern {text!r} has no part {{{part}}}, which {argument(option)} is to "
                "name."
            )
            raise OptionError(msg, option=option)
        for name, choice in matched.items():
            if name == part or (asked[name] is None and name not in found):
                found[name] = choice
    return Choices(**found)


def _by_value(traits: Sequence[Trait], text: str) -> Choice | None:
    """Look for the one thing that has a value, unless that is the name of a thing itself."""
    names = {name for trait in traits for name in (trait.name, *_endings(trait))}
    if text.lower() in {name.lower() for name in names} or _PART.fullmatch(text):
        return None
    found = [t for t in traits if t.varies and t.is_place and text in t.texts]
    if len({trait.codes.tobytes() for trait in found}) != 1:
        return None
    return Choice(found[0].texts, found[:1])


def _by_names(
    clues: Sequence[Clues], traits: Sequence[Trait], text: str, option: str
) -> Choice:
    """Look up settings and parts of the path by their names, joined by commas."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    # A setting may have a comma in its own name.
    names = [text] if any(trait.name == text for trait in traits) else names
    found = tuple(_by_name(clues, traits, name, option) for name in names)
    if not found:
        msg = f"{argument(option)} must name a setting, a part of the path, or a pattern."
        raise OptionError(msg, option=option)
    for trait in found:
        bare = [
            clue.place
            for clue, value in zip(clues, trait.values, strict=True)
            if value is None and (trait.kind != "setting" or not clue.config)
        ]
        if bare:
            msg = (
                f"{trait.name!r} is not known of {len(bare)} of {len(clues)} runs, such as "
                f"{printable(bare[0])}. Leave these runs out, or choose something else by "
                f"{argument(option)}."
            )
            raise OptionError(msg, option=option)
    if len(found) > 1 or option == "group_by" or None in found[0].values:
        return Choice(joined_names(found, len(clues)), found)
    # The number of a task is written with the word before it, as in d1.
    is_word = option == "task" and found[0].kind == "number"
    return Choice(found[0].texts if is_word else found[0].values, found)


def _by_name(
    clues: Sequence[Clues], traits: Sequence[Trait], name: str, option: str
) -> Trait:
    part = _PART.fullmatch(name)
    if part:
        return _part_of_path(clues, int(part[1]), option)
    for matches in (
        [trait for trait in traits if trait.name == name],
        [trait for trait in traits if trait.name.lower() == name.lower()],
        [trait for trait in traits if name.lower() in _endings(trait)],
    ):
        settings = [trait for trait in matches if trait.kind == "setting"] or matches
        distinct = {trait.name for trait in settings}
        if len(distinct) > 1:
            msg = (
                f"{name!r} could be {' or '.join(map(repr, sorted(distinct)))}. Give the whole "
                f"name: {argument(option, min(distinct))}."
            )
            raise OptionError(msg, option=option)
        if settings:
            return settings[0]
    varying = list(dict.fromkeys(trait.name for trait in traits if trait.varies))
    known = varying or list(dict.fromkeys(trait.name for trait in traits))
    msg = (
        f"No setting and no part of the path is called {name!r}; "
        f"{did_you_mean(name, known)} A pattern for paths will do, too, such as "
        f"{argument(option, '{task}/{algorithm}/seed{run}')}."
    )
    if any(trait.name.partition(".")[0] == "key" for trait in traits):
        msg += " To name columns of a table, give its file the ending .csv or .tsv."
    raise OptionError(msg, option=option)


def _endings(trait: Trait) -> list[str]:
    parts = re.split(r"[./]", trait.name.lower())
    return [".".join(parts[start:]) for start in range(1, len(parts))]


def _part_of_path(clues: Sequence[Clues], number: int, option: str) -> Trait:
    depth = min(len(clue.path) for clue in clues)
    if not 1 <= number <= depth:
        shortest = min(clues, key=lambda clue: len(clue.path))
        msg = (
            f"There is no part {number} in the path {printable(shortest.place)!r}, which has "
            f"{len(shortest.path)}. Parts are counted from 1, below the folder that all runs "
            "share."
        )
        raise OptionError(msg, option=option)
    values = tuple(clue.path[number - 1] for clue in clues)
    return Trait(f"path{number}", "word", values, values, number - 1)


def _by_pattern(clues: Sequence[Clues], text: str, option: str) -> dict[str, Choice]:
    """Match a pattern with the paths of all runs: at the same place of each."""
    pattern, names = _compiled(text, option)
    paths = [(*clue.path, *filter(None, clue.key.split("/"))) for clue in clues]
    length = len(text.split("/"))
    longest = max(map(len, paths))
    starts = list(range(max(1, longest - length + 1)))
    # Counted from the start, then from the end, where depths differ.
    places = [(start, None) for start in starts] + [(None, start) for start in starts]
    best: list[re.Match[str] | None] = [None] * len(paths)
    for start, end in places:
        matches = []
        for path in paths:
            first = start if start is not None else len(path) - (end or 0) - length
            parts = path[first : first + length] if first >= 0 else ()
            matches.append(pattern.fullmatch("/".join(parts)))
        if sum(map(bool, matches)) > sum(map(bool, best)):
            best = matches
        if all(best):
            break
    found = [match for match in best if match]
    if len(found) < len(paths):
        missed = next(clue for clue, match in zip(clues, best, strict=True) if not match)
        msg = (
            f"{len(paths) - len(found)} of {len(paths)} runs do not match the pattern {text!r}, "
            f"such as {printable(missed.place)!r}. Use * for what does not matter, and leave out "
            "what is no run."
        )
        raise OptionError(msg, option=option)
    if {"algorithm", "task"} <= {*names}:
        found = _plainest(pattern, found)
    return {
        part: Choice(tuple(match[part] for match in found), source=f"the pattern {text}")
        for part in names
    }


def _plainest(
    pattern: re.Pattern[str], matches: list[re.Match[str]]
) -> list[re.Match[str]]:
    """Return the way in which a pattern matches that gives the fewest different names.

    In iris_adam_1 and iris_rms_prop_1 the sign between the parts stands inside one of them, too,
    which may be that of the algorithm or that of the task.
    """
    ways = [matches]
    for n_short in range(1, pattern.groups):
        short = re.compile(pattern.pattern.replace(LONGEST, SHORTEST, n_short))
        again = (short.fullmatch(match.string) for match in matches)
        ways.append([match for match in again if match])
    return min(
        ways,
        key=lambda way: sum(
            map(len, map(set, zip(*(m.groups() for m in way), strict=True)))
        ),
    )


def _compiled(text: str, option: str) -> tuple[re.Pattern[str], list[str]]:
    """Turn a pattern into a regular expression; return it and the parts it names."""
    names: list[str] = []
    pieces = []
    for piece in re.split(
        r"(\{[^{}]*\}|\*)", re.sub(r"\.(?:csv|tsv|txt|jsonl?)$", "", text)
    ):
        if piece == "*":
            pieces.append("[^/]*")
        elif piece.startswith("{") and piece.endswith("}"):
            part = _PARTS.get(piece[1:-1].strip().lower())
            if part is None or part in names:
                problem = "is there twice" if part else "is not known"
                msg = (
                    f"{piece} {problem} in the pattern {text!r}. The parts of a pattern are "
                    "{algorithm}, {run} and {task}, each once, and * for what does not matter."
                )
                raise OptionError(msg, option=option)
            names.append(part)
            pieces.append(f"(?P<{part}>{LONGEST}")
        else:
            pieces.append(re.escape(piece))
    return re.compile("".join(pieces)), names
