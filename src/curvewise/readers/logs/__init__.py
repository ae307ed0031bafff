"""The formats of training logs; each is a module here, or a part of one.

A format has two functions, with the name of the part before them as in ``sqlite_claims``, or it is
an object with both, as a `TableFormat` of known_tables:

- ``claims(folder)`` yields a `Claim` for each log of the format in a folder, recognised by what
  the files hold as well as by their names. It reads no more than the heads of files.
- ``read(claims, wanted)`` takes all claims on one home and yields a `LoggedRun` for each run; or
  ``runs(file, wanted)`` does, where each log is one file.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from curvewise.readers.walk import explained

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.walk import Claim, Folder, LoggedRun, Wanted


@dataclass(frozen=True)
class LogFormat:
    """A format of training logs.

    Attributes
    ----------
    name : str
        As shown to people.
    module_name : str
        The module that reads it, and after a dot the part of it that does.
    repeats : tuple of str
        Those whose logs in the same home, or below it, are the same run once more, and are
        left out.
    is_tracker : bool
        Whether it is written beside other logs of the same run. It has a function
        ``names(claims)``, too, which returns the id of a run and what it is called.
    """

    name: str
    module_name: str
    repeats: tuple[str, ...] = ()
    is_tracker: bool = False

    def _function(self, name: str) -> Any:
        """Return a function of the part that reads this format; None if it has none."""
        module, _, part = self.module_name.partition(".")
        found = import_module(f"curvewise.readers.logs.{module}")
        if hasattr(found, part):
            return getattr(getattr(found, part), name, None)
        return getattr(found, f"{part}_{name}" if part else name, None)

    def claims(self, folder: Folder) -> Iterator[Claim]:
        """Yield the logs of this format in a folder; raise CurvesError if one defies it."""
        with explained(folder.path, self.name):
            yield from self._function("claims")(folder)

    def names(self, claims: Sequence[Claim]) -> tuple[str, ...]:
        """Return the id of a run of a tracker, and what it is called, if it has a name."""
        return tuple(self._function("names")(claims))

    def read(self, claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
        """Yield the runs of one home; raise CurvesError if a file cannot be read."""
        with explained(claims[0].files[0].path, self.name):
            if runs := self._function("runs"):
                for claim in claims:
                    yield from runs(claim.files[0], wanted)
            else:
                yield from self._function("read")(claims, wanted)


# In the order in which they are asked: those that are easy to tell come first, and what any
# table could be comes last.
LOG_FORMATS: tuple[LogFormat, ...] = (
    LogFormat("MLflow file store", "stores.mlflow_files"),
    LogFormat("MLflow database", "stores.mlflow_database"),
    LogFormat("Optuna database", "stores.optuna_database"),
    LogFormat("Optuna journal", "stores.optuna_journal"),
    LogFormat("Sacred", "run_folders.sacred"),
    LogFormat("DVCLive", "known_tables.dvclive"),
    LogFormat("ClearML offline", "run_folders.clearml"),
    LogFormat("Hugging Face Trainer", "run_folders.hugging_face", repeats=("tensorboard",)),
    LogFormat("Ray Tune", "run_folders.ray_tune", repeats=("tensorboard",)),
    LogFormat("Weights & Biases run files", "wandb.offline", is_tracker=True),
    LogFormat("monitor files", "known_tables.monitor"),
    LogFormat("evaluations.npz", "known_tables.evaluations"),
    LogFormat("CatBoost", "known_tables.catboost", repeats=("tensorboard",)),
    LogFormat("Dopamine", "known_tables.dopamine"),
    LogFormat("tensorboardX export", "tensorboard.export"),
    LogFormat("XGBoost or LightGBM", "histories.boosting"),
    LogFormat("scikit-learn", "histories.sklearn"),
    LogFormat("Keras history", "histories.keras"),
    LogFormat("Weights & Biases export", "wandb.charts"),
    LogFormat("table of several runs", "tables.rows"),
    LogFormat("table of a column per run", "tables.columns"),
    # Before JSON lines: a logger may write its table in both.
    LogFormat("tables", "tables.logger"),
    LogFormat("TensorBoard event files", "tensorboard"),
    LogFormat("JSON lines", "tables.json_lines"),
    LogFormat("plain numbers", "histories.plain"),
)
