"""CatBoost's folder ``catboost_info``: a table of errors for the learning set and each test set.

The event files and ``catboost_training.json`` beside them hold the same numbers again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from curvewise.readers.logged import Claim, LoggedRun, Series
from curvewise.readers.parsing.log_tables import header_of, read_log_table
from curvewise.readers.parsing.recording import chosen_x

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

X = "iter"
ERRORS = re.compile(r"(learn|test)_error\.tsv")
# A metric on one of several test sets; on the last of them it has no number.
NUMBERED = re.compile(r"(.+):(\d+)")
OTHERS = ("time_left.tsv", "catboost_training.json", "meta.tsv")


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim on the tables of errors of a folder, and on what repeats them."""
    tables = [file for file in folder.files.values() if _is_table(file)]
    if tables:
        others = [file for file in folder.files.values() if file.name in OTHERS]
        yield Claim(folder.path, (*tables, *others))


def _is_table(file: File) -> bool:
    return bool(ERRORS.fullmatch(file.name)) and header_of(file)[:1] == [X]


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of a folder.

    Metrics are called as in CatBoost's ``get_evals_result``: ``learn-LOSS``, and
    ``validation-LOSS``, or ``validation_0-LOSS`` and so on if there are several test sets.
    """
    for claim in claims:
        tables = [file for file in claim.files if ERRORS.fullmatch(file.name)]
        run = LoggedRun(x=chosen_x(wanted, [X])[0])
        for file in tables:
            table = read_log_table(file)
            run.notes += table.notes
            steps, has_step = table.numbers(X)
            metrics = [column for column in table.columns if column != X]
            is_learning = file.name.startswith("learn")
            names = _learning_names(metrics) if is_learning else _test_names(metrics)
            for column, name in names.items():
                metric = f"{claim.prefix}{name}"
                if metric in wanted:
                    scores, has_score = table.numbers(column)
                    kept = has_step & has_score
                    run.series[metric] = Series(steps[kept], scores[kept])
        yield run


def _learning_names(columns: Sequence[str]) -> dict[str, str]:
    return {column: f"learn-{column}" for column in columns}


def _test_names(columns: Sequence[str]) -> dict[str, str]:
    """Return what metrics on test sets are called.

    >>> _test_names(["AUC:0", "AUC"])
    {'AUC:0': 'validation_0-AUC', 'AUC': 'validation_1-AUC'}
    """
    numbered = {column: NUMBERED.fullmatch(column) for column in columns}
    numbers = [int(match[2]) for match in numbered.values() if match]
    if not numbers:
        return {column: f"validation-{column}" for column in columns}
    last = max(numbers) + 1
    return {
        column: f"validation_{match[2]}-{match[1]}"
        if match
        else f"validation_{last}-{column}"
        for column, match in numbered.items()
    }
