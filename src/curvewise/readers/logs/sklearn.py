"""Learning curves of scikit-learn: scores by training size and fold, in NPZ or JSON.

Validation curves are alike, with the values of a parameter instead of training sizes.

A run is a fold, and the models share the folds: they are blocks. The results of a search
(``cv_results_``) are claimed too, only to say that they hold no curves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim, LoggedRun, NotALogError, Series
from curvewise.readers.parsing.archives import archive_names, read_archive
from curvewise.readers.parsing.homes import stem_of
from curvewise.readers.parsing.json_documents import beginning, document
from curvewise.readers.parsing.log_tables import header_of
from curvewise.readers.parsing.recording import chosen_x
from curvewise.readers.parsing.score_names import is_run_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from curvewise.kernels import Floats
    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

X = "train_sizes"
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
AFFIX = re.compile(
    r"^(?:learning[_ -]?curves?|lc)[_ -]|[_ -](?:learning[_ -]?curves?|lc)$",
    re.IGNORECASE,
)


class Model(NamedTuple):
    """The curve of a model: what it is over, at which sizes, and scores by size and fold."""

    x: str
    sizes: Floats
    scores: dict[str, Floats]


def claims(folder: Folder) -> Iterator[Claim]:
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
        inner = [
            f"{model}/{key}"
            for model, parts in start.items()
            if isinstance(parts, dict)
            for key in parts
        ]
        return [*start, *inner]
    return []


def _is_learning_curve(names: Iterable[str]) -> bool:
    """Whether there are sizes or parameters, and in the same place scores; or a beginning."""
    keys = [match[2] for match in map(KEY.fullmatch, names) if match]
    return any(map(_is_axis, keys)) and any("scores" in key for key in keys)


def _is_axis(key: str) -> bool:
    return key.startswith(X) or key == PARAMETER


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield a run per model and fold.

    Raises CurvesError if scores are means over folds, do not fit the sizes, or if the file has
    the results of a search.
    """
    for claim in claims:
        file = claim.files[0]
        if set(_names(file)) >= SEARCH:
            msg = (
                f"{file.path.name} has the results of a search over settings (GridSearchCV or "
                "alike): a score per setting and fold, without steps, so there is no curve in it."
            )
            raise NotALogError(msg)
        for name, model in _models(file).items():
            x, others = chosen_x(wanted, [model.x])
            algorithm = name or _model_in(stem_of(file))
            n_folds = next(iter(model.scores.values())).shape[1]
            for fold in range(n_folds):
                labels = {"run": str(fold), "block": str(fold)}
                if algorithm:
                    labels["algorithm"] = algorithm
                yield LoggedRun(
                    {
                        f"{claim.prefix}{metric}": Series(model.sizes, scores[:, fold])
                        for metric, scores in model.scores.items()
                        if f"{claim.prefix}{metric}" in wanted
                    },
                    x,
                    others,
                    key=" ".join(filter(None, [name, f"fold {fold}"])),
                    labels=labels,
                )


def _model_in(stem: str) -> str:
    """Return the model that the name of a file tells, as in ``learning_curve_tree``.

    Nothing if it also tells a seed or the like: what is what must be inferred from all names.
    """
    model, n_removed = AFFIX.subn("", stem)
    last = re.split(r"[_ -]", model)[-1]
    return model if n_removed and not is_run_name(last) else ""


def _models(file: File) -> dict[str, Model]:
    """Return the learning curves in a file by the names of models, "" if it has none."""
    grouped: dict[str, dict[str, Floats]] = {}
    for name, values in _values(file).items():
        match = KEY.fullmatch(name)
        if match:
            grouped.setdefault(match[1] or "", {})[match[2]] = _numbers(
                file, name, values
            )
    models = {}
    for name, parts in grouped.items():
        axes = [key for key in ("train_sizes_abs", X, PARAMETER) if key in parts]
        scores = {key: array for key, array in parts.items() if not _is_axis(key)}
        if axes and scores:
            sizes = parts[axes[0]]
            models[name] = Model(
                X if axes[0].startswith(X) else PARAMETER,
                sizes,
                {key: _by_fold(file, key, array, sizes) for key, array in scores.items()},
            )
    return models


def _values(file: File) -> dict[str, Any]:
    if file.name.lower().endswith(".npz"):
        return read_archive(file)
    found = document(file)
    nested = {
        f"{model}/{key}": values
        for model, parts in found.items()
        if isinstance(parts, dict)
        for key, values in parts.items()
    }
    return {**found, **nested}


def _numbers(file: File, name: str, values: Any) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        msg = f"{file.path.name} is damaged: {name!r} is not an array of numbers."
        raise CurvesError(msg) from None


def _by_fold(file: File, name: str, scores: Floats, sizes: Floats) -> Floats:
    """Return scores as sizes × folds; raise if they are none."""
    shape = " × ".join(map(str, scores.shape))
    if scores.ndim == 1 and sizes.ndim == 1 and len(scores) == len(sizes):
        msg = (
            f"{file.path.name} has one value of {name!r} per size, a mean over folds, from which "
            "runs cannot be told. Save the arrays as learning_curve returns them."
        )
        raise CurvesError(msg)
    if scores.ndim == 2 and sizes.ndim == 1:
        if len(scores) == len(sizes):
            return scores
        if scores.shape[1] == len(sizes):
            return scores.T
    msg = f"{file.path.name} has {len(np.atleast_1d(sizes))} training sizes, but {name!r} is {shape}."
    raise CurvesError(msg)
