"""Which runs are one algorithm: those that differ in nothing but a seed.

What cannot be told is not guessed: `Grouping.problem` says what could be meant, and what to type
for each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from curvewise.data.names import natural_order
from curvewise.readers.naming.telling import (
    are_drawn,
    crossed,
    likely_task,
    telling,
    without_repeats,
)
from curvewise.readers.naming.traits import AFTER_PATH, Trait, joint, tells
from curvewise.text import argument, listed, plural, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.readers.naming.telling import Names
    from curvewise.readers.naming.traits import Clues

__all__ = [
    "Candidate",
    "Grouping",
    "candidates_of",
    "differences",
    "grouped",
    "joined_names",
]

# What stands between a name and a number at its end.
SIGN = re.compile(r".*?[^\W\d_](\W|_)\d+")
MAX_CANDIDATES = 6
MAX_JOINED = 3
MAX_SHOWN = 4


@dataclass(frozen=True)
class Candidate:
    """Something that could be the algorithm: what to type, and what it would give."""

    name: str
    values: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def described(self) -> str:
        """What to type for it, and how many algorithms of how many runs it gives."""
        small, large = min(self.sizes), max(self.sizes)
        each = plural(large, "run") if small == large else f"{small} to {large} runs"
        return (
            f"{argument('group_by', self.name)} ({plural(len(self.sizes), 'algorithm')} of "
            f"{each}: {_some(self.values)})"
        )


@dataclass(frozen=True)
class Grouping:
    """Runs grouped into algorithms.

    Attributes
    ----------
    values : tuple of str
        The algorithm of each run. Where there is a problem, every combination of settings is
        one.
    traits : sequence of Trait
        What names the algorithms.
    candidates : tuple of Candidate
        What could be the algorithm.
    problem : str
        Why algorithms cannot be told, and the candidates; nothing if they can.
    notes : tuple of str
        What a reader should know of how runs were grouped.
    """

    values: Names
    traits: Sequence[Trait] = ()
    candidates: tuple[Candidate, ...] = ()
    problem: str = ""
    notes: tuple[str, ...] = ()


def grouped(
    clues: Sequence[Clues],
    traits: Sequence[Trait],
    tasks: Names,
    runs: Names,
    *,
    by_setting: bool = False,
) -> Grouping:
    """Group runs into algorithms.

    Parameters
    ----------
    clues : sequence of Clues
    traits : sequence of Trait
        All but those that name the run and the task.
    tasks, runs : tuple of str or None
        The task and the name of each run, as far as they are known.
    by_setting : bool
        Whether the runs are named by the configuration.
    """
    n_runs = len(clues)
    kept, ignored = without_repeats(
        telling(traits, tasks, runs), tasks, runs, by_setting=by_setting
    )
    found, unknown = _known_of_all(clues, [t for t in kept if t.kind != "number"])
    # A number in the path that follows neither the algorithm nor the run is one more setting.
    codes = joint(found, n_runs)
    found += [t for t in kept if t.kind == "number" and not tells(codes, t)]
    if not found and not unknown:
        lengths = [t for t in traits if t.role == "length" and t.varies]
        found = [trait for trait in lengths if trait.n_values < n_runs]
    if not found and not unknown:
        return _alone(clues, traits, runs)
    named = _named(found + unknown, n_runs)
    candidates = candidates_of(found)
    is_search = any(t.is_measured and not t.role and t.n_values == n_runs for t in traits)
    problem = ""
    if unknown:
        problem = _unknown(clues, unknown)
    elif _is_scattered(found, tasks, runs):
        problem = (
            f"Nearly all of {plural(n_runs, 'run')} differ in {differences(_distinct(found))}, so that few "
            f"or none repeat another: which belong together? {_options(candidates)}"
        )
    elif drawn := are_drawn(found, tasks, runs, is_search=is_search):
        problem = (
            f"{plural(n_runs, 'run')} differ in {differences(drawn)} as in a search, where few or "
            f"none repeat another: which belong together? {_options(candidates)}"
        )
    elif independent := crossed(_distinct(found)):
        problem = (
            f"{plural(n_runs, 'run')} differ in {differences(independent)} independently: which "
            f"of them is the algorithm? {_as_task(independent, tasks)}{_options(candidates)}"
        )
    notes = []
    if ignored:
        notes.append(
            "the configuration tells the algorithms, although their runs differ in "
            f"{differences(ignored)}, too"
        )
    if not problem and len(set(tasks)) == 1:
        notes += _made_of_two(named.traits)
    return replace(named, candidates=candidates, problem=problem, notes=tuple(notes))


def _made_of_two(traits: Sequence[Trait]) -> list[str]:
    """Say that names such as d1_dart, d1_hist, d2_dart, d2_hist may hold the task, too."""
    if len(traits) != 1 or traits[0].kind != "word":
        return []
    trait = traits[0]
    for sign in "_-":
        halves = [(value or "").partition(sign) for value in trait.values]
        columns = [tuple(half[at] for half in halves) for at in (0, 2)]
        parts = [
            Trait(str(place), "word", values, values, place)
            for place, values in enumerate(columns)
        ]
        if all(columns[1]) and all(part.varies for part in parts):
            task = likely_task(parts)
            if task and crossed(parts, whole=True):
                names = (
                    ("{task}", "{algorithm}")
                    if task is parts[0]
                    else ("{algorithm}", "{task}")
                )
                # What follows in the same name is the run.
                more = ("{run}",) if "." in trait.name else ()
                note = (
                    "the names of the algorithms may hold the task, too "
                    f"({_some(_values(task))}): if so, say it by a pattern such as "
                    f"{argument('group_by', sign.join(names + more))}"
                )
                return [note]
    return []


def _as_task(traits: Sequence[Trait], tasks: Names) -> str:
    """Offer one of several traits as the task, if there is none and one of them may be it."""
    task = likely_task(traits) if len(set(tasks)) == 1 else None
    if task is None:
        return ""
    first = _values(task)[0]
    return (
        f"If {task.name} is the task, say {argument('task', task.name)}, or "
        f"{argument('task', first)} for that task alone. Else say "
    )


def _is_scattered(traits: list[Trait], tasks: Names, runs: Names) -> bool:
    """Whether most combinations of settings are those of one run only.

    Names of algorithms may be so, after most runs of some have failed; but names that share
    no seed are rather those of runs.
    """
    n_runs = len(tasks)
    codes = joint(traits, n_runs)
    sizes = np.bincount(codes)
    naming = [t for t in traits if t.names_algorithms and tells(t.codes, codes)]
    shares = None not in runs and len(set(zip(tasks, runs, strict=True))) < n_runs
    is_named = any(shares or trait.kind == "setting" for trait in naming)
    return bool(sizes.max() == 1 or (2 * len(sizes) > n_runs and not is_named))


def _known_of_all(
    clues: Sequence[Clues], traits: list[Trait]
) -> tuple[list[Trait], list[Trait]]:
    """Split off the settings that runs without any configuration would need."""
    bare = [row for row, clue in enumerate(clues) if not clue.config]
    if not bare or len(bare) == len(clues):
        return traits, []
    whole = [trait for trait in traits if trait.kind != "setting"]
    settings = [trait for trait in traits if trait.kind == "setting"]
    rows = [row for row, clue in enumerate(clues) if clue.config]
    codes = joint([trait.of(rows) for trait in whole], len(rows))
    unknown = [trait for trait in settings if not tells(codes, trait.of(rows))]
    return whole, unknown


def _unknown(clues: Sequence[Clues], traits: list[Trait]) -> str:
    bare = [clue.place for clue in clues if not clue.config]
    return (
        f"Runs differ in {differences(traits)}, but {len(bare)} of {len(clues)} runs "
        f"have no configuration that tells it ({listed(bare, 3)}). Leave these out, or say by "
        f"{argument('group_by')} which part of the path is the algorithm, such as "
        f"{argument('group_by', 'path1')}."
    )


def _distinct(traits: Sequence[Trait]) -> list[Trait]:
    """Return the most telling of those that part the runs alike, the most telling first.

    Without numbers that were set for each of several names, such as a learning rate for each
    model: these do not vary by themselves.
    """
    distinct: dict[bytes, Trait] = {}
    for trait in sorted(traits, key=lambda t: t.rank):
        distinct.setdefault(trait.codes.tobytes(), trait)
    names = [trait for trait in distinct.values() if trait.names_algorithms]
    return [
        trait
        for trait in distinct.values()
        if trait in names
        or not trait.is_measured
        or not any(tells(name.codes, trait) for name in names)
    ]


def _named(traits: Sequence[Trait], n_runs: int) -> Grouping:
    """Name the algorithms that traits tell apart, by the most telling of them."""
    codes = joint(traits, n_runs)
    order = sorted(traits, key=lambda trait: trait.rank)
    alone = [t for t in order if tells(t.codes, codes) and t.rank[0] < 2]
    naming = alone[:1]
    if not alone:
        for trait in order:
            known = joint(naming, n_runs)
            if not tells(known, codes) and not tells(known, trait):
                naming.append(trait)
    if all(trait.rank[0] == 2 for trait in naming):
        # Settings that vary together, none of which is a name: show more than one.
        for trait in order:
            keys = {shown.key for shown in naming}
            if (
                len(naming) < MAX_JOINED
                and trait.key not in keys
                and tells(trait.codes, codes)
            ):
                naming.append(trait)
    return Grouping(joined_names(naming, n_runs), tuple(naming))


def joined_names(traits: Sequence[Trait], n_runs: int) -> Names:
    """Name each run by its values of some traits, joined by commas.

    What has no value is named, too: "sgd, no momentum".
    """
    shown = [
        [text or f"no {trait.name.rpartition('.')[2]}" for text in trait.shown]
        for trait in traits
    ]
    return tuple(", ".join(values[row] for values in shown) for row in range(n_runs))


def _alone(clues: Sequence[Clues], traits: Sequence[Trait], runs: Names) -> Grouping:
    """Name the only algorithm by its configuration or its folder, if it is the only one."""
    n_runs = len(runs)
    constant = [t for t in traits if not t.varies and not t.role and t.values[0]]
    naming = sorted((t for t in constant if t.rank[0] == 0), key=lambda t: t.rank)
    words = [t for t in constant if t.kind == "word"]
    # The folder that holds the runs or a part of their names, rather than one in each of them.
    parts = enumerate(zip(*(clue.path for clue in clues), strict=False))
    first = next((place for place, values in parts if len(set(values)) > 1), 0)
    words = [t for t in words if t.place <= first or t.place >= AFTER_PATH]
    own = [t for t in traits if not t.role and t.n_values == n_runs > 1]
    settings = [trait for trait in own if trait.is_measured]
    if settings:
        problem = (
            f"All {n_runs} runs differ in {differences(settings)}, so none repeats another: "
            f"which belong together? Say it by {argument('group_by')}."
        )
        return replace(_named(settings, n_runs), problem=problem)
    different = [trait for trait in own if trait.kind == "word"]
    if different and not naming and None in runs:
        sign = SIGN.fullmatch(_values(different[0])[0])
        between = sign[1] if sign else "_"
        pattern = argument("group_by", f"{{algorithm}}{between}{{run}}")
        problem = (
            f"All {n_runs} runs have different names ({listed(_values(different[0]), 3)}), and "
            "nothing tells which of them belong together. Put the runs of an algorithm into a "
            f"folder of its own, or say it by {argument('group_by')}: "
            f"{pattern} fits names like ppo{between}1, and "
            f"{argument('group_by', different[0].name)} takes each for an algorithm of its own."
        )
        return Grouping(different[0].texts, problem=problem)
    found = tuple(naming[:1] or words[-1:])
    name = found[0].texts[0] if found else clues[0].root or "all runs"
    return Grouping((name,) * n_runs, found)


def _some(values: Sequence[str]) -> str:
    """Write the first of several values, which may hold commas themselves."""
    shown = "; ".join(map(printable, values[:MAX_SHOWN]))
    return shown if len(values) <= MAX_SHOWN else f"{shown}; …"


def _values(trait: Trait) -> list[str]:
    return natural_order({text for text in trait.texts if text})


def differences(traits: Sequence[Trait]) -> str:
    """Write what runs differ in: names that can be typed, with some of their values.

    What all runs have goes first; what is there twice, as ``exp_name`` and
    ``logger.exp_name``, is there once.
    """
    once: dict[tuple[str, Names], Trait] = {}
    for trait in sorted(traits, key=lambda trait: None in trait.values):
        once.setdefault((trait.key, trait.values), trait)
    shown = [
        f"{trait.name} ({_some(_values(trait))}{'; none' if None in trait.values else ''})"
        for trait in once.values()
    ]
    return listed(shown, MAX_CANDIDATES)


def candidates_of(traits: Sequence[Trait]) -> tuple[Candidate, ...]:
    """Return what could be typed for the algorithm: each alone, then all together."""
    found = _distinct(traits)[:MAX_CANDIDATES]
    candidates = [
        Candidate(
            trait.name, tuple(_values(trait)), tuple(map(int, np.bincount(trait.codes)))
        )
        for trait in found
    ]
    if 1 < len(found) <= MAX_JOINED:
        codes = joint(found, len(found[0].values))
        names = joined_names(found, len(codes))
        candidates.append(
            Candidate(
                ",".join(trait.name for trait in found),
                tuple(natural_order({name for name in names if name})),
                tuple(map(int, np.bincount(codes))),
            )
        )
    return tuple(candidates)


def _options(candidates: Sequence[Candidate]) -> str:
    if not candidates:
        return f"Say it by {argument('group_by')}."
    return " or ".join(candidate.described for candidate in candidates) + "."
