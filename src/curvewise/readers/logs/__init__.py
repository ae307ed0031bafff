"""The formats of training logs; each is a module here.

A module has two functions:

- ``claims(folder)`` yields a `Claim` for each log of the format in a folder, recognised by what
  the files hold as well as by their names. It reads no more than the heads of files.
- ``read(claims, wanted)`` takes all claims on one home and yields a `LoggedRun` for each run.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvewise.readers.failures import explained
from curvewise.readers.logged import unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import Folder
    from curvewise.readers.logged import Claim, LoggedRun, Wanted

__all__ = ["LOG_FORMATS", "LogFormat"]


@dataclass(frozen=True)
class LogFormat:
    """A format of training logs.

    Attributes
    ----------
    name : str
        As shown to people.
    module_name : str
        The module that reads it.
    repeats : tuple of str
        Modules whose logs in the same home, or below it, are the same run once more, and are
        left out.
    is_tracker : bool
        Whether it is written beside other logs of the same run. Its module has a function
        ``names(claims)``, which returns the id of a run and what it is called.
    """

    name: str
    module_name: str
    repeats: tuple[str, ...] = ()
    is_tracker: bool = False

    @property
    def _module(self) -> Any:
        return import_module(f"curvewise.readers.logs.{self.module_name}")

    def claims(self, folder: Folder) -> Iterator[Claim]:
        """Yield the logs of this format in a folder; raise CurvesError if one defies it."""
        with explained(folder.path, self.name):
            yield from self._module.claims(folder)

    def names(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """Return the id of a run of a tracker, and what it is called, if it has a name."""
        return tuple(self._module.names(claims))

    def read(self, claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
        """Yield the runs of one home; raise CurvesError if a file cannot be read."""
        with explained(claims[0].files[0].path, self.name):
            try:
                yield from self._module.read(claims, wanted)
            except OSError as error:
                name = Path(error.filename or claims[0].files[0].path).name
                raise unreadable(name, error) from None


# In the order in which they are asked: those that are easy to tell come first, and what any
# table could be comes last.
LOG_FORMATS: tuple[LogFormat, ...] = (
    LogFormat("MLflow file store", "mlflow_files"),
    LogFormat("MLflow database", "mlflow_sqlite"),
    LogFormat("Optuna database", "optuna_sqlite"),
    LogFormat("Optuna journal", "optuna_journal"),
    LogFormat("Sacred", "sacred"),
    LogFormat("DVCLive", "dvclive"),
    LogFormat("ClearML offline", "clearml"),
    LogFormat("Hugging Face Trainer", "hf_trainer", repeats=("tensorboard",)),
    LogFormat("Ray Tune", "ray_tune", repeats=("tensorboard",)),
    LogFormat("Weights & Biases run files", "wandb_offline", is_tracker=True),
    LogFormat("monitor files", "monitor"),
    LogFormat("evaluations.npz", "evaluations"),
    LogFormat("CatBoost", "catboost", repeats=("tensorboard",)),
    LogFormat("Dopamine", "dopamine"),
    LogFormat("tensorboardX export", "tensorboardx"),
    LogFormat("XGBoost or LightGBM", "boosting"),
    LogFormat("scikit-learn", "sklearn"),
    LogFormat("Keras history", "keras_history"),
    LogFormat("Weights & Biases export", "wandb_csv"),
    LogFormat("table of several runs", "multi_run_tables"),
    LogFormat("table of a column per run", "columns_of_runs"),
    # Before JSON lines: a logger may write its table in both.
    LogFormat("tables", "run_tables"),
    LogFormat("TensorBoard event files", "tensorboard"),
    LogFormat("JSON lines", "json_lines"),
    LogFormat("plain numbers", "plain"),
)
