"""Asking: the signature of a question declares its options, and nothing else does.

A question is a signature, a docstring and one line, ``return ask(...)``. What an option must be
is read from its annotation: a `Literal` is one of its choices, a `bool` a flag, a `Share` lies
between 0 and 1, a `Number` is finite, `Curves` are curves, and a mapping of them is a family.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, SimpleNamespace, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from curvewise.data.checks import check_alpha, check_choice, check_flags, check_number
from curvewise.data.curves import Curves
from curvewise.errors import refuse
from curvewise.inference.work import check_members, shuffling_work
from curvewise.text import number_text, plural

if TYPE_CHECKING:
    from typing import Self

    from curvewise.data.tables import Names
    from curvewise.inference.work import Work


def _share(option: str, value: Any) -> float:
    check_alpha(value, option)
    return float(value)


def _number(option: str, value: Any) -> float:
    check_number(option, value)
    return float(value)


# What signatures are written in, beside Literal, bool and Curves.
Share = Annotated[float, _share]
Number = Annotated[float, _number]
Shuffles = int | Literal["auto", "precise"]
PathLike = str | os.PathLike[str]
RNGLike = (
    np.random.Generator
    | np.random.BitGenerator
    | np.random.SeedSequence
    | int
    | Sequence[int]
    | None
)

# What every question that shuffles takes; all else says what is asked.
SHUFFLING = ("n_shuffles", "exact", "n_jobs", "rng", "checkpoint")

Answer = TypeVar("Answer")
Function = TypeVar("Function", bound=Callable[..., Any])


class Asked(SimpleNamespace):
    """What was asked: the parameters of a question as attributes, checked.

    A question whose options depend on each other has a subclass that settles them.
    """

    def settle(self) -> None:
        """Raise where options exclude each other; fill in what depends on others."""

    def but(self, **changes: Any) -> Self:
        """Return the same with some options changed; these are not checked."""
        return type(self)(**{**vars(self), **changes})

    def to(self, question: Callable[..., Any], /, **given: Any) -> Any:
        """Ask another question with the options that both have, and with those given."""
        shared = {name: own for name, own in vars(self).items() if name in _kinds(question)}
        return asked_of(question, **{**shared, **given})


class _Declaration(NamedTuple):
    asked: type[Asked]
    n_keys: int
    apart: tuple[str, ...]
    member: Callable[..., Any] | None


_DECLARED: dict[Callable[..., Any], _Declaration] = {}


def question(
    asked: type[Asked] = Asked,
    *,
    n_keys: int = 1,
    apart: tuple[str, ...] = (),
    member: Callable[..., Any] | None = None,
) -> Callable[[Function], Function]:
    """Declare that the signature of a function is what can be asked.

    ``n_keys`` is how many random streams the answer draws from, 0 for a family. A checkpoint may
    be continued with other values of the options ``apart``, which do not change what is shuffled.
    A ``member`` of a family checks the options that it is asked with, but for alpha.
    """

    def declare(function: Function) -> Function:
        _DECLARED[function] = _Declaration(asked, n_keys, apart, member)
        return function

    return declare


def ask(
    question: Callable[..., Answer], given: Mapping[str, Any], answer: Callable[[Any, Work], Answer]
) -> Answer:
    """Check the arguments of a question that shuffles, open the work, and answer."""
    asked = asked_of(question, **given)
    declared = _DECLARED[question]
    told = [own for own in vars(asked).items() if own[0] not in (*SHUFFLING, *declared.apart)]
    shuffling = {name: getattr(asked, name) for name in SHUFFLING}
    with shuffling_work(question.__name__, told, n_keys=declared.n_keys, **shuffling) as work:
        return answer(asked, work)


def asked_of(question: Callable[..., Any], /, **given: Any) -> Any:
    """Return what is asked of a question, checked; what is not given has its default."""
    kinds = _kinds(question)
    for name in given.keys() - kinds.keys():
        msg = f"{question.__name__}() got an unexpected keyword argument {name!r}"
        raise TypeError(msg)
    values = {**(question.__kwdefaults__ or {}), **given}
    declared, first = _DECLARED[question], next(iter(kinds))
    known = _kinds(declared.member).values() if declared.member else ()
    asked = declared.asked(
        **{
            name: values[name]
            if kind in known and name not in (first, "alpha")
            else _checked(name, values[name], kind, f"{question.__name__}()", of=name == first)
            for name, kind in kinds.items()
            if name in values
        }
    )
    asked.settle()
    return asked


@cache
def _kinds(question: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of the parameters, in their order."""
    kinds = get_type_hints(question, include_extras=True)
    kinds.pop("return")
    return kinds


def _checked(option: str, value: Any, kind: Any, question: str, *, of: bool) -> Any:
    """Return the value of an option, or raise; the first is what the question is asked ``of``."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        kinds = [part for part in parts if part is not NoneType]
        if len(kinds) > 1 or (value is None and len(kinds) < len(parts)):
            return value
        return _checked(option, value, kinds[0], question, of=of)
    if origin is Annotated:
        return parts[1](option, value)
    if origin is Literal:
        check_choice(option, value, parts)
    elif kind is bool:
        check_flags(**{option: value})
    elif of and kind is Curves:
        check_curves(value, question)
    elif of and kind == Mapping[str, Curves]:
        check_members(value, "Curves")
        for own in value.values():
            check_curves(own, question)
    return value


# --- Checks of curves and designs; each raises an error that says what to do.

# Squares of what is smaller would vanish.
MIN_RANGE = 1e-140


def check_curves(curves: object, question: str) -> None:
    """Raise unless ``curves`` is a Curves."""
    if not isinstance(curves, Curves):
        refuse(
            f"{question} takes Curves, not a {type(curves).__name__}: build them with "
            "Curves(...), Curves.from_dict, Curves.from_frame or read.",
            option="curves",
        )


def check_design(curves: Curves, *, may_be_equal: bool = False) -> None:
    """Raise where shuffling cannot tell the algorithms apart, whatever the scores.

    Scores that are all the same are refused too, unless they ``may_be_equal``.
    """
    n_algorithms = len(curves.algorithms)
    if n_algorithms < 2:
        refuse(
            f"Comparing needs at least two algorithms, and there is only "
            f"{curves.algorithms[0]!r}. Name the files or the folder of all algorithms, and check "
            "what tells them apart and which were kept."
        )
    if curves.n_runs <= n_algorithms:
        means = ", ".join(
            f"{label!r} {number_text(float(mean))}"
            for label, mean in list(zip(curves.labels, curves.scores.mean(axis=1), strict=True))[:6]
        )
        refuse(
            "Every algorithm has a single run, so nothing tells a difference between "
            f"algorithms from one between runs. The mean scores are {means}; whether they "
            "differ cannot be said. Repeat the training with other seeds."
        )
    spread = float(np.ptp(curves.scores))
    if spread == 0 and not may_be_equal:
        value = number_text(float(curves.scores[0, 0]))
        refuse(
            f"All {curves.scores.size:,} scores are {value}: there is nothing to compare. "
            "Check which column holds the score."
        )
    if 0 < spread < MIN_RANGE:
        refuse(
            f"Scores that differ by {spread:.3g} vanish when squared. "
            "Multiply all scores by a constant: no test depends on it."
        )
    if curves.blocks is None:
        return
    check_connected(curves)
    n_blocks = len(set(curves.blocks))
    if curves.n_runs - n_algorithms - (n_blocks - 1) < 1:
        refuse(
            f"{plural(curves.n_runs, 'run')} in {plural(n_blocks, 'block')} leave nothing "
            f"to tell {n_algorithms} algorithms from chance. Use larger or more blocks."
        )


def check_tasks_vary(tasks: Mapping[str, Curves]) -> None:
    """Raise if no task has two scores that differ; one that has none counts as a draw."""
    if all(np.ptp(own.scores) == 0 for own in tasks.values()):
        what = "All scores are the same"
        if len(tasks) > 1:
            what = f"On each of {len(tasks)} tasks all scores are the same"
        refuse(f"{what}: there is nothing to compare. Check which column holds the score.")


def check_connected(curves: Curves) -> None:
    """Raise if blocks leave some algorithms without any comparison."""
    if curves.blocks is None:
        return
    blocks: Names = curves.blocks
    linked = {0}
    while True:
        touched = set(blocks[np.isin(curves.codes, list(linked))])
        reached = np.array([block in touched for block in blocks])
        grown = set(curves.codes[reached].tolist())
        if grown == linked:
            break
        linked = grown
    if len(linked) == len(curves.algorithms):
        return
    inside = ", ".join(repr(curves.algorithms[code]) for code in sorted(linked))
    outside = ", ".join(
        repr(name) for code, name in enumerate(curves.algorithms) if code not in linked
    )
    refuse(
        f"No block holds both one of {inside} and one of {outside}, so blocks leave nothing "
        "to compare them by. A block is what runs of different algorithms share, such as a "
        "seed or a fold: name another column, leave the blocks out, or compare separately."
    )


def check_variation(curves: Curves, variation: float) -> None:
    """Raise if all runs are the same; ``variation`` is how much they vary."""
    if variation == 0:
        where = "" if curves.blocks is None else " of a block"
        refuse(
            f"All runs{where} have the same curve: there is nothing to compare. Check that "
            "the runs were trained with different seeds."
        )
