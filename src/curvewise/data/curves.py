"""Curves: the scores of all runs of an experiment, checked once."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from curvewise.data.alignment_options import AlignmentOptions
from curvewise.data.display import Display
from curvewise.data.selection import Columns, Selection, check_algorithms
from curvewise.data.steps import in_window
from curvewise.data.validation import (
    check_run_names,
    check_scores,
    increasing_steps,
    names_of,
    numbered,
    precision_of,
    score_matrices,
    score_matrix,
)
from curvewise.errors import CurvesError
from curvewise.text import plural, step_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from curvewise.data.alignment_options import How, Policy
    from curvewise.data.frames import WideTable
    from curvewise.data.preparation import Preparation
    from curvewise.data.records import Duplicates
    from curvewise.data.validation import Names
    from curvewise.kernels import Floats, Integers

__all__ = ["Curves"]


class Curves:
    """The scores of several runs of several algorithms at the same steps of training.

    A row is a run and a column is a step. Scores, names and steps are checked here, so that
    whatever takes `Curves` need not check them again; they cannot be changed afterwards.

    Parameters
    ----------
    scores : array_like, (n_runs, n_steps)
        One learning curve per row. Copied, and read-only afterwards.
    labels : sequence of str, (n_runs,)
        The algorithm of each run.
    steps : array_like, (n_steps,), optional
        The amount of training at each column, increasing; 0, 1, 2, … by default.
    runs : sequence, (n_runs,), optional
        The name of each run, unique within its algorithm; numbered from 0 by default.
    blocks : sequence, (n_runs,), optional
        What runs of different algorithms share: a seed, a fold, a task. Runs are then
        compared only within their block.
    higher_is_better : bool
        Whether a higher score is a better one. It changes words, not tests.
    source : str
        Where the curves came from, to be shown with them.
    precision : float, optional
        The relative precision of the stored scores, below which two statistics count as
        tied: the machine epsilon of their type by default.
    preparation : Preparation, optional
        How runs with steps of their own were brought to common steps, as `align` did it.
    display : Display, optional
        The names of steps and scores, and of all algorithms of the table, for pictures.

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
        "display",
        "higher_is_better",
        "labels",
        "precision",
        "preparation",
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
    preparation: Preparation | None
    display: Display
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
        preparation: Preparation | None = None,
        display: Display | None = None,
    ) -> None:
        matrix = score_matrix(scores)
        n_runs, n_steps = matrix.shape
        names = names_of(labels, "labels", n_runs)
        algorithms = tuple(dict.fromkeys(names.tolist()))
        places = {name: place for place, name in enumerate(algorithms)}
        self._fill(
            scores=matrix,
            labels=names,
            algorithms=algorithms,
            steps=increasing_steps(steps, n_steps),
            runs=numbered(names) if runs is None else names_of(runs, "runs", n_runs),
            blocks=None if blocks is None else names_of(blocks, "blocks", n_runs),
            higher_is_better=bool(higher_is_better),
            source=source,
            precision=precision_of(scores) if precision is None else precision,
            preparation=preparation,
            display=(display or Display()).of(algorithms),
            _codes=np.array([places[name] for name in names], dtype=np.int64),
        )
        check_run_names(self.labels, self.runs)
        check_scores(self)

    @classmethod
    def from_dict(
        cls,
        scores: Mapping[str, npt.ArrayLike],
        steps: npt.ArrayLike | None = None,
        *,
        higher_is_better: bool = True,
        source: str = "",
        display: Display | None = None,
    ) -> Self:
        """Build curves from one runs × steps array per algorithm.

        >>> Curves.from_dict({"A": [[0, 2], [1, 4]], "B": [[0, 1]]}, steps=[10, 20]).labels
        array(['A', 'A', 'B'], dtype=object)
        """
        matrices = score_matrices(scores)
        labels = [name for name, matrix in matrices.items() for _ in matrix]
        return cls(
            np.vstack(list(matrices.values())),
            labels,
            steps,
            higher_is_better=higher_is_better,
            source=source,
            precision=max(map(precision_of, scores.values())),
            display=display,
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
        align: How = "linear",
        n_steps: int | None = None,
        short: Policy = "refuse",
        reason: str | None = None,
        min_steps: int | None = None,
        duplicates: Duplicates | None = None,
    ) -> Curves:
        """Build curves from a long table with one row per run and step.

        The order of the rows does not matter: algorithms and runs come in natural order. Rows
        without a score are no records. Where runs differ in their steps, they are brought to
        common ones as `align` does it.

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
        align, n_steps, short, reason, min_steps
            How runs with different steps are brought to common ones, and what runs count as
            that end early, diverge or are empty: as ``how`` and the others in `align`.
        duplicates : "mean" or "last", optional
            What holds where a run has several different scores at a step: their mean, or the
            one on the last row. Refused by default.
        """
        options = AlignmentOptions(align, n_steps, short, reason, min_steps)
        columns = Columns(algorithm, run, step, score, block)
        selection = Selection(
            columns, only, start, stop, higher_is_better, options, duplicates
        )
        from curvewise.data.alignment import curves_of
        from curvewise.data.frames import long_table, names_in

        table = long_table(frame, selection)
        everyone = names_in(frame, algorithm) if only else ()
        return curves_of(table, selection, source, Display(step, score, everyone))

    @classmethod
    def from_wide_table(
        cls,
        table: WideTable,
        *,
        higher_is_better: bool = True,
        source: str = "",
        display: Display | None = None,
    ) -> Self:
        """Build curves from what `curvewise.data.frames` and the readers make of a table."""
        return cls(
            table.scores,
            table.labels,
            table.steps,
            table.runs,
            table.blocks,
            higher_is_better,
            source=source,
            precision=table.precision,
            display=display,
        )

    @property
    def n_runs(self) -> int:
        """The number of runs, of all algorithms together."""
        return self.scores.shape[0]

    @property
    def n_steps(self) -> int:
        """The number of steps, the same for every run."""
        return self.scores.shape[1]

    @property
    def codes(self) -> Integers:
        """The index of each run's algorithm in `algorithms`."""
        return self._codes

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of runs of each algorithm."""
        return tuple(np.bincount(self.codes).tolist())

    @property
    def n_blocks(self) -> int | None:
        """How many blocks there are; None without blocks."""
        return None if self.blocks is None else len(set(self.blocks))

    @property
    def block_counts(self) -> Integers:
        """The runs of each algorithm in each block: (n_blocks, n_algorithms).

        Blocks come in order of appearance. Curves without blocks have no counts.
        """
        if self.blocks is None:
            msg = "These curves have no blocks to count runs in."
            raise CurvesError(msg)
        n_algorithms = len(self.algorithms)
        return np.array(
            [
                np.bincount(self.codes[self.blocks == block], minlength=n_algorithms)
                for block in dict.fromkeys(self.blocks)
            ]
        )

    @property
    def has_even_blocks(self) -> bool:
        """Whether all blocks hold the algorithms in the same proportions.

        True without blocks.
        """
        if self.blocks is None:
            return True
        counts = self.block_counts
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
        return bool(np.allclose(counts, expected))

    def select(self, *algorithms: str) -> Curves:
        """Return the curves of these algorithms, in the order they are named."""
        if not algorithms:
            msg = "Name the algorithms to select."
            raise CurvesError(msg)
        check_algorithms(algorithms, self.algorithms)
        chosen = dict.fromkeys(algorithms)
        order = [
            row for name in chosen for row in np.flatnonzero(self._is(name)).tolist()
        ]
        return self._subset(order, slice(None))

    def in_order_of_names(self) -> Curves:
        """Return the same curves with the algorithms in the order of their names.

        For tests that tell algorithms apart: which shuffle gives whom which runs then does not
        depend on who came first.
        """
        return self.select(*sorted(self.algorithms))

    def window(self, start: float | None = None, stop: float | None = None) -> Curves:
        """Return the curves between two steps, both included."""
        inside = in_window(self.steps, start, stop)
        return self._subset(slice(None), np.flatnonzero(inside))

    def with_blocks(self, blocks: Sequence[Any] | npt.ArrayLike | None) -> Curves:
        """Return the same curves in these blocks, or in none."""
        return Curves(
            self.scores,
            self.labels,
            self.steps,
            self.runs,
            blocks,
            self.higher_is_better,
            source=self.source,
            precision=self.precision,
            preparation=self.preparation,
            display=self.display,
        )

    def _is(self, algorithm: str) -> np.ndarray[Any, Any]:
        return self.codes == self.algorithms.index(algorithm)

    def _subset(self, rows: Any, columns: Any) -> Curves:
        names = self.labels[rows]
        algorithms = tuple(dict.fromkeys(names.tolist()))
        codes = {name: code for code, name in enumerate(algorithms)}
        # All of it was checked when these curves were made.
        made = object.__new__(Curves)
        made._fill(
            scores=np.array(self.scores[rows][:, columns], order="C"),
            labels=names,
            algorithms=algorithms,
            steps=self.steps[columns],
            runs=self.runs[rows],
            blocks=None if self.blocks is None else self.blocks[rows],
            higher_is_better=self.higher_is_better,
            source=self.source,
            precision=self.precision,
            preparation=self.preparation,
            display=self.display.of(algorithms),
            _codes=np.array([codes[name] for name in names], dtype=np.int64),
        )
        return made

    def _fill(self, **values: Any) -> None:
        """Set all attributes, once; arrays cannot be written to any more."""
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

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
            self.preparation,
            self.display,
        )

    def _repr_html_(self) -> str:
        """Return a description with a small picture, for notebooks."""
        # Found by name: pictures stand above the data they are of.
        thumbnail = import_module("curvewise.rendering.thumbnail")
        text: str = thumbnail.curves_html(self)
        return text

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.algorithms[:6]))
        if len(self.algorithms) > 6:
            shown += f" and {len(self.algorithms) - 6} more"
        sizes = sorted(set(self.sizes))
        each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        each += " run" if each == "1" else " runs"
        extras = ""
        if self.blocks is not None:
            extras += f"; {plural(len(set(self.blocks)), 'block')}"
        if not self.higher_is_better:
            extras += "; lower is better"
        return (
            f"Curves({plural(len(self.algorithms), 'algorithm')} × {each} × "
            f"{plural(self.n_steps, 'step')}: "
            f"{shown}; steps {step_text(self.steps[0])} to {step_text(self.steps[-1])}{extras})"
        )


def _rebuilt(*args: Any) -> Curves:
    *positional, source, precision, preparation, display = args
    return Curves(
        *positional,
        source=source,
        precision=precision,
        preparation=preparation,
        display=display,
    )
