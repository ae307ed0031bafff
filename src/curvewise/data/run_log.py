"""One metric of one run as it was logged, at steps of its own."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from curvewise.data.steps import MAX_STEP
from curvewise.errors import CurvesError
from curvewise.text import capitalised, plural, step_text

if TYPE_CHECKING:
    import numpy.typing as npt

    from curvewise.kernels import Floats

__all__ = ["RunLog"]


@dataclass(frozen=True, eq=False)
class RunLog:
    """One metric of one run, as it was logged: its own steps, its own length.

    `align` brings run logs to common steps and returns `Curves`.

    Attributes
    ----------
    algorithm, run, metric : str
    steps : array_like, (n_points,)
        Increasing, each once.
    scores : array_like, (n_points,)
        NaN or infinite where training diverged.
    task, block : str, optional
        What the run was trained on; what it shares with runs of other algorithms.
    of_episodes : bool
        Whether each point is an episode, so that steps are wherever episodes ended.
    status : str
        How the run ended, where the log tells: "failed", "killed", "running", "pruned".
    notes : tuple of str
        What was left out or mended when it was read, in a sentence each.
    precision : float
        The machine epsilon of the type that scores were stored in.

    Examples
    --------
    >>> RunLog("PPO", "1", "return", [0, 500, 1000], [1.0, 8.0, 9.5])
    RunLog('PPO', '1', 'return': 3 points, steps 0 to 1000)
    """

    algorithm: str
    run: str
    metric: str
    steps: Floats
    scores: Floats
    _: KW_ONLY
    task: str | None = None
    block: str | None = None
    of_episodes: bool = False
    status: str = ""
    notes: tuple[str, ...] = field(default=())
    precision: float = float(np.finfo(np.float64).eps)

    if TYPE_CHECKING:
        # What may be given, where attributes are arrays.
        def __init__(
            self,
            algorithm: str,
            run: str,
            metric: str,
            steps: npt.ArrayLike,
            scores: npt.ArrayLike,
            *,
            task: str | None = None,
            block: str | None = None,
            of_episodes: bool = False,
            status: str = "",
            notes: tuple[str, ...] = (),
            precision: float = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        steps = _numbers(self.steps, f"The steps of {self.where}")
        scores = _numbers(self.scores, f"The scores of {self.where}")
        if len(steps) != len(scores):
            msg = (
                f"{capitalised(self.where)} has {plural(len(steps), 'step')} but "
                f"{plural(len(scores), 'score')}; give a step for each score."
            )
            raise CurvesError(msg)
        if not np.isfinite(steps).all():
            msg = f"The steps of {self.where} must be finite numbers."
            raise CurvesError(msg)
        falls = np.flatnonzero(np.diff(steps) <= 0)
        if falls.size and np.abs(steps[falls]).max() >= MAX_STEP:
            msg = (
                f"The steps of {self.where} go beyond 2^53, where neighbouring numbers cannot be "
                "told apart. Count them from the start of the run."
            )
            raise CurvesError(msg)
        if falls.size:
            msg = (
                f"The steps of {self.where} must increase, but {step_text(steps[falls[0] + 1])} "
                f"comes after {step_text(steps[falls[0]])}. Sort them, and give each once."
            )
            raise CurvesError(msg)
        for name, values in (("steps", steps), ("scores", scores)):
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @property
    def where(self) -> str:
        """The run in words, for messages."""
        return f"run {self.run!r} of {self.algorithm!r}"

    @property
    def n_points(self) -> int:
        """How many points there are; a run can be empty."""
        return len(self.steps)

    def __repr__(self) -> str:
        names = f"{self.algorithm!r}, {self.run!r}, {self.metric!r}"
        if not self.n_points:
            return f"RunLog({names}: no points)"
        ends = f"{step_text(self.steps[0])} to {step_text(self.steps[-1])}"
        return f"RunLog({names}: {plural(self.n_points, 'point')}, steps {ends})"


def _numbers(values: Any, what: str) -> Floats:
    """Return a copy of values as a vector of numbers; raise if they are none."""
    try:
        given = np.asarray(values)
        with np.errstate(over="ignore"):  # what is too large for a double is infinite
            array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        msg = f"{what} must be numbers."
        raise CurvesError(msg) from None
    if given.dtype.kind in "mM":
        msg = f"{what} are dates or times. Give numbers, such as seconds since the run began."
        raise CurvesError(msg)
    if array.ndim != 1:
        msg = f"{what} must be a sequence of numbers, not an array of {array.ndim} dimensions."
        raise CurvesError(msg)
    return array
