"""Who is who: which algorithm, run and task a log is of, told from names and settings."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curvewise.data.frames import natural_order
from curvewise.errors import CurvesError
from curvewise.readers.grouping import Grouping, candidates_of, grouped, telling
from curvewise.readers.identity_by import Choice, chosen
from curvewise.readers.traits import Trait, joint, tells, traits_of
from curvewise.text import argument, listed, plural, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.readers.grouping import Candidate, Names
    from curvewise.readers.traits import Clues

__all__ = ["Identity", "Who", "identify"]


@dataclass(frozen=True)
class Who:
    """What a run is: its algorithm, its name, and its task and block where there are any."""

    algorithm: str
    run: str
    task: str | None = None
    block: str | None = None


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
    """

    whos: tuple[Who, ...]
    explanation: str
    notes: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    problem: str = ""

    def check(self) -> None:
        """Raise CurvesError if algorithms could not be told."""
        if self.problem:
            raise CurvesError(self.problem)


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
    full = [clue for clue in clues if clue.has_points]
    options = {"group_by": group_by, "run_by": run_by, "task_by": task_by}
    if not full or len(full) == len(clues) or group_by:
        return _identified(clues, options)[0]
    told, naming = _identified(full, options)
    return _with_empty(clues, told, naming, _identified(clues, options)[0])


def _with_empty(
    clues: Sequence[Clues], told: Identity, naming: list[str], all_told: Identity
) -> Identity:
    """Add the runs without a point: to the algorithm that has their traits, if there is one."""
    traits = [trait for trait in traits_of(clues) if trait.name in naming]
    members: dict[tuple[str | None, ...], set[str]] = {}
    known = iter(told.whos)
    whos: list[Who | None] = [next(known) if clue.has_points else None for clue in clues]
    keys = [tuple(trait.values[row] for trait in traits) for row in range(len(clues))]
    for key, who in zip(keys, whos, strict=True):
        if who:
            members.setdefault(key, set()).add(who.algorithm)
    taken = {(who.algorithm, who.task, who.run) for who in told.whos}
    for row, who in enumerate(whos):
        if who is None:
            own = all_told.whos[row]
            found = members.get(keys[row], set()) if traits else {told.whos[0].algorithm}
            algorithm = clues[row].labels.get("algorithm") or (
                found.pop() if len(found) == 1 else own.algorithm
            )
            name, again = own.run, 1
            while (algorithm, own.task, name) in taken:
                again += 1
                name = f"{own.run} ({again})"
            taken.add((algorithm, own.task, name))
            whos[row] = replace(own, algorithm=algorithm, run=name)
    return replace(told, whos=tuple(who for who in whos if who))


def _identified(
    clues: Sequence[Clues], options: dict[str, str | None]
) -> tuple[Identity, list[str]]:
    """Tell who is who; return it, and the traits that name the algorithms."""
    traits = traits_of(clues)
    choice = chosen(clues, traits, **options)
    task = choice.task or _labelled(clues, "task", _task(clues, traits))
    traits = [_without_task(trait, task.values) for trait in traits]
    run = choice.run or _labelled(clues, "run", _run(clues, traits))
    others = [trait for trait in traits if trait not in (*task.traits, *run.traits)]
    grouping = _grouping(clues, others, choice.algorithm, task.values, run.values)
    if not any(run.values):
        run = _order_of_starting(traits, grouping.values, task.values) or run
    apart = [trait for trait in others if trait.role in {"run", "seed"} and trait.varies]
    if choice.algorithm:
        apart += telling(others, task.values, run.values)
    names, notes = _distinct(clues, grouping.values, run.values, task.values, apart)
    if choice.algorithm:
        notes += _mixed(grouping, apart)
    whos = tuple(
        Who(algorithm or "", name, of, clue.labels.get("block"))
        for algorithm, name, of, clue in zip(
            grouping.values, names, task.values, clues, strict=True
        )
    )
    says_algorithm = all("algorithm" in clue.labels for clue in clues)
    algorithm = choice.algorithm or Choice(
        grouping.values, grouping.traits, "the log" if says_algorithm else ""
    )
    explanation = _explanation(clues, algorithm=algorithm, run=run, task=task)
    told = Identity(
        whos, explanation, tuple(notes), grouping.candidates, grouping.problem
    )
    return told, [trait.name for trait in grouping.traits]


def _labelled(clues: Sequence[Clues], part: str, found: Choice) -> Choice:
    """Put what the logs themselves say before what was found."""
    said = [clue.labels.get(part) for clue in clues]
    if not any(said):
        return found
    values = tuple(own or other for own, other in zip(said, found.values, strict=True))
    return replace(found, values=values, source="the log")


def _task(clues: Sequence[Clues], traits: list[Trait]) -> Choice:
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
        return Choice((None,) * n_runs)
    texts = zip(*(trait.texts for trait in naming), strict=True)
    return Choice(tuple(", ".join(filter(None, row)) for row in texts), tuple(naming))


def _without_task(trait: Trait, tasks: Names) -> Trait:
    """Take the name of the task out of values that repeat it, if all do."""
    names = trait.kind == "word" or (trait.kind == "setting" and trait.names_algorithms)
    if trait.role or not names or None in tasks:
        return trait
    shorter: dict[tuple[str, str], str] = {}
    for value, task in set(zip(trait.values, tasks, strict=True)):
        if value is not None and task is not None:
            rest = _task_pattern(task).sub("", value, count=1).strip(" _-/.,")
            if rest == value or not rest:
                return trait
            shorter[value, task] = rest
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


def _run(clues: Sequence[Clues], traits: list[Trait]) -> Choice:
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
    if not naming:
        return Choice((None,) * len(clues))
    return Choice(naming[0].values, tuple(naming))


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


def _order_of_starting(
    traits: list[Trait], algorithms: Names, tasks: Names
) -> Choice | None:
    """Return the numbers that a tool gave to runs, as in version_3, if they name them."""
    for trait in traits:
        if trait.kind == "noise" and trait.name in {"version", "job"}:
            names = set(zip(algorithms, tasks, trait.values, strict=True))
            if None not in trait.values and len(names) == len(algorithms):
                return Choice(trait.values, (trait,))
    return None


def _grouping(
    clues: Sequence[Clues],
    traits: list[Trait],
    given: Choice | None,
    tasks: Names,
    runs: Names,
) -> Grouping:
    """Group runs as the caller says, as the logs say, or as their traits tell."""
    if given:
        return Grouping(
            given.values, given.traits, candidates_of(telling(traits, tasks, runs))
        )
    rows = [row for row, clue in enumerate(clues) if "algorithm" not in clue.labels]
    said = [clue.labels.get("algorithm") for clue in clues]
    if not rows:
        return Grouping(tuple(said))
    found = grouped(
        [clues[row] for row in rows],
        [trait.of(rows) for trait in traits] if len(rows) < len(clues) else traits,
        tuple(tasks[row] for row in rows),
        tuple(runs[row] for row in rows),
    )
    for row, value in zip(rows, found.values, strict=True):
        said[row] = value
    return replace(found, values=tuple(said))


def _distinct(
    clues: Sequence[Clues],
    algorithms: Names,
    runs: Names,
    tasks: Names,
    apart: list[Trait],
) -> tuple[list[str], list[str]]:
    """Give each run of an algorithm and task a name of its own, and say what was done."""
    notes = []
    names = [run or "" for run in runs]

    def repeated() -> int:
        return len(names) - len(set(zip(algorithms, tasks, names, strict=True)))

    if all(names):
        for trait in apart:
            before = repeated()
            if not before:
                break
            longer = [
                f"{n}, {s}" if s else n for n, s in zip(names, trait.shown, strict=True)
            ]
            names, kept = longer, names
            if repeated() == before:
                names = kept
        if repeated():
            notes.append(
                f"{plural(repeated(), 'run')} have the name of another run of the same algorithm"
                " and task, and are numbered, as in '1 (2)'. A run that was repeated counts as "
                "one more run: leave it out if it is none."
            )
    elif any(names):
        notes.append("runs without a name are numbered in the order of their paths")
    else:
        notes.append(
            "nothing names the runs: they are numbered in the order of their paths"
        )
    places: dict[str, list[int]] = {}
    for row, clue in enumerate(clues):
        places.setdefault(clue.place, []).append(row)
    counts: Counter[tuple[str | None, str | None, str]] = Counter()
    for row in (row for place in natural_order(places) for row in places[place]):
        group = algorithms[row], tasks[row], names[row]
        counts[group] += 1
        if not names[row]:
            names[row] = str(counts[group])
        elif counts[group] > 1:
            names[row] = f"{names[row]} ({counts[group]})"
    return names, notes


def _mixed(grouping: Grouping, traits: list[Trait]) -> list[str]:
    """Say which settings vary among the runs of one algorithm, if the caller grouped them."""
    groups = Trait("", "", grouping.values, grouping.values).codes
    mixed = [t.name for t in traits if not t.role and not tells(groups, t)]
    if not mixed:
        return []
    names = listed(list(dict.fromkeys(mixed)), 3)
    return [f"runs of one algorithm differ in {names}, as {argument('group_by')} asks"]


def _explanation(clues: Sequence[Clues], **parts: Choice) -> str:
    shown = []
    for name, part in parts.items():
        source = part.source
        if not source and part.traits:
            source = listed([trait.name for trait in part.traits])
            trait = part.traits[0]
            if trait.place >= 0 and trait.kind in {"word", "number"}:
                source += f" ({trait.texts[0]!r} in {printable(clues[0].place)})"
        if source:
            shown.append(f"{name} from {source}")
    flags = [argument(name) for name in ("group_by", "run_by", "task_by")]
    if not shown:
        return f"nothing tells algorithms and runs; say what does: {', '.join(flags)}"
    return f"{', '.join(shown)}; to choose otherwise: {', '.join(flags)}"
