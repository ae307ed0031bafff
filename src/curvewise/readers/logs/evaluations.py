"""``evaluations.npz`` of Stable-Baselines3: evaluations of one run, several episodes each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from curvewise.errors import CurvesError
from curvewise.readers.logged import DOUBLE, SINGLE, Claim, LoggedRun, Series
from curvewise.readers.parsing.archives import archive_names, read_archive
from curvewise.readers.parsing.parts import home_above
from curvewise.readers.parsing.recording import chosen_x

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from curvewise.readers.folders import Folder
    from curvewise.readers.logged import Wanted

__all__ = ["claims", "read"]

NAME = "evaluations.npz"
KEYS = {"timesteps", "results"}
AXES = ("timesteps", "row")


def claims(folder: Folder) -> Iterator[Claim]:
    """Yield the archives of a folder that hold timesteps and results."""
    for file in folder.files.values():
        is_named = file.path.name == NAME
        if is_named or (file.name.endswith(".npz") and {*archive_names(file)} >= KEYS):
            home = (home_above(folder) or folder.path) if is_named else file.path
            yield Claim(home, (file,))


def read(claims: Sequence[Claim], wanted: Wanted) -> Iterator[LoggedRun]:
    """Yield the run of one home: at each evaluation the mean over its episodes.

    Raises CurvesError if an archive is damaged, or does not have the steps that are wanted.
    """
    x, other_x = chosen_x(wanted, AXES)
    run = LoggedRun(x=x, other_x=other_x)
    for claim in claims:
        for file in claim.files:
            arrays = read_archive(file)
            for metric, series in _series(arrays, file.path.name, x):
                if metric in wanted:
                    run.series.setdefault(metric, series)
    yield run


def _series(
    arrays: dict[str, np.ndarray], name: str, x: str
) -> Iterator[tuple[str, Series]]:
    """Yield each array with a value for each evaluation, or for each episode of it."""
    steps = arrays.pop("timesteps", None)
    if steps is None or steps.ndim != 1 or steps.dtype.kind not in "iuf":
        msg = f"{name} is damaged: it has no timesteps."
        raise CurvesError(msg)
    for key, values in arrays.items():
        if values.dtype.kind not in "biuf" or not values.ndim:
            continue
        if len(values) != len(steps):
            msg = (
                f"{name} is damaged: it has {len(steps)} timesteps but {len(values)} rows of "
                f"{key}."
            )
            raise CurvesError(msg)
        rows = values.reshape(len(values), -1).astype(np.float64)
        if not rows.shape[1]:
            continue
        yield (
            f"evaluations:{key}",
            Series(
                steps.astype(np.float64) if x == AXES[0] else np.arange(float(len(rows))),
                rows.mean(axis=1),
                precision=SINGLE if values.dtype == np.float32 else DOUBLE,
            ),
        )
