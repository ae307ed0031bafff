"""What XGBoost and LightGBM record of an evaluation: {dataset: {metric: [a value per round]}}."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from curvewise.errors import CurvesError
from curvewise.readers.logged import Claim, LoggedRun, NotALogError
from curvewise.readers.parsing.homes import homes_of
from curvewise.readers.parsing.json_documents import beginning, curve, document, is_curve
from curvewise.readers.parsing.recording import chosen_x
from curvewise.readers.parsing.score_names import is_data_set, is_run_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

X = "round"
# Metrics that only these libraries call so, and those that others do, too.
OWN_METRIC = re.compile(
    r"l[12]|rmsle|mphe|merror|mlogloss|aucpr|auc_mu|(?:binary|multi)_(?:logloss|error)|"
    r"(?:ndcg|map|pre)@\d+-?|(?:poisson|gamma|tweedie|aft|cox)-\w+|interval-regression-accuracy|"
    r"kullback_leibler|cross_entropy(?:_lambda)?|gamma_deviance|average_precision|MultiClass"
)
METRIC = re.compile(
    r"rmse|mse|mae|mape|auc|logloss|error(?:@[\d.]+)?|ndcg|map|quantile|huber|fair|poisson|gamma|"
    r"tweedie|accuracy",
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
        and not all(map(is_run_name, names))
        and (any(map(is_data_set, start)) or _are_of_boosting(names, len(start)))
    )


def _are_of_boosting(metrics: list[str], n_datasets: int) -> bool:
    """Whether names of metrics tell that what they are under is a data set, not an algorithm."""
    own = [OWN_METRIC.fullmatch(name) is not None for name in metrics]
    others = [METRIC.fullmatch(name) is not None for name in metrics]
    if n_datasets > 1:
        return all(own)
    return all(one or other for one, other in zip(own, others, strict=True))


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
            raise NotALogError(msg)
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
