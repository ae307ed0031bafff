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
ERRORS = re.compile(r"(learn|test)(\d*)_error(\d*)\.tsv")
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
        tests = [file for file in tables if file.name.startswith("test")]
        run = LoggedRun(x=chosen_x(wanted, [X])[0])
        for file in tables:
            dataset = "learn"
            if file in tests:
                number = f"_{tests.index(file)}" if len(tests) > 1 else ""
                dataset = f"validation{number}"
            table = read_log_table(file)
            run.notes += table.notes
            steps, has_step = table.numbers(X)
            for column in table.columns:
                name = f"{claim.prefix}{dataset}-{column}"
                if column == X or name not in wanted:
                    continue
                scores, has_score = table.numbers(column)
                kept = has_step & has_score
                run.series[name] = Series(steps[kept], scores[kept])
        yield run
