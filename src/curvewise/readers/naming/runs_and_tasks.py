"""Which run and which task a log is of: seeds, folds and numbers; environments and data sets."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from curvewise.readers.naming.identity_by import Choice
from curvewise.readers.naming.telling import codes_of, is_scattered, tells_repeats
from curvewise.readers.naming.traits import Trait, joint, tells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.readers.naming.telling import Names
    from curvewise.readers.naming.traits import Clues

__all__ = [
    "left_over_task",
    "names_left",
    "part_of_tables",
    "run_of",
    "task_of",
    "without_task",
]


def _labelled(clues: Sequence[Clues], part: str, found: Choice) -> Choice:
    """Put what the logs themselves say before what was found."""
    said = [clue.labels.get(part) for clue in clues]
    if not any(said):
        return found
    values = tuple(own or other for own, other in zip(said, found.values, strict=True))
    return replace(found, values=values, source="the log")


def task_of(clues: Sequence[Clues], traits: list[Trait]) -> Choice:
    """Tell the task: a setting or a name that is one; those that vary go first."""
    n_runs = len(clues)
    found = [t for t in traits if t.role == "task" and None not in t.values]
    found.sort(key=lambda trait: trait.kind != "setting")
    varying = [trait for trait in found if 1 < trait.n_values < n_runs]
    naming: list[Trait] = []
    for trait in varying or [trait for trait in found if not trait.varies][:1]:
        if not naming or not tells(joint(naming, n_runs), trait):
            naming.append(trait)
    if not naming:
        return _labelled(clues, "task", Choice((None,) * n_runs))
    texts = zip(*(trait.texts for trait in naming), strict=True)
    names = tuple(", ".join(filter(None, row)) for row in texts)
    return _labelled(clues, "task", Choice(names, tuple(naming)))


def without_task(trait: Trait, tasks: Names) -> Trait:
    """Take the name of the task out of values that repeat it, if all do.

    Where nothing else is left of any, it is the task once more, and told to be that.
    """
    names = trait.kind == "word" or (trait.kind == "setting" and trait.names_algorithms)
    if trait.role or not names or None in tasks:
        return trait
    shorter: dict[tuple[str, str], str] = {}
    for value, task in set(zip(trait.values, tasks, strict=True)):
        if value is not None and task is not None:
            rest = _task_pattern(task).sub("", value, count=1).strip(" _-/.,")
            if rest == value:
                return trait
            shorter[value, task] = rest
    if not any(shorter.values()):
        return replace(trait, kind="task") if shorter else trait
    if not all(shorter.values()):
        return trait
    pairs = zip(trait.values, tasks, strict=True)
    values = tuple(shorter.get((value or "", task or "")) for value, task in pairs)
    return Trait(trait.name, trait.kind, values, values, trait.place)


def _task_pattern(task: str) -> re.Pattern[str]:
    """Match a task inside a name: FrozenLake-v1 as frozenlake, frozen_lake, FrozenLake-v1."""
    base = re.sub(r"-v\d+$", "", task.rpartition("/")[2])
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+", base) or [base]
    joined = r"[-_ ]?".join(map(re.escape, words))
    return re.compile(
        rf"(?:^|[-_ /.])(?:{joined}|{re.escape(task)})(?:-v\d+)?(?=$|[-_ /.])",
        re.IGNORECASE,
    )


def run_of(clues: Sequence[Clues], traits: list[Trait]) -> Choice:
    """Tell the run: a seed, a fold, a trial; else a number in the names."""
    found = [t for t in traits if t.varies and t.role in {"seed", "run"}]
    found = [trait for trait in found if None not in trait.values]
    in_names = {trait.values for trait in found if trait.kind == "pair"}
    found.sort(
        key=lambda trait: (
            # What the configuration and the path both call the run goes before the seed.
            not (
                trait.role == "run"
                and trait.kind == "setting"
                and trait.values in in_names
            ),
            trait.role != "seed",
            trait.kind != "setting",
            trait.name.count("."),
        )
    )
    naming = found[:1] or _numbers(traits)[-1:]
    values = naming[0].values if naming else (None,) * len(clues)
    return _labelled(clues, "run", Choice(values, tuple(naming)))


def _numbers(traits: list[Trait]) -> list[Trait]:
    """Return the numbers in names that can be those of runs: not before words that vary."""
    words = [
        trait.place
        for trait in traits
        if trait.kind in {"word", "pair"} and 1 < trait.n_values < len(trait.values)
    ]
    after = max(words, default=0)
    return [
        trait
        for trait in traits
        if trait.kind == "number" and trait.varies and trait.is_whole
        if None not in trait.values and trait.place >= after
    ]


def names_left(traits: list[Trait], algorithms: Names, tasks: Names) -> Choice | None:
    """Return the seed that all runs have, or else the numbers of a tool, as in version_3.

    None if they do not name the runs of each algorithm and task.
    """
    seeds = [trait for trait in traits if trait.role == "seed"]
    counters = [trait for trait in traits if trait.kind == "noise"]
    for trait in (*seeds, *counters):
        if trait.role == "seed" or trait.name in {"version", "job"}:
            names = set(zip(algorithms, tasks, trait.values, strict=True))
            if None not in trait.values and len(names) == len(algorithms):
                return Choice(trait.values, (trait,))
    return None


def part_of_tables(clues: Sequence[Clues]) -> str | None:
    """Return the part of the path that names tables, if each may be a task; else None.

    That is so of several tables in one folder that say which algorithms their runs are of, and
    nothing of tasks.
    """
    places = {clue.path for clue in clues}
    says_who = all("algorithm" in c.labels and "task" not in c.labels for c in clues)
    if len(places) < 2 or len({parts[:-1] for parts in places}) > 1 or not says_who:
        return None
    return f"path{len(next(iter(places)))}"


def left_over_task(algorithm: Choice, traits: list[Trait], runs: Names) -> Choice | None:
    """Return the task that is left over once the caller has said what the algorithm is.

    Parameters
    ----------
    algorithm : Choice
        As the caller says.
    traits : list of Trait
        What else runs differ in.
    runs : tuple of str or None

    Returns
    -------
    Choice or None
        The places of runs that vary within algorithms and between them, if the algorithm is a
        place, too, or if runs of one algorithm and seed are told apart by nothing else.
    """
    if not algorithm.traits:
        return None  # a pattern says what does not matter
    n_runs = len(runs)
    algorithms = codes_of(algorithm.values)
    known = joint([algorithms, codes_of(runs)], n_runs)
    by_place = all(trait.is_place for trait in algorithm.traits)
    naming: list[Trait] = []
    for trait in traits:
        if (
            trait.is_place
            and not tells(joint([algorithms, *naming], n_runs), trait)
            and not tells(trait.codes, algorithms)
            and not is_scattered(trait, algorithms)
            and (by_place or tells_repeats(trait, known))
        ):
            naming.append(trait)
    if not naming:
        return None
    texts = zip(*(trait.texts for trait in naming), strict=True)
    return Choice(tuple(", ".join(filter(None, row)) for row in texts), naming)
