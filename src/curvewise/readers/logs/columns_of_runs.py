"""Tables with a column of steps and a column of scores per run: ``step, ppo_seed0, ppo_seed1``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from curvewise.readers.logged import Claim
from curvewise.readers.parsing.binary_tables import BINARY_TABLES
from curvewise.readers.parsing.homes import stem_of
from curvewise.readers.parsing.log_tables import LogTable, header_of, read_log_table
from curvewise.readers.parsing.run_columns import Layout, run_of_table
from curvewise.readers.parsing.score_names import is_score_name, score_name_in
from curvewise.readers.tables.columns import step_names, time_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import Folder
    from curvewise.readers.logged import LoggedRun, Wanted

__all__ = ["claims", "read"]

TABLES = (".csv", ".tsv", ".txt", *BINARY_TABLES)
# The word must be there: "layer_1" and "layer_2" are metrics of one run.
RUN = re.compile(
    r"(?:(.+?)[ _./:-]+)?(?:seed|run|trial|fold|rep|repeat)[ _=:-]*(\d+)", re.IGNORECASE
)
# Numbers alone, beside a column of steps: seeds.
NUMBER = re.compile(r"()(\d+)")
LAYOUT = Layout()


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield a claim for each table whose columns are all steps, times or runs."""
    for file in folder.files.values():
        if file.name.lower().endswith(TABLES) and len(_runs(header_of(file))) > 1:
            yield Claim(file.path, (file,))


def _runs(header: list[str]) -> dict[str, re.Match[str]]:
    """Return the columns of runs; none if there are columns of another kind, or no steps."""
    axes = {*step_names(header), *time_names(header)}
    others = [name for name in header if name and name not in axes]
    pattern = NUMBER if all(name.isdecimal() for name in others) else RUN
    found = {name: pattern.fullmatch(name) for name in others}
    runs = {name: match for name, match in found.items() if match is not None}
    # loss_fold1 is a score of one run, not a run.
    is_other = len(runs) < len(found) or any(is_score_name(name) for name in runs)
    return {} if is_other or not axes else runs


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of each column; the score is called as the name of the file tells."""
    for claim in claims:
        file = claim.files[0]
        metric = f"{claim.prefix}{score_name_in(stem_of(file))}"
        table = read_log_table(file)
        columns = _runs(table.columns)
        steps = [name for name in table.columns if name not in columns]
        for column, match in columns.items():
            part = table.frame.select([*steps, column]).rename({column: metric})
            run = run_of_table(
                LogTable(part, table.notes, table.sessions),
                wanted,
                LAYOUT,
                name=file.path.name,
            )
            run.key = column
            run.labels = {"run": match[2]}
            if match[1]:
                run.labels = {"algorithm": match[1], **run.labels}
            yield run
