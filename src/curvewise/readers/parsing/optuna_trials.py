"""What Optuna's storages share: a trial with its parameters and intermediate values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from curvewise.readers.logged import LoggedRun
from curvewise.readers.parsing.json_documents import parsed
from curvewise.readers.parsing.recording import Recorder, chosen_x

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from curvewise.readers.logged import Wanted

__all__ = ["INTERMEDIATE", "Trial", "logged_trials", "parameter"]

# What `trial.report` reports has no name of its own.
INTERMEDIATE = "intermediate"
STATUSES = {"RUNNING": "running", "PRUNED": "pruned", "FAIL": "failed"}
WAITING = "WAITING"


@dataclass
class Trial:
    """A trial of a study.

    Attributes
    ----------
    study : str
        The name of the study.
    number : int
        Its number in the study.
    state : str
        "RUNNING", "COMPLETE", "PRUNED", "FAIL" or "WAITING".
    params, attributes : dict
        What was suggested to it, and what the user noted.
    values : dict from step to score
        What it reported, in this order; a step that is reported again holds the later score.
    lower_is_better : bool or None
        Whether the study minimizes; None if it does not say.
    """

    study: str
    number: int
    state: str
    params: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    values: dict[int, float] = field(default_factory=dict)
    lower_is_better: bool | None = None


def logged_trials(
    trials: Iterable[Trial], n_studies: int, wanted: Wanted, notes: Iterable[str] = ()
) -> Iterator[LoggedRun]:
    """Yield trials as runs, those that are only queued left out.

    The key is the number of the trial, with the study before it where there are several.
    """
    for trial in trials:
        if trial.state == WAITING:
            continue
        recorder = Recorder()
        if INTERMEDIATE in wanted:
            for step, score in trial.values.items():
                recorder.add(INTERMEDIATE, step, score)
        number = f"trial {trial.number}"
        yield LoggedRun(
            series=recorder.series(),
            x=chosen_x(wanted, ("step",))[0],
            key=number if n_studies == 1 else f"{trial.study}/{number}",
            config={"study": trial.study, **trial.attributes, **trial.params},
            status=STATUSES.get(trial.state, ""),
            lower_is_better=trial.lower_is_better,
            notes=list(notes),
        )


def parameter(stored: float, distribution: str) -> Any:
    """Return the value of a parameter, as Optuna stores it with its distribution.

    >>> parameter(1.0, '{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}')
    'b'
    >>> parameter(3.0, '{"name": "IntDistribution", "attributes": {"low": 1, "high": 9}}')
    3
    """
    try:
        document = parsed(distribution)
        name = str(document["name"])
        if name.startswith("Categorical"):
            return document["attributes"]["choices"][int(stored)]
        return int(stored) if name.startswith("Int") else stored
    except (ValueError, TypeError, LookupError, OverflowError):
        return stored
