"""Who is who: which algorithm, run and task a log is of, told from names and settings."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curvewise.data.tables import grouped, natural_order
from curvewise.errors import OptionError, refuse
from curvewise.readers.naming.rules import (
    Found,
    algorithm_of,
    candidates_of,
    differences,
    joined_names,
    known_of,
    left_over_task,
    part_of,
    possible_algorithm_traits,
    without_task,
)
from curvewise.readers.naming.traits import AFTER_PATH, Trait, codes_of, tells, traits_of
from curvewise.text import argument, did_you_mean, listed, plural, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from curvewise.readers.naming.rules import Candidate
    from curvewise.readers.naming.traits import Clues


UNKNOWN = "unknown"
_PARTS = {"algorithm": "algorithm", "run": "run", "task": "task"}
_PARTS |= {"algo": "algorithm", "seed": "run", "env": "task"}
# What a part of a pattern matches: as much as it can, or as little.
LONGEST, SHORTEST = "[^/]+)", "[^/]+?)"
_PART = re.compile(r"(?:path|folder)\s*(\d+)", re.IGNORECASE)
_OPTIONS = {"algorithm": "group_by", "run": "run_by", "task": "task"}


@dataclass(frozen=True)
class Who:
    """What a run is: its algorithm, its name, and its task and block where there are any.

    A run without a point that has nothing of what tells the others apart is not known; it
    may be no run at all, such as the parent of a search. ``name_of`` is the name that it shares
    with a run before it, where it was numbered for that.
    """

    algorithm: str
    run: str
    task: str | None = None
    block: str | None = None
    is_known: bool = True
    name_of: str = ""


@dataclass(frozen=True)
class Identity:
    """Who is who among runs, and how that was told.

    Attributes
    ----------
    whos : tuple of Who
        One for each run, in the order of the clues.
    explanation : str
        One line: where algorithm, run and task come from, and how to overrule it.
    notes : tuple of str
        What a reader should know: runs that were numbered, settings that vary in an algorithm.
    candidates : tuple of Candidate
        What could be the algorithm.
    problem : str
        Why algorithms cannot be told, with the candidates; nothing if they can. The
        algorithms in ``whos`` are then every combination of settings there is.
    differences : str
        What runs differ in: names that can be typed, with some of their values.
    """

    whos: tuple[Who, ...]
    explanation: str
    notes: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    problem: str = ""
    differences: str = ""


def identify(
    clues: Sequence[Clues],
    *,
    group_by: str | None = None,
    run_by: str | None = None,
    task_by: str | None = None,
) -> Identity:
    """Tell the algorithm, the name and the task of each run.

    Parameters
    ----------
    clues : sequence of Clues
    group_by, run_by, task_by : str, optional
        What the algorithm, the run and the task are, instead of what would be inferred: the
        name of a setting (its last part will do where that is unique), several joined by
        commas, a part of the path (``path1`` is the first below the root), or a pattern
        with named parts such as ``{task}/{algorithm}/seed{run}``.

    Raises
    ------
    OptionError
        If there is no such setting or part, or if a run does not match a pattern.
    """
    if not clues:
        return Identity((), "")
    options = {"group_by": group_by, "run_by": run_by, "task_by": task_by}
    said = [clue for clue in clues if "algorithm" in clue.labels]
    full = [clue for clue in clues if clue.has_points]
    has_empty = 0 < len(full) < len(clues)
    if group_by:
        try:
            return _identified(clues, options)[0]
        except OptionError:
            if not has_empty:
                raise
    elif 0 < len(said) < len(clues):
        others = [clue for clue in clues if "algorithm" not in clue.labels]
        return _together(clues, identify(said, **options), identify(others, **options))
    if has_empty:
        told, naming = _identified(full, options)
        return _with_empty(clues, told, naming, _told_at_all(clues, options))
    return _identified(clues, options)[0]


def _told_at_all(clues: Sequence[Clues], options: dict[str, str | None]) -> Identity:
    """Tell who is who as the caller says, or else, as runs without a point may lack that."""
    try:
        return _identified(clues, options)[0]
    except OptionError:
        told = _identified(clues, dict.fromkeys(options))[0]
        if not options["group_by"]:
            return told
        whos = [replace(who, algorithm=UNKNOWN, is_known=False) for who in told.whos]
        return replace(told, whos=tuple(whos))


def _together(clues: Sequence[Clues], said: Identity, told: Identity) -> Identity:
    """Put runs whose logs say what they are together with those that were told otherwise."""
    of_said, of_told = iter(said.whos), iter(told.whos)
    whos = [next(of_said if "algorithm" in c.labels else of_told) for c in clues]
    said_of = f"algorithm of {plural(len(said.whos), 'run')} from the log"
    explanation = f"{said_of}; of the others, {told.explanation}"
    numbered = _numbered(whos, range(len(whos)))
    n_repeated = sum(new != who for new, who in zip(numbered, whos, strict=True))
    notes = [*said.notes, *told.notes]
    if n_repeated:
        notes.append(_repeats(n_repeated))
    problem = told.problem
    if problem:
        place = next(c.place for c in clues if "algorithm" not in c.labels)
        problem = (
            f"The logs of {plural(len(said.whos), 'run')} say which algorithm they are of, those "
            f"of {len(told.whos)} others, such as {printable(place)}, do not. Read the two apart: "
            f"name the files or folders of either. Of the others: {problem}"
        )
    once = tuple(dict.fromkeys(notes))
    return replace(told, whos=numbered, problem=problem, explanation=explanation, notes=once)


def _repeats(n_runs: int) -> str:
    return (
        f"{plural(n_runs, 'run')} with the name of another run of the same algorithm and task: "
        "numbered, as in '1 (2)'; with the same scores they count once, else leave out what is "
        "no run of its own"
    )


def _with_empty(
    clues: Sequence[Clues], told: Identity, naming: list[str], all_told: Identity
) -> Identity:
    """Add the runs without a point: to the algorithm that has their traits, if there is one."""
    traits = [trait for trait in traits_of(clues) if trait.name in naming]
    keys = [tuple(trait.values[row] for trait in traits) for row in range(len(clues))]
    known = iter(told.whos)
    whos = [
        next(known) if clue.has_points else who
        for clue, who in zip(clues, all_told.whos, strict=True)
    ]
    full = [row for row, clue in enumerate(clues) if clue.has_points]
    members = grouped((keys[row], whos[row].algorithm) for row in full)
    for row in {*range(len(clues))}.difference(full):
        algorithms = {*members.get(keys[row], ())}
        if len(algorithms) == 1:
            whos[row] = replace(whos[row], algorithm=min(algorithms), is_known=True)
        elif None in keys[row]:
            whos[row] = replace(whos[row], algorithm=UNKNOWN, is_known=False)
    notes = told.notes
    unknown = [clue.place for clue, who in zip(clues, whos, strict=True) if not who.is_known]
    if unknown:
        lacking = (
            f"{plural(len(unknown), 'run')} without a point, and without what tells the others"
        )
        notes += (f"{lacking} apart: not compared ({printable(listed(unknown, 3))})",)
    return replace(told, whos=_numbered(whos, range(len(whos))), notes=notes)


def _numbered(whos: Sequence[Who], order: Iterable[int]) -> tuple[Who, ...]:
    """Give numbers, in an order, to runs without a name and to those with the name of another."""
    taken: set[tuple[str, str | None, str]] = set()
    counts: Counter[tuple[str, str | None, str]] = Counter()
    numbered = list(whos)
    for row in order:
        who = whos[row]
        name, own = who.run, (who.algorithm, who.task)
        while not name or (*own, name) in taken:
            counts[*own, who.run] += 1
            again = counts[*own, who.run]
            name = f"{who.run} ({again + 1})" if who.run else str(again)
        taken.add((*own, name))
        numbered[row] = replace(who, run=name, name_of="" if name == who.run else who.run)
    return tuple(numbered)


def _identified(
    clues: Sequence[Clues], options: dict[str, str | None]
) -> tuple[Identity, list[str]]:
    """Tell who is who; return it, and the traits that name the algorithms."""
    all_traits = traits_of(clues)
    chosen = _chosen(clues, all_traits, options)
    given = chosen.get("algorithm")
    task = chosen.get("task") or part_of("task", clues, all_traits)
    traits = [without_task(trait, task.values) for trait in all_traits]
    run = chosen.get("run") or part_of("run", clues, traits)
    others = [trait for trait in traits if trait not in (*task.traits, *run.traits)]
    if given is None:
        algorithm = algorithm_of(known_of(clues, others, task.values, run))
    else:
        free = possible_algorithm_traits(others, task.values, run.values)
        algorithm = replace(given, candidates=candidates_of(free))
        if not any(task.values):
            task = left_over_task(given, free, run.values) or task
            others = [trait for trait in others if trait not in task.traits]
    apart = [trait for trait in others if trait.role in {"run", "seed"} and trait.varies]
    if given:
        apart += possible_algorithm_traits(others, task.values, run.values)
    parts = zip(algorithm.values, run.values, task.values, clues, strict=True)
    named = [Who(own or "", name or "", of, c.labels.get("block")) for own, name, of, c in parts]
    whos, notes = _with_distinct_names(named, apart)
    notes += task.notes
    groups = codes_of(algorithm.values)
    mixed = [t for t in apart if not t.role and not t.is_joined_name and not tells(groups, t)]
    if mixed:
        names = listed(list(dict.fromkeys(trait.name for trait in mixed)), 3)
        notes.append(f"runs of one algorithm differ in {names}, as {argument('group_by')} asks")
    notes += algorithm.notes
    settings = [t for t in others if t.is_number_setting and t.n_values == len(clues) > 1]
    own = [trait.name for trait in settings if not trait.role]
    if own and not algorithm.problem:
        notes.append(f"every run has its own {listed(own, 3)}, which is not what groups them")
    places = grouped((clue.place, row) for row, clue in enumerate(clues))
    order = [row for place in natural_order(places) for row in places[place]]
    typed = [t for t in all_traits if t.varies and t.role not in {"noise", "length"}]
    told = Identity(
        _numbered(whos, order),
        _explanation(clues, order[0], algorithm=algorithm, run=run, task=task),
        tuple(notes),
        algorithm.candidates,
        algorithm.problem,
        differences(list({trait.name: trait for trait in typed}.values())),
    )
    return told, [trait.name for trait in algorithm.traits]


def _with_distinct_names(whos: list[Who], apart: list[Trait]) -> tuple[list[Who], list[str]]:
    """Name runs of one algorithm, task and name by more traits, and say which stay alike."""

    def repeated(whos: list[Who]) -> int:
        return len(whos) - len({(who.algorithm, who.task, who.run) for who in whos})

    if not all(who.run for who in whos):
        some = any(who.run for who in whos)
        are = "runs without a name are" if some else "nothing names the runs: they are"
        return whos, [f"{are} numbered in the order of their paths"]
    for trait in apart:
        if not repeated(whos):
            break
        longer = [
            replace(who, run=f"{who.run}, {text}") if text else who
            for who, text in zip(whos, trait.shown, strict=True)
        ]
        whos = longer if repeated(longer) != repeated(whos) else whos
    return whos, [_repeats(repeated(whos))] if repeated(whos) else []


def _explanation(clues: Sequence[Clues], example: int, **parts: Found) -> str:
    """Say where each part comes from, with one path as an example."""
    sources: dict[str, list[str]] = {}
    for name, part in parts.items():
        source = part.source or listed([trait.name for trait in part.traits])
        if part.traits and not part.source:
            trait = part.traits[0]
            if 0 <= trait.place <= AFTER_PATH and trait.kind in {"word", "number"}:
                source += f" ({trait.texts[example]!r} in {printable(clues[example].place)})"
        if source:
            sources.setdefault(source, []).append(name)
    shown = [f"{listed(names)} from {source}" for source, names in sources.items()]
    flags = ", ".join(map(argument, ("group_by", "run_by", "task")))
    if not shown:
        return f"nothing tells algorithms and runs; say what does: {flags}"
    return f"{', '.join(shown)}; to choose otherwise: {flags}"


# --- what callers say algorithm, run and task are -------------------------------------------


def _chosen(
    clues: Sequence[Clues], traits: Sequence[Trait], options: dict[str, str | None]
) -> dict[str, Found]:
    """Look up what the caller said; a pattern can say several things at once.

    Raises OptionError if there is no such setting or part of the path, if a pattern is not
    one, or if a run does not match it.
    """
    found: dict[str, Found] = {}
    asked = dict(zip(_OPTIONS, options.values(), strict=True))
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
            refuse(
                f"The pattern {text!r} has no part {{{part}}}, which {argument(option)} is to name.",
                option,
            )
        for name, choice in matched.items():
            if name == part or (asked[name] is None and name not in found):
                found[name] = choice
    return found


def _by_value(traits: Sequence[Trait], text: str) -> Found | None:
    """Look for the one thing that has a value, unless that is the name of a thing itself."""
    names = {name for trait in traits for name in (trait.name, *_endings(trait))}
    if text.lower() in {name.lower() for name in names} or _PART.fullmatch(text):
        return None
    found = [t for t in traits if t.varies and t.is_place and text in t.texts]
    if len({trait.codes.tobytes() for trait in found}) != 1:
        return None
    return Found(found[0].texts, found[:1])


def _by_names(clues: Sequence[Clues], traits: Sequence[Trait], text: str, option: str) -> Found:
    """Look up settings and parts of the path by their names, joined by commas."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    # A setting may have a comma in its own name.
    names = [text] if any(trait.name == text for trait in traits) else names
    found = tuple(_by_name(clues, traits, name, option) for name in names)
    if not found:
        refuse(f"{argument(option)} must name a setting, a part of the path, or a pattern.", option)
    for trait in found:
        bare = [
            clue.place
            for clue, value in zip(clues, trait.values, strict=True)
            if value is None and (trait.kind != "setting" or not clue.config)
        ]
        if bare:
            refuse(
                f"{trait.name!r} is not known of {len(bare)} of {len(clues)} runs, such as "
                f"{printable(bare[0])}. Leave these runs out, or choose something else by "
                f"{argument(option)}.",
                option,
            )
    if len(found) > 1 or option == "group_by" or None in found[0].values:
        return Found(joined_names(found, len(clues)), found)
    # The number of a task is written with the word before it, as in d1.
    is_word = option == "task" and found[0].kind == "number"
    return Found(found[0].texts if is_word else found[0].values, found)


def _by_name(clues: Sequence[Clues], traits: Sequence[Trait], name: str, option: str) -> Trait:
    part = _PART.fullmatch(name)
    if part:
        return _part_of_path(clues, int(part[1]), option)
    ways = (
        [trait for trait in traits if trait.name == name],
        [trait for trait in traits if trait.name.lower() == name.lower()],
        [trait for trait in traits if name.lower() in _endings(trait)],
    )
    matches = next(filter(None, ways), [])
    if not matches:
        varying = [trait for trait in traits if trait.varies] or traits
        msg = (
            f"No setting and no part of the path is called {name!r}; "
            f"{did_you_mean(name, dict.fromkeys(trait.name for trait in varying))} A pattern for "
            f"paths will do, too, such as {argument(option, '{task}/{algorithm}/seed{run}')}."
        )
        if any(trait.name.partition(".")[0] == "key" for trait in traits):
            msg += " To name columns of a table, give its file the ending .csv or .tsv."
        refuse(msg, option)
    settings = [trait for trait in matches if trait.kind == "setting"] or matches
    distinct = sorted({trait.name for trait in settings})
    if len(distinct) > 1:
        refuse(
            f"{name!r} could be {' or '.join(map(repr, distinct))}. Give the whole name: "
            f"{argument(option, distinct[0])}.",
            option,
        )
    return settings[0]


def _endings(trait: Trait) -> list[str]:
    parts = re.split(r"[./]", trait.name.lower())
    return [".".join(parts[start:]) for start in range(1, len(parts))]


def _part_of_path(clues: Sequence[Clues], number: int, option: str) -> Trait:
    depth = min(len(clue.path) for clue in clues)
    if not 1 <= number <= depth:
        shortest = min(clues, key=lambda clue: len(clue.path))
        refuse(
            f"There is no part {number} in the path {printable(shortest.place)!r}, which has "
            f"{len(shortest.path)}. Parts are counted from 1, below the folder that all runs "
            "share.",
            option,
        )
    values = tuple(clue.path[number - 1] for clue in clues)
    return Trait(f"path{number}", "word", values, values, number - 1)


def _by_pattern(clues: Sequence[Clues], text: str, option: str) -> dict[str, Found]:
    """Match a pattern with the paths of all runs: at the same place of each."""
    pattern, names = _compiled(text, option)
    paths = [(*clue.path, *filter(None, clue.key.split("/"))) for clue in clues]
    length = len(text.split("/"))
    longest = max(map(len, paths))
    starts = range(max(1, longest - length + 1))
    # Counted from the start, then from the end, where depths differ.
    places = [[start] * len(paths) for start in starts]
    places += [[len(path) - start - length for path in paths] for start in starts]
    ways = [
        [
            pattern.fullmatch("/".join(path[first : first + length] if first >= 0 else ()))
            for path, first in zip(paths, firsts, strict=True)
        ]
        for firsts in places
    ]
    best = max(ways, key=lambda matches: sum(map(bool, matches)))
    found = [match for match in best if match]
    if len(found) < len(paths):
        missed = next(clue for clue, match in zip(clues, best, strict=True) if not match)
        refuse(
            f"{len(paths) - len(found)} of {len(paths)} runs do not match the pattern {text!r}, "
            f"such as {printable(missed.place)!r}. Use * for what does not matter, and leave out "
            "what is no run.",
            option,
        )
    if {"algorithm", "task"} <= {*names}:
        found = _plainest(pattern, found)
    return {
        part: Found(tuple(match[part] for match in found), source=f"the pattern {text}")
        for part in names
    }


def _plainest(pattern: re.Pattern[str], matches: list[re.Match[str]]) -> list[re.Match[str]]:
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
        ways, key=lambda way: sum(map(len, map(set, zip(*(m.groups() for m in way), strict=True))))
    )


def _compiled(text: str, option: str) -> tuple[re.Pattern[str], list[str]]:
    """Turn a pattern into a regular expression; return it and the parts it names."""
    names: list[str] = []
    pieces = []
    for piece in re.split(r"(\{[^{}]*\}|\*)", re.sub(r"\.(?:csv|tsv|txt|jsonl?)$", "", text)):
        if piece == "*":
            pieces.append("[^/]*")
        elif piece.startswith("{") and piece.endswith("}"):
            part = _PARTS.get(piece[1:-1].strip().lower())
            if part is None or part in names:
                problem = "is there twice" if part else "is not known"
                refuse(
                    f"{piece} {problem} in the pattern {text!r}. The parts of a pattern are "
                    "{algorithm}, {run} and {task}, each once, and * for what does not matter.",
                    option,
                )
            names.append(part)
            pieces.append(f"(?P<{part}>{LONGEST}")
        else:
            pieces.append(re.escape(piece))
    return re.compile("".join(pieces)), names
