"""What XGBoost and LightGBM record of an evaluation: {dataset: {metric: [a value per round]}}."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvesError
from curvewise.readers.homes import homes_of
from curvewise.readers.json_documents import beginning, curve, document, is_curve
from curvewise.readers.logged import Claim, LoggedRun, NotALog
from curvewise.readers.recording import chosen_x
from curvewise.readers.score_names import is_run_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

X = "round"
# training, valid_0, validation_1, eval, dtest, learn: what people and libraries call data sets.
DATASET = re.compile(
    r"(?:^|[^a-z])d?(?:train(?:ing)?|learn|val|valid|validation|dev|eval|evaluation|test|holdout)"
    r"(?:set|data)?(?:$|[^a-z])",
    re.IGNORECASE,
)
# The columns of xgboost.cv and lightgbm.cv.
FOLD_MEAN = re.compile(r".+-(?:mean|std|stdv)")


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each file of evaluations."""
    logs = [
        file
        for file in folder.files.values()
        if file.name.lower().endswith(".json") and _is_evaluation(beginning(file))
    ]
    for home, file in homes_of(folder, logs):
        yield Claim(home, (file,))


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
    # The last list may be cut right after its bracket.
    return (
        any(map(is_curve, curves))
        and all(is_curve(values, may_be_empty=True) for values in curves)
        and any(map(DATASET.search, start))
        and not all(map(is_run_name, names))
    )


def _is_cross_validation(start: dict[str, Any]) -> bool:
    return all(FOLD_MEAN.fullmatch(name) for name in start)


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of a file; its metrics are called ``DATASET-METRIC``.

    Raises CurvesError if the file is damaged, or holds means over folds.
    """
    for claim in claims:
        file = claim.files[0]
        found = document(file)
        if _is_cross_validation(found):
            msg = (
                f"{file.path.name} holds means over the folds of a cross-validation, from which "
                "runs cannot be told. Train a model per fold, and save what each records."
            )
            raise NotALog(msg)
        x, others = chosen_x(wanted, [X])
        yield LoggedRun(_series(file, found, wanted, claim.prefix), x, others)


def _series(
    file: File, found: dict[str, Any], wanted: Wanted, prefix: str
) -> dict[str, Any]:
    series = {}
    for dataset, metrics in found.items():
        for metric, values in metrics.items() if isinstance(metrics, dict) else ():
            name = f"{prefix}{dataset}-{metric}"
            if not is_curve(values, may_be_empty=True):
                msg = f"{file.path.name} is damaged: {name!r} is not a list of numbers."
                raise CurvesError(msg)
            if name in wanted:
                series[name] = curve(values)
    return series
