"""Who is who: which algorithm, run and task a log is of, told from names and settings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curvewise.data.names import natural_order
from curvewise.errors import CurvesError, OptionError
from curvewise.readers.naming.grouping import (
    Grouping,
    candidates_of,
    differences,
    grouped,
)
from curvewise.readers.naming.identity_by import Choice, chosen
from curvewise.readers.naming.runs_and_tasks import (
    left_over_task,
    names_left,
    run_of,
    task_of,
    without_task,
)
from curvewise.readers.naming.telling import telling
from curvewise.readers.naming.traits import AFTER_PATH, Trait, tells, traits_of
from curvewise.text import argument, listed, plural, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from curvewise.readers.naming.grouping import Candidate
    from curvewise.readers.naming.telling import Names
    from curvewise.readers.naming.traits import Clues

__all__ = ["Identity", "Who", "identify"]


UNKNOWN = "unknown"


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

    @property
    def first_name(self) -> str:
        """The name of the run before it was numbered because another one has it."""
        return self.name_of or self.run


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
    explanation = (
        f"algorithm of {plural(len(said.whos), 'run')} from the log; of the others, "
    )
    numbered = _numbered(whos)
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
    return replace(
        told,
        whos=numbered,
        problem=problem,
        explanation=explanation + told.explanation,
        notes=tuple(dict.fromkeys(notes)),
    )


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
    members: dict[tuple[str | None, ...], set[str]] = {}
    for key, who, clue in zip(keys, whos, clues, strict=True):
        if clue.has_points:
            members.setdefault(key, set()).add(who.algorithm)
    for row, (who, clue) in enumerate(zip(whos, clues, strict=True)):
        algorithms = members.get(keys[row], set())
        if not clue.has_points and len(algorithms) == 1:
            whos[row] = replace(who, algorithm=min(algorithms), is_known=True)
        elif not clue.has_points and keys[row] and None in keys[row]:
            whos[row] = replace(who, algorithm=UNKNOWN, is_known=False)
    notes = told.notes
    unknown = [row for row, who in enumerate(whos) if not who.is_known]
    if unknown:
        places = listed([clues[row].place for row in unknown], 3)
        note = (
            f"{plural(len(unknown), 'run')} without a point, and without what tells the others "
            f"apart: not compared ({printable(places)})"
        )
        notes += (note,)
    return replace(told, whos=_numbered(whos), notes=notes)


def _numbered(whos: Sequence[Who]) -> tuple[Who, ...]:
    """Give numbers to runs that have the name of one before them."""
    taken: set[tuple[str, str | None, str]] = set()
    numbered = []
    for who in whos:
        name, again = who.run, 1
        while (who.algorithm, who.task, name) in taken:
            again += 1
            name = f"{who.run} ({again})"
        taken.add((who.algorithm, who.task, name))
        shared = who.run if again > 1 else ""
        numbered.append(replace(who, run=name, name_of=shared))
    return tuple(numbered)


def _identified(
    clues: Sequence[Clues], options: dict[str, str | None]
) -> tuple[Identity, list[str]]:
    """Tell who is who; return it, and the traits that name the algorithms."""
    all_traits = traits_of(clues)
    choice = chosen(clues, all_traits, **options)
    task = choice.task or task_of(clues, all_traits)
    traits = [without_task(trait, task.values) for trait in all_traits]
    run = choice.run or run_of(clues, traits)
    others = [trait for trait in traits if trait not in (*task.traits, *run.traits)]
    grouping = _grouping(clues, others, choice.algorithm, task.values, run)
    told_notes = []
    if choice.algorithm and not any(task.values):
        free = telling(others, task.values, run.values)
        task = left_over_task(choice.algorithm, free, run.values) or task
        others = [trait for trait in others if trait not in task.traits]
        if task.traits:
            told_notes.append(_left_over(choice.algorithm, task))
    if not any(run.values):
        run = names_left(traits, grouping.values, task.values) or run
    apart = [trait for trait in others if trait.role in {"run", "seed"} and trait.varies]
    if choice.algorithm:
        apart += telling(others, task.values, run.values)
    names, first_names, notes = _distinct(
        clues, grouping.values, run.values, task.values, apart
    )
    notes += told_notes
    if choice.algorithm:
        notes += _mixed(grouping, apart)
    notes += grouping.notes
    own = [
        t.name
        for t in others
        if t.is_measured and t.n_values == len(clues) and not t.role
    ]
    if own and not grouping.problem and len(clues) > 1:
        notes.append(
            f"every run has its own {listed(own, 3)}, which is not what groups them"
        )
    whos = tuple(
        Who(algorithm or "", name, of, clue.labels.get("block"), name_of=first)
        for algorithm, name, first, of, clue in zip(
            grouping.values, names, first_names, task.values, clues, strict=True
        )
    )
    says_algorithm = all("algorithm" in clue.labels for clue in clues)
    algorithm = choice.algorithm or Choice(
        grouping.values, grouping.traits, "the log" if says_algorithm else ""
    )
    explanation = _explanation(clues, algorithm=algorithm, run=run, task=task)
    typed = [t for t in all_traits if t.varies and t.role not in {"noise", "length"}]
    told = Identity(
        whos,
        explanation,
        tuple(notes),
        grouping.candidates,
        grouping.problem,
        differences(list({trait.name: trait for trait in typed}.values())),
    )
    return told, [trait.name for trait in grouping.traits]


def _grouping(
    clues: Sequence[Clues],
    traits: list[Trait],
    given: Choice | None,
    tasks: Names,
    run: Choice,
) -> Grouping:
    """Group runs as the caller says, as the logs say, or as their traits tell."""
    if given:
        candidates = candidates_of(telling(traits, tasks, run.values))
        return Grouping(given.values, given.traits, candidates)
    said = tuple(clue.labels.get("algorithm") for clue in clues)
    if all(said):
        return Grouping(said)
    by_setting = any(trait.kind == "setting" for trait in run.traits)
    return grouped(clues, traits, tasks, run.values, by_setting=by_setting)


def _left_over(algorithm: Choice, task: Choice) -> str:
    """Say that what varies besides the algorithm was taken for the task."""
    names = [trait.name for trait in (*algorithm.traits, *task.traits)]
    return (
        "taken for the task, because it varies and is not part of the algorithm: "
        f"{differences(task.traits)}; if it is part of it, say "
        f"{argument('group_by', ','.join(names))}"
    )


def _distinct(
    clues: Sequence[Clues],
    algorithms: Names,
    runs: Names,
    tasks: Names,
    apart: list[Trait],
) -> tuple[list[str], list[str], list[str]]:
    """Give each run of an algorithm and task a name of its own, and say what was done.

    Return the names, those that runs share with one before them, and the notes.
    """
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
            notes.append(_repeats(repeated()))
    elif any(names):
        notes.append("runs without a name are numbered in the order of their paths")
    else:
        notes.append(
            "nothing names the runs: they are numbered in the order of their paths"
        )
    places: dict[str, list[int]] = {}
    for row, clue in enumerate(clues):
        places.setdefault(clue.place, []).append(row)
    first_names = [""] * len(clues)
    counts: Counter[tuple[str | None, str | None, str]] = Counter()
    for row in (row for place in natural_order(places) for row in places[place]):
        group = algorithms[row], tasks[row], names[row]
        counts[group] += 1
        if not names[row]:
            names[row] = str(counts[group])
        elif counts[group] > 1:
            first_names[row] = names[row]
            names[row] = f"{names[row]} ({counts[group]})"
    return names, first_names, notes


def _mixed(grouping: Grouping, traits: list[Trait]) -> list[str]:
    """Say which settings vary among the runs of one algorithm, if the caller grouped them."""
    groups = Trait("", "", grouping.values, grouping.values).codes
    mixed = [
        t.name
        for t in traits
        if not t.role and not t.is_composed and not tells(groups, t)
    ]
    if not mixed:
        return []
    names = listed(list(dict.fromkeys(mixed)), 3)
    return [f"runs of one algorithm differ in {names}, as {argument('group_by')} asks"]


def _explanation(clues: Sequence[Clues], **parts: Choice) -> str:
    """Say where each part comes from, with the first path as an example."""
    places = [clue.place for clue in clues]
    example = places.index(natural_order(places)[0])
    sources: dict[str, list[str]] = {}
    for name, part in parts.items():
        source = part.source or listed([trait.name for trait in part.traits])
        if part.traits and not part.source:
            trait = part.traits[0]
            if 0 <= trait.place <= AFTER_PATH and trait.kind in {"word", "number"}:
                source += f" ({trait.texts[example]!r} in {printable(places[example])})"
        if source:
            sources.setdefault(source, []).append(name)
    shown = [f"{listed(names)} from {source}" for source, names in sources.items()]
    flags = [argument(name) for name in ("group_by", "run_by", "task")]
    if not shown:
        return f"nothing tells algorithms and runs; say what does: {', '.join(flags)}"
    return f"{', '.join(shown)}; to choose otherwise: {', '.join(flags)}"
