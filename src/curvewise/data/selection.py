"""Which columns, algorithms and steps of a table are read, as one object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, get_args

import numpy as np

from curvewise.data.alignment_options import AlignmentOptions
from curvewise.data.choices import check_choice
from curvewise.data.records import Duplicates
from curvewise.data.steps import in_window
from curvewise.errors import CurvesError
from curvewise.text import did_you_mean, shown_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from curvewise.data.alignment_options import How, Policy

__all__ = ["Columns", "Selection", "SelectionOptions", "check_algorithms"]


class SelectionOptions(TypedDict, total=False):
    """The arguments that say which part is read, and how runs come to common steps."""

    block: str | None
    only: Sequence[str] | None
    start: float | None
    stop: float | None
    align: How
    n_steps: int | None
    short: Policy
    reason: str | None
    min_steps: int | None
    duplicates: Duplicates | None


class Columns(NamedTuple):
    """The column of each part; None where it was not named, or there is none."""

    algorithm: str | None = None
    run: str | None = None
    step: str | None = None
    score: str | None = None
    block: str | None = None

    def described(self) -> str:
        """Say which column is read as what.

        >>> Columns("agent", "seed").described()
        "algorithm from 'agent', run from 'seed'"
        """
        return ", ".join(
            f"{part} from {column!r}" for part, column in self._asdict().items() if column
        )


@dataclass(frozen=True)
class Selection:
    """What is read of a table, and what its scores mean.

    Attributes
    ----------
    columns : Columns
        The column of each part.
    only : sequence of str, optional
        The algorithms to keep; all of them when there is none.
    start, stop : float, optional
        The first and the last step to keep.
    higher_is_better : bool
        Whether a higher score is a better one.
    alignment : AlignmentOptions
        How runs are brought to common steps where theirs differ.
    duplicates : "mean" or "last", optional
        What holds for several scores of a run at one step; refused by default.
    where : mapping from column to value
        Rows without these values are left out.
    """

    columns: Columns
    only: Sequence[str] | None = None
    start: float | None = None
    stop: float | None = None
    higher_is_better: bool = True
    alignment: AlignmentOptions = field(default_factory=AlignmentOptions)
    duplicates: Duplicates | None = None
    where: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.duplicates is not None:
            check_choice("duplicates", self.duplicates, get_args(Duplicates))

    def keeps_algorithms(self, names: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Mark the names that are kept; raise if one to keep is not among them."""
        present = np.asarray(names, dtype=object)
        if not self.only:
            return np.ones(len(present), dtype=np.bool_)
        check_algorithms(self.only, list(dict.fromkeys(present)))
        return np.isin(present, list(self.only))

    def keeps_steps(self, steps: np.ndarray[Any, Any]) -> npt.NDArray[np.bool_]:
        """Mark the steps that are kept; raise if there are none."""
        return in_window(steps, self.start, self.stop)


def check_algorithms(asked: Iterable[str], algorithms: Sequence[str]) -> None:
    """Raise if a name that is asked for is not that of an algorithm."""
    try:
        names = list(asked)
    except TypeError:
        msg = f"Name algorithms in a list, such as {list(algorithms)[:2]}, not {shown_value(asked)}."
        raise CurvesError(msg) from None
    for name in names:
        if name not in algorithms:
            msg = f"No algorithm is called {shown_value(name)}; {did_you_mean(str(name), algorithms)}"
            raise CurvesError(msg)
