"""Curves: the scores of all runs of an experiment, checked once."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np

from curvewise.data.checks import (
    as_float,
    as_steps,
    check_choice,
    check_flags,
    check_kind,
    check_names,
    refuse_option,
)
from curvewise.data.points import cut, in_window
from curvewise.data.tables import (
    AlignmentOptions,
    Columns,
    Selection,
    WideTable,
    check_algorithms,
    name_of,
    numbered,
)
from curvewise.errors import CurvesError, refuse
from curvewise.text import listed, pairs, plural, printable, quoted, shown_value, step_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from curvewise.data.align import Preparation
    from curvewise.data.points import Duplicates, RunLog
    from curvewise.data.tables import How, Names, Policy
    from curvewise.kernels import Array, Floats, Integers

    Logs = Sequence[tuple[Floats, Floats]]


# Names of an axis on which runs that did the same work end at different places: by a word
# anywhere in it, and by its last one.
CLOCK = re.compile(
    r".*\b(seconds|milliseconds|minutes|hours|elapsed|duration|walltime|wallclock|runtime)\b.*"
    r"|(.*\b)?(wall|clock|(time)?stamp|time|s|secs?|second|ms|msecs?|min|mins|minute|h|hrs?|hour|days?)"
)


@dataclass(frozen=True)
class Display:
    """What pictures of curves take from the table that the curves came from.

    Attributes
    ----------
    step_name, score_name : str
        The names of the columns or of the metric, for the axes.
    everyone : tuple of str
        The algorithms of the whole table, also those that were not selected. The place of a
        name among them decides on its colour, so that an algorithm looks the same in all
        pictures of a table.
    is_part : bool
        Whether the steps are only a part of those that the table has.
    """

    step_name: str = "step"
    score_name: str = "score"
    everyone: tuple[str, ...] = ()
    is_part: bool = False

    @property
    def is_clock(self) -> bool:
        """Whether steps are times, by their name.

        >>> [Display(name).is_clock for name in ("wall_time", "Time (s)", "timesteps", "time/epoch")]
        [True, True, False, False]
        """
        words = " ".join(re.findall("[a-z]+", self.step_name.lower()))
        return bool(CLOCK.fullmatch(words))

    def of(self, algorithms: tuple[str, ...]) -> Display:
        """Return the same with these algorithms among everyone."""
        return replace(self, everyone=tuple(dict.fromkeys(self.everyone + algorithms)))


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What training minimises. A word that ends in one of _ENDINGS is one too: valloss, mlogloss.
_LOSSES = _set(
    """rmsle cost costs crossentropy xent ce bce wer cer fid kid fvd lpips deviance brier bpc bpb
    bpd hinge mphe nloglik divergence huber l1 l2 rmsd suboptimality gap risk residual residuals eer
    ece crps chamfer wasserstein frechet mmd misclassification misclassified aic bic"""
)
_ENDINGS = tuple(_set("loss losses error errors err mse mae mape nll perplexity ppl regret"))
# Losses of two words: cross_entropy, and CatBoost's MultiClass.
_PAIRS = "cross entropy|multi class|edit distance|false positive|false negative|false positives"
_PAIRS += "|false negatives|bits byte|bits char|bits character|bits dim|bits token"
_LOSSES_OF_TWO = tuple(map(_set, _PAIRS.split("|")))
# What is better lower, but seldom what training is judged by.
_BURDENS = _set(
    """kl fpr fnr latency delay runtime duration elapsed makespan wait time seconds secs ms minutes
    hours collision collisions violation violations failure failures crashes memory"""
)
_SCORES = _set(
    """return returns reward rewards rew ret acc accuracy score scores success successes f1 auc
    auroc map iou bleu rouge r results eprewmean precision recall top1 top5 r2 winrate elo dice miou
    psnr ssim mcc kappa ndcg"""
)
# Of these more is better, whatever else the name says: D² and skill scores, profit_and_loss.
_NOT_LOWER = _set("d2 skill profit pnl survival alive life improvement")
# neg_log_loss, 1 - accuracy, -loss, accuracy_drop: the other way round. Not true negatives.
_TURNED = re.compile(
    r"(?:^|[/:(|])\s*[-\u2212](?=\s*[a-z(])|\b1\s*[-\u2013\u2212](?=\s*[a-z(])|"
    r"(?<![a-z])(?<!true[ _-])(?<!false[ _-])(?:neg(?:ative|ated)?|minus)"
    r"(?=[\W_]+[a-z])(?![\W_]*predictive)|"
    r"(?<![a-z])(?:drop|decrease|reduction)(?![a-z])"
)


def better_higher(given: object, metric: str) -> bool:
    """Return whether higher is better: as given, or if None as the metric's name tells.

    Raises
    ------
    OptionError
        If something else than True, False or None is given.
    """
    if given is None:
        return not lower_is_better(metric)
    check_flags(higher_is_better=given)
    return bool(given)


def lower_is_better(metric: str) -> bool:
    """Whether less of a metric is better, as its name tells.

    >>> [lower_is_better(name) for name in ("val/loss", "eval_accuracy", "testRMSE", "1-auc")]
    [True, False, True, True]
    >>> [lower_is_better(name) for name in ("neg_log_loss", "seconds", "tokens_per_second")]
    [False, True, False]
    """
    # Of a rate the sign is that of what is counted: seconds per step, steps per second.
    counted = re.split(r"(?<=[^\W_])[\W_]+per[\W_]+|/s(?:ec)?$", metric, maxsplit=1)[0]
    found = words_of(counted)
    if found & _NOT_LOWER:
        return False
    is_loss, is_score = kind_of(metric)
    lower = is_loss or not (is_score or found.isdisjoint(_BURDENS))
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", metric).lower()
    return lower ^ (_TURNED.search(text) is not None)


def kind_of(metric: str) -> tuple[bool, bool]:
    """Whether words of a metric are those of a loss, and of a score, whatever its sign."""
    found = words_of(metric)
    bare = {word.rstrip("0123456789") for word in found}  # loss1, fid50k
    is_score = not found.isdisjoint(_SCORES)
    is_loss = not _LOSSES.isdisjoint(found | bare)
    is_loss |= any(word.endswith(_ENDINGS) for word in bare)
    is_loss |= not is_score and any(found >= pair for pair in _LOSSES_OF_TWO)
    return is_loss, is_score


def words_of(metric: str) -> set[str]:
    """Split a name into words: at signs, and where capitals begin."""
    found = re.findall(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+|[^\W\d_]+", metric)
    return {word.lower() for word in found}


Rows = Literal["runs", "steps"]

# Sums of squares of larger scores would overflow.
MAX_SCORE = 1e140
# What one item of each of these arguments is called in a sentence.
NOUNS = pairs("labels label  runs name  blocks block  batch batch")


def score_matrix(scores: npt.ArrayLike) -> Floats:
    """Return scores as runs × steps that nobody else can change; raise if they are no numbers."""
    try:
        array = np.asarray(scores)
    except ValueError:
        refuse(
            "The runs differ in length. Give each as a RunLog, and bring them to common steps "
            "with align(run_logs)."
        )
    filled: Any = getattr(scores, "filled", None)
    if filled is not None:  # a masked array; naming its type would import numpy.ma
        array = np.asarray(filled(np.nan) if array.dtype.kind == "f" else scores, dtype=float)
        array = np.where(np.asarray(getattr(scores, "mask", False)), np.nan, array)
    if array.dtype.kind in "mMc":
        # NumPy would turn dates into nanoseconds and drop imaginary parts.
        refuse(f"Scores must be numbers, not {array.dtype}.")
    if array.dtype.kind not in "fiub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            refuse(f"Scores must be numbers, not {array.dtype}.")
    if array.ndim != 2:
        refuse(
            f"Scores must have two dimensions, runs × steps, not {array.ndim} "
            f"(shape {array.shape}). A single run is one row: reshape it to (1, n_steps)."
        )
    if array.size == 0:
        refuse(f"There are no scores: the array is {array.shape[0]} runs × {array.shape[1]} steps.")
    if array.dtype == np.float64 and array.flags.c_contiguous and _is_constant(array):
        return array
    with np.errstate(over="ignore"):  # what is too large for a double is infinite
        return np.array(array, dtype=np.float64, order="C")


def _is_constant(array: Array) -> bool:
    """Whether nobody can change the numbers of an array, so that it need not be copied."""
    base: object = array
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        if base.flags.writeable:
            return False
        base = base.base
    # What is left owns the numbers: nobody, or a column of a frame that is never changed.
    return base is None or type(base).__name__ == "PySeries"


def score_matrices(
    scores: Mapping[str, npt.ArrayLike],
    check: Callable[[dict[str, Floats]], dict[str, Floats]] | None = None,
) -> dict[str, Floats]:
    """Return the scores of each algorithm as runs × steps; raise unless all fit together.

    ``check`` turns arrays round where that is called for, before they must fit.
    """
    given: object = scores
    if not isinstance(given, Mapping):
        refuse(
            f"scores must be a mapping from algorithms to arrays, not a {type(scores).__name__}."
        )
    if len({str(name) for name in scores}) < len(scores):
        refuse("Two algorithms have the same name as text; rename one of them.")
    if not scores:
        refuse("There are no algorithms; give a runs × steps array for each.")
    matrices = {}
    for name, values in scores.items():
        try:
            matrices[name] = score_matrix(values)
        except CurvesError as error:
            refuse(f"{name!r}: {error}")
    matrices = matrices if check is None else check(matrices)
    widths = {name: matrix.shape[1] for name, matrix in matrices.items()}
    if len(set(widths.values())) > 1:
        counts = ", ".join(f"{name!r} has {width}" for name, width in widths.items())
        refuse(
            f"All algorithms need the same steps, but {counts}. Cut the arrays to the steps "
            "that all of them have."
        )
    return matrices


def runs_in_rows(
    arrays: dict[str, Floats], steps: npt.ArrayLike | None, rows: Rows | None
) -> dict[str, Floats]:
    """Return arrays as runs × steps; raise if rows may be either and nothing tells.

    ``rows`` tells. So does the number of steps, where one axis of all arrays has it and the
    other has not. Without steps, arrays at least twice as wide as high have runs in rows,
    unless scores run smoothly down the columns and not along the rows, as if these were runs.
    """
    tables = list(arrays.values())
    is_told, sizes = True, sorted({size for table in tables for size in table.shape})
    if rows is not None:
        check_choice("rows", rows, get_args(Rows))
        is_turned = rows == "steps"
    elif steps is not None:
        size = np.asarray(steps, dtype=object).size
        fits = [all(table.shape[axis] == size for table in tables) for axis in (0, 1)]
        is_turned = fits == [True, False]
        is_told = not all(fits) or sizes == [1]
    else:
        is_turned = False
        is_told = all(table.shape[1] >= 2 * table.shape[0] for table in tables) and not (
            _jumps([table.T for table in tables]) < 0.5 and _jumps(tables) > 0.7
        )
    if not is_told:
        shapes = listed(list(dict.fromkeys(f"{len(t)} × {t.shape[1]}" for t in tables)), 4)
        numbers = f"steps=[…] ({' or '.join(map(str, sizes[:4]))} numbers), "
        text = (
            f"Are the rows of these {shapes} arrays runs or steps? Give "
            f"{numbers if steps is None and len(sizes) > 1 else ''}rows='runs' or rows='steps'. "
            'From scikit-learn: Curves.from_learning_curve({"svm": learning_curve(…)}).'
        )
        refuse(text, "rows")
    return {name: table.T for name, table in arrays.items()} if is_turned else arrays


def _jumps(tables: Sequence[Floats]) -> float:
    """Return von Neumann's ratio along the rows: 2 if neighbours have nothing in common."""
    with np.errstate(all="ignore"):  # scores have not been checked
        jumps = sum(np.square(np.diff(table)).sum() for table in tables)
        return float(jumps / sum((table.var(axis=1) * table.shape[1]).sum() for table in tables))


def learning_curves(given: object, which: str) -> tuple[Any, dict[str, Any]]:
    """Return the sizes and each algorithm's scores, sizes × folds, of scikit-learn's results."""
    if not isinstance(given, Mapping) or not given:
        refuse('Give the result for each algorithm by name, as in {"svm": learning_curve(…)}.')
    parts = ("train_sizes", "train_scores", "test_scores")
    sizes, scores = {}, {}
    for name, result in given.items():
        is_display = hasattr(result, parts[0])
        own = [getattr(result, part, None) for part in parts] if is_display else result
        if not isinstance(own, tuple | list) or len(own) < 3:
            refuse(
                f"{name!r}: learning_curve(…) returns sizes, training scores and test scores, "
                f"and this is {shown_value(own)}."
            )
        scores[name] = own[1 if which == "train" else 2]
        sizes[name] = np.asarray(own[0], dtype=object).ravel().tolist()
    first = next(iter(sizes))
    for name, own in sizes.items():
        if own != sizes[first]:
            refuse(
                f"Algorithms need the same training sizes: {first!r} has {sizes[first]}, {name!r} "
                f"{own}. Give learning_curve the same train_sizes and data for each."
            )
    return sizes[first], scores


def precision_of(scores: npt.ArrayLike) -> float:
    """Return the machine epsilon of the type that scores are given in."""
    dtype = np.asarray(scores).dtype
    return float(np.finfo(dtype if dtype.kind == "f" else np.float64).eps)


def names_of(values: Sequence[Any] | npt.ArrayLike, what: str, n_runs: int) -> Names:
    """Return one name per run, as text; raise if there are more, fewer or gaps.

    ``what`` is the argument: labels, runs, blocks or batch.
    """
    noun = NOUNS[what]
    if isinstance(values, str):
        refuse(f"{what} must be a sequence with one {noun} per run, not the text {values!r}.")
    given: list[Any] = [values]
    if isinstance(values, Iterable) and getattr(values, "ndim", None) != 0:
        given = list(values)
    if len(given) != n_runs:
        refuse(
            f"There are {plural(n_runs, 'run')} but {plural(len(given), noun)}; give every "
            f"run a {noun}."
        )
    names = [name_of(value) for value in given]
    if None in names:
        refuse(
            f"{noun.capitalize()} {names.index(None) + 1} is missing. Give every run a "
            f"{noun}, or drop the run."
        )
    # An array, so that scores[labels == "A"] selects rows; of objects, so that its items
    # are plain str.
    return np.array(names, dtype=object)


def increasing_steps(steps: npt.ArrayLike | None, n_steps: int) -> Array:
    """Return increasing steps, 0, 1, 2, … by default; raise if they are not such numbers."""
    if steps is None:
        return np.arange(n_steps)
    try:
        given = np.asarray(steps).ravel()
        values = np.array(given if given.dtype.kind not in "mMc" else "", dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        refuse("Steps must be numbers: the amount of training at each column of scores.")
    if len(values) != n_steps:
        refuse(
            f"The scores have {plural(n_steps, 'column')} but there are {plural(len(values), 'step')}."
        )
    if not np.all(np.isfinite(values)):
        refuse("Steps must be finite numbers.")
    falls = np.flatnonzero(np.diff(values) <= 0)
    if falls.size:
        first, second = values[falls[0]], values[falls[0] + 1]
        refuse(
            f"Steps must increase, but {step_text(second)} comes after {step_text(first)}. "
            "Sort the columns by step, and give each step once."
        )
    return as_steps(values)


def check_run_names(labels: Names, runs: Names) -> None:
    """Raise if two runs of an algorithm have the same name."""
    seen: set[tuple[str, str]] = set()
    for pair in zip(labels, runs, strict=True):
        if pair in seen:
            refuse(
                f"Two runs of {pair[0]!r} are both called {pair[1]!r}. Give each run of an "
                "algorithm a different name."
            )
        seen.add(pair)


def check_scores(curves: Curves) -> None:
    """Raise if scores are missing, infinite or too large."""
    scores = curves.scores
    largest = max(-float(scores.min()), float(scores.max()))
    if not math.isfinite(largest):
        gaps = np.argwhere(~np.isfinite(scores))
        row, column = gaps[0]
        n_runs = len(np.unique(gaps[:, 0]))
        are = "score is" if len(gaps) == 1 else "scores are"
        refuse(
            f"{len(gaps):,} {are} missing, infinite or not a number, in "
            f"{plural(n_runs, 'run')}; the first in run {curves.runs[row]!r} of "
            f"{curves.labels[row]!r} at step {step_text(curves.steps[column])}. Curves with "
            "gaps cannot be shuffled. Give each run as a RunLog of the scores it has, and say "
            "what runs count as that failed: align(run_logs, short=…)."
        )
    if largest > MAX_SCORE:
        refuse(
            f"Scores as large as {largest:.3g} overflow when squared. Divide all scores by a "
            "constant; the tests stay the same."
        )


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
    higher_is_better : bool, optional
        Whether a higher score is a better one. By default True, unless the score's name (that
        of ``display``) is that of a loss or an error. It changes words, not tests.
    source : str
        Where the curves came from, to be shown with them.
    precision : float, optional
        The relative precision of the stored scores, below which two statistics count as
        tied: the machine epsilon of their type by default.
    preparation : Preparation, optional
        How runs with steps of their own were brought to common steps, as `align` did it.
    logs : sequence of (array, array), optional
        The steps and scores of each run as they were logged, where ``scores`` were made of them.
    display : Display, optional
        The names of steps and scores, and of all algorithms of the table, for pictures.

    Examples
    --------
    >>> curves = Curves([[0, 2], [1, 4], [0, 1], [0, 2]], ["A", "A", "B", "B"])
    >>> curves
    Curves(2 algorithms × 2 runs × 2 steps of score, higher is better: 'A', 'B'; steps 0 to 1)
    >>> curves.select("A").scores
    array([[0., 2.],
           [1., 4.]])
    """

    scores: Floats
    labels: Names
    steps: Array
    runs: Names
    blocks: Names | None
    algorithms: tuple[str, ...]
    higher_is_better: bool
    source: str
    precision: float
    preparation: Preparation | None
    logs: Logs | None
    display: Display
    _codes: Integers

    def __init__(
        self,
        scores: npt.ArrayLike,
        labels: Sequence[Any] | npt.ArrayLike,
        steps: npt.ArrayLike | None = None,
        runs: Sequence[Any] | npt.ArrayLike | None = None,
        blocks: Sequence[Any] | npt.ArrayLike | None = None,
        higher_is_better: bool | None = None,  # noqa: FBT001 (the public signature)
        *,
        source: str = "",
        precision: float | None = None,
        preparation: Preparation | None = None,
        logs: Logs | None = None,
        display: Display | None = None,
    ) -> None:
        matrix = score_matrix(scores)
        n_runs, n_steps = matrix.shape
        names = names_of(labels, "labels", n_runs)
        coded = _coded(names)
        check_names(source=source)
        check_kind("display", display, Display, "a Display")
        if precision is not None and not 0 <= as_float(precision) < 1:
            refuse_option("precision", f"must be a number below 1, not {shown_value(precision)}.")
        shown = (display or Display()).of(coded["algorithms"])
        self._fill(
            scores=matrix,
            steps=increasing_steps(steps, n_steps),
            runs=numbered(names) if runs is None else names_of(runs, "runs", n_runs),
            blocks=None if blocks is None else names_of(blocks, "blocks", n_runs),
            higher_is_better=better_higher(higher_is_better, shown.score_name),
            source=source,
            precision=precision_of(scores) if precision is None else precision,
            preparation=preparation,
            logs=logs,
            display=shown,
            **coded,
        )
        check_run_names(self.labels, self.runs)
        check_scores(self)

    @classmethod
    def from_dict(
        cls,
        scores: Mapping[str, npt.ArrayLike],
        steps: npt.ArrayLike | None = None,
        *,
        rows: Rows | None = None,
        metric: str | None = None,
        higher_is_better: bool | None = None,
        source: str = "",
        display: Display | None = None,
    ) -> Self:
        """Build curves from one runs × steps array per algorithm.

        Parameters
        ----------
        scores : mapping from algorithm to array_like, (n_runs, n_steps)
            Where only the rows are as many as ``steps``, arrays are taken as steps × runs.
        steps : array_like, (n_steps,), optional
            The amount of training at each step, increasing. It may be left out where arrays
            have at least twice as many columns as rows.
        rows : "runs" or "steps", optional
            What the rows are, where that cannot be told.
        metric : str, optional
            The name of the scores, such as "val_loss".
        higher_is_better : bool, optional
            By default True, unless ``metric`` is the name of a loss or an error.
        source : str
            Where the arrays came from, to be shown with the curves.
        display : Display, optional
            The names of steps and scores, for pictures.

        Examples
        --------
        >>> Curves.from_dict({"A": [[0, 2], [1, 4]], "B": [[0, 1]]}, steps=[10, 20]).labels
        array(['A', 'A', 'B'], dtype=object)
        """
        check_names(metric=metric)
        if metric is not None:
            check_kind("display", display, Display, "a Display")
            display = replace(display or Display(), score_name=metric)
        matrices = score_matrices(scores, lambda found: runs_in_rows(found, steps, rows))
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
    def from_learning_curve(
        cls,
        curves: Mapping[str, Any],
        *,
        which: Literal["test", "train"] = "test",
        shared: bool = True,
        metric: str | None = None,
        higher_is_better: bool | None = None,
    ) -> Self:
        """Build curves from what scikit-learn's `learning_curve` returns.

        Steps are the training sizes, and runs are the folds.

        Parameters
        ----------
        curves : mapping from algorithm to tuple or LearningCurveDisplay
            Sizes, scores of training and scores of testing, each sizes × folds, of each
            algorithm; what follows them in the tuple is not looked at.
        which : "test" or "train"
            The scores to take.
        shared : bool
            Whether all algorithms were given the same folds, as they are by the same ``cv``.
            Folds are then blocks, if all algorithms have as many.
        metric : str, optional
            The name of the scores, such as "neg_log_loss".
        higher_is_better : bool, optional
            By default True, as scikit-learn has its scores, unless ``metric`` is the name of a
            loss.

        Examples
        --------
        >>> sizes, train = [10, 20, 40], [[1, 1], [1, 1], [1, 1]]
        >>> Curves.from_learning_curve({
        ...     "svm": (sizes, train, [[0.5, 0.6], [0.7, 0.7], [0.8, 0.9]]),
        ...     "tree": (sizes, train, [[0.4, 0.6], [0.5, 0.7], [0.6, 0.6]]),
        ... }).source
        'test scores of learning_curve; blocks: 2 folds shared by 2 algorithms; shared=False if ...'
        """
        check_choice("which", which, ("test", "train"))
        check_flags(shared=shared)
        sizes, scores = learning_curves(curves, which)
        made = cls.from_dict(
            scores, sizes, rows="steps", metric=metric, higher_is_better=higher_is_better
        )
        blocks, said = None, "no blocks"
        if shared and len(set(made.sizes)) == 1:
            blocks = made.runs
            said = (
                f"blocks: {plural(made.sizes[0], 'fold')} shared by "
                f"{plural(len(scores), 'algorithm')}; shared=False if their splits differ"
            )
        source = f"{which} scores of learning_curve; {said}"
        display = replace(made.display, step_name="training size")
        return made._with(blocks=blocks, source=source, display=display)

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
        higher_is_better: bool | None = None,
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
        higher_is_better : bool, optional
            By default True, unless the name of the score is that of a loss or an error.
        source : str
            Where the table came from, to be shown with the curves.
        align, n_steps, short, reason, min_steps
            How runs with different steps are brought to common ones, and what runs count as
            that end early, diverge or are empty: as ``how`` and the others in `align`.
        duplicates : "mean" or "last", optional
            What holds where a run has several different scores at a step: their mean, or the
            one on the last row. Refused by default.
        """
        check_names(source=source)
        options = AlignmentOptions(align, n_steps, short, reason, min_steps)
        columns = Columns(algorithm, run, step, score, block)
        better = better_higher(higher_is_better, str(score))
        selection = Selection(columns, only, start, stop, better, options, duplicates)
        from curvewise.data.tables import long_table, names_in

        table = long_table(frame, selection)
        everyone = names_in(frame, algorithm) if selection.only else ()
        return Unaligned(table, selection, source, Display(step, score, everyone)).curves()

    @property
    def n_runs(self) -> int:
        """The number of runs, of all algorithms together."""
        return self.scores.shape[0]

    @property
    def n_steps(self) -> int:
        """The number of steps, the same for every run."""
        return self.scores.shape[1]

    @property
    def period(self) -> str:
        """What a mean over all steps is over: "over training", or the part of it that this is.

        >>> Curves([[0, 2], [1, 4]], ["A", "B"], steps=[10, 20]).window(20).period
        'at step 20'
        """
        if self.n_steps == 1:
            return f"at step {step_text(self.steps[0])}"
        ends = " to ".join(step_text(end) for end in (self.steps[0], self.steps[-1]))
        return f"from step {ends}" if self.display.is_part else "over training"

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
            refuse("These curves have no blocks to count runs in.")
        blocks = _coded(self.blocks)["_codes"]
        counts = np.zeros((blocks.max() + 1, len(self.algorithms)), dtype=np.int64)
        np.add.at(counts, (blocks, self.codes), 1)
        return counts

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
            refuse("Name the algorithms to select.")
        check_algorithms(algorithms, self.algorithms)
        codes = map(self.algorithms.index, dict.fromkeys(algorithms))
        order = np.concatenate([np.flatnonzero(self.codes == code) for code in codes])
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
        logs = self.logs and [cut(*log, start, stop) for log in self.logs]
        return self._subset(slice(None), np.flatnonzero(inside), logs)

    def with_blocks(self, blocks: Sequence[Any] | npt.ArrayLike | None) -> Curves:
        """Return the same curves in these blocks, or in none."""
        return self._with(
            blocks=None if blocks is None else names_of(blocks, "blocks", self.n_runs)
        )

    def _subset(self, rows: Any, columns: Any, logs: Logs | None = None) -> Curves:
        kept, logs = np.arange(self.n_runs)[rows].tolist(), logs or self.logs
        steps = self.steps[columns]
        is_part = self.display.is_part or len(steps) < self.n_steps
        return self._with(
            scores=np.array(self.scores[rows][:, columns], order="C"),
            steps=steps,
            runs=self.runs[rows],
            blocks=None if self.blocks is None else self.blocks[rows],
            logs=logs and tuple(logs[row] for row in kept),
            display=replace(self.display, is_part=is_part),
            **_coded(self.labels[rows]),
        )

    def _with(self, **changes: Any) -> Self:
        """Return curves with other attributes, all of which were checked before."""
        made = object.__new__(type(self))
        made._fill(**{**vars(self), **changes})
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

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._fill(**state)

    def _repr_html_(self) -> str:
        """Return a description with a small picture, for notebooks."""
        # Found by name: pictures stand above the data they are of.
        thumbnail = import_module("curvewise.rendering.curves")
        text: str = thumbnail.curves_html(self)
        return text

    def __repr__(self) -> str:
        sizes = sorted(set(self.sizes))
        each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        each += " run" if each == "1" else " runs"
        extras = f"; {plural(self.n_blocks, 'block')}" if self.n_blocks else ""
        better = "higher" if self.higher_is_better else "lower"
        return (
            f"Curves({plural(len(self.algorithms), 'algorithm')} × {each} × "
            f"{plural(self.n_steps, 'step')} of {printable(self.display.score_name)}, "
            f"{better} is better: {quoted(self.algorithms)}; steps {step_text(self.steps[0])} to {step_text(self.steps[-1])}{extras})"
        )


def _coded(labels: Names) -> dict[str, Any]:
    """Return labels with the algorithms among them, and which of these each run has."""
    algorithms = tuple(dict.fromkeys(labels.tolist()))
    places = {name: place for place, name in enumerate(algorithms)}
    codes = np.array([places[name] for name in labels], dtype=np.int64)
    return {"labels": labels, "algorithms": algorithms, "_codes": codes}


def scores_by_algorithm(curves: Curves) -> list[Floats]:
    """Return the scores of the runs of each algorithm, (n_runs, n_steps) each."""
    return [curves.scores[curves.codes == code] for code in range(len(curves.algorithms))]


# --- Curves of what was read.


@dataclass(frozen=True, eq=False)
class Unaligned:
    """What was read, before it is brought to common steps.

    Attributes
    ----------
    table : WideTable or sequence of RunLog
        Of the algorithms that are kept.
    selection : Selection
        What was asked for.
    source : str
        Where it came from, to be shown with the curves.
    display : Display
        What its steps and scores are called, and who is in it.
    """

    table: WideTable | Sequence[RunLog]
    selection: Selection
    source: str
    display: Display

    def curves(self) -> Curves:
        """Build the curves, aligning the runs if need be.

        Of runs × steps, a score that is NaN was written as such. Algorithms were selected before.
        """
        from curvewise.data.align import aligned

        table, selection = self.table, self.selection
        is_part = selection.start is not None or selection.stop is not None
        display = replace(self.display, is_part=is_part)
        if not isinstance(table, WideTable) or selection.alignment.asks_for_steps:
            return aligned(self.logs(), selection, self.source, display)
        if not (np.isfinite(table.scores.min()) and np.isfinite(table.scores.max())):
            return aligned(self.logs(), selection, self.source, display)
        return Curves(
            *(table.scores, table.labels, table.steps, table.runs, table.blocks),
            selection.higher_is_better,
            source=self.source,
            precision=table.precision,
            display=display,
        )

    def logs(self) -> Sequence[RunLog]:
        """Return a log per run."""
        return self.table.logs() if isinstance(self.table, WideTable) else self.table
