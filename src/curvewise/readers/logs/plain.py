"""Numbers and little else: lists in text files, arrays of NumPy, lists in JSON.

Algorithm and run are told by the keys and by the places of files; steps are places, unless a
column or a list holds them. A score without a name is called "score".
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.logged import (
    DOUBLE,
    SINGLE,
    Claim,
    LoggedRun,
    NotALogError,
    Series,
)
from curvewise.readers.parsing.archives import archive_names, read_archive, read_array
from curvewise.readers.parsing.homes import homes_of, stem_of
from curvewise.readers.parsing.json_documents import beginning, curve, document, is_curve
from curvewise.readers.parsing.log_tables import CUT_LINE
from curvewise.readers.parsing.recording import chosen_x
from curvewise.readers.parsing.score_names import (
    is_data_set,
    is_nothing_but_a_score,
    is_run_name,
    is_score_name,
    score_name_in,
)
from curvewise.readers.tables.arrays import check_orientation
from curvewise.readers.tables.columns import step_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

STEP = "step"
METRIC = "metric"
TEXTS = (".txt", ".dat", ".csv", ".tsv", ".log", ".out")
ARRAYS = (".npy", ".npz")
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
LEVELS = {
    0: (),
    1: ("algorithm",),
    2: ("algorithm", "run"),
    3: ("task", "algorithm", "run"),
}


class Found(NamedTuple):
    """A curve as a file has it."""

    labels: dict[str, str]
    metric: str
    series: Series


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each file of numbers whose name does not tell that it is no curve."""
    logs = [
        file
        for file in folder.files.values()
        if not OTHERS.search(stem_of(file)) and _is_plain(file)
    ]
    for home, file in homes_of(folder, logs):
        yield Claim(home if _is_one_curve(file) else file.path, (file,))


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
        return [float(cell) for cell in CELLS.split(line.strip(" \t\r\n,;|"))]
    except ValueError:
        return None


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the runs of a file.

    Raises CurvesError if it is damaged, holds objects, or if its arrays are not runs × steps.
    """
    for claim in claims:
        file = claim.files[0]
        notes: list[str] = []
        x, others = chosen_x(wanted, [STEP])
        runs: dict[tuple[str, ...], LoggedRun] = {}
        for found in _found(file, notes):
            labels = tuple(found.labels.values())
            run = runs.setdefault(
                labels,
                LoggedRun({}, x, others, " ".join(labels), found.labels, notes=notes),
            )
            name = f"{claim.prefix}{found.metric}"
            if name in wanted:
                run.series[name] = found.series
        yield from runs.values()


def _found(file: File, notes: list[str]) -> Iterator[Found]:
    """Yield the curves of a file."""
    name = file.name.lower()
    metric = score_name_in(stem_of(file))
    if name.endswith(".npz"):
        yield from _of_archive(file, read_archive(file), metric)
    elif name.endswith(".npy"):
        array = read_array(file)
        check_orientation(file.path.name, {"": array})
        yield from _of_array(file, array, metric)
    elif name.endswith(".json"):
        yield from _of_document(file, document(file), metric)
    else:
        yield from _of_text(file, metric, notes)


def _of_archive(
    file: File, arrays: dict[str, np.ndarray[Any, Any]], metric: str
) -> Iterator[Found]:
    """Yield the curves of arrays, which are called by algorithms, or by metrics if one is a score."""
    named = [key for key in step_names(list(arrays)) if arrays[key].ndim == 1]
    beside = [arrays.pop(key) for key in named] if len(arrays) > len(named) else []
    steps = beside[0] if beside else None
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
        msg = f"{name} is {shape} of type {array.dtype}, not numbers of runs × steps."
        raise CurvesError(msg)
    at = None if steps is None else np.asarray(steps, dtype=np.float64)
    if at is None and array.shape[1:] == (2,) and _are_pairs(array.tolist()):
        yield from _of_array(file, array[:, 1], metric, array[:, 0])
        return
    precision = (
        SINGLE if array.dtype.itemsize <= 4 and array.dtype.kind == "f" else DOUBLE
    )
    if at is not None and at.shape != array.shape[-1:]:
        msg = f"{name} has {at.size} steps for curves of {array.shape[-1]} scores."
        raise CurvesError(msg)
    places = np.arange(array.shape[-1], dtype=np.float64) if at is None else at
    for place, row in enumerate(np.atleast_2d(array)):
        labels = {"run": str(place)} if array.ndim == 2 else {}
        scores = np.array(row, dtype=np.float64)
        yield Found(labels, metric, Series(places, scores, precision=precision))


def _of_text(file: File, metric: str, notes: list[str]) -> Iterator[Found]:
    """Yield the curve of a text: scores, or steps and scores; or a run from each line."""
    name = file.path.name
    rows: list[list[float]] = []
    for number, (line, is_whole) in enumerate(file.lines(), start=1):
        text = line.decode("utf-8-sig", errors="replace")
        if not is_whole and (not line or text.strip()):
            notes.append(CUT_LINE.format(name=name))
            break
        if not _is_content(text):
            continue
        row = _row(text)
        if row is None:
            msg = f"{name} is damaged: line {number} holds more than numbers."
            raise CurvesError(msg)
        rows.append(row)
    widths = {len(row) for row in rows}
    columns = np.array(rows).T if len(widths) == 1 else np.empty((0, 0))
    if widths <= {1}:
        yield Found({}, metric, curve([row[0] for row in rows]))
    elif widths == {2}:
        steps, scores = columns
        if np.count_nonzero(np.diff(steps) < 0) > 1 + len(steps) // 20:
            msg = (
                f"{name} has two columns without names, and the first does not count steps. Give "
                "the columns names, such as step and score, in a first line."
            )
            raise CurvesError(msg)
        yield Found({}, metric, Series(steps, scores))
    elif columns.size and len(rows) > 2 and (np.diff(columns[0]) > 0).all():
        msg = (
            f"{name} has {len(columns)} columns without names, the first of which seems to count "
            "steps. Give the columns names in a first line."
        )
        raise CurvesError(msg)
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
    if not isinstance(start, dict):
        return None
    # The last value may be cut right after its bracket.
    depths = {
        _depth(value)
        for key, value in start.items()
        if value not in ([], {}) and not _are_steps(key, value)
    }
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


def _of_document(file: File, found: Any, metric: str) -> Iterator[Found]:
    """Yield the curves of lists under keys: of algorithms, of algorithms and runs, of scores."""
    depth = _depth(found)
    if depth is None:
        msg = f"{file.path.name} is damaged: it holds more than lists of numbers."
        raise CurvesError(msg)
    leaves = list(_leaves(found))
    if depth and {leaf.keys[-1].lower() for leaf in leaves} & SUMMARIES:
        msg = (
            f"{file.path.name} holds means or the like of several runs, from which runs cannot be "
            "told. Save the scores of each run."
        )
        raise NotALogError(msg)
    roles = _roles(list(zip(*(leaf.keys for leaf in leaves), strict=True)))
    if roles is None:
        msg = f"{file.path.name} has {depth} levels of keys; there may be three at most."
        raise CurvesError(msg)
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
    if (
        place is not None
        and len(rest) > 1
        and rest[-1] == place - 1
        and rest[-1] not in runs
    ):
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
    for place, keys in enumerate(levels[:-1]):
        if all(map(is_nothing_but_a_score, keys)):
            return place
    return None


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
        rows = [
            (
                {
                    **labels,
                    "run": " ".join(filter(None, [labels.get("run"), str(place)])),
                },
                row,
            )
            for place, row in enumerate(values)
        ]
    at = None if leaf.steps is None else np.array(leaf.steps, dtype=np.float64)
    for row_labels, row in rows:
        if at is not None and len(at) != len(row):
            msg = (
                f"{file.path.name} has {len(at)} steps for a curve of {len(row)} scores."
            )
            raise CurvesError(msg)
        yield row_labels, curve(row, at)


def _are_pairs(rows: Sequence[Any]) -> bool:
    """Whether rows are steps and scores: three or more of two numbers, the first ever larger."""
    if len(rows) < 3 or any(len(row) != 2 for row in rows):
        return False
    steps = [row[0] for row in rows]
    return None not in steps and all(a < b for a, b in pairwise(steps))
