"""Ray Tune and RLlib: a folder for each trial with result.json, progress.csv and event files.

All three hold the same results. ``result.json`` is read where it is there: the columns of
``progress.csv`` are those of the first result, so that it lacks what is reported later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curvewise.readers.logged import Claim
from curvewise.readers.parsing.json_records import read_json_records
from curvewise.readers.parsing.log_tables import header_of, read_log_table
from curvewise.readers.parsing.run_columns import Layout, is_needed, run_of_table
from curvewise.readers.tables.columns import step_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import File, Folder
    from curvewise.readers.logged import LoggedRun, Wanted
    from curvewise.readers.parsing.run_columns import RunTable

__all__ = ["claims", "read"]

RESULTS, TABLE, PARAMETERS = "result.json", "progress.csv", "params.json"
ERRORS = ("error.txt", "error.pkl")
OTHERS = ("params.pkl",)
CONFIG = "config"
# Steps of the environment in all; what users report themselves; what Ray counts.
OF_ENVIRONMENT = ("num_env_steps_sampled_lifetime",)
OF_RAY = ("timesteps_total", "training_iteration")
OTHER_COUNTERS = (
    *(
        "num_env_steps_sampled",
        "num_env_steps_trained",
        "num_agent_steps_sampled_lifetime",
    ),
    *("agent_timesteps_total", "episodes_total"),
)
# What Ray adds to each result for its own use.
OWN = {
    *("pid", "timestamp", "done", "trial_id", "experiment_id", "date", "hostname"),
    *("node_ip", "time_since_restore", "timesteps_since_restore", "warmup_time"),
    *("iterations_since_restore", "experiment_tag", "checkpoint_dir_name"),
    *("should_checkpoint", "time_this_iter_s", "num_training_step_calls_per_iteration"),
}
# What every result of Ray has, and no other log.
MARKS = ("training_iteration", "time_total_s")


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield the trial in a folder, if it is one."""
    files = {file.name: file for file in folder.files.values()}
    results, table = files.get(RESULTS), files.get(TABLE)
    logs = [
        file
        for file, is_log in ((results, _is_result), (table, _is_table))
        if file is not None and file.head() and is_log(file)
    ]
    # A trial that has not reported anything leaves empty files beside its parameters, and a
    # loss of power files of zeros.
    if not logs and results and PARAMETERS in files and _is_empty(results):
        logs = [results, *([table] if table and _is_empty(table) else [])]
    if logs:
        others = (PARAMETERS, *ERRORS, *OTHERS)
        beside = [files[name] for name in others if name in files]
        yield Claim(folder.path, (*logs, *beside))


def _is_empty(file: File) -> bool:
    return not file.first_line() or file.head().startswith(b"\0")


def _is_result(file: File) -> bool:
    for line in file.first_lines(1):
        return line.startswith(b"{") and all(
            f'"{mark}"'.encode() in line for mark in MARKS
        )
    return False


def _is_table(file: File) -> bool:
    return set(MARKS) <= set(header_of(file))


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the trial: its results, its parameters, and whether it failed.

    Raises CurvesError if it does not have the steps that are wanted.
    """
    for claim in claims:
        files = {file.name: file for file in claim.files}
        needed = is_needed(wanted, Layout(steps=(*OF_ENVIRONMENT, *OF_RAY)))
        table: RunTable
        is_done = False
        if RESULTS in files:
            name = RESULTS
            table = records = read_json_records(
                files[RESULTS], needed, without=frozenset({CONFIG})
            )
            first = records.first.get(CONFIG)
            config = first if isinstance(first, dict) else {}
            is_done = records.last.get("done") is True
        else:
            name = TABLE
            header = [*filter(needed, header_of(files[TABLE]))]
            table = read_log_table(files[TABLE], header)
            config = {} if PARAMETERS in files else _config_columns(files[TABLE])
        run = run_of_table(table, wanted, _layout(table), name=name)
        run.config = _parameters(files.get(PARAMETERS), run) or config
        run.status = "" if is_done or not any(e in files for e in ERRORS) else "failed"
        yield run


def _layout(table: RunTable) -> Layout:
    """Return what counts as the step: of the environment, the user's own, Ray's."""
    rays = {*OF_ENVIRONMENT, *OF_RAY, *OTHER_COUNTERS, *OWN}
    named = [column for column in step_names(table.columns) if "/" not in column]
    own = [column for column in named if column not in rays]
    return Layout(
        steps=(*OF_ENVIRONMENT, *own, *OF_RAY, *OTHER_COUNTERS),
        is_sure=False,
        ignored=_is_no_metric,
    )


def _is_no_metric(column: str) -> bool:
    return column in OWN or column.startswith(f"{CONFIG}/")


def _config_columns(file: File) -> dict[str, Any]:
    """Return the configuration that the columns of a table repeat in each row."""
    names = [name for name in header_of(file) if name.startswith(f"{CONFIG}/")]
    rows = read_log_table(file, names).frame.head(1).rows(named=True)
    return {
        name.removeprefix(f"{CONFIG}/"): value
        for row in rows
        for name, value in row.items()
    }


def _parameters(file: File | None, run: LoggedRun) -> dict[str, Any]:
    """Return the parameters of a trial; if they cannot be read, that is noted."""
    if file is None:
        return {}
    try:
        found = file.json()
    except (ValueError, OSError):
        run.notes.append(f"{file.path.name} cannot be read as JSON")
        return {}
    return found if isinstance(found, dict) else {}
