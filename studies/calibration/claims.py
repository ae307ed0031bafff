"""Claims: what curvewise says, how often it may be wrong, and how to tell that it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from studies.calibration.data_sets import DataSet

__all__ = ["ALPHA", "NEAR", "N_RESAMPLES", "N_SHUFFLES", "Claim", "Question"]

ALPHA = 0.05
NEAR = 0.06  # what is promised where a method is approximate
N_SHUFFLES = 199
N_RESAMPLES = 199


@dataclass(frozen=True)
class Claim:
    """One kind of statement that can be wrong.

    Attributes
    ----------
    name : str
        The mistake, such as "a difference in height is found".
    is_wrong : function
        (what was found, data set) -> whether the mistake was made; None where it cannot be
        made, as a false alarm where there is a difference, and where nothing was stated.
    level : float
        How often it may be made at the nominal level.
    promised : float
        How often it may be made by what the documentation says: above ``level`` where a
        method is approximate.
    needs_equal_spread : bool
        Whether the promise is only made where runs of all algorithms vary alike.
    page : str
        Where the documentation says so.
    """

    name: str
    is_wrong: Callable[[Any, DataSet], bool | None]
    page: str
    level: float = ALPHA
    promised: float = ALPHA
    needs_equal_spread: bool = True


@dataclass(frozen=True)
class Question:
    """One call of curvewise, and all claims that are checked on its result.

    Attributes
    ----------
    name : str
    ask : function
        Data set -> what curvewise found.
    claims : tuple of Claim
    n_tasks : int
        How many tables a data set has.
    """

    name: str
    ask: Callable[[DataSet], Any]
    claims: tuple[Claim, ...]
    n_tasks: int = 1
