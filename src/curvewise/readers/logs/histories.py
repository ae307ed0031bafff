"""Histories in one file: of Keras, XGBoost, LightGBM and scikit-learn, and plain numbers."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.data.tables import check_points
from curvewise.errors import refuse
from curvewise.readers.parsing.columns import (
    is_data_set,
    is_nothing_but_a_score,
    is_run_name,
    is_score_name,
    score_name_in,
)
from curvewise.readers.parsing.files import archive_names, damaged, read_archive, read_array
from curvewise.readers.parsing.json_files import (
    as_number,
    beginning,
    curve,
    document,
    flattened,
    is_curve,
)
from curvewise.readers.parsing.series import chosen_x, log_claims, stem_of
from curvewise.readers.parsing.text_tables import CUT_LINE, header_of
from curvewise.readers.table_formats import check_orientation
from curvewise.readers.tables import USUAL_NAMES, step_names, time_names
from curvewise.readers.walk import DOUBLE, SINGLE, Claim, LoggedRun, NotALogError, Series
from curvewise.text import listed, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from curvewise.kernels import Floats
    from curvewise.readers.walk import File, Folder, Wanted


# Histories of training in one JSON object: a list per metric, as ``History.history`` of Keras.
#
# Settings may stand beside the lists: ``{"algo": "ppo", "seed": 3, "returns": [...]}``.

EPOCH = "epoch"
OF_RUNS = {*USUAL_NAMES["algorithm"], *USUAL_NAMES["run"]}
TABLES = (".csv", ".tsv", ".log", ".txt")
# What the name of a history has besides that of its run.
AFFIX = re.compile(r"(?:^|[ _.-])(?:training[ _.-]?)?(?:history|hist)(?=$|[ _.-])", re.IGNORECASE)


def keras_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each history.

    One that repeats a table in its folder is claimed as the same run again, and not read.
    """
    logs = _documents(folder, _is_history)
    tables = [file for file in folder.files.values() if file.name.lower().endswith(TABLES)]
    for claim in log_claims(folder, logs):
        table = _table_of(claim.files[0], tables, is_alone=len(logs) == 1)
        # The home of what is the same run again is that of the run: `read` passes over it.
        yield claim if table is None else Claim(table.path, claim.files)


def _documents(folder: Folder, is_log: Callable[[Any], bool]) -> list[File]:
    """Return the JSON documents of a folder that begin as a log does."""
    return folder.files_that(
        lambda file: file.name.lower().endswith(".json") and is_log(beginning(file))
    )


def _is_history(start: Any) -> bool:
    """Whether a document is an object of lists of numbers, one of them named as a score.

    All else in it must be settings, which other lists with the name of a score are not.
    """
    if not isinstance(start, dict):
        return False
    lists, others = _parts(start)
    other_lists = [name for name, value in flattened(others) if isinstance(value, list)]
    has_scores = any(lists.values()) and any(map(is_score_name, lists))
    return has_scores and not any(map(is_score_name, other_lists))


def _parts(found: dict[str, Any]) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return the curves of a history, and what else there is.

    Beside settings, curves may be in an object of their own, {"seed": 3, "history": {...}}, or
    in a list of records, {"seed": 3, "log": [{"epoch": 0, "loss": 2.5}, ...]}.
    """
    found = {key: _columns(own) if _are_records(own) else own for key, own in found.items()}
    lists = _lists(found)
    others = {name: value for name, value in found.items() if name not in lists}
    objects = {name: value for name, value in others.items() if isinstance(value, dict) and value}
    inner = [name for name, value in objects.items() if len(_lists(value)) == len(value)]
    if not lists and len(inner) == 1 and len(others) > 1:
        lists = _lists(others.pop(inner[0]))
    return lists, others


def _are_records(value: Any) -> bool:
    """Whether a value is a list of objects with steps, all of one run."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return False
    names = list(value[0]) if value else []
    return bool(step_names(names)) and OF_RUNS.isdisjoint(map(str.lower, names))


def _columns(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the numbers in records by name; None where a record has none."""
    rows = [
        {name: value for name, value in flattened(record) if as_number(value) is not None}
        for record in records
    ]
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _lists(found: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the lists in an object; pandas writes {"0": value, "1": value} for a list."""
    lists = {}
    for name, values in found.items():
        if isinstance(values, dict) and all(key.isdecimal() for key in values):
            values = [values[key] for key in sorted(values, key=int)]  # noqa: PLW2901
        if is_curve(values, may_be_empty=True):
            lists[name] = values
    return lists


def _table_of(file: File, tables: list[File], *, is_alone: bool) -> File | None:
    """Return the table that a history repeats: of the same name, or the only one beside it."""
    metrics = {name for name in _parts(beginning(file))[0] if is_score_name(name)}
    name = AFFIX.sub("", stem_of(file))
    for table in tables:
        is_of_same_run = AFFIX.sub("", stem_of(table)) == name or (is_alone and len(tables) == 1)
        if is_of_same_run and metrics <= set(header_of(table)):
            return table
    return None


def keras_read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of each history that no table repeats; an epoch is a place in the lists."""
    for claim in claims:
        file = claim.files[0]
        if claim.home not in {file.path, file.path.parent}:
            continue
        lists, settings = _parts(document(file))
        length = max(map(len, lists.values()), default=0)
        whole = [name for name, values in lists.items() if len(values) == length]
        steps = [name for name in step_names(whole) if None not in lists[name]]
        x, others = chosen_x(wanted, steps or [EPOCH])
        at = np.array([as_number(step) for step in lists[x]]) if steps else None
        never = {*steps, *time_names(whole)}
        scores = [name for name in whole if name in wanted and name not in never]
        series = {name: curve(lists[name], at) for name in scores}
        run = LoggedRun(series, x, others, config=settings)
        shorter = [name for name in lists if name not in whole and name in wanted]
        if shorter:
            run.notes.append(
                f"{listed(shorter, most=3)} left out: shorter than the other metrics, so that "
                "the epochs of the values are not known"
            )
        yield run


# What XGBoost and LightGBM record of an evaluation: {dataset: {metric: [a value per round]}}.

ROUND = "round"
# Metrics that only these libraries call so, and those that others do, too.
OWN_METRIC = re.compile(
    r"l[12]|rmsle|mphe|merror|mlogloss|aucpr|auc_mu|(?:binary|multi)_(?:logloss|error)|"
    r"(?:ndcg|map|pre)@\d+-?|(?:poisson|gamma|tweedie|aft|cox)-\w+|interval-regression-accuracy|"
    r"kullback_leibler|cross_entropy(?:_lambda)?|gamma_deviance|average_precision|MultiClass"
)
SHARED_METRIC = re.compile(
    r"rmse|mse|mae|mape|auc|logloss|error(?:@[\d.]+)?|ndcg|map|quantile|huber|fair|poisson|gamma|"
    r"tweedie|accuracy",
    re.IGNORECASE,
)
# The columns of xgboost.cv and lightgbm.cv.
FOLD_MEAN = re.compile(r".+-(?:mean|std|stdv)")


def boosting_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each file of evaluations."""
    yield from log_claims(folder, _documents(folder, _is_evaluation))


def _is_evaluation(start: Any) -> bool:
    """Whether a document holds lists of numbers by data set and metric, or means over folds."""
    if not isinstance(start, dict) or not start:
        return False
    if _is_cross_validation(start):
        return True
    if not all(isinstance(metrics, dict) for metrics in start.values()):
        return False
    names = [name for metrics in start.values() for name in metrics]
    curves = [values for metrics in start.values() for values in metrics.values()]
    # Names of metrics may tell that what they are under is a data set, not an algorithm.
    others = [name for name in names if not OWN_METRIC.fullmatch(name)]
    is_shared = len(start) == 1 and all(map(SHARED_METRIC.fullmatch, others))
    # The last list may be cut right after its bracket.
    return (
        any(map(is_curve, curves))
        and all(is_curve(values, may_be_empty=True) for values in curves)
        and not all(map(is_run_name, names))
        and (any(map(is_data_set, start)) or not others or is_shared)
    )


def _is_cross_validation(start: dict[str, Any]) -> bool:
    return all(FOLD_MEAN.fullmatch(name) for name in start)


def boosting_runs(file: File, wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of a file; its metrics are called ``DATASET-METRIC``.

    Raises CurvesError if the file is damaged, or holds means over folds.
    """
    found = document(file)
    if _is_cross_validation(found):
        msg = (
            f"{file.path.name} holds means over the folds of a cross-validation, from which "
            "runs cannot be told. Train a model per fold, and save what each records."
        )
        raise NotALogError(msg)
    x, others = chosen_x(wanted, [ROUND])
    run = LoggedRun({}, x, others)
    for dataset, metrics in found.items():
        for metric, values in metrics.items() if isinstance(metrics, dict) else ():
            name = f"{dataset}-{metric}"
            if not is_curve(values, may_be_empty=True):
                raise damaged(file, f"{name!r} is not a list of numbers")
            if name in wanted:
                run.series[name] = curve(values)
    yield run


# Learning curves of scikit-learn: scores by training size and fold, in NPZ or JSON.
#
# Validation curves are alike, with the values of a parameter instead of training sizes.
#
# A run is a fold, and the models share the folds: they are blocks. The results of a search
# (``cv_results_``) are claimed too, only to say that they hold no curves.

SIZES = "train_sizes"
PARAMETER = "param_range"
# What learning_curve and validation_curve return or take, each perhaps with the name of a model
# before it.
KEY = re.compile(
    r"(?:(.+?)[_./ -]+)?"
    r"(train_sizes(?:_abs)?|param_range|(?:train|test|valid|val|validation)_scores|"
    r"(?:fit|score)_times)"
)
SEARCH = {"mean_test_score", "rank_test_score"}
# What the name of a file has besides that of the model.
CURVE_AFFIX = re.compile(
    r"^(?:learning[_ -]?curves?|lc)[_ -]|[_ -](?:learning[_ -]?curves?|lc)$", re.IGNORECASE
)


class Model(NamedTuple):
    """The curve of a model: what it is over, at which sizes, and scores by size and fold."""

    x: str
    sizes: Floats
    scores: dict[str, Floats]


def sklearn_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each file of learning curves, and of the results of a search."""
    for file in folder.files.values():
        names = _names(file)
        if _is_learning_curve(names) or set(names) >= SEARCH:
            yield Claim(file.path, (file,))


def _names(file: File) -> list[str]:
    """Return the arrays, columns or keys that a file has."""
    name = file.name.lower()
    if name.endswith(".npz"):
        return archive_names(file)
    if name.endswith((".csv", ".tsv")):
        # Most tables have none of these words, and their headers need not be read whole.
        return header_of(file) if b"mean_test_score" in file.head() else []
    if name.endswith(".json") and isinstance(start := beginning(file), dict):
        return [*_with_inner(start)]
    return []


def _with_inner(found: dict[str, Any]) -> dict[str, Any]:
    """Return what an object holds, and what the objects in it hold, as ``model/key``."""
    inner = [(model, parts) for model, parts in found.items() if isinstance(parts, dict)]
    return found | {f"{model}/{key}": parts[key] for model, parts in inner for key in parts}


def _is_learning_curve(names: Iterable[str]) -> bool:
    """Whether there are sizes or parameters, and in the same place scores; or a beginning."""
    keys = [match[2] for match in map(KEY.fullmatch, names) if match]
    return any(map(_is_axis, keys)) and any("scores" in key for key in keys)


def _is_axis(key: str) -> bool:
    return key.startswith(SIZES) or key == PARAMETER


def sklearn_runs(file: File, wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield a run per model and fold.

    Raises CurvesError if scores are means over folds, do not fit the sizes, or if the file has
    the results of a search.
    """
    if set(_names(file)) >= SEARCH:
        msg = (
            f"{file.path.name} has the results of a search over settings (GridSearchCV or "
            "alike): a score per setting and fold, without steps, so there is no curve in it."
        )
        raise NotALogError(msg)
    for name, model in _models(file).items():
        x, others = chosen_x(wanted, [model.x])
        algorithm = name or _model_in(stem_of(file))
        for fold in range(next(iter(model.scores.values())).shape[1]):
            scores = {metric: model.scores[metric][:, fold] for metric in model.scores}
            series = {key: Series(model.sizes, scores[key]) for key in scores if key in wanted}
            labels = {"run": str(fold), "block": str(fold)}
            labels |= {"algorithm": algorithm} if algorithm else {}
            yield LoggedRun(series, x, others, f"{name} fold {fold}".lstrip(), labels)


def _model_in(stem: str) -> str:
    """Return the model that the name of a file tells, as in ``learning_curve_tree``.

    Nothing if it also tells a seed or the like: what is what must be inferred from all names.
    """
    model, n_removed = CURVE_AFFIX.subn("", stem)
    last = re.split(r"[_ -]", model)[-1]
    return model if n_removed and not is_run_name(last) else ""


def _models(file: File) -> dict[str, Model]:
    """Return the learning curves in a file by the names of models, "" if it has none."""
    grouped: dict[str, dict[str, Floats]] = {}
    is_archive = file.name.lower().endswith(".npz")
    found = read_archive(file) if is_archive else _with_inner(document(file))
    for name, values in found.items():
        match = KEY.fullmatch(name)
        if match is None:
            continue
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise damaged(file, f"{name!r} is not an array of numbers") from None
        grouped.setdefault(match[1] or "", {})[match[2]] = numbers
    models = {}
    for name, parts in grouped.items():
        axes = [key for key in ("train_sizes_abs", SIZES, PARAMETER) if key in parts]
        scores = {key: array for key, array in parts.items() if not _is_axis(key)}
        if axes and scores:
            x, sizes = SIZES if axes[0].startswith(SIZES) else PARAMETER, parts[axes[0]]
            by_fold = {key: _by_fold(file, key, scores[key], sizes) for key in scores}
            models[name] = Model(x, sizes, by_fold)
    return models


def _by_fold(file: File, name: str, scores: Floats, sizes: Floats) -> Floats:
    """Return scores as sizes × folds; raise if they are none."""
    if sizes.ndim == 1 and scores.shape == sizes.shape:
        refuse(
            f"{file.path.name} has one value of {name!r} per size, a mean over folds, from which "
            "runs cannot be told. Save the arrays as learning_curve returns them."
        )
    if sizes.ndim != 1 or scores.ndim != 2 or len(sizes) not in scores.shape:
        shape, n_sizes = " × ".join(map(str, scores.shape)), len(np.atleast_1d(sizes))
        refuse(f"{file.path.name} has {n_sizes} training sizes, but {name!r} is {shape}.")
    return scores if len(scores) == len(sizes) else scores.T


# Numbers and little else: lists in text files, arrays of NumPy, lists in JSON.
#
# Algorithm and run are told by the keys and by the places of files; steps are places, unless a
# column or a list holds them. A score without a name is called "score".

STEP = "step"
METRIC = "metric"
TEXTS = (".txt", ".dat", ".csv", ".tsv", ".log", ".out")
CELLS = re.compile(r"[\s,;|]+")
# Arrays and lists that training leaves behind and that are no curves.
OTHERS = re.compile(
    r"(?:^|[^a-z])(?:weights?|bias|obs|observations?|actions?|states?|buffer|replay|embeddings?|"
    r"labels?|features?|params?|index|indices|idx|mask|ids?|vocab|data|config|cfg|hparams|args|"
    r"hyperparameters|options|settings|variant|meta|images?|targets?|predictions?|preds?|logits|"
    r"requirements)(?:$|[^a-z])|^(?:mean|std|var|seeds?|times?|x|y)$",
    re.IGNORECASE,
)
# Keys of what is left of runs when they are put together.
SUMMARIES = {"std", "sem", "stderr", "ci_low", "ci_high", "ci", "lower", "upper", "iqm"}
# Levels of keys above a list, from the outside in.
LEVELS = {0: (), 1: ("algorithm",), 2: ("algorithm", "run"), 3: ("task", "algorithm", "run")}


class Found(NamedTuple):
    """A curve as a file has it."""

    labels: dict[str, str]
    metric: str
    series: Series


def plain_claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each file of numbers whose name does not tell that it is no curve."""
    logs = folder.files_that(lambda file: not OTHERS.search(stem_of(file)) and _is_plain(file))
    for claim in log_claims(folder, logs):
        file = claim.files[0]
        yield claim if _is_one_curve(file) else Claim(file.path, (file,))


def _is_one_curve(file: File) -> bool:
    """Whether a file holds one curve, as far as its beginning tells."""
    name = file.name.lower()
    if name.endswith(".npy"):
        return re.search(rb"'shape': \(\d+,\)", file.head()) is not None
    if name.endswith(".json"):
        return is_curve(beginning(file))
    return not name.endswith(".npz") and len(_row(file.first_line()) or []) <= 2


def _is_plain(file: File) -> bool:
    name = file.name.lower()
    if name.endswith(".npy"):
        return file.head().startswith(b"\x93NUMPY")
    if name.endswith(".npz"):
        return bool(archive_names(file))
    if name.endswith(".json"):
        return _depth(beginning(file)) is not None
    return name.endswith(TEXTS) and _is_numeric(file)


def _is_numeric(file: File) -> bool:
    """Whether a text begins with at least two lines of numbers, and nothing else."""
    text = file.head().decode("utf-8-sig", errors="replace")
    lines = [line for line in text.splitlines()[:50] if _is_content(line)]
    if len(text) >= 4096:
        lines.pop()
    return len(lines) > 1 and all(_row(line) is not None for line in lines)


def _is_content(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(("#", "%"))


def _row(line: str) -> list[float] | None:
    """Return the numbers of a line, or None if there is anything else."""
    try:
        return [float(cell) for cell in _cells(line)]
    except ValueError:
        return None


def _cells(line: str) -> list[str]:
    return CELLS.split(line.strip(" \t\r\n,;|"))


def plain_runs(file: File, wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the runs of a file.

    Raises CurvesError if it is damaged, holds objects, or if its arrays are not runs × steps.
    """
    notes: list[str] = []
    x, others = chosen_x(wanted, [STEP])
    runs: dict[tuple[str, ...], LoggedRun] = {}
    for found in _found(file, notes):
        key = " ".join(found.labels.values())
        run = LoggedRun({}, x, others, key, found.labels, notes=notes)
        run = runs.setdefault(tuple(found.labels.values()), run)
        if found.metric in wanted:
            run.series[found.metric] = found.series
    yield from runs.values()


def _found(file: File, notes: list[str]) -> Iterator[Found]:
    """Yield the curves of a file."""
    name = file.name.lower()
    metric = score_name_in(stem_of(file))
    if name.endswith(".npz"):
        yield from _of_archive(file, metric)
    elif name.endswith(".npy"):
        array = read_array(file)
        check_orientation(file.path.name, {"": array})
        yield from _of_array(file, array, metric)
    elif name.endswith(".json"):
        yield from _of_document(file, metric)
    else:
        yield from _of_text(file, metric, notes)


def _of_archive(file: File, metric: str) -> Iterator[Found]:
    """Yield the curves of arrays, which are called by algorithms, or by metrics if one is a score."""
    arrays = read_archive(file)
    named = [key for key in step_names(list(arrays)) if arrays[key].ndim == 1]
    beside = [arrays.pop(key) for key in named] if len(arrays) > len(named) else []
    steps = next(iter(beside), None)
    check_orientation(file.path.name, arrays, steps)
    has_metrics = any(map(is_score_name, arrays))
    for key, array in arrays.items():
        for found in _of_array(file, array, key if has_metrics else metric, steps):
            labels = {} if has_metrics else {"algorithm": key}
            yield found._replace(labels={**labels, **found.labels})


def _of_array(
    file: File, array: np.ndarray[Any, Any], metric: str, steps: Any = None
) -> Iterator[Found]:
    """Yield the rows of an array, or the array itself if it is one curve."""
    name = file.path.name
    if array.dtype.kind not in "fiub" or array.ndim not in {1, 2}:
        shape = " × ".join(map(str, array.shape)) or "a single value"
        refuse(f"{name} is {shape} of type {array.dtype}, not numbers of runs × steps.")
    at = None if steps is None else np.asarray(steps, dtype=np.float64)
    if at is None and array.shape[1:] == (2,) and _are_pairs(array.tolist()):
        yield from _of_array(file, array[:, 1], metric, array[:, 0])
        return
    precision = SINGLE if array.dtype.itemsize <= 4 and array.dtype.kind == "f" else DOUBLE
    if at is not None and at.shape != array.shape[-1:]:
        refuse(f"{name} has {at.size} steps for curves of {array.shape[-1]} scores.")
    places = np.arange(array.shape[-1], dtype=np.float64) if at is None else at
    for place, row in enumerate(np.atleast_2d(array)):
        labels = {"run": str(place)} if array.ndim == 2 else {}
        scores = np.array(row, dtype=np.float64)
        yield Found(labels, metric, Series(places, scores, precision=precision))


def _of_text(file: File, metric: str, notes: list[str]) -> Iterator[Found]:
    """Yield the curve of a text: scores, or steps and scores; or a run from each line."""
    name = file.path.name
    by_line: dict[int, list[float]] = {}
    texts: list[list[str]] = []
    for number, (line, is_whole) in enumerate(file.lines(), start=1):
        text = line.decode("utf-8-sig", errors="replace")
        if not is_whole and (not line or text.strip()):
            notes.append(CUT_LINE.format(name=name))
            break
        if not _is_content(text):
            continue
        row = _row(text)
        if row is None:
            raise damaged(file, f"line {number} holds more than numbers")
        by_line[number] = row
        texts.append(_cells(text))
    rows = [*by_line.values()]
    n_like = Counter(map(len, rows))
    widths = set(n_like)
    usual = max(n_like, key=n_like.__getitem__, default=0)
    for number, row in by_line.items():
        # Runs on lines of their own may differ in length; two on one line are twice as long.
        if len(row) != usual and (usual <= 2 or len(row) == 2 * usual):
            refuse(
                f"{name} is damaged: line {number} holds {plural(len(row), 'number')} and most "
                f"others {usual}. Mend the line: it is cut, or a newline was lost."
            )
    columns = np.array(rows).T if len(widths) == 1 else np.empty((0, 0))
    for place, values in enumerate(columns[:2] if usual <= 2 else ()):
        check_points(values, partial(map, itemgetter(place), texts), name)
    if widths <= {1}:
        yield Found({}, metric, curve([row[0] for row in rows]))
    elif widths == {2}:
        steps, scores = columns
        if np.count_nonzero(np.diff(steps) < 0) > 1 + len(steps) // 20:
            refuse(
                f"{name} has two columns without names, and the first does not count steps. Give "
                "the columns names, such as step and score, in a first line."
            )
        yield Found({}, metric, Series(steps, scores))
    elif columns.size and len(rows) > 2 and (np.diff(columns[0]) > 0).all():
        refuse(
            f"{name} has {len(columns)} columns without names, the first of which seems to count "
            "steps. Give the columns names in a first line."
        )
    else:
        check_orientation(name, {"": columns.T})
        for place, row in enumerate(rows):
            yield Found({"run": str(place)}, metric, curve(row))


def _depth(start: Any) -> int | None:
    """Return how many levels of keys stand above the lists of a document; None if it is other.

    An object with curves of several depths is none, nor is one with anything but numbers.
    """
    if isinstance(start, list):
        rows = [item for item in start if item != []]
        return 0 if is_curve(start) or (rows and all(map(is_curve, rows))) else None
    found = start if isinstance(start, dict) else {}
    # The last value may be cut right after its bracket.
    whole = {key: value for key, value in found.items() if value not in ([], {})}
    depths = {_depth(value) for key, value in whole.items() if not _are_steps(key, value)}
    depth = depths.pop() if len(depths) == 1 else None
    return None if depth is None else depth + 1


def _are_steps(key: str, value: Any) -> bool:
    """Whether a list holds the steps of the curves beside it."""
    return is_curve(value) and bool(step_names([key]))


class Leaf(NamedTuple):
    """A list of a document, the keys above it and the steps beside it."""

    keys: tuple[str, ...]
    values: list[Any]
    steps: list[Any] | None


def _leaves(
    found: Any, keys: tuple[str, ...] = (), steps: list[Any] | None = None
) -> Iterator[Leaf]:
    """Yield the lists of a document; steps hold for all lists below the object they are in."""
    if not isinstance(found, dict):
        yield Leaf(keys, found, steps)
        return
    beside = [value for key, value in found.items() if _are_steps(key, value)]
    for key, value in found.items():
        if not _are_steps(key, value):
            yield from _leaves(value, (*keys, key), beside[0] if beside else steps)


def _of_document(file: File, metric: str) -> Iterator[Found]:
    """Yield the curves of lists under keys: of algorithms, of algorithms and runs, of scores."""
    found = document(file)
    depth = _depth(found)
    if depth is None:
        raise damaged(file, "it holds more than lists of numbers")
    leaves = list(_leaves(found))
    if depth and {leaf.keys[-1].lower() for leaf in leaves} & SUMMARIES:
        means = f"{file.path.name} holds means or the like of several runs"
        msg = f"{means}, from which runs cannot be told. Save the scores of each run."
        raise NotALogError(msg)
    roles = _roles(list(zip(*(leaf.keys for leaf in leaves), strict=True)))
    if roles is None:
        refuse(f"{file.path.name} has {depth} levels of keys; there may be three at most.")
    for leaf in leaves:
        named = list(zip(roles, leaf.keys, strict=True))
        own = {role: key for role, key in named if role != METRIC}
        name = "-".join(key for role, key in named if role == METRIC)
        for labels, series in _of_leaf(file, leaf, own):
            yield Found(labels, name or metric, series)


def _roles(levels: Sequence[tuple[str, ...]]) -> list[str] | None:
    """Tell what the keys of each level are, from the outside in; None of too many levels.

    Names of scores are metrics, with the data sets above them, numbers and seeds are runs; of
    the rest, tasks stand above algorithms, and these above runs.
    """
    roles: dict[int, str] = {}
    place = _level_of_metrics(levels)
    if place is not None:
        roles[place] = METRIC
    rest = [level for level in range(len(levels)) if level != place]
    runs = [level for level in rest if all(map(is_run_name, levels[level]))]
    if place is not None and len(rest) > 1 and rest[-1] == place - 1 and rest[-1] not in runs:
        is_inside = bool(runs) and runs[-1] < rest[-1]
        if is_inside or any(map(is_data_set, levels[rest[-1]])):
            roles[rest.pop()] = METRIC
    if len(runs) == 1:
        roles[runs[0]] = "run"
        rest.remove(runs[0])
        names: tuple[str, ...] | None = LEVELS.get(len(rest) + 1, ())[:-1]
    else:
        names = LEVELS.get(len(rest))
    if names is None or len(names) != len(rest):
        return None
    roles.update(zip(rest, names, strict=True))
    return [roles[level] for level in range(len(levels))]


def _level_of_metrics(levels: Sequence[tuple[str, ...]]) -> int | None:
    """Return the level at which keys name metrics, from the outside in, if there is one.

    Mostly the last, as in {algorithm: {metric: [...]}} or {metric: [...]}. On levels above it
    algorithms may be named by the losses they use.
    """
    if levels and all(map(is_score_name, levels[-1])):
        return len(levels) - 1
    above = enumerate(levels[:-1])
    return next((place for place, keys in above if all(map(is_nothing_but_a_score, keys))), None)


def _of_leaf(
    file: File, leaf: Leaf, labels: dict[str, str]
) -> Iterator[tuple[dict[str, str], Series]]:
    """Yield a list of numbers, a list of steps and scores, or each of several lists as a run."""
    values = leaf.values
    if not values or is_curve(values):
        rows = [(labels, values)]
    elif _are_pairs(values):
        steps, scores = zip(*values, strict=True)
        yield labels, curve(scores, np.array(steps, dtype=np.float64))
        return
    else:
        before = f"{labels['run']} " if labels.get("run") else ""
        rows = [({**labels, "run": f"{before}{n}"}, row) for n, row in enumerate(values)]
    at = None if leaf.steps is None else np.array(leaf.steps, dtype=np.float64)
    for row_labels, row in rows:
        if at is not None and len(at) != len(row):
            refuse(f"{file.path.name} has {len(at)} steps for a curve of {len(row)} scores.")
        yield row_labels, curve(row, at)


def _are_pairs(rows: Sequence[Any]) -> bool:
    """Whether rows are steps and scores: three or more of two numbers, the first ever larger."""
    if len(rows) < 3 or any(len(row) != 2 for row in rows):
        return False
    steps = [row[0] for row in rows]
    return None not in steps and all(a < b for a, b in pairwise(steps))
