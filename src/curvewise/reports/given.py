"""What was given for a report, checked and sorted: which result is about which table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.curves import Curves
from curvewise.errors import OptionError
from curvewise.inference.result import Result
from curvewise.questions.locate.result import Location

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Given"]


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
                        msg = f"There are no curves of task {str(name)!r}, but results of it."
                        raise OptionError(msg, option="results")
                    own[name] += _results(found)
            else:
                raise _refusal(result)
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
        msg = (
            "report() takes Curves, or a mapping from task to Curves such as read_tasks() "
            f"returns, not a {type(curves).__name__}."
        )
        raise OptionError(msg, option="curves")
    return {str(name): own for name, own in tables.items()}


def _results(found: object) -> list[Result]:
    """Return one result, or several, as a list."""
    parts = found if isinstance(found, list | tuple) else [found]
    for part in parts:
        if not isinstance(part, Result):
            raise _refusal(part)
    return list(parts)


def _refusal(given: object) -> OptionError:
    msg = (
        "report() takes results, such as compare() returns, or of several tasks a mapping from "
        f"task to results; not a {type(given).__name__}."
    )
    return OptionError(msg, option="results")


def _check_locations(results: Sequence[Result], curves: Curves, name: str) -> None:
    """Raise if something was located in other curves: windows would be looked up wrongly."""
    for result in results:
        if not isinstance(result, Location):
            continue
        same = result.algorithms == curves.algorithms
        if not same or not np.array_equal(result.steps, curves.steps):
            of = f" of {name!r}" if name else ""
            msg = (
                f"A result of locate() is about other curves than those{of} in this report: "
                "give the curves that were located."
            )
            raise OptionError(msg, option="results")
