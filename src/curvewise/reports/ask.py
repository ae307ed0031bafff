"""What a report asks, what it is given, and how it was made."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

import curvewise
from curvewise import __version__
from curvewise.data.curves import Curves
from curvewise.errors import CurvesError, refuse
from curvewise.inference.result import Result, names_text
from curvewise.questions.locate.result import Location
from curvewise.shuffling.visit import track_items
from curvewise.text import capitalised, listed, plural, step_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from curvewise.data.tasks import Tasks
    from curvewise.questions.aggregate.result import Aggregate

    Question = tuple[str, Callable[[], Result | None]]
    from collections.abc import Iterable, Iterator, Sequence


MAX_IN_PAIRS = 8  # algorithms; pairs of more are a question of their own


def ask(
    tables: Mapping[str, Curves],
    options: Mapping[str, Any],
    *,
    windows: Collection[str],
    begin: Callable[[str], None] | None = None,
) -> tuple[Any, ...]:
    """Ask what a report shows of one table, or of one for each of several tasks.

    Of each table: compare, locate, and of three or more algorithms best and pairs. Of several
    tables the comparison and the best are asked of all of them together, with p adjusted for
    their number; and first it is asked which algorithm is better as a whole, and how good
    each is on average over tasks.

    Parameters
    ----------
    tables : mapping from task to Curves
    options : mapping
        Of every question: alpha, and those of the shuffling. With a checkpoint, each question
        has a file of its own beside it.
    windows : collection of str
        The tasks whose windows are tested.
    begin : function of str, optional
        Is told which question is asked next, and of which task.

    Returns
    -------
    tuple
        The results as `report` takes them after the curves. The first has the headline.
    """
    if len(tables) == 1:
        ((name, curves),) = tables.items()
        first = _prepared("compare", curvewise.compare, curves, options)
        plan = [first, *_questions(curves, options, windows=name in windows)]
        return tuple(_answers(plan, begin))
    plan = _of_all(tables, options)
    n_whole = len(plan)
    owners: list[str] = []
    for place, (name, curves) in enumerate(tables.items()):
        own = _questions(curves, _beside(options, place), windows=name in windows, best=False)
        plan += [(f"{what}, {name}", question) for what, question in own]
        owners += [name] * len(own)
    answers = _answers(plan, begin)
    members: dict[str, list[Result]] = {name: [] for name in tables}
    for name, found in zip(owners, answers[n_whole:], strict=True):
        if found is not None:
            members[name].append(found)
    return *(own for own in answers[:n_whole] if own is not None), members


def _of_all(tables: Mapping[str, Curves], options: Mapping[str, Any]) -> list[Question]:
    """Return what is asked of all tasks.

    Which algorithm is better as a whole, and how good each is, of those that all tasks have, if
    there are two; where curves differ; and of three algorithms or more which may be the best.
    """
    found: list[Question] = []
    shared = set.intersection(*(set(own.algorithms) for own in tables.values()))
    if len(shared) > 1:
        first = next(iter(tables.values()))
        common = [name for name in first.algorithms if name in shared]
        tasks = curvewise.Tasks(tables, algorithms=common)
        found.append(_prepared("tasks", curvewise.compare_tasks, tasks, options))
        found.append(("aggregate", partial(_aggregate, tasks, options)))
    found.append(_prepared("compare", curvewise.compare_many, tables, options))
    if any(len(own.algorithms) > 2 for own in tables.values()):
        best = partial(curvewise.best_many, missing="keep")
        found.append(_prepared("best", best, tables, options))
    return found


def _aggregate(tasks: Tasks, options: Mapping[str, Any]) -> Aggregate | None:
    """Return the aggregates over tasks; None if this data gives none, for lack of runs or a scale."""
    given = {"confidence": 1 - options["alpha"]} if "alpha" in options else {}
    try:
        return curvewise.aggregate(tasks, rng=options.get("rng"), **given)
    except CurvesError:
        return None


def title_of(place: str, tables: Mapping[str, Curves]) -> str:
    """Return the title of a report: where the curves are from, and whose or how many."""
    what = plural(len(tables), "task")
    if len(tables) == 1:
        (curves,) = tables.values()
        what = names_text(curves.algorithms)
    return capitalised(f"{place}: {what}")


def _questions(
    curves: Curves, options: Mapping[str, Any], *, windows: bool, best: bool = True
) -> list[Question]:
    """Return what is asked of one table beside the comparison."""
    found: list[Question] = []
    if curves.n_steps > 1:
        locate = partial(curvewise.locate, windows=windows)
        found.append(_prepared("locate", locate, curves, options))
    if len(curves.algorithms) > 2 and best:
        found.append(_prepared("best", curvewise.best, curves, options))
    if 2 < len(curves.algorithms) <= MAX_IN_PAIRS:
        found.append(_prepared("pairs", curvewise.compare_pairs, curves, options))
    return found


def _answers(plan: list[Question], begin: Callable[[str], None] | None) -> list[Result | None]:
    """Ask one question after the other; progress is reported over all of them."""
    found = []
    for what, question in track_items(plan, in_parts=True):
        if begin is not None:
            begin(what)
        found.append(question())
    return found


def _prepared(name: str, question: Callable[..., Result], curves: Any, options: Any) -> Question:
    """Return a question with its name, ready to be asked."""
    return name, partial(question, curves, **_beside(options, name))


def _beside(options: Mapping[str, Any], name: object) -> dict[str, Any]:
    """Return the options of one of several questions, whose counts go to a file of its own."""
    checkpoint: Path | None = options.get("checkpoint")
    own = {"checkpoint": checkpoint.with_name(f"{checkpoint.name}.{name}")} if checkpoint else {}
    return {**options, **own}


@dataclass(frozen=True)
class Given:
    """Tables of curves by their names, and results about all of them and about each.

    The only table of a report about a single one is called "".
    """

    tables: Mapping[str, Curves]
    whole: tuple[Result, ...]
    by_table: Mapping[str, tuple[Result, ...]]
    several: bool

    @classmethod
    def of(cls, curves: object, results: Sequence[object]) -> Given:
        """Sort what was given; raise `OptionError` if it is something else."""
        several, tables = not isinstance(curves, Curves), _tables(curves)
        whole: list[Result] = []
        own: dict[str, list[Result]] = {name: [] for name in tables}
        for result in results:
            if isinstance(result, Result):
                (whole if several else own[""]).append(result)
            elif several and isinstance(result, Mapping):
                for name, found in result.items():
                    if name not in own:
                        text = f"There are no curves of task {str(name)!r}, but results of it."
                        refuse(text, "results")
                    own[name] += _results(found)
            else:
                _refuse(result)
        for name, found in own.items():
            _check_locations(found, tables[name], name)
        return cls(tables, tuple(whole), {k: tuple(v) for k, v in own.items()}, several)

    @property
    def everything(self) -> list[Result]:
        """All results that were given."""
        return [*self.whole, *(one for own in self.by_table.values() for one in own)]

    def about(self, name: str) -> tuple[Result, ...]:
        """Return the results about a table.

        The members of families, such as compare_many() returns, are first among them.
        """
        families = [family for family in self.whole if isinstance(family, Mapping)]
        members = [family[name] for family in families if name in family]
        first = [member for member in members if isinstance(member, Result)]
        return (*first, *self.by_table[name])


def _tables(curves: Any) -> dict[str, Curves]:
    if isinstance(curves, Curves):
        return {"": curves}
    tables = dict(curves) if isinstance(curves, Mapping) else {}
    if not tables or not all(isinstance(own, Curves) for own in tables.values()):
        refuse(
            "report() takes Curves, or a mapping from task to Curves such as read_tasks() "
            f"returns, not a {type(curves).__name__}.",
            "curves",
        )
    return {str(name): own for name, own in tables.items()}


def _results(found: object) -> list[Result]:
    """Return one result, or several, as a list."""
    parts = found if isinstance(found, list | tuple) else [found]
    for part in parts:
        if not isinstance(part, Result):
            _refuse(part)
    return list(parts)


def _refuse(given: object) -> NoReturn:
    refuse(
        "report() takes results, such as compare() returns, or of several tasks a mapping from "
        f"task to results; not a {type(given).__name__}.",
        "results",
    )


def _check_locations(results: Sequence[Result], curves: Curves, name: str) -> None:
    """Raise if something was located in other curves: windows would be looked up wrongly."""
    for result in results:
        if not isinstance(result, Location):
            continue
        same = result.algorithms == curves.algorithms
        if not same or not np.array_equal(result.steps, curves.steps):
            of = f" of {name!r}" if name else ""
            refuse(
                f"A result of locate() is about other curves than those{of} in this report: "
                "give the curves that were located.",
                "results",
            )


MAX_NAMED = 8  # tasks with the same line
# The entries to cite: this version, and the paper whose test it runs.
BIBTEX = f"""\
@software{{curvewise,
  title   = {{curvewise: are these learning curves really different?}},
  author  = {{{{The curvewise contributors}}}},
  version = {{{__version__}}},
  year    = {{2026}},
}}

@inproceedings{{piater1998randomized,
  title     = {{A Randomized {{ANOVA}} Procedure for Comparing Performance Curves}},
  author    = {{Piater, Justus H. and Cohen, Paul R. and Zhang, Xiaoqin and Atighetchi, Michael}},
  booktitle = {{Proceedings of the Fifteenth International Conference on Machine Learning}},
  year      = {{1998}},
}}
"""


def made_of(
    tables: Mapping[str, Curves], results: Iterable[Result], given: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield how the report was made, a line each: what it is about, and the line.

    ``given`` are lines that only the caller knows, such as the command. There is no time among
    them: the same curves and the same seed give the same report, byte for byte.
    """
    yield from given.items()
    about: dict[str, list[str]] = {}
    for name, curves in tables.items():
        about.setdefault(_described(curves), []).append(name)
    for text, names in about.items():
        yield f"Curves {listed(names, MAX_NAMED)}".strip(), text
    seeds = dict.fromkeys(getattr(result, "seed", None) for result in results)
    if known := ", ".join(str(seed) for seed in seeds if seed is not None):
        yield "Seed", known
    yield "Made", f"with curvewise {__version__}"


def _described(curves: Curves) -> str:
    sizes = sorted(set(curves.sizes))
    each = "–".join(map(str, dict.fromkeys((sizes[0], sizes[-1]))))
    first, last = step_text(curves.steps[0]), step_text(curves.steps[-1])
    shape = (
        f"{plural(len(curves.algorithms), 'algorithm')} × {each} runs × "
        f"{plural(curves.n_steps, 'step')}, {first} to {last}"
    )
    done = "" if curves.preparation is None else curves.preparation.sentence()
    return ". ".join(part.rstrip(".") for part in (curves.source, shape, done) if part)


def file_hashes(paths: Iterable[str | Path]) -> dict[str, str]:
    """Return the SHA-256 of each file, or of all files of a folder together, by its name.

    The hash of a folder is that of its files' hashes and names, in the order of names.
    """
    found = {}
    for path in map(Path, paths):
        if path.is_file():
            found[path.name] = f"SHA-256 {_file_hash(path).hexdigest()}"
        elif path.is_dir():
            files = sorted(own for own in path.rglob("*") if own.is_file())
            whole = hashlib.sha256()
            for own in files:
                line = f"{_file_hash(own).hexdigest()}  {own.relative_to(path).as_posix()}\n"
                whole.update(line.encode("utf-8", "surrogateescape"))
            count = plural(len(files), "file")
            found[f"{path.resolve().name}/"] = f"{count}, SHA-256 {whole.hexdigest()}"
    return found


def _file_hash(path: Path) -> hashlib._Hash:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256")
