"""Curves: the scores of all runs of an experiment, valid or refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from curvewise.checks import names_of, numbered, precision_of, rising_steps, score_matrix
from curvewise.errors import CurvesError, counted
from curvewise.frames import check_names, matrix_from_long
from curvewise.steps import in_window, step_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from curvewise.checks import Names
    from curvewise.kernels import Floats, Integers

__all__ = ["Curves"]

# Sums of squares of larger scores would overflow.
LARGEST = 1e140


class Curves:
    """The scores of several runs of several algorithms at the same steps of training.

    A row is a run and a column is a step. What cannot be compared is refused here, so
    everything that takes `Curves` receives something already right.

    Parameters
    ----------
    scores : array_like, (n_runs, n_steps)
        One learning curve per row. Copied, and read-only afterwards.
    labels : sequence of str, (n_runs,)
        The algorithm of each run.
    steps : array_like, (n_steps,), optional
        How much training each column stands for, rising; 0, 1, 2, … by default.
    runs : sequence, (n_runs,), optional
        The name of each run, unique within its algorithm; numbered from 0 by default.
    blocks : sequence, (n_runs,), optional
        What runs of different algorithms share: a seed, a fold, a task. Runs are then
        compared only inside their block.
    higher_is_better : bool
        Whether a higher score is a better one. It changes words, never a test.
    source : str
        Where the curves came from, to be shown with them.
    precision : float, optional
        How finely scores were stored, so that ties are known: the machine epsilon of
        their type by default.

    Examples
    --------
    >>> curves = Curves([[0, 2], [1, 4], [0, 1], [0, 2]], ["A", "A", "B", "B"])
    >>> curves
    Curves(2 algorithms × 2 runs × 2 steps: 'A', 'B'; steps 0 to 1)
    >>> curves.select("A").scores
    array([[0., 2.],
           [1., 4.]])
    """

    __slots__ = (
        "_codes",
        "algorithms",
        "blocks",
        "higher_is_better",
        "labels",
        "precision",
        "runs",
        "scores",
        "source",
        "steps",
    )

    scores: Floats
    labels: Names
    steps: np.ndarray[Any, Any]
    runs: Names
    blocks: Names | None
    algorithms: tuple[str, ...]
    higher_is_better: bool
    source: str
    precision: float
    _codes: Integers

    def __init__(
        self,
        scores: npt.ArrayLike,
        labels: Sequence[Any] | npt.ArrayLike,
        steps: npt.ArrayLike | None = None,
        runs: Sequence[Any] | npt.ArrayLike | None = None,
        blocks: Sequence[Any] | npt.ArrayLike | None = None,
        higher_is_better: bool = True,  # noqa: FBT001, FBT002 (the public signature)
        *,
        source: str = "",
        precision: float | None = None,
    ) -> None:
        matrix = score_matrix(scores)
        n_runs, n_steps = matrix.shape
        names = names_of(labels, "labels", n_runs)
        algorithms = tuple(dict.fromkeys(names.tolist()))
        values = {
            "scores": matrix,
            "labels": names,
            "algorithms": algorithms,
            "steps": rising_steps(steps, n_steps),
            "runs": numbered(names) if runs is None else names_of(runs, "runs", n_runs),
            "blocks": None if blocks is None else names_of(blocks, "blocks", n_runs),
            "higher_is_better": bool(higher_is_better),
            "source": source,
            "precision": precision_of(scores) if precision is None else precision,
            "_codes": np.array(
                [algorithms.index(name) for name in names], dtype=np.int64
            ),
        }
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)
        self._refuse_repeated_runs()
        self._refuse_gaps()

    @classmethod
    def from_dict(
        cls,
        scores: Mapping[str, npt.ArrayLike],
        steps: npt.ArrayLike | None = None,
        *,
        higher_is_better: bool = True,
        source: str = "",
    ) -> Self:
        """Build curves from one runs × steps array per algorithm.

        >>> Curves.from_dict({"A": [[0, 2], [1, 4]], "B": [[0, 1]]}, steps=[10, 20]).labels
        array(['A', 'A', 'B'], dtype=object)
        """
        given: object = scores
        if not isinstance(given, Mapping):
            msg = f"Give a mapping from names to arrays, not a {type(scores).__name__}."
            raise CurvesError(msg)
        if len({str(name) for name in scores}) < len(scores):
            msg = (
                "Two algorithms have the same name when written out; rename one of them."
            )
            raise CurvesError(msg)
        if not scores:
            msg = "There are no algorithms: give one runs × steps array for each."
            raise CurvesError(msg)
        matrices = {}
        for name, values in scores.items():
            try:
                matrices[name] = score_matrix(values)
            except CurvesError as error:
                msg = f"{name!r}: {error}"
                raise CurvesError(msg) from None
        widths = {name: matrix.shape[1] for name, matrix in matrices.items()}
        if len(set(widths.values())) > 1:
            listed = ", ".join(f"{name!r} has {width}" for name, width in widths.items())
            msg = (
                f"All algorithms need the same steps, but {listed}. Cut the arrays to the "
                "steps they share."
            )
            raise CurvesError(msg)
        labels = [name for name, matrix in matrices.items() for _ in matrix]
        return cls(
            np.vstack(list(matrices.values())),
            labels,
            steps,
            higher_is_better=higher_is_better,
            source=source,
            precision=max(map(precision_of, scores.values())),
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        algorithm: str,
        run: str,
        step: str,
        score: str,
        block: str | None = None,
        only: Sequence[str] | None = None,
        start: float | None = None,
        stop: float | None = None,
        higher_is_better: bool = True,
        source: str = "",
    ) -> Self:
        """Build curves from a long table with one row per run and step.

        The order of the rows does not matter: algorithms and runs come in natural order.

        Parameters
        ----------
        frame : pandas, polars or pyarrow table
        algorithm, run, step, score, block : str
            The names of the columns.
        only : sequence of str, optional
            The algorithms to keep.
        start, stop : float, optional
            The first and the last step to keep.
        higher_is_better : bool
            Whether a higher score is a better one.
        source : str
            Where the table came from, to be shown with the curves.
        """
        matrix = matrix_from_long(
            frame,
            algorithm=algorithm,
            run=run,
            step=step,
            score=score,
            block=block,
            only=only,
            start=start,
            stop=stop,
        )
        return cls(
            matrix.scores,
            matrix.labels,
            matrix.steps,
            matrix.runs,
            matrix.blocks,
            higher_is_better,
            source=source,
            precision=matrix.precision,
        )

    @property
    def n_runs(self) -> int:
        """How many runs there are, of all algorithms together."""
        return self.scores.shape[0]

    @property
    def n_steps(self) -> int:
        """How many steps every run has."""
        return self.scores.shape[1]

    @property
    def codes(self) -> Integers:
        """The place of each run's algorithm among `algorithms`."""
        return self._codes

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many runs each algorithm has."""
        return tuple(np.bincount(self.codes).tolist())

    def select(self, *algorithms: str) -> Curves:
        """Return the curves of some algorithms, in the order they are named."""
        if not algorithms:
            msg = "Name the algorithms to select."
            raise CurvesError(msg)
        check_names(algorithms, self.algorithms)
        wanted = dict.fromkeys(algorithms)
        order = [
            row for name in wanted for row in np.flatnonzero(self._is(name)).tolist()
        ]
        return self._subset(order, slice(None))

    def window(self, start: float | None = None, stop: float | None = None) -> Curves:
        """Return the curves between two steps, both included."""
        inside = in_window(self.steps, start, stop)
        return self._subset(slice(None), np.flatnonzero(inside))

    def _is(self, algorithm: str) -> np.ndarray[Any, Any]:
        return self.codes == self.algorithms.index(algorithm)

    def _subset(self, rows: Any, columns: Any) -> Curves:
        index = np.arange(self.n_runs)[rows].tolist()
        return Curves(
            self.scores[rows][:, columns],
            [self.labels[i] for i in index],
            self.steps[columns],
            [self.runs[i] for i in index],
            None if self.blocks is None else [self.blocks[i] for i in index],
            self.higher_is_better,
            source=self.source,
            precision=self.precision,
        )

    def _refuse_repeated_runs(self) -> None:
        seen: set[tuple[str, str]] = set()
        for pair in zip(self.labels, self.runs, strict=True):
            if pair in seen:
                msg = (
                    f"Two runs of {pair[0]!r} are both called {pair[1]!r}. Give each run of "
                    "an algorithm a name of its own."
                )
                raise CurvesError(msg)
            seen.add(pair)

    def _refuse_gaps(self) -> None:
        usable = np.isfinite(self.scores)
        if not usable.all():
            gaps = np.argwhere(~usable)
            row, column = gaps[0]
            n_runs = len(np.unique(gaps[:, 0]))
            are = "score is" if len(gaps) == 1 else "scores are"
            msg = (
                f"{len(gaps):,} {are} missing, infinite or not a number, in "
                f"{counted(n_runs, 'run')}; the first in run {self.runs[row]!r} of "
                f"{self.labels[row]!r} at step {step_text(self.steps[column])}. Curves cannot be "
                "shuffled with gaps: drop those runs, or the steps from there on."
            )
            raise CurvesError(msg)
        if np.abs(self.scores).max() > LARGEST:
            msg = (
                f"Scores as large as {np.abs(self.scores).max():.3g} overflow when squared. "
                "Divide all scores by a constant: no test depends on it."
            )
            raise CurvesError(msg)

    def __setattr__(self, name: str, value: object) -> None:
        msg = f"Curves are immutable; build new ones instead of setting {name!r}."
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curves):
            return NotImplemented
        return self.higher_is_better == other.higher_is_better and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("scores", "steps", "labels", "runs", "blocks")
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (
            self.scores,
            self.labels,
            self.steps,
            self.runs,
            self.blocks,
            self.higher_is_better,
            self.source,
            self.precision,
        )

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.algorithms[:6]))
        if len(self.algorithms) > 6:
            shown += f" and {len(self.algorithms) - 6} more"
        sizes = sorted(set(self.sizes))
        each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        each += " run" if each == "1" else " runs"
        extras = ""
        if self.blocks is not None:
            extras += f"; {counted(len(set(self.blocks)), 'block')}"
        if not self.higher_is_better:
            extras += "; lower is better"
        return (
            f"Curves({counted(len(self.algorithms), 'algorithm')} × {each} × "
            f"{counted(self.n_steps, 'step')}: "
            f"{shown}; steps {step_text(self.steps[0])} to {step_text(self.steps[-1])}{extras})"
        )


def _rebuilt(*args: Any) -> Curves:
    *positional, source, precision = args
    return Curves(*positional, source=source, precision=precision)
